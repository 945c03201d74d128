//! `preserve-removed`: nodes that keep less than before.
//!
//! The reverse of `preserve-added` and `embedded-resource-added`.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "preserve-removed",
    row: "preserve-removed",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Refused])),
    summary: "A node no longer preserves unknown fields, or no longer holds an embedded resource.",
    explanation: "Unknown fields that are stored are not shown any more, and the next write erases them, without a \
        word. Under the API-versioning guide nothing may do that.",
    example: "old: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }\n\
              new: { field: { type: object } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let (what, direction) = match difference.subject {
        Subject::PreserveUnknownFields | Subject::PreserveUnknownFieldsOfAll => (
            "unknown fields are no longer preserved: stored ones become unreadable, and the next write erases them",
            Direction::Tightened,
        ),
        Subject::EmbeddedResource => (
            "the object is no longer an embedded resource: what its schema does not name of apiVersion, kind and metadata is dropped",
            Direction::Loosened,
        ),
        _ => return None,
    };
    difference.is_removal().then(|| Claim::new(what).directed(direction))
}
