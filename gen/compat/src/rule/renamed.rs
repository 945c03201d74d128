//! `renamed`: fields whose new name is declared.
//!
//! Joins what would be `name-removed` and `name-added`. Renames are never assumed: [`likely`] only makes a suggestion of `name-removed`.

use crd_model::Schema;

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells, Column, Need};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "renamed",
    row: "renamed",
    cells: Cells::of(
        Cell::of(&[Ruling::Major]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone, Need::ConversionBothWays]).warned(),
        Cell::of(&[Ruling::Minor]).needs(&[Need::ConversionBothWays]),
    ),
    summary: "A field was renamed, as its tombstone declares.",
    explanation: "In standard the new name comes beside the old one in a minor bundle, and the old one goes with a \
        major bundle. In experimental both may happen at once; what is stored under the old name is unreadable then, \
        unless the node preserves unknown fields.",
    example: "old: { spec: { type: object, properties: { tls: { type: string } } } }\n\
              new: { spec: { type: object, properties: { validation: { type: string } } } }\n\
              declared: { renames: [{ at: spec, old: tls, new: validation }] }",
    claims,
};

/// The only field that came where this one went, if it has the same schema, words apart.
pub(super) fn likely<'a>(difference: &Difference<'a>) -> Option<&'a str> {
    let (old, new) = (difference.place.old_node()?, difference.place.new_node()?);
    let gone = without_words(difference.parts.field?);
    let mut same = new
        .properties
        .iter()
        .filter(|(name, schema)| old.properties.get(name).is_none() && without_words(schema) == gone);
    match (same.next(), same.next()) {
        (Some((name, _)), None) => Some(name),
        _ => None,
    }
}

fn without_words(schema: &Schema) -> Schema {
    Schema { description: None, title: None, example: None, external_docs: None, ..schema.clone() }
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let (Subject::FieldName, Some(name)) =
        (difference.subject, difference.after.as_ref().and_then(|name| name.as_str()))
    else {
        return None;
    };
    let kept = difference.place.new_node().is_some_and(|node| node.preserve_unknown_fields == Some(true));
    let claim = match kept {
        true => Claim::new(format!(
            "the field is called `{name}` now; values under the old name stay readable, as the node preserves unknown fields"
        ))
        .unwarned(),
        false => Claim::new(format!("the field is called `{name}` now; stored values under the old name become unreadable")),
    };
    Some(match context.column == Column::Standard {
        true => claim.fix("Keep the old name beside the new one until a major bundle, and deprecate it."),
        false => claim,
    })
}
