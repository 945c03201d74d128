//! Valid values of a node: the smallest, a few more, lists of a given length, and different values.
//!
//! Invariants: each value is validated against the node, with its defaults, before it is used. The
//! same node gives the same values in the same order.

use std::collections::HashSet;

use serde_json::{Map, Number, Value, json};

use super::narrowed::{alternatives, mentioned};
use crd_apiserver::apply_defaults;
use crd_apiserver::validate::{Patterns, Subject, Validator, Violation, ViolationKind};
use crd_model::schema::{AdditionalProperties, Schema};
use crd_regexp::Texts;

/// How long a text may be that is made.
pub(super) const LONGEST_TEXT: i64 = 200_000;
/// How many items or properties may be made; each is compared with all of them.
pub(super) const MOST_PARTS: usize = 10_001;

/// Samples of formats, of which the validator takes those that have the format.
const SAMPLES: [&str; 24] = [
    "2026-11-21T10:00:00Z",
    "192.0.2.1",
    "2001:db8::1",
    "192.0.2.0/24",
    "2026-11-21",
    "1h",
    "a@b.example",
    "http://a.example/",
    "a.example",
    "a",
    "aGk=",
    "#ffffff",
    "rgb(1,2,3)",
    "00:00:5e:00:53:01",
    "123e4567-e89b-12d3-a456-426614174000",
    "9125a8dc-52ee-365b-a5aa-81b0b3681cf6",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    "4111111111111111",
    "0306406152",
    "9780306406157",
    "111-11-1111",
    "507f1f77bcf86cd799439011",
    "",
];

/// How much work it is to read or copy a value: one for each value in it, and for each 64 bytes of its texts.
pub fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// How many ways are tried where one is often enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// The first that works.
    Little,
    Much,
}

#[derive(Default)]
pub(super) struct Maker {
    pub(super) patterns: Patterns,
}

impl Maker {
    pub(super) fn violations(&self, subject: Subject, schema: &Schema, value: &Value) -> Vec<Violation> {
        let mut complete = value.clone();
        apply_defaults(schema, &mut complete);
        Validator { matches: &|pattern, text| self.patterns.matches(pattern, text), subject }
            .validate(schema, &complete)
    }

    pub(super) fn is_valid(&self, schema: &Schema, value: &Value) -> bool {
        self.of_node(schema, value).is_empty()
    }

    /// The violations of a node's value, except unknown fields: at the root these include those of `metadata`.
    pub(super) fn of_node(&self, node: &Schema, value: &Value) -> Vec<Violation> {
        let mut found = self.violations(Subject::Part, node, value);
        found.retain(|violation| violation.kind != ViolationKind::UnknownField);
        found
    }

    /// The smallest value that the node takes, if one is found.
    pub(super) fn smallest(&self, node: &Schema) -> Option<Value> {
        self.plainest(node).into_iter().find(|value| self.is_valid(node, value))
    }

    /// The smallest value, and a few larger ones, because some rules require a list that is not empty.
    pub(super) fn small(&self, node: &Schema) -> Vec<Value> {
        let mut found = self.plainest(node);
        if node.kind.as_deref() == Some("string") {
            found.push(json!(""));
        }
        if let Some(below) = &node.items {
            found.extend(self.smallest(below).map(|item| Value::Array(vec![item])));
        }
        if let Some(AdditionalProperties::Values(below)) = &node.additional_properties {
            found.extend(self.smallest(below).map(|value| json!({ map_key(0): value })));
        }
        let mut once: Vec<Value> = Vec::new();
        for value in found {
            if !once.contains(&value) && self.is_valid(node, &value) {
                once.push(value);
            }
        }
        once
    }

    /// A smallest value for each way out of the combinators, and the same with what the combinators talk about.
    fn plainest(&self, node: &Schema) -> Vec<Value> {
        self.plainest_with(node, &mentioned(node))
    }

    /// A smallest value for each way out of the combinators, and the same with one of these properties, and with all.
    pub(super) fn plainest_with(&self, node: &Schema, names: &[&str]) -> Vec<Value> {
        let alternatives = alternatives(node);
        let mut found: Vec<Value> = alternatives.iter().filter_map(|alternative| self.plain(alternative)).collect();
        for (alternative, plain) in alternatives.iter().zip(found.clone()) {
            let Value::Object(plain) = plain else { continue };
            let mut with_all = plain.clone();
            for name in names.iter().filter(|name| !plain.contains_key(**name)) {
                let below = alternative.properties.get(name);
                let Some(value) = below.and_then(|below| self.smallest(below)) else { continue };
                let mut with_one = plain.clone();
                with_one.insert((*name).to_owned(), value.clone());
                with_all.insert((*name).to_owned(), value);
                found.push(Value::Object(with_one));
            }
            found.push(Value::Object(with_all));
        }
        found
    }

    /// A smallest value of a node, its combinators apart.
    pub(super) fn plain(&self, node: &Schema) -> Option<Value> {
        if let Some(members) = node.enumeration.as_ref().filter(|members| !members.is_empty()) {
            return members.iter().find(|member| self.is_valid(node, member)).cloned();
        }
        match node.kind.as_deref() {
            Some("object") => self.object(node).map(Value::Object),
            Some("array") => {
                let count = usize::try_from(node.min_items.unwrap_or(0)).unwrap_or(0);
                let first = match (&node.items, count) {
                    (_, 0) => return Some(json!([])),
                    (Some(below), _) => self.smallest(below)?,
                    (None, _) => json!({}),
                };
                self.lists(node, &[first], count, Effort::Little).into_iter().next()
            }
            Some("string") => self.text(node).map(Value::from),
            Some("boolean") => Some(false.into()),
            Some("integer" | "number") => self.numbers(node).into_iter().next(),
            _ => [json!({}), json!(0), json!("")].into_iter().find(|value| self.is_valid(node, value)),
        }
    }

    fn object(&self, node: &Schema) -> Option<Map<String, Value>> {
        let mut object = Map::new();
        if node.embedded_resource {
            object.insert("apiVersion".to_owned(), json!("v1"));
            object.insert("kind".to_owned(), json!("Thing"));
            object.insert("metadata".to_owned(), json!({"name": "a"}));
        }
        for name in &node.required {
            if object.contains_key(name.as_ref()) {
                continue;
            }
            let value = match (node.properties.get(name), &node.additional_properties) {
                (Some(property), _) if property.default.as_ref().is_some_and(|default| !default.is_null()) => continue,
                (Some(property), _) => self.smallest(property)?,
                (None, Some(AdditionalProperties::Values(values))) => self.smallest(values)?,
                (None, _) => json!({}),
            };
            object.insert(name.to_string(), value);
        }
        let fewest = usize::try_from(node.min_properties.unwrap_or(0)).unwrap_or(0);
        match object.len() < fewest {
            true => self.filled(node, object, fewest),
            false => Some(object),
        }
    }

    /// The object with more properties, up to the given number.
    pub(super) fn filled(
        &self,
        node: &Schema,
        mut object: Map<String, Value>,
        count: usize,
    ) -> Option<Map<String, Value>> {
        for (name, property) in &node.properties {
            if object.len() < count
                && !object.contains_key(name.as_ref())
                && let Some(value) = self.smallest(property)
            {
                object.insert(name.to_string(), value);
            }
        }
        let value = match &node.additional_properties {
            _ if object.len() >= count => return Some(object),
            _ if count > MOST_PARTS => return None,
            Some(AdditionalProperties::Values(values)) => self.smallest(values)?,
            Some(AdditionalProperties::Allowed(true)) => json!(0),
            _ => return None,
        };
        for index in 0.. {
            if object.len() >= count {
                break;
            }
            object.entry(map_key(index)).or_insert_with(|| value.clone());
        }
        Some(object)
    }

    pub(super) fn text(&self, node: &Schema) -> Option<String> {
        let shortest = usize::try_from(node.min_length.unwrap_or(0)).unwrap_or(0);
        let longest = node.max_length.map_or(usize::MAX, |longest| usize::try_from(longest).unwrap_or(0));
        // A text that is not empty is easier to read.
        let starts = [shortest.max(1), shortest].into_iter().filter(|start| *start <= longest);
        let mut texts = starts.flat_map(|start| (0..3).map(move |choice| (start, choice)));
        let text = texts.find_map(|(start, choice)| {
            let text = self.text_between(node, start, longest, choice)?;
            self.is_valid(node, &json!(text)).then_some(text)
        });
        let mut samples = SAMPLES.iter().filter(|_| node.format.is_some());
        text.or_else(|| samples.find(|sample| self.is_valid(node, &json!(sample))).map(ToString::to_string))
    }

    pub(super) fn text_between(&self, node: &Schema, shortest: usize, longest: usize, choice: usize) -> Option<String> {
        match node.pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            Some(pattern) => {
                let is_match = |text: &str| self.patterns.matches(pattern, text);
                Texts::new(pattern)?.matching(shortest, longest, choice, &is_match)
            }
            None if shortest > usize::try_from(LONGEST_TEXT).unwrap_or(0) => None,
            None => Some(["a", "1", "A"].get(choice).unwrap_or(&"b").repeat(shortest)),
        }
    }

    /// Numbers that the node takes: zero, its edges, and what is near them.
    pub(super) fn numbers(&self, node: &Schema) -> Vec<Value> {
        let mut found: Vec<Value> = vec![json!(0), json!(1)];
        for bound in [&node.minimum, &node.maximum].into_iter().flatten() {
            found.extend(near(node, bound));
        }
        found.extend([i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN].map(|edge| json!(edge)));
        if let Some(factor) = node.multiple_of.as_ref().and_then(Number::as_f64) {
            let least = node.minimum.as_ref().and_then(Number::as_f64).unwrap_or(0.0);
            let first = (least / factor).ceil();
            found.extend((0..3).map(|step| number(node, (first + f64::from(step)) * factor)));
        }
        found.retain(|value| self.is_valid(node, value));
        found
    }

    /// Lists of the given length, built from these items: first unchanged, then with different keys, then with one more of their
    /// leaves different, and last with all leaves different. Rules can require any of these.
    pub(super) fn lists(&self, node: &Schema, examples: &[Value], count: usize, effort: Effort) -> Vec<Value> {
        let Some(first) = examples.first().filter(|_| count <= MOST_PARTS) else { return Vec::new() };
        let Some(below) = &node.items else {
            let items = (0..count).map(|index| match examples.get(index) {
                Some(example) => example.clone(),
                None if node.unique_items || node.list_type.as_deref() == Some("set") => json!(index),
                None => first.clone(),
            });
            return vec![items.collect()];
        };
        let mut found = Vec::new();
        let must_differ = node.unique_items || matches!(node.list_type.as_deref(), Some("set" | "map"));
        if !must_differ {
            let items: Vec<Value> = (0..count).map(|index| examples.get(index).unwrap_or(first).clone()).collect();
            found.push(Value::Array(items));
            if effort == Effort::Little {
                return found;
            }
        }
        let keys: Vec<&str> = node.list_map_keys.iter().map(AsRef::as_ref).collect();
        let Value::Object(object) = first else {
            found.extend(self.different(below, first, count).map(Value::Array));
            return found;
        };
        let leaves: Vec<&str> = object
            .iter()
            .filter(|(name, value)| {
                !keys.contains(&name.as_str()) && !value.is_object() && !value.is_array() && !value.is_boolean()
            })
            .map(|(name, _)| name.as_str())
            .collect();
        let with_keys = |names: &[&'_ str]| keys.iter().chain(names).map(ToString::to_string).collect::<Vec<String>>();
        let mut varied = vec![with_keys(&[])];
        varied.extend(leaves.iter().map(|leaf| with_keys(&[*leaf])));
        varied.push(with_keys(&leaves));
        for names in varied {
            let columns: Vec<(&str, Vec<Value>)> = names
                .iter()
                .filter_map(|name| {
                    let property = below.properties.get(name)?;
                    let value = object.get(name).cloned().or_else(|| self.smallest(property))?;
                    Some((name.as_str(), self.different(property, &value, count)?))
                })
                .collect();
            if columns.is_empty() {
                continue;
            }
            let items = (0..count).map(|index| {
                let mut item = object.clone();
                for (name, values) in &columns {
                    item.extend(values.get(index).map(|value| ((*name).to_owned(), value.clone())));
                }
                Value::Object(item)
            });
            found.push(items.collect());
            if effort == Effort::Little {
                break;
            }
        }
        found
    }

    /// `count` different values of the node, starting with this one; `None` if fewer are found.
    pub(super) fn different(&self, node: &Schema, first: &Value, count: usize) -> Option<Vec<Value>> {
        let mut found = vec![first.clone()];
        let mut known = HashSet::from([first.to_string()]);
        let mut add = |value: Value| {
            if found.len() < count && known.insert(value.to_string()) && self.is_valid(node, &value) {
                found.push(value);
            }
            found.len() >= count
        };
        if add(first.clone()) {
            return Some(found);
        }
        if let Some(members) = &node.enumeration {
            members.iter().any(|member| add(member.clone()));
            return (found.len() >= count).then_some(found);
        }
        let many = i64::try_from(count).ok()?.saturating_mul(2);
        match first {
            Value::String(text) => self.different_texts(node, text, count, &mut |text| add(text.into())),
            Value::Number(start) => {
                if let Some(start) = start.as_i64() {
                    let step = node.multiple_of.as_ref().and_then(Number::as_i64).unwrap_or(1);
                    let away = |index: i64| start.saturating_add(index.saturating_mul(step));
                    let _ = (1..many).any(|index| add(away(index).into()))
                        || (1..many).any(|index| add(away(-index).into()));
                } else if let Some(start) = start.as_f64() {
                    (1..count * 2).any(|index| add(json!(start + index as f64)));
                }
            }
            Value::Bool(first) => drop(add((!first).into())),
            Value::Array(items) => {
                if let Some(below) = &node.items {
                    let first = items.first().cloned().or_else(|| self.smallest(below));
                    for item in first.and_then(|first| self.different(below, &first, count)).unwrap_or_default() {
                        add(json!([item]));
                    }
                }
            }
            Value::Object(object) => {
                for (name, property) in &node.properties {
                    let Some(first) = object.get(name.as_ref()).cloned().or_else(|| self.smallest(property)) else {
                        continue;
                    };
                    if object.contains_key(name.as_ref()) && found_enough(&first) {
                        continue;
                    }
                    for value in self.different(property, &first, count).unwrap_or_default() {
                        let mut other = object.clone();
                        other.insert(name.to_string(), value);
                        add(Value::Object(other));
                    }
                }
            }
            Value::Null => {}
        }
        (found.len() >= count).then_some(found)
    }

    /// Offers texts like this one, until `add` has enough.
    fn different_texts(&self, node: &Schema, text: &str, count: usize, add: &mut dyn FnMut(String) -> bool) {
        let many = i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(2);
        let ends = |index: i64| format!("{text}{index}");
        let starts = |index: i64| format!("{}{text}", letters(index));
        let instead = |index: i64| {
            let kept: String = text.chars().take(text.chars().count().saturating_sub(2)).collect();
            format!("{kept}{}", letters(index))
        };
        let durations = |index: i64| format!("{index}s");
        let makers: [&dyn Fn(i64) -> String; 5] = [&ends, &starts, &instead, &letters, &durations];
        let length = text.chars().count();
        let within = |part: usize| {
            let at = text.char_indices().nth(length * part / 8).map_or(0, |(at, _)| at);
            let (before, after) = text.split_at(at);
            move |index: i64| format!("{before}{}{after}", letters(index))
        };
        let is_done = makers.iter().any(|make| (0..many).any(|index| add(make(index))))
            || (1..8).map(within).any(|make| (0..many).any(|index| add(make(index))));
        if !is_done
            && let Some((pattern, texts)) =
                node.pattern.as_deref().and_then(|pattern| Some((pattern, Texts::new(pattern)?)))
        {
            let is_match = |text: &str| self.patterns.matches(pattern, text);
            // Each length has a text of its own.
            let longest = node.max_length.and_then(|longest| usize::try_from(longest).ok()).unwrap_or(usize::MAX);
            let lengths = 0..longest.min(2 * count + 16);
            let _ = (0..3).any(|choice| {
                let of = |length| texts.matching(length, length, choice, &is_match);
                lengths.clone().filter_map(of).any(&mut *add)
            });
        }
    }
}

/// Nothing to be gained from making a nested value different when it is large.
fn found_enough(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.len() > 8)
}

/// The name of an entry of a map, which passes every rule about names.
pub(super) fn map_key(index: usize) -> String {
    format!("key{index}")
}

/// a, b, …, z, ba, bb, …
fn letters(index: i64) -> String {
    let mut left = index.unsigned_abs();
    let mut text = Vec::new();
    loop {
        text.push(char::from(b'a' + u8::try_from(left % 26).unwrap_or(0)));
        left /= 26;
        if left == 0 {
            break;
        }
    }
    text.iter().rev().collect()
}

/// A number of the kind that the node has.
fn number(node: &Schema, value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 && node.kind.as_deref() != Some("number") {
        // Whole and small enough: nothing is cut off.
        json!(value as i64)
    } else {
        json!(value)
    }
}

/// A bound and the numbers next to it.
pub(super) fn near(node: &Schema, bound: &Number) -> Vec<Value> {
    let is_integer = node.kind.as_deref() == Some("integer");
    if let Some(bound) = bound.as_i64() {
        let integers = [json!(bound), json!(bound.saturating_sub(1)), json!(bound.saturating_add(1))];
        let floats = [(bound as f64).next_down(), (bound as f64).next_up()].map(|near| json!(near));
        let mut found = match is_integer {
            true => integers.to_vec(),
            false => [&integers[..1], &floats, &integers[1..]].concat(),
        };
        if let Some(factor) = node.multiple_of.as_ref().and_then(Number::as_i64).filter(|factor| *factor > 0) {
            let below = bound.saturating_sub(bound.rem_euclid(factor));
            found.extend([below, below.saturating_sub(factor), below.saturating_add(factor)].map(|near| json!(near)));
        }
        return found;
    }
    let Some(bound) = bound.as_f64() else { return Vec::new() };
    if is_integer {
        return [bound.floor(), bound.ceil(), bound.floor() - 1.0, bound.ceil() + 1.0]
            .map(|near| number(node, near))
            .into();
    }
    vec![json!(bound), json!(bound.next_down()), json!(bound.next_up())]
}
