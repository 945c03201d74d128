//! `graduated`: names that come to standard from experimental.
//!
//! Asks the baseline's experimental channel where a name of standard comes from ([`started`]); a name that was never there is `name-added`.

use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::Value;

use crate::difference::{Difference, Step, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "graduated",
    row: "graduated",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::SILENT, Cell::of(&[Ruling::Patch])),
    summary: "A field, a value or a resource came to standard that the baseline's experimental channel has: it \
        graduated.",
    explanation: "Names start in experimental, and come to standard when they have proven themselves. A tombstone \
        with a replacement connects a name with the one that it had in experimental.",
    example: "old: {}\n\
              new: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }\n\
              experimental: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }",
    claims,
};

/// Whether a name that is new in standard started in experimental: none if that cannot be asked, because this is not standard or because the
/// baseline has no experimental channel.
pub(super) fn started(difference: &Difference<'_>, context: &Context<'_>) -> Option<bool> {
    let crds = context.baseline_experimental?;
    let crd = difference.place.crd();
    // The CRD itself, and those that it replaces.
    let former = context.declared.moved.iter().filter(|(_, new)| *new == crd).map(|(old, _)| &**old);
    let names = std::iter::once(crd).chain(former).collect::<Vec<_>>();
    let mut known = crds.iter().filter(|known| names.contains(&&*known.name));
    if difference.subject == Subject::Resource {
        return Some(known.next().is_some());
    }
    let path = difference.place.path();
    Some(known.any(|known| {
        let version = known.versions.iter().find(|version| Some(&*version.name) == difference.place.version());
        let node = version.and_then(|version| node_at(&version.schema, &difference.place.path));
        node.is_some_and(|node| match difference.subject {
            Subject::Field => node.properties.iter().any(|(field, _)| {
                // Under this name, or under one that this name replaces.
                let name = difference.name();
                Some(&**field) == name || context.declared.renames.of(crd, &path, field) == name
            }),
            // Where any value is allowed, this one is.
            _ => node.enumeration.as_ref().is_none_or(|values| {
                values.iter().any(|value| {
                    let replaced = value.as_str().and_then(|old| context.declared.replaced_values.of(crd, &path, old));
                    let came = difference.after.as_ref();
                    Some(value) == came || replaced.is_some() && replaced == came.and_then(Value::as_str)
                })
            }),
        })
    }))
}

/// The node at a path.
fn node_at<'s>(schema: &'s Schema, path: &[Step<'_>]) -> Option<&'s Schema> {
    path.iter().try_fold(schema, |node, step| match step {
        Step::Field(name) => node.properties.get(name),
        Step::Each => match (&node.items, &node.additional_properties) {
            (Some(items), _) => Some(&**items),
            (None, Some(AdditionalProperties::Values(values))) => Some(&**values),
            _ => None,
        },
    })
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let what = super::name_added::what(difference)?;
    started(difference, context)?.then(|| {
        let claim = Claim::new(format!("the {what} graduated: experimental had it already"));
        match difference.subject {
            Subject::EnumValue => claim.directed(Direction::Loosened),
            _ => claim,
        }
    })
}
