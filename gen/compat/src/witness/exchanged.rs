//! The old schema with one constraint of the new one, and the other way round: it refuses only the objects that this change refuses.
//!
//! Invariants: only the changed keyword is exchanged. If the change is not about one keyword, as for a type, the whole node is exchanged.

use crd_inclusion::{Difference, Field, Position, Presence, Step as StepName};
use crd_model::Schema;
use crd_model::schema::{Keyword, Role, SchemaPath};

/// The old schema with the changed keyword of the new one.
pub(super) fn exchanged(
    old: &Schema,
    path: &SchemaPath,
    difference: &Difference<'_>,
    position: &Position<'_>,
) -> Schema {
    let mut exchanged_schema = old.clone();
    // A new field comes with its default.
    if let (Difference::Default(_), Some((StepName::Field(name), _)), Some(new)) =
        (difference, position.steps.split_last(), position.new_node())
        && position.old_nodes.iter().rev().nth(1).is_some_and(|above| above.properties.get(name).is_none())
    {
        let field = Field { name, schema: new };
        let node = path.node_mut(&mut exchanged_schema);
        if let Some(node) = node {
            exchange(node, new, &Difference::Field(Presence::Added(field)));
        }
        return exchanged_schema;
    }
    // The path of a default is that of the node around it.
    let field = match (difference, position.steps.last()) {
        (Difference::Default(_), Some(step)) => Some(path.with(step.owned())),
        _ => None,
    };
    let path = field.as_ref().unwrap_or(path);
    if let (Some(node), Some(new)) = (path.node_mut(&mut exchanged_schema), position.new_node()) {
        exchange(node, new, difference);
    }
    exchanged_schema
}

/// The new schema with the changed keyword of the old one.
pub(super) fn reversed(
    new: &Schema,
    path: &SchemaPath,
    difference: &Difference<'_>,
    position: &Position<'_>,
) -> Schema {
    let mut reversed_schema = new.clone();
    if let (Some(node), Some(old)) = (path.node_mut(&mut reversed_schema), position.old_node()) {
        match difference {
            Difference::Required(name) => node.required.retain(|required| **required != **name.value()),
            Difference::EnumValue(_) => node.enumeration.clone_from(&old.enumeration),
            Difference::Field(field) => drop(node.properties.remove(field.value().name)),
            _ => exchange(node, old, difference),
        }
    }
    reversed_schema
}

/// The types and lists of the new schema with only the changed rule: nothing else refuses a value.
pub(super) fn alone(new: &Schema, path: &SchemaPath, difference: &Difference<'_>) -> Schema {
    let mut schema = new.clone();
    let refuses = |keyword: &Keyword| match keyword.role() {
        Role::Type | Role::Structure | Role::Content | Role::Merge => false,
        Role::Limit => *keyword != Keyword::Format,
        Role::Text | Role::Branch | Role::Rule => true,
    };
    schema.each_mut(&mut |node| {
        let refusing = Keyword::ALL.iter().copied().filter(refuses);
        refusing.for_each(|keyword| node.copy(&Schema::default(), keyword));
    });
    if let (Some(node), Difference::Rule(rule)) = (path.node_mut(&mut schema), difference) {
        node.validations.extend(rule.after().map(|rule| (*rule).clone()));
    }
    schema
}

fn exchange(node: &mut Schema, new: &Schema, difference: &Difference<'_>) {
    if difference.copy_keyword(new, node) {
        return;
    }
    match difference {
        // Each removed value is a change of its own.
        Difference::EnumValue(value) => {
            if let (Some(members), Some(removed)) = (&mut node.enumeration, value.before()) {
                members.retain(|member| member != removed);
            }
        }
        Difference::Required(name) => {
            let name = *name.value();
            if !node.required.iter().any(|required| required == name) {
                node.required.push(name.to_owned().into());
                node.required.sort_unstable();
                // A field with a default is never absent.
                let default = new.properties.get(name).and_then(|property| property.default.clone());
                if let Some(property) = node.properties.get_mut(name) {
                    property.default = default;
                }
            }
        }
        Difference::Rule(rule) => {
            node.validations.retain(|known| Some(&known) != rule.before());
            node.validations.extend(rule.after().map(|added| (*added).clone()));
        }
        Difference::AdditionalProperties(_) => node.additional_properties.clone_from(&new.additional_properties),
        Difference::PreserveUnknownFields(_) => node.preserve_unknown_fields = new.preserve_unknown_fields,
        Difference::EmbeddedResource(_) => node.embedded_resource = new.embedded_resource,
        Difference::Field(field) => {
            let field = field.value();
            node.properties.insert(field.name.to_owned().into(), field.schema.clone());
        }
        Difference::ListType(_) | Difference::ListMapKeys(_) => {
            node.list_type.clone_from(&new.list_type);
            node.list_map_keys.clone_from(&new.list_map_keys);
        }
        Difference::Default(default) => node.default = default.after().cloned(),
        _ => node.clone_from(new),
    }
}
