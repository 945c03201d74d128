//! The projection of a written schema to a channel.
//!
//! Invariants: only what is not in the channel is removed, and only markers that are limited to a channel are applied: the limits of
//! a field and of its type both hold. A rule has the place that its marker has among those of the types; one that is
//! written already goes from the channels that do not have it.

use crd_markers::descriptor::Field;
use crd_model::schema::{AdditionalProperties, Keyword, Role, Schema, Validation};

use crate::annotated::{Applied, Core, Node};
use crate::project::{View, alone, apply, priority, validation};

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
            for part in inlined {
                match part.channels.contains(view.channel) {
                    true => overlay(part, schema, view),
                    false => {
                        let mut fields = Vec::new();
                        part.fields(&mut fields);
                        fields.into_iter().for_each(|field| remove(schema, field));
                        remove_markers(schema, part, node, view);
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
    limit(schema, node, view);
}

fn remove(schema: &mut Schema, field: &Field) {
    schema.properties.remove(field.wire_name);
    schema.required.retain(|required| *required != field.wire_name);
}

/// Removes what an inlined type that the channel does not have put on the struct around it, unless that struct has the same.
fn remove_markers(schema: &mut Schema, inlined: &Node, around: &Node, view: View) {
    let kept = around.markers().map(|applied| alone(&applied.marker.rule, view.controller_gen)).collect::<Vec<_>>();
    for applied in inlined.markers() {
        let effect = alone(&applied.marker.rule, view.controller_gen);
        let is_kept =
            |rule: &Validation| kept.iter().any(|kept| kept.validations.iter().any(|kept| kept.rule == rule.rule));
        for rule in effect.validations.iter().filter(|rule| !is_kept(rule)) {
            schema.validations.retain(|written| written.rule != rule.rule);
        }
        let keywords = Keyword::ALL.iter().copied().filter(|keyword| *keyword != Keyword::Validations);
        for keyword in keywords.filter(|keyword| effect.has(*keyword) && kept.iter().all(|kept| !kept.has(*keyword))) {
            if schema.is_equal_in(&effect, keyword) {
                schema.swap(&mut Schema::default(), keyword);
            }
        }
    }
}

/// Applies the markers of the channel, and removes the rules of the other one.
fn limit(schema: &mut Schema, node: &Node, view: View) {
    if !node.markers().any(Applied::is_unwritten) {
        return;
    }
    let rule = |applied: &Applied| validation(&applied.marker.rule, view.controller_gen);
    let (limited, others) = node.markers().partition::<Vec<_>, _>(|applied| applied.is_unwritten());
    let others = others.into_iter().filter_map(rule).map(|rule| rule.rule).collect::<Vec<_>>();
    // What another marker states for all channels stays.
    for rule in limited.into_iter().filter_map(rule).filter(|rule| !others.contains(&rule.rule)) {
        schema.validations.retain(|written| written.rule != rule.rule);
    }
    let written = schema.validations.len();
    // The innermost type first.
    let layers = std::iter::once(&node.own).chain(node.layers.iter().map(|layer| &layer.markers)).collect::<Vec<_>>();
    for (index, layer) in layers.iter().enumerate() {
        let around = layers.iter().enumerate().filter(|(other, _)| *other != index).flat_map(|(_, layer)| *layer);
        let around = around.filter(|applied| applied.channels.contains(view.channel));
        let around = around.map(|applied| alone(&applied.marker.rule, view.controller_gen)).collect::<Vec<_>>();
        let limited = layer.iter().filter(|applied| applied.is_unwritten() && applied.channels.contains(view.channel));
        for applied in limited {
            let effect = alone(&applied.marker.rule, view.controller_gen);
            let is_limit = |keyword: &Keyword| keyword.role() == Role::Limit && effect.has(*keyword);
            let both = Keyword::ALL.iter().filter(|keyword| is_limit(keyword));
            match both.clone().any(|keyword| around.iter().any(|other| other.has(*keyword))) {
                // A field and its type have both limits, except that the enum of a field replaces that of its type.
                true if effect.enumeration.is_none() => schema.all_of.push(effect),
                true if index + 1 < layers.len() => {}
                _ => apply(schema, &[*applied], None, view),
            }
        }
    }
    sort_rules(schema, node, written, view);
}

/// Puts the rules behind the written ones where their markers are: the rules of a field come before those of its type, and written ones before
/// those of channels.
fn sort_rules(schema: &mut Schema, node: &Node, written: usize, view: View) {
    let rule = |applied: &Applied| validation(&applied.marker.rule, view.controller_gen);
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
