//! `default-added`: defaults where there were none.
//!
//! Of any field, condition lists in the status included; a default that is changed or removed is `default-changed` or `condition-list-default`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "default-added",
    row: "default-added",
    cells: Cells::of(Cell::of(&[Ruling::Minor]).warned(), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A field got a default.",
    explanation: "The server fills it in when objects are written and when stored ones are read: objects that left \
        the field out now seem to have set it, for every reader at once.",
    example: "old: { field: { type: string } }\n\
              new: { field: { type: string, default: Auto } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::Default && difference.is_addition())
        .then(|| Claim::new("a default was added: stored objects without this field read as if somebody had set it"))
}
