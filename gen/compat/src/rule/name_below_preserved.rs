//! `name-below-preserved`: fields that come where unknown ones were kept.
//!
//! The exception from `graduated` and `name-added`: here objects may hold a value of this name already.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "name-below-preserved",
    row: "name-below-preserved",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A field was added to a node that preserves unknown fields.",
    explanation: "Objects may have a field of this name already, with any value: the node kept it. From now on the \
        schema of the field holds for it, and may refuse it.",
    example: "old: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }\n\
              new: { field: { type: object, x-kubernetes-preserve-unknown-fields: true, properties: { mode: { type: string } } } }",
    claims,
};

/// True if the node of the baseline kept every name.
pub(crate) fn is_preserved(difference: &Difference<'_>) -> bool {
    difference.place.old_node().is_some_and(|node| node.preserve_unknown_fields == Some(true))
}

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::Field && difference.is_addition() && is_preserved(difference)).then(|| {
        Claim::new("the field was added where unknown fields were kept: stored values of this name may be refused now")
            .directed(Direction::Tightened)
    })
}
