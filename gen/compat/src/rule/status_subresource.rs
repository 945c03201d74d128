//! `status-subresource`: the status subresource of a version that existed.
//!
//! A version that comes with it is `version-added`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "status-subresource",
    row: "status-subresource",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "The status subresource was added to a version that existed, or removed from it.",
    explanation: "With it, writes of the status through the object itself vanish without a word; without it, writes \
        to the subresource are answered with 404. Either way controllers that worked stop working.",
    example: "old: {}\n\
              new: { version: { subresources: { status: {} } } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::StatusSubresource).then(|| {
        Claim::new(match difference.is_addition() {
            true => {
                "the status subresource was added: writes of the status through the object itself vanish silently now"
            }
            false => "the status subresource was removed: controllers that write to it fail now",
        })
    })
}
