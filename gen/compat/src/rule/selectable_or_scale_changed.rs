//! `selectable-or-scale-changed`: selectable fields and the scale subresource, where they go or point elsewhere.
//!
//! Shares its row with `selectable-or-scale-added`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "selectable-or-scale-changed",
    row: "selectable-or-scale",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A selectable field or the scale subresource was removed, or its paths were changed.",
    explanation: "Watches with a field selector are refused, and autoscalers stop working or scale by another field.",
    example: "old: { version: { selectableFields: [{ jsonPath: .spec.field }] } }\n\
              new: {}",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match (difference.subject, difference.is_removal()) {
        (Subject::SelectableField, _) => "a selectable field was removed: requests that select by it are refused",
        (Subject::ScaleSubresource, true) => "the scale subresource was removed: autoscalers stop working",
        (Subject::ScaleSubresource, false) => {
            "the scale subresource has other paths: autoscalers read and write other fields"
        }
        _ => return None,
    };
    (!difference.is_addition()).then(|| Claim::new(what))
}
