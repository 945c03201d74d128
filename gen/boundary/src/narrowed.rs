//! Nodes without combinators: a node merged with a branch of its `anyOf`, `oneOf` or `allOf`.
//!
//! The result is approximate: one node cannot have all constraints of two (two patterns, `not`). Values are validated afterwards.

use std::borrow::Cow;

use serde_json::Number;

use crd_model::schema::Schema;

/// The largest number of combinations of branches of `anyOf` and `oneOf` that are tried.
const MOST_ALTERNATIVES: usize = 16;

/// The node without `anyOf`, `oneOf` and `not`.
pub(super) fn without_combinators(node: &Schema) -> Schema {
    let mut plain = node.clone();
    plain.any_of.clear();
    plain.one_of.clear();
    plain.not = None;
    plain
}

/// The properties that the combinators of a node mention.
pub(super) fn mentioned(node: &Schema) -> Vec<&str> {
    let branches = node.branches();
    let mut names: Vec<&str> = branches.flat_map(|branch| branch.properties.keys()).map(AsRef::as_ref).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The combinations of branches of a node, each merged into a node without combinators. The validator checks `not`.
pub(super) fn alternatives(node: &Schema) -> Vec<Cow<'_, Schema>> {
    if node.all_of.is_empty() && node.any_of.is_empty() && node.one_of.is_empty() {
        return vec![Cow::Borrowed(node)];
    }
    let mut plain = without_combinators(node);
    plain.all_of.clear();
    let mut found = vec![plain];
    let multiply = |found: Vec<Schema>, branches: &[Schema]| -> Vec<Schema> {
        let ways: Vec<Cow<'_, Schema>> = branches.iter().flat_map(alternatives).collect();
        let all = found.iter().flat_map(|known| ways.iter().map(move |way| merged(known, way)));
        all.take(MOST_ALTERNATIVES).collect()
    };
    for part in &node.all_of {
        found = multiply(found, std::slice::from_ref(part));
    }
    for branches in [&node.any_of, &node.one_of] {
        if !branches.is_empty() {
            found = multiply(found, branches);
        }
    }
    found.into_iter().map(Cow::Owned).collect()
}

/// The node, narrowed by what a branch asks for, as far as one node can say both.
pub(super) fn merged(node: &Schema, branch: &Schema) -> Schema {
    let mut both = node.clone();
    for (name, property) in &branch.properties {
        let narrowed = match both.properties.get(name) {
            Some(known) => merged(known, property),
            None => property.clone(),
        };
        both.properties.insert(name.clone(), narrowed);
    }
    if let Some(items) = &branch.items {
        both.items = Some(Box::new(match &both.items {
            Some(known) => merged(known, items),
            None => items.as_ref().clone(),
        }));
    }
    for name in &branch.required {
        if !both.required.contains(name) {
            both.required.push(name.clone());
        }
    }
    both.enumeration = match (both.enumeration.take(), &branch.enumeration) {
        (Some(known), Some(wanted)) => Some(known.into_iter().filter(|member| wanted.contains(member)).collect()),
        (known, wanted) => known.or_else(|| wanted.clone()),
    };
    let most = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).max();
    let least = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).min();
    both.min_length = most(both.min_length, branch.min_length);
    both.max_length = least(both.max_length, branch.max_length);
    both.min_items = most(both.min_items, branch.min_items);
    both.max_items = least(both.max_items, branch.max_items);
    both.min_properties = most(both.min_properties, branch.min_properties);
    both.max_properties = least(both.max_properties, branch.max_properties);
    let as_float = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    if branch.minimum.is_some() && as_float(&branch.minimum) >= as_float(&both.minimum) {
        both.minimum.clone_from(&branch.minimum);
        both.exclusive_minimum = branch.exclusive_minimum;
    }
    if branch.maximum.is_some() && as_float(&both.maximum).is_none_or(|known| as_float(&branch.maximum) <= Some(known))
    {
        both.maximum.clone_from(&branch.maximum);
        both.exclusive_maximum = branch.exclusive_maximum;
    }
    if branch.multiple_of.is_some() {
        both.multiple_of.clone_from(&branch.multiple_of);
    }
    for (known, wanted) in [(&mut both.format, &branch.format), (&mut both.pattern, &branch.pattern)] {
        if wanted.is_some() {
            known.clone_from(wanted);
        }
    }
    both.kind = both.kind.take().or_else(|| branch.kind.clone());
    both.not = both.not.take().or_else(|| branch.not.clone());
    both.all_of.extend(branch.all_of.iter().cloned());
    both.any_of.extend(branch.any_of.iter().cloned());
    both.one_of.extend(branch.one_of.iter().cloned());
    both
}
