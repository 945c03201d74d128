//! Whether a default that was added or changed can refuse objects.
//!
//! A server fills defaults in before it validates: an object that leaves the field out has one entry more, and the rules around the field
//! read the default. In a map, a null is such an absence.
//!
//! Invariant: a yes is proven. Servers validate a default in a CRD before they complete it by the defaults below it, and not at all in maps.

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
    let mut way = match step {
        // A null item was refused.
        Step::Each if parents[1].is_some_and(|parent| parent.items.is_some()) => return true,
        Step::Each => Way::default(),
        Step::Field(name) => Way { names: vec![name], ..Way::default() },
    };
    let name = match step {
        Step::Field(name) => name,
        Step::Each => "",
    };
    // An object without the field was never accepted.
    let is_required = |parent: &&Schema| parent.required.iter().any(|required| **required == *name);
    let had_default = position.old_node().is_some_and(|node| default_of(node).is_some());
    if !had_default && parents[0].is_some_and(is_required) {
        return true;
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
            || is_item && has_identity(new, name, way.names.len() == 1)
            || !way.keeps_rules(old, new, At { is_root: depth == 0, ..At::new(position) })
        {
            return false;
        }
        is_parent = false;
        match depth.checked_sub(1).and_then(|above_index| above.get(above_index)) {
            Some(Step::Field(name)) => {
                is_item = false;
                way.names.push(name);
            }
            Some(Step::Each) => (is_item, way.has_each) = (true, true),
            None => {}
        }
    }
    true
}

/// Whether a list distinguishes its items by this field, which may be deeper, or by all fields.
fn has_identity(list: &Schema, name: &str, is_direct: bool) -> bool {
    match list.list_type.as_deref() {
        Some("map") => is_direct && list.list_map_keys.iter().any(|key| **key == *name),
        Some("set") => true,
        _ => list.unique_items,
    }
}

/// The way from a node down to the field.
#[derive(Clone, Default)]
pub(crate) struct Way<'n> {
    /// The names on the way, innermost first; none for the values of a map.
    names: Vec<&'n str>,
    /// Whether it leads through a list or a map.
    has_each: bool,
}

/// The ways down to the last of these steps, from each node around it, the nearest first.
pub(crate) fn ways<'n>(steps: &[Step<'n>]) -> Vec<Way<'n>> {
    let mut way = Way::default();
    let grown = steps.iter().enumerate().rev().map(|(index, step)| {
        match step {
            Step::Field(name) => way.names.push(name),
            Step::Each => way.has_each |= index + 1 < steps.len(),
        }
        way.clone()
    });
    grown.collect()
}

impl Way<'_> {
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
        if node.items.is_some() || node.values().is_some() {
            return true;
        }
        if self.has_each && words(rule).any(|word| around.iter().any(|name| name == word)) {
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
            let is_around =
                ["self", "oldSelf"].contains(&tokens[index]) || around.iter().any(|name| name == tokens[index]);
            // A part is read where another field follows.
            let below = match tokens[index + 1..] {
                [".", "?", name, ref rest @ ..] | [".", name, ref rest @ ..] => {
                    is_name(name) && rest.first() != Some(&"(")
                }
                _ => false,
            };
            is_around && !below && !is_tested(index)
        })
    }
}

fn words(rule: &str) -> impl Iterator<Item = &str> {
    rule.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}

fn is_name(token: &str) -> bool {
    token.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
