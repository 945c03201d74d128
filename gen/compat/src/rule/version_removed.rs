//! `version-removed`: API versions that are gone.
//!
//! One in which objects may still be stored is `stored-version-removed`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells, Column, Need};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "version-removed",
    row: "version-removed",
    cells: Cells::of(
        Cell::of(&[Ruling::Major, Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone]),
    ),
    summary: "An API version was removed.",
    explanation: "Requests for it are answered as if it had never existed. In standard a GA version needs a major \
        bundle, and any other one too, unless the baseline neither serves nor stores it. The tombstone keeps the \
        name from coming back with another schema.",
    example: "old: { versions: [{ name: v1beta1, served: false, storage: false }, { name: v1 }] }\n\
              new: { versions: [{ name: v1 }] }",
    claims,
};

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    if difference.subject != Subject::Version
        || !difference.is_removal()
        || super::stored_version_removed::is_unmigrated(difference, context)
    {
        return None;
    }
    let version = difference.place.old_version?;
    let claim = Claim::new("the API version was removed: requests for it fail as if it had never existed");
    let stable = super::resource_removed::is_stable(&version.name);
    Some(match context.column {
        Column::Standard if !version.served && !version.storage && !stable => claim.ruled(Ruling::Minor),
        Column::Standard if !stable => claim.fix("Stop serving and storing it first: then a minor bundle will do."),
        _ => claim,
    })
}
