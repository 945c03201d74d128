//! `default-changed`: defaults that were changed or removed.
//!
//! All but changed conditions in the status, which are `condition-list-default`.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "default-changed",
    row: "default-changed",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "The default of a field was changed or removed.",
    explanation: "Stored objects keep the default that was filled in when they were written; all that leave the \
        field out from now on mean something else, with nobody having changed a manifest.",
    example: "old: { field: { type: string, default: Auto } }\n\
              new: { field: { type: string, default: Manual } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    if difference.subject != Subject::Default
        || difference.is_addition()
        || super::condition_list_default::is_conditions(difference)
    {
        return None;
    }
    Some(Claim::new(match difference.is_removal() {
        true => "the default was removed: new objects without this field have no value here",
        false => "the default was changed: new objects without this field mean something else",
    }))
}
