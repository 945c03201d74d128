//! `version-added`: API versions that come, come back, or whose deprecation changes.
//!
//! What is inside a version that comes is not walked: names in it need not have been in experimental.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "version-added",
    row: "version-added",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Patch])),
    summary: "An API version was added, served again, deprecated, or is no longer deprecated.",
    explanation: "Nobody has to do anything at once. Who uses a deprecated version is warned by every answer of the \
        server.",
    example: "old: {}\n\
              new: { version: { deprecated: true } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::Version if difference.is_addition() => "the API version was added",
        Subject::Served if difference.is_addition() => "the API version is served again",
        Subject::Deprecated if difference.is_addition() => "the API version is deprecated now: who uses it is warned",
        Subject::Deprecated => "the API version is no longer deprecated",
        _ => return None,
    };
    Some(Claim::new(what))
}
