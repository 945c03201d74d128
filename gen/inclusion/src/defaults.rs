//! Whether a default that was added or changed can refuse objects.
//!
//! A server fills defaults in before it validates: an object that leaves the field out has one entry more, and the rules around the field
//! read the default. In a map, a null is such an absence. Stored objects read with the default too, so that a rule about updates at the field
//! or below it compares the default with a value, where it had nothing to compare.
//!
//! Invariant: a yes is proven, except for what a change of a list's type refuses. Servers validate a default in a CRD before they complete it by the defaults below it, and not at all in maps.

use std::borrow::Cow;

use crd_cel::{escape, laid_out, mentions_old_self};
use crd_model::Schema;
use serde_json::json;

use crate::carried::{carried, default_of};
use crate::implied::{At, holds};
use crate::position::{Position, Step};
use crate::usable::is_usable;

/// Whether every object that the old schema accepts is accepted with the new default. The position is that of the field.
pub(crate) fn is_harmless(position: &Position<'_>) -> bool {
    let Some((step, above)) = position.steps.split_last() else { return true };
    if position.new_node().is_some_and(|node| !is_usable(node)) {
        return false;
    }
    let parents = [&position.old_nodes, &position.new_nodes].map(|nodes| nodes.iter().rev().nth(1));
    // A null item was refused.
    if *step == Step::Item {
        return true;
    }
    let mut way = Way::default();
    way.push(*step);
    let name = step.name().copied().unwrap_or_default();
    // An object without the field was never accepted.
    let is_required = |parent: &&Schema| parent.required.iter().any(|required| **required == *name);
    let had_default = position.old_node().is_some_and(|node| default_of(node).is_some());
    let is_null_replaced =
        position.old_node().is_some_and(|node| node.nullable) && !position.new_node().is_some_and(|node| node.nullable);
    if !had_default && !is_null_replaced && parents[0].is_some_and(is_required) {
        return true;
    }
    // Stored and sent values of a field that was dropped are the default, with which its own rules were tried.
    if !is_dropped(position, name) && position.new_node().is_some_and(is_about_updates) {
        return false;
    }
    let mut is_parent = true;
    let mut is_item = false;
    for depth in (0..position.new_nodes.len() - 1).rev() {
        let (Some(old), Some(new)) = (position.old_nodes.get(depth), position.new_nodes.get(depth)) else {
            return false;
        };
        if is_parent && new.max_properties.is_some()
            || way.is_in_branches(new)
            || new.enumeration.is_some()
            || is_item && has_identity([old, new], name, way.names.len() == 1)
            || !way.keeps_rules(old, new, At { is_root: depth == 0, ..At::new(position) })
        {
            return false;
        }
        is_parent = false;
        if let Some(step) = depth.checked_sub(1).and_then(|above_index| above.get(above_index)) {
            is_item = step.name().is_none();
            way.push(*step);
        }
    }
    true
}

/// Whether a constraint around a field whose default was removed may refuse objects without the field.
pub(crate) fn is_missed(position: &Position<'_>) -> bool {
    let Some(parent) = position.new_nodes.iter().rev().nth(1) else { return false };
    let mut way = Way::default();
    let is_demanded = |name: &str| parent.required.iter().any(|required| **required == *name);
    let is_counted = parent.min_properties.is_some_and(|least| least > 0);
    if is_counted || position.steps.last().is_some_and(|step| matches!(step, Step::Field(name) if is_demanded(name))) {
        return true;
    }
    position.new_nodes.iter().zip(&position.steps).rev().any(|(node, step)| {
        way.push(*step);
        way.is_in_branches(node) || node.validations.iter().any(|rule| way.is_read(node, &rule.rule))
    })
}

/// Whether no object of the old schema has a value of the field: it is new, and unknown fields were dropped.
fn is_dropped(position: &Position<'_>, name: &str) -> bool {
    let above = position.steps.len().saturating_sub(1);
    position.old_nodes.get(above).is_some_and(|parent| {
        !name.is_empty()
            && parent.properties.get(name).is_none()
            && parent.additional_properties.is_none()
            && parent.preserve_unknown_fields != Some(true)
            && !position.is_known_elsewhere(above, &[name])
    })
}

/// Whether a rule at a node or below it reads the stored value.
pub(crate) fn is_about_updates(node: &Schema) -> bool {
    let branches = node.all_of.iter().chain(&node.any_of).chain(&node.one_of).chain(node.not.as_deref());
    let below = node.properties.values().chain(node.items.as_deref()).chain(node.values());
    node.validations.iter().any(|rule| mentions_old_self(&rule.rule)) || branches.chain(below).any(is_about_updates)
}

/// Whether a list distinguishes its items by this field, which may be deeper, or by all fields. Items with other keys before are still
/// different with one more. A list that becomes a map or a set has a change of its own, which refuses equal items, whatever makes them equal.
fn has_identity([old, list]: [&Schema; 2], name: &str, is_direct: bool) -> bool {
    let has = |list: &Schema, key: &str| list.list_map_keys.iter().any(|known| **known == *key);
    match list.list_type.as_deref() {
        Some("map" | "set") if old.list_type != list.list_type => false,
        Some("map") => {
            let is_finer = !has(old, name) && old.list_map_keys.iter().all(|key| has(list, key));
            is_direct && has(list, name) && !is_finer
        }
        Some("set") => true,
        _ => list.unique_items,
    }
}

/// The way from a node down to the field.
#[derive(Clone, Default)]
pub(crate) struct Way<'n> {
    /// The names on the way, innermost first; none for the values of a map.
    names: Vec<&'n str>,
    /// How many names there are up to the outermost list or map on the way.
    each: usize,
}

/// The ways down to the last of these steps, from each node around it, the nearest first.
pub(crate) fn ways<'n>(steps: &[Step<'n>]) -> Vec<Way<'n>> {
    let mut way = Way::default();
    let grown = steps.iter().rev().map(|step| {
        way.push(*step);
        way.clone()
    });
    grown.collect()
}

impl<'n> Way<'n> {
    /// Adds the step above.
    fn push(&mut self, step: Step<'n>) {
        match step {
            Step::Field(name) => self.names.push(name),
            Step::Item | Step::Value => self.each = self.names.len() + 1,
        }
    }

    /// Whether a branch of a node may be about one of these names, or count entries.
    fn is_in_branches(&self, node: &Schema) -> bool {
        let branches = node.all_of.iter().chain(&node.any_of).chain(&node.one_of).chain(node.not.as_deref());
        branches.map(|branch| branch.to_value().to_string()).any(|branch| {
            self.names.is_empty()
                || branch.contains("Properties")
                || branch.contains("enum")
                || self.names.iter().any(|name| branch.contains(&json!(name).to_string()))
        })
    }

    /// Whether every rule of a node is true for every object with the default.
    fn keeps_rules(&self, old: &Schema, new: &Schema, at: At<'_>) -> bool {
        let mut reading = new.validations.iter().filter(|rule| self.is_read(old, &rule.rule)).peekable();
        if reading.peek().is_none() {
            return true;
        }
        let objects = carried(old, new);
        reading.all(|rule| {
            let is_update = mentions_old_self(&rule.rule);
            !(is_update && rule.optional_old_self == Some(true))
                && holds(&rule.rule, None, &objects, at, is_update).is_some()
        })
    }

    /// Whether a rule of a node may read the field, by its name or as part of something.
    pub(crate) fn is_read(&self, node: &Schema, rule: &str) -> bool {
        let field = self.names.first().and_then(|name| escape(name));
        field.is_none_or(|field| words(rule).any(|word| word == field)) || self.is_part(node, rule)
    }

    /// Whether a rule of a node may read the field as part of something.
    pub(crate) fn is_part(&self, node: &Schema, rule: &str) -> bool {
        let names = self.names.iter().map(|name| escape(name)).collect::<Option<Vec<_>>>().unwrap_or_default();
        let [_, around @ ..] = &names[..] else { return true };
        // A variable of a macro is an item or a value.
        let each = names.get(1..self.each).unwrap_or_default();
        words(rule).any(|word| each.iter().any(|name| name == word)) || is_part_read(node, around, rule)
    }
}

/// Whether a rule of a node may read its value, or that of one of the names around, as a whole.
pub(crate) fn is_part_read(node: &Schema, around: &[Cow<'_, str>], rule: &str) -> bool {
    if node.items.is_some() || node.values().is_some() {
        return true;
    }
    let rule = laid_out(rule);
    let tokens = rule.split(' ').collect::<Vec<_>>();
    // Whether a field has a value does not depend on what is in it.
    let is_tested = |index: usize| {
        let mut begin = index;
        while begin >= 2 && tokens[begin - 1] == "." {
            begin -= 2;
        }
        begin >= 2 && tokens[begin - 2..begin] == ["has", "("] && tokens.get(index + 1) == Some(&")")
    };
    (0..tokens.len()).any(|index| {
        let is_around = ["self", "oldSelf"].contains(&tokens[index]) || around.iter().any(|name| name == tokens[index]);
        // A part is read where another field follows.
        let below = match tokens[index + 1..] {
            [".", "?", name, ref rest @ ..] | [".", name, ref rest @ ..] => is_name(name) && rest.first() != Some(&"("),
            _ => false,
        };
        is_around && !below && !is_tested(index)
    })
}

fn words(rule: &str) -> impl Iterator<Item = &str> {
    rule.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}

fn is_name(token: &str) -> bool {
    token.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
