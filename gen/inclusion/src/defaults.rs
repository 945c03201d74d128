//! Whether a default that was added or changed can refuse objects.
//!
//! A server fills defaults in before it validates: an object that leaves the field out has one entry more, and the rules around the field
//! read the default. In a map, a null is such an absence.
//!
//! Invariant: a yes is proven. Servers validate a default in a CRD before they complete it by the defaults below it, and not at all in maps.

use crd_cel::escape;
use crd_model::Schema;
use crd_model::schema::Validation;

use crate::carried::{carried, default_of};
use crate::implied::{At, holds, most_entries};
use crate::position::{Position, Step};
use crate::usable::is_usable;

/// Whether every object that the old schema accepts is accepted with the new default. The position is that of the field.
pub(crate) fn is_harmless(position: &Position<'_>) -> bool {
    let Some((step, above)) = position.steps.split_last() else { return true };
    if position.new_node().is_some_and(|node| !is_usable(node)) {
        return false;
    }
    let parents = [&position.old_nodes, &position.new_nodes].map(|nodes| nodes.iter().rev().nth(1));
    // The names on the way from each node to the field, innermost first; none for the values of a map.
    let mut names = match step {
        // A null item was refused.
        Step::Each if parents[1].is_some_and(|parent| parent.items.is_some()) => return true,
        Step::Each => Vec::new(),
        Step::Field(name) => match escape(name) {
            Some(written) => vec![written.into_owned()],
            None => return false,
        },
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
    let pairs = position.old_nodes.iter().zip(&position.new_nodes).take(position.new_nodes.len() - 1);
    for (depth, (old, new)) in pairs.enumerate().collect::<Vec<_>>().into_iter().rev() {
        if is_parent
            && new
                .max_properties
                .is_some_and(|most| most_entries(&carried(old, new).schema).is_none_or(|entries| entries > most))
            || has_branches_about(new, &names)
            || new.enumeration.is_some()
            || is_item && has_identity(new, name, names.len() == 1)
            || !are_rules_kept(old, new, &names, At { is_root: depth == 0, ..At::new(position) })
        {
            return false;
        }
        is_parent = false;
        match depth.checked_sub(1).and_then(|above_index| above.get(above_index)) {
            Some(Step::Field(name)) => {
                is_item = false;
                let Some(written) = escape(name) else { return false };
                names.push(written.into_owned());
            }
            Some(Step::Each) => is_item = true,
            None => {}
        }
    }
    true
}

/// Whether a branch of a node may be about one of these names, or count entries.
fn has_branches_about(node: &Schema, names: &[String]) -> bool {
    let branches = node.all_of.iter().chain(&node.any_of).chain(&node.one_of).chain(node.not.as_deref());
    branches.map(|branch| branch.to_value().to_string()).any(|branch| {
        names.is_empty()
            || branch.contains("Properties")
            || branch.contains("enum")
            || names.iter().any(|name| branch.contains(&**name))
    })
}

/// Whether a list distinguishes its items by this field, which may be deeper, or by all fields.
fn has_identity(list: &Schema, name: &str, is_direct: bool) -> bool {
    match list.list_type.as_deref() {
        Some("map") => is_direct && list.list_map_keys.iter().any(|key| **key == *name),
        Some("set") => true,
        _ => list.unique_items,
    }
}

/// Whether every rule of a node is true for every object with the default.
fn are_rules_kept(old: &Schema, new: &Schema, names: &[String], at: At<'_>) -> bool {
    let sees = |rule: &&Validation| {
        let words = rule.rule.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let is_whole = |at: usize| !rule.rule[at + 4..].trim_start().starts_with('.');
        words.clone().any(|word| names.iter().any(|name| name == word))
            || names.is_empty()
            || rule.rule.match_indices("self").any(|(at, _)| is_whole(at))
            || old.items.is_some()
    };
    let mut seeing = new.validations.iter().filter(sees).peekable();
    if seeing.peek().is_none() {
        return true;
    }
    let objects = carried(old, new);
    seeing.all(|rule| holds(&rule.rule, None, &objects, at, false).is_some())
}
