//! `resource-removed`: resources that are gone.
//!
//! One that a tombstone says is replaced by another CRD of the candidate is `resource-moved`, which asks [`ruling`] too.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells, Column, Need};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "resource-removed",
    row: "resource-removed",
    cells: Cells::of(
        Cell::of(&[Ruling::Major, Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Major]).needs(&[Need::Tombstone]),
    ),
    summary: "A resource was removed.",
    explanation: "Nobody deletes the CRD from clusters that have it: it stays behind, with its objects. In standard \
        a minor bundle may drop it only if it never had a GA version and was deprecated for 9 months and 3 minor \
        bundles.",
    example: "old: {}\n\
              new: { absent: true }",
    claims,
};

/// What is ruled when a resource leaves standard otherwise than usual.
pub(super) fn ruling(difference: &Difference<'_>, context: &Context<'_>) -> Option<Ruling> {
    let versions = difference.place.old_crd.map(|crd| crd.versions.as_slice()).unwrap_or_default();
    let stable = versions.iter().any(|version| is_stable(&version.name));
    let long_deprecated = context.declared.long_deprecated.contains(difference.place.crd());
    (context.column == Column::Standard && !stable && long_deprecated).then_some(Ruling::Minor)
}

/// True for `v1`, false for `v1beta1`.
pub(super) fn is_stable(version: &str) -> bool {
    version
        .strip_prefix('v')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    if difference.subject != Subject::Resource
        || !difference.is_removal()
        || super::resource_moved::successor(difference, context).is_some()
    {
        return None;
    }
    let claim = Claim::new(
        "the resource was removed: clusters that have it keep it and its objects, and no bundle cares for it any more",
    );
    Some(match ruling(difference, context) {
        Some(ruling) => claim.ruled(ruling),
        None => claim,
    })
}
