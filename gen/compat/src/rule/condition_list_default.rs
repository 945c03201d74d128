//! `condition-list-default`: other conditions to begin with.
//!
//! The exception from `default-changed`: lists called `conditions` anywhere below `status`, whether the default stands on the list or on an
//! object around it (Gateway has both). Its removal is no exception.

use serde_json::Value;

use crate::difference::{Difference, Step, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "condition-list-default",
    row: "condition-list-default",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "The default of a list of conditions in the status was changed.",
    explanation: "Controllers write conditions. Their default only says what a new object shows until one of them \
        has looked at it.",
    example: "old: { status: { type: object, default: { conditions: [{ type: Scheduled, status: Unknown }] } } }\n\
              new: { status: { type: object, default: { conditions: [{ type: Accepted, status: Unknown }] } } }",
    claims,
};

/// True if only conditions of the status differ.
pub(super) fn is_conditions(difference: &Difference<'_>) -> bool {
    let path = &difference.place.path;
    let (Some(before), Some(after)) = (&difference.before, &difference.after) else { return false };
    difference.subject == Subject::Default
        && path.first() == Some(&Step::Field("status"))
        && (path.last() == Some(&Step::Field("conditions")) || without_conditions(before) == without_conditions(after))
}

/// A default with the conditions taken out of their lists.
fn without_conditions(value: &Value) -> Value {
    match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(name, value)| match value {
                Value::Array(_) if name == "conditions" => (name.clone(), Value::Array(Vec::new())),
                _ => (name.clone(), without_conditions(value)),
            })
            .collect(),
        Value::Array(items) => items.iter().map(without_conditions).collect(),
        _ => value.clone(),
    }
}

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    is_conditions(difference)
        .then(|| Claim::new("new objects begin with other conditions, until a controller has looked at them"))
}
