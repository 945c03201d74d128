//! The different values that the objects of cases have at each node of a schema.
//!
//! Invariants: nodes are counted as [`crd_model::schema::nodes`] lists them; groups and their cases are in the order of the cases.

use std::collections::{BTreeSet, HashMap};

use crd_model::schema::Schema;
use serde_json::Value;

/// A value at a node, and the cases that have it.
#[derive(Debug)]
pub(super) struct Group<'v> {
    pub(super) value: &'v Value,
    pub(super) cases: BTreeSet<usize>,
}

/// The groups of each node.
pub(super) fn values<'v>(schema: &Schema, objects: &[(usize, &'v Value)]) -> Vec<Vec<Group<'v>>> {
    let mut found = Vec::new();
    let cases = objects.iter().map(|(case, object)| (*object, BTreeSet::from([*case])));
    walk(schema, grouped(cases), &mut found);
    found
}

fn grouped<'v>(values: impl Iterator<Item = (&'v Value, BTreeSet<usize>)>) -> Vec<Group<'v>> {
    let mut known: HashMap<&Value, usize> = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (value, cases) in values.filter(|(value, _)| !value.is_null()) {
        let at = *known.entry(value).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.cases.extend(cases),
            None => groups.push(Group { value, cases }),
        }
    }
    groups
}

fn walk<'v>(node: &Schema, groups: Vec<Group<'v>>, found: &mut Vec<Vec<Group<'v>>>) {
    let at = found.len();
    found.push(Vec::new());
    if groups.is_empty() {
        found.resize_with(at + node.all_nodes().count(), Vec::new);
        return;
    }
    for (name, property) in &node.properties {
        let values = groups.iter().filter_map(|group| Some((group.value.get(&**name)?, group.cases.clone())));
        walk(property, grouped(values), found);
    }
    if let Some(items) = &node.items {
        let items_of = |group: &Group<'v>| group.value.as_array().map(Vec::as_slice).unwrap_or_default();
        let values = groups.iter().flat_map(|group| items_of(group).iter().map(|item| (item, group.cases.clone())));
        walk(items, grouped(values), found);
    }
    if let Some(values_of) = node.values() {
        let values = groups.iter().flat_map(|group| {
            group.value.as_object().into_iter().flat_map(|map| map.values()).map(|value| (value, group.cases.clone()))
        });
        walk(values_of, grouped(values), found);
    }
    found[at] = groups;
}
