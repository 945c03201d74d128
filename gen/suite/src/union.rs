//! Unions: nodes of which one field is chosen, by a rule or by branches.
//!
//! Invariants: a rule makes a union if it reads fields of its node only with `has`, at least two, or if it compares one other field with
//! literals (the tag). It does not if it sees anything else of the object, nor if the presence of one field only implies another.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::schema::{Schema, Text};

/// The fields of which the unions of a node choose, sorted.
pub(crate) fn members(node: &Schema) -> BTreeSet<Text> {
    let mut found = BTreeSet::new();
    let written: BTreeMap<String, &Text> =
        node.properties.keys().filter_map(|name| Some((crd_cel::escape(name)?.into_owned(), name))).collect();
    for rule in &node.validations {
        let chosen = chosen(&crd_cel::laid_out(&rule.rule)).unwrap_or_default();
        found.extend(chosen.iter().filter_map(|name| written.get(name)).map(|name| (*name).clone()));
    }
    for branches in [&node.one_of, &node.any_of] {
        let required = branches.iter().flat_map(|branch| &branch.required);
        let is_in_all = |name: &Text| branches.iter().all(|branch| branch.required.contains(name));
        let is_chosen = |name: &&Text| node.properties.contains_key(name) && !is_in_all(name);
        found.extend(required.filter(is_chosen).cloned());
    }
    found.retain(|name| !node.required.contains(name));
    found
}

/// The fields of which a rule chooses, as it writes them.
fn chosen(rule: &str) -> Option<Vec<String>> {
    let tokens: Vec<&str> = rule.split(' ').collect();
    // How often each field is tested, and how often with `!` before it.
    let mut tested: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut read: BTreeSet<&str> = BTreeSet::new();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        match (*token, tokens.get(index + 1..)?) {
            ("has", ["(", "self", ".", name, ")", ..]) => {
                let [times, negated] = tested.entry(name).or_default();
                *times += 1;
                *negated += usize::from(index > 0 && tokens[index - 1] == "!");
                index += 6;
            }
            ("has" | "oldSelf", _) => return None,
            ("self", [".", name, next @ ..]) if !matches!(next.first(), Some(&("." | "[" | "("))) => {
                read.insert(name);
                index += 3;
            }
            ("self", _) => return None,
            _ => index += 1,
        }
    }
    let tags = read.iter().filter(|name| !tested.contains_key(*name)).count();
    let is_even = || {
        let [times, negated] = tested.values().next().copied().unwrap_or_default();
        tested.values().all(|test| *test == [times, negated])
    };
    let is_union = match tags {
        0 => tested.len() >= 2 && read.is_empty() && is_even(),
        1 => !tested.is_empty(),
        _ => false,
    };
    is_union.then(|| tested.keys().map(|name| (*name).to_owned()).collect())
}
