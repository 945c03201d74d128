//! `selectable-or-scale-added`: selectable fields and the scale subresource, where they come.
//!
//! Shares its row with `selectable-or-scale-changed`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "selectable-or-scale-added",
    row: "selectable-or-scale",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Patch])),
    summary: "A selectable field or the scale subresource was added.",
    explanation: "Field selectors, `kubectl scale` and autoscalers work where they did not. Nobody has to do \
        anything.",
    example: "old: {}\n\
              new: { version: { selectableFields: [{ jsonPath: .spec.field }] } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::SelectableField => "a selectable field was added: clients can select objects by it",
        Subject::ScaleSubresource => "the scale subresource was added: objects can be scaled",
        _ => return None,
    };
    difference.is_addition().then(|| Claim::new(what))
}
