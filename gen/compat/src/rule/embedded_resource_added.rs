//! `embedded-resource-added`: nodes that became embedded resources.
//!
//! Shares its row with `preserve-added`; the reverse is `preserve-removed`.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "embedded-resource-added",
    row: "preserve-added",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A node became an embedded resource.",
    explanation: "It must have an apiVersion, a kind and a valid name from now on, so stored objects without them \
        are refused when they are changed.",
    example: "old: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }\n\
              new:\n\
              \x20 field: { type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::EmbeddedResource && difference.is_addition()).then(|| {
        Claim::new("the object is an embedded resource now: it is refused without apiVersion, kind and a valid name")
            .directed(Direction::Tightened)
    })
}
