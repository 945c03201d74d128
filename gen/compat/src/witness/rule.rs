//! Witnesses of what a CEL rule or a default refuses: a search over boundary values.
//!
//! Invariants: first come accepted objects with a value in each node that the rule can see, then each of these values replaced by different values that
//! rules often distinguish, then what a search of objects reaches by edits of the objects around. The number of tries is limited.

use crd_boundary::{AcceptedObject, show_object_path};
use crd_inclusion::Technique;
use crd_model::Schema;
use crd_model::schema::Step::Field;
use crd_model::schema::{SchemaPath, nodes};
use serde_json::{Map, Value, json};

use super::assigned::{self, with_another_key};
use super::candidates::entries;
use super::constants::Constants;
use super::demanded::demanded;
use super::slim::slim;
use super::solved;
use super::trial::Trial;
use super::{Target, with};

/// How deep below the node of the rule values are changed.
const DEEPEST: usize = 4;
/// How many nodes below it are tried.
const MOST_NODES: usize = 48;
/// How many accepted objects of each node are tried.
const MOST_ACCEPTED: usize = 3;
/// How many members of an `enum` are tried.
const MOST_MEMBERS: usize = 16;

/// How many items a list gets.
const MOST_ITEMS: usize = 64;
/// Texts that rules often distinguish.
const TEXTS: [&str; 4] = ["*", "1.2.3.4", "*.a", "A"];
/// What follows a text in ways that rules about URLs and names refuse.
const ENDS: [&str; 7] = ["%", "@a", "#a", "?a=b", "/", " ", "A"];
/// The identity of an object.
const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];
/// Keys that rules often distinguish.
const KEYS: [&str; 5] = ["", "a", "a/b", "A b", "a/b/c"];

/// Offers objects, with the path of the node of the rule, until one is good enough.
pub(super) fn search(
    trial: &Trial<'_>,
    constants: &Constants,
    target: Target<'_>,
    offer: &mut dyn FnMut(Value, &str) -> bool,
) {
    let Target { path, frame, .. } = target;
    // With the fields that the new schema requires, so that the rule is the only reason.
    let slim = slim(trial.old, path, Some(trial.new));
    // And with the values that other rules demand.
    let is_demanded = trial.has_rules && trial.uses(Technique::Demanded);
    let demanded = is_demanded.then(|| demanded(trial, [trial.old], target, Some(trial.new))).flatten();
    for schema in [&slim].into_iter().chain(demanded.iter().flatten()).chain([trial.old]) {
        let seen = seen(schema, path);
        let mut accepted = trial.objects(schema, frame, |_, object| trial.is_accepted(object));
        for below in &seen {
            if trial.is_exhausted() {
                return;
            }
            for found in accepted.accepted(below).into_iter().take(MOST_ACCEPTED) {
                let at = at_rule(&found, path);
                if offer(found.object.clone(), &at) {
                    return;
                }
                // The value itself, and each one around it that the rule can see: a list with an item has other variants than an empty one.
                let around = std::iter::successors(Some(below.clone()), SchemaPath::above);
                let around = around.take_while(|now| now.steps().len() >= path.steps().len());
                let around = around.filter(|_| trial.uses(Technique::Variants)).map(|now| (now, false));
                let assigned = (below == path && trial.uses(Technique::Assigned)).then(|| (below.clone(), true));
                for (now, is_assigned) in assigned.into_iter().chain(around) {
                    let object_path = found.object_path[..now.steps().len().min(found.object_path.len())].to_vec();
                    let part = AcceptedObject { object: found.object.clone(), object_path };
                    let values = match (now.node(trial.old), part.value()) {
                        (Some(node), _) if is_assigned => assigned::values(node, constants, now.steps().is_empty()),
                        (Some(node), Some(value)) => variants(node, value, constants),
                        _ => Vec::new(),
                    };
                    if values.into_iter().filter_map(|value| with(&part, value)).any(|object| offer(object, &at)) {
                        return;
                    }
                }
            }
        }
        for target in seen.iter().take(MOST_NODES / 4) {
            if trial.is_exhausted() {
                return;
            }
            let mut refused = trial.objects(schema, frame, |path, object| match path == target {
                true => trial.is_refused(object),
                false => trial.is_accepted(object),
            });
            if let Some(found) = refused.accepted(target).into_iter().next() {
                let at = at_rule(&found, path);
                if offer(found.object, &at) {
                    return;
                }
            }
        }
    }
}

/// Offers objects with the values that a solver finds for the node of the rule.
pub(super) fn solved(trial: &Trial<'_>, target: Target<'_>, offer: &mut dyn FnMut(Value, &str) -> bool) {
    let Target { path, frame, difference, .. } = target;
    let values = solved::values(trial.old, path, difference);
    let demanded = (!values.is_empty() && trial.has_rules && trial.uses(Technique::Demanded))
        .then(|| demanded(trial, [trial.old], target, Some(trial.new)))
        .flatten();
    for schema in [&slim(trial.old, path, Some(trial.new))].into_iter().chain(demanded.iter().flatten()) {
        // The value makes the rules of its node true, which without it may be false.
        for found in trial.objects(schema, frame, |_, _| true).accepted(path).into_iter().take(MOST_ACCEPTED) {
            let at = at_rule(&found, path);
            if values.iter().filter_map(|value| with(&found, value.clone())).any(|object| offer(object, &at)) {
                return;
            }
        }
    }
}

/// The nodes of which a rule at a path can see values.
fn seen(schema: &Schema, path: &SchemaPath) -> Vec<SchemaPath> {
    let below = nodes(schema).into_iter().map(|(below, _)| below);
    let seen = below.filter(|below| {
        // The identity of the object stays.
        let is_identity = matches!(below.steps().first(), Some(Field(name)) if IDENTITY.contains(&&**name));
        below.steps().starts_with(path.steps()) && below.steps().len() <= path.steps().len() + DEEPEST && !is_identity
    });
    seen.take(MOST_NODES).collect()
}

/// The path of the node of the rule in an object.
fn at_rule(found: &AcceptedObject, path: &SchemaPath) -> String {
    show_object_path(&found.object_path[..path.steps().len().min(found.object_path.len())])
}

/// Values of a node that rules often distinguish from this one.
fn variants(node: &Schema, now: &Value, constants: &Constants) -> Vec<Value> {
    let mut found: Vec<Value> = node.enumeration.iter().flatten().take(MOST_MEMBERS).cloned().collect();
    match now {
        Value::String(text) => {
            let longest = node.max_length.and_then(|length| usize::try_from(length).ok()).unwrap_or(300).min(300);
            found.extend(["", "a", "/", ".", "0"].into_iter().chain(TEXTS).map(Value::from));
            found.extend([format!("{text}{text}"), text.to_uppercase(), "a".repeat(longest)].map(Value::from));
            found.extend(ENDS.map(|end| json!(format!("{text}{end}"))));
            found.extend(constants.sizes(longest).map(|size| json!("a".repeat(size))));
        }
        Value::Number(_) => {
            let bounds = [&node.minimum, &node.maximum].into_iter().flatten();
            found.extend(bounds.map(|bound| Value::Number(bound.clone())));
            found.extend([0, 1, 2, -1, 1000].map(Value::from));
            found.extend(constants.integers().map(Value::from));
        }
        Value::Bool(value) => found.push(json!(!value)),
        Value::Array(items) => found.extend(of_list(node, items, constants)),
        Value::Object(object) => {
            found.push(json!({}));
            if constants.keeps_fields {
                found.extend(entries(now, "key0"));
            }
            if node.values().is_some() {
                let mut with_null = object.clone();
                with_null.insert("null".to_owned(), Value::Null);
                found.push(Value::Object(with_null));
                let value = object.values().next().cloned().unwrap_or_else(|| json!(""));
                found.extend(KEYS.map(|key| json!({ key: value })));
                for text in constants.texts() {
                    let keys =
                        [text.to_owned(), format!("{text}/a"), format!("a.{text}/a"), format!("{}/a", "a".repeat(253))];
                    found.extend(keys.map(|key| json!({ key: value })));
                }
            }
            for name in object.keys() {
                let mut without = object.clone();
                without.remove(name);
                found.push(Value::Object(without));
            }
        }
        Value::Null => {}
    }
    found
}

/// The same for a list.
fn of_list(node: &Schema, items: &[Value], constants: &Constants) -> Vec<Value> {
    let mut found = Vec::new();
    found.push(json!([]));
    found.extend(items.first().map(|first| json!([first, first])));
    found.push([items, items].concat().into());
    let most = node.max_items.and_then(|most| usize::try_from(most).ok()).unwrap_or(0).min(MOST_ITEMS);
    for size in constants.sizes(MOST_ITEMS).chain([most]) {
        found.extend(items.first().map(|first| Value::Array(vec![first.clone(); size])));
    }
    // Two items of which one has the default, and the other gets it.
    if let (Some(Value::Object(first)), Some((name, default))) = (items.first(), constants.changed_default()) {
        let (mut with, mut without) = (first.clone(), first.clone());
        with.insert(name.to_owned(), default.clone());
        without.remove(name);
        found.push(json!([with, without]));
    }
    // Two items that differ in one field.
    if let Some(Value::Object(first)) = items.first() {
        found.extend(of_members(node, first, constants));
        found.extend(with_another_key(node, first).map(|second| json!([first, second])));
        for name in first.keys() {
            let mut second = first.clone();
            second.remove(name);
            found.push(json!([first, second]));
        }
    }
    found
}

/// Items with the constants that a field of them can have: two equal ones, and two different ones.
fn of_members(list: &Schema, item: &Map<String, Value>, constants: &Constants) -> Vec<Value> {
    let properties = list.items.iter().flat_map(|items| &items.properties);
    let mut found = Vec::new();
    for (name, property) in properties {
        let listed = property.enumeration.as_deref().unwrap_or_default();
        let members = constants.texts().filter(|text| listed.iter().any(|member| member == *text));
        let items = members.take(MOST_MEMBERS).map(|text| {
            let mut item = item.clone();
            item.insert(name.to_string(), json!(text));
            Value::Object(item)
        });
        let items = items.collect::<Vec<_>>();
        found.extend(items.iter().map(|item| json!([item, item])));
        found.extend(items.windows(2).map(|pair| json!(pair)));
    }
    found
}
