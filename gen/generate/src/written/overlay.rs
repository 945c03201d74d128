//! The projection of a written schema to a channel.
//!
//! Invariants: only what is not in the channel is removed, and only markers that are limited to a channel are applied: the innermost type first, so
//! that the marker of a field counts more than that of its type. A rule has the place that its marker has among those of the types; one that is
//! written already goes from the channels that do not have it.

use crd_markers::descriptor::Field;
use crd_model::schema::{AdditionalProperties, Schema, Validation};

use crate::annotated::{Applied, Core, Node};
use crate::project::{View, apply, priority, validation};

/// Makes the schema that of the channel.
pub(crate) fn overlay(node: &Node, schema: &mut Schema, view: View) {
    // A schema is a copy only where it changes.
    if !node.is_limited() {
        return;
    }
    match &node.core {
        Core::Object { properties, inlined, .. } => {
            for property in properties {
                let name = property.field.wire_name;
                match property.channels.contains(view.channel) {
                    false => remove(schema, property.field),
                    true => {
                        if let Some(inner) = schema.properties.get_mut(name) {
                            overlay(&property.node, inner, view);
                        }
                    }
                }
            }
            for node in inlined {
                match node.channels.contains(view.channel) {
                    true => overlay(node, schema, view),
                    false => {
                        let mut fields = Vec::new();
                        node.fields(&mut fields);
                        fields.into_iter().for_each(|field| remove(schema, field));
                    }
                }
            }
        }
        Core::List(items) => {
            if let Some(inner) = &mut schema.items {
                overlay(items, inner, view);
            }
        }
        Core::Map(values) => {
            if let Some(AdditionalProperties::Values(inner)) = &mut schema.additional_properties {
                overlay(values, inner, view);
            }
        }
        Core::Enum { values, .. } => {
            let is_absent = |name: &str| {
                values.iter().any(|value| value.variant.wire_name == name && !value.channels.contains(view.channel))
            };
            if let Some(listed) = &mut schema.enumeration {
                listed.retain(|value| value.as_str().is_none_or(|name| !is_absent(name)));
            }
        }
        Core::Leaf(_) | Core::Foreign(_) | Core::Union { .. } => {}
    }
    let limited = node.markers().filter(|applied| applied.is_unwritten()).copied().collect::<Vec<_>>();
    limit(schema, node, &limited, view);
}

fn remove(schema: &mut Schema, field: &Field) {
    schema.properties.remove(field.wire_name);
    schema.required.retain(|required| *required != field.wire_name);
}

/// Applies the markers of the channel, and removes the rules of the other one.
fn limit(schema: &mut Schema, node: &Node, limited: &[Applied], view: View) {
    if limited.is_empty() {
        return;
    }
    let rule = |applied: &Applied| validation(&applied.marker.rule, view.controller_gen);
    for rule in limited.iter().filter_map(rule) {
        schema.validations.retain(|written| written.rule != rule.rule);
    }
    let written = schema.validations.len();
    apply(schema, limited, None, view);
    // The rules of a field come before those of its type, and written ones before those of channels.
    let layers = node.layers.iter().rev().map(|layer| &layer.markers).chain([&node.own]);
    let sorted = |layer: &Vec<Applied>| {
        let mut layer = layer.clone();
        layer.sort_by_key(|applied| (priority(&applied.marker.rule), applied.is_unwritten()));
        layer
    };
    let order = layers.flat_map(sorted).filter_map(|applied| rule(&applied)).map(|rule| rule.rule).collect::<Vec<_>>();
    let place = |rule: &Validation| order.iter().position(|known| *known == rule.rule);
    for rule in schema.validations.split_off(written) {
        let own = place(&rule);
        let is_before = |other: &Validation| place(other).is_some_and(|other| Some(other) < own);
        let is_after = |other: &Validation| place(other).is_some_and(|other| Some(other) > own);
        let after = schema.validations.iter().rposition(is_before).map(|index| index + 1);
        let index = after.or_else(|| schema.validations.iter().position(is_after));
        schema.validations.insert(index.unwrap_or(schema.validations.len()), rule);
    }
}
