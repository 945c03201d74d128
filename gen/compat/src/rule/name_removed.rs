//! `name-removed`: removed fields and enum values.
//!
//! A field with a declared new name is `renamed`; an `enum` that was removed as a whole is `loosened`.

use crd_inclusion::{Direction, Field, Position};
use crd_model::Schema;
use crd_model::schema::AdditionalProperties;

use crate::policy::{Cell, Cells, Need};
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "name-removed",
    row: "name-removed",
    cells: Cells::of(
        Cell::of(&[RequiredBump::Major]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[RequiredBump::Minor]).needs(&[Need::Tombstone, Need::Conversion]),
    ),
    one: "name removed",
    many: "names removed",
    section: Section::Removed,
    summary: "A field or an enum value was removed.",
    explanation: "\
        Values of a removed field stay stored and hidden. They reappear when the name returns, even with a \
        type that the new schema would refuse. The name therefore gets a tombstone and never returns.",
    example: "\
        old: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }\n\
        new: {}",
};

/// A field was removed.
pub(crate) fn field(field: &Field<'_>, position: &Position<'_>) -> Assessment {
    let assessment = match kept_by(field.schema, position) {
        Some(reason) => {
            let message = format!("the field was removed: stored values stay readable, because {reason}");
            Assessment::new(&RULE, message).directed(Direction::Loosened)
        }
        None => Assessment::new(
            &RULE,
            "the field was removed: stored values become unreadable, and the next write erases them",
        ),
    };
    match likely_new_name(field, position) {
        Some(name) => assessment.fix(format!(
            "If it was renamed to `{name}`, which has the same schema, declare it: `replacement={name}` in its tombstone."
        )),
        None => assessment,
    }
}

/// What keeps the values of a removed field.
fn kept_by(removed: &Schema, position: &Position<'_>) -> Option<&'static str> {
    let node = position.new_node()?;
    match node.additional_properties {
        _ if node.preserve_unknown_fields == Some(true) => Some("the node preserves unknown fields"),
        Some(AdditionalProperties::Allowed(true)) if !has_objects(removed) => Some("entries of any name are allowed"),
        _ => None,
    }
}

/// Whether values may have fields. Servers erase them where a value has no schema.
fn has_objects(schema: &Schema) -> bool {
    match schema.kind.as_deref() {
        Some("array") => schema.items.as_deref().is_none_or(has_objects),
        Some("object") => true,
        Some(_) => false,
        None => !schema.int_or_string,
    }
}

/// An enum value was removed.
pub(crate) fn value() -> Assessment {
    let message = "the value was removed: objects with it are refused when they are created or when it is set again";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

/// The only field that was added to the node of a removed field and has the same schema, texts aside.
fn likely_new_name<'a>(removed: &Field<'_>, position: &Position<'a>) -> Option<&'a str> {
    let (old, new) = (position.old_node()?, position.new_node()?);
    let schema = without_texts(removed.schema);
    let mut same = new
        .properties
        .iter()
        .filter(|(name, candidate)| old.properties.get(name).is_none() && without_texts(candidate) == schema);
    match (same.next(), same.next()) {
        (Some((name, _)), None) => Some(name),
        _ => None,
    }
}

fn without_texts(schema: &Schema) -> Schema {
    Schema { description: None, title: None, example: None, external_docs: None, ..schema.clone() }
}
