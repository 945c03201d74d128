//! `preserve-added`: nodes that preserve unknown fields from now on.
//!
//! Shares its row with `embedded-resource-added`; the reverse is `preserve-removed`.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "preserve-added",
    row: "preserve-added",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Patch])),
    summary: "A node preserves unknown fields now.",
    explanation: "Fields that were dropped are kept, whatever they hold. It cannot be taken back in a minor bundle \
        of standard.",
    example: "old: { field: { type: object } }\n\
              new: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (matches!(difference.subject, Subject::PreserveUnknownFields | Subject::PreserveUnknownFieldsOfAll)
        && difference.is_addition())
    .then(|| Claim::new("unknown fields are kept now, where they were dropped").directed(Direction::Loosened))
}
