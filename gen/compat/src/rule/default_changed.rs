//! `default-changed`: changed or removed defaults.
//!
//! Except changed conditions in the status, which are `condition-list-default`.

use crd_apiserver::apply_defaults;
use crd_cel::{Duration, quantity_digits};
use crd_inclusion::{Direction, Position};
use crd_model::Schema;
use serde_json::Value;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "default-changed",
    row: "default-changed",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "default changed",
    many: "defaults changed",
    section: Section::Changed,
    summary: "The default of a field was changed or removed.",
    explanation: "\
        Stored objects keep the default that was filled in when they were written. Objects that omit the \
        field from now on have another meaning, with the same manifest. Equal durations (`format: duration`) \
        and quantities are equal, however they are written, and the default of an object is compared with \
        the defaults of its fields.",
    example: "\
        old: { field: { type: string, default: Auto } }\n\
        new: { field: { type: string, default: Manual } }",
};

/// What a default with another text keeps.
pub(crate) enum Kept {
    Value,
    /// Its value with the defaults of its fields now.
    Filled,
}

/// Whether a default keeps its value, as servers complete it with the defaults of its fields.
pub(crate) fn kept(old: &Value, new: &Value, position: &Position<'_>) -> Option<Kept> {
    let (old_node, new_node) = (position.old_node()?, position.new_node()?);
    let completed = |value: &Value, node: &Schema| {
        let mut value = value.clone();
        apply_defaults(node, &mut value);
        spell(node, &mut value, true);
        value
    };
    let after = completed(new, new_node);
    match completed(old, old_node) == after {
        true => Some(Kept::Value),
        false => (completed(old, new_node) == after).then_some(Kept::Filled),
    }
}

/// Writes equal durations and quantities in one way. Rules read a quantity as it is written, and a duration as a number.
fn spell(node: &Schema, value: &mut Value, is_free: bool) {
    let is_free = is_free && node.validations.is_empty();
    let is_duration = node.format.as_deref() == Some("duration");
    // The pattern of quantities has their units.
    let is_quantity = is_free && node.pattern.as_deref().is_some_and(|pattern| pattern.contains("[numkMGTPE]"));
    match value {
        Value::Object(entries) => entries.iter_mut().for_each(|(name, value)| {
            if let Some(below) = node.entry(name) {
                spell(below, value, is_free);
            }
        }),
        Value::Array(items) => {
            if let Some(below) = node.items.as_deref() {
                items.iter_mut().for_each(|item| spell(below, item, is_free));
            }
        }
        Value::String(text) if is_duration => {
            if let Some(Duration(nanoseconds)) = Duration::parse(text) {
                *text = format!("{nanoseconds}ns");
            }
        }
        Value::String(_) | Value::Number(_) if is_quantity => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if let Some((digits, power)) = quantity_digits(&text) {
                *value = format!("{digits}e{power}").into();
            }
        }
        _ => {}
    }
}

pub(crate) fn removed() -> Assessment {
    Assessment::new(&RULE, "the default was removed: new objects without this field have no value here")
}

/// A constraint around the field sees whether it has a value.
pub(crate) fn missed() -> Assessment {
    let message = "the default was removed: a constraint around it may refuse new objects without this field, which have no value here";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

pub(crate) fn replaced() -> Assessment {
    Assessment::new(&RULE, "the default was changed: new objects without this field have another meaning")
}
