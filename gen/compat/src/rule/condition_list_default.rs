//! `condition-list-default`: other initial conditions.
//!
//! The exception from `default-changed` for lists called `conditions` below `status`, with the default on the list or on an object around
//! it (Gateway has both). The removal of a default is not an exception.

use crd_inclusion::Step;
use serde_json::Value;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::Minor;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "condition-list-default",
    row: "condition-list-default",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "default of conditions changed",
    many: "defaults of conditions changed",
    section: Section::Changed,
    summary: "The default of a list of conditions in the status was changed.",
    explanation: "\
        Controllers write conditions. Their default is what a new object shows until a controller has \
        processed it.",
    example: "\
        old: { status: { type: object, default: { conditions: [{ type: Scheduled, status: Unknown }] } } }\n\
        new: { status: { type: object, default: { conditions: [{ type: Accepted, status: Unknown }] } } }",
};

/// True if only conditions of the status differ.
pub(crate) fn applies(steps: &[Step<'_>], old: &Value, new: &Value) -> bool {
    steps.first() == Some(&Step::Field("status"))
        && (steps.last() == Some(&Step::Field("conditions")) || without_conditions(old) == without_conditions(new))
}

/// A default with empty lists of conditions.
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

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "new objects start with other conditions, until a controller has processed them")
}
