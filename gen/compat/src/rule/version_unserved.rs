//! `version-unserved`: API versions that stay and are no longer served.
//!
//! The step before `version-removed`, and one that can be taken back.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells, Column};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "version-unserved",
    row: "version-unserved",
    cells: Cells::of(Cell::of(&[Ruling::Major, Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "An API version is no longer served.",
    explanation: "Requests for it are answered as if it had never existed; objects are not lost, since other \
        versions serve them. In standard a GA version needs a major bundle, and any other one too, unless the \
        baseline deprecates it.",
    example: "old: { version: { name: v1beta1, deprecated: true } }\n\
              new: { version: { name: v1beta1, deprecated: true, served: false } }",
    claims,
};

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    if difference.subject != Subject::Served || difference.is_addition() {
        return None;
    }
    let claim = Claim::new("the API version is no longer served: requests for it fail as if it had never existed");
    let version = difference.place.old_version?;
    let stable = super::resource_removed::is_stable(&version.name);
    Some(match context.column {
        Column::Standard if version.deprecated && !stable => claim.ruled(Ruling::Minor),
        Column::Standard if !stable => {
            claim.fix("Deprecate it first (`+kubebuilder:deprecatedversion`): then a minor bundle will do.")
        }
        _ => claim,
    })
}
