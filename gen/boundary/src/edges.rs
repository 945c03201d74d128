//! Values on both sides of a constraint.
//!
//! Invariants: an inside value is valid; an outside value breaks the constraint, that is, it has more violations than without the constraint
//! ([`Maker::breaks`]), and the values that break only this constraint come first.

use serde_json::{Number, Value, json};

use super::narrowed::{alternatives, merged, without_combinators};
use super::texts::{neighbours, resized};
use super::values::{Effort, LONGEST_TEXT, Maker, near};
use super::{Constraint, Keyword, own};
use crd_apiserver::validate::{Violation, ViolationKind};
use crd_model::schema::{AdditionalProperties, Schema};

/// How much shorter than `maxLength` a text may be, if no text of that length is valid.
const FEWER: i64 = 16;
/// What [`Maker::edges`] leaves out: values with more bytes as JSON, longer texts, and lists and maps with more parts.
const LARGEST_EDGE: usize = 1000;
const LONGEST_EDGE: i64 = 64;
const MOST_PARTS_OF_EDGE: i64 = 8;
/// The largest number of values that [`Maker::edges`] makes.
const MOST_EDGES: usize = 12;

/// How a value breaks a constraint.
pub(super) struct Broken {
    /// The violation of the constraint.
    pub(super) by: Violation,
    /// The number of other violations.
    also: usize,
    /// The number of violations without the constraint: an empty text is too short before it fails its pattern.
    without_constraint: usize,
}

impl Maker {
    /// How a value breaks the constraint, if it does.
    ///
    /// `relaxed` is the node without it.
    fn breaks(&self, node: &Schema, relaxed: &Schema, keyword: &Keyword, value: &Value) -> Option<Broken> {
        let strict = self.of_node(node, value);
        if strict.is_empty() {
            return None;
        }
        let relaxed = self.of_node(relaxed, value);
        let how_many = |of: &[Violation], like: &Violation| {
            of.iter().filter(|one| (one.kind, &one.path) == (like.kind, &like.path)).count()
        };
        // There are more violations of this kind at this path than without the constraint. Messages are not compared: without the
        // constraint, the same violation can have another message.
        let is_new = |violation: &&Violation| how_many(&strict, violation) > how_many(&relaxed, violation);
        let new: Vec<&Violation> = strict.iter().filter(is_new).collect();
        // A number beyond its format has the wrong type too; only the violation of the format is of interest.
        let is_of_format =
            |violation: &&&Violation| *keyword == Keyword::Format && violation.kind == ViolationKind::OutOfRange;
        let is_new_message = |violation: &&&Violation| !relaxed.contains(violation);
        let by =
            new.iter().filter(is_new_message).find(is_of_format).or(new.iter().find(is_new_message)).or(new.first())?;
        let by = (**by).clone();
        Some(Broken { by, also: strict.len() - 1, without_constraint: relaxed.len() })
    }

    /// Valid values of a node: small ones, and those on the edges of its constraints that are not large.
    pub(super) fn edges(&self, node: &Schema) -> Vec<Value> {
        let mut found = self.small(node);
        if let Some(now) = found.first().cloned() {
            let is_small = |limit: Option<i64>, largest| limit.is_none_or(|limit| limit <= largest);
            for constraint in own(node).iter().filter(|constraint| match constraint.keyword {
                Keyword::MaxLength => is_small(node.max_length, LONGEST_EDGE),
                Keyword::MaxItems => is_small(node.max_items, MOST_PARTS_OF_EDGE),
                Keyword::MaxProperties => is_small(node.max_properties, MOST_PARTS_OF_EDGE),
                _ => true,
            }) {
                found.extend(self.insides(node, constraint, &now, &[], Effort::Little));
            }
        }
        if node.kind.as_deref() == Some("boolean") {
            found.extend([json!(true), json!(false)].into_iter().filter(|value| self.is_valid(node, value)));
        }
        let mut once: Vec<Value> = Vec::new();
        for value in found {
            if once.len() < MOST_EDGES && !once.contains(&value) && value.to_string().len() <= LARGEST_EDGE {
                once.push(value);
            }
        }
        once
    }

    /// Valid values that are as near to the constraint as possible, the preferred one first. `now` is a valid value of the node, and
    /// `items` are valid items of its list.
    pub(super) fn insides(
        &self,
        node: &Schema,
        constraint: &Constraint<'_>,
        now: &Value,
        items: &[Value],
        effort: Effort,
    ) -> Vec<Value> {
        let limit = constraint.node;
        let mut found = match &constraint.keyword {
            Keyword::Minimum => limit.minimum.iter().flat_map(|bound| near(node, bound)).collect(),
            Keyword::Maximum => limit.maximum.iter().flat_map(|bound| near(node, bound)).collect(),
            Keyword::MultipleOf => self.numbers(node),
            Keyword::Format if now.is_number() => {
                let mut edges = self.numbers(node);
                edges.sort_by_key(|edge| std::cmp::Reverse(edge.as_i64().map(i64::unsigned_abs)));
                edges
            }
            Keyword::MinLength => {
                let mut texts = self.texts_of(node, now, limit.min_length);
                texts.extend(self.text(node).map(Value::from));
                texts
            }
            Keyword::MaxLength => {
                let longest = limit.max_length.unwrap_or(0);
                // Not every length has a matching text.
                let lengths = (longest.saturating_sub(FEWER).max(0)..=longest).rev();
                let mut texts = lengths.map(|length| self.texts_of(node, now, Some(length)));
                let fits = |texts: &Vec<Value>| texts.iter().any(|text| self.is_valid(node, text));
                texts.find(fits).unwrap_or_default()
            }
            Keyword::MinItems => self.lists_of(node, now, items, limit.min_items, effort),
            Keyword::MaxItems => self.lists_of(node, now, items, limit.max_items, effort),
            Keyword::ListMapKeys | Keyword::ListSet | Keyword::UniqueItems => {
                let mut lists = self.lists_of(node, now, items, Some(2), effort);
                // Possibly only lists of one item are valid.
                lists.push(now.clone());
                lists
            }
            Keyword::MinProperties => self.objects_of(node, now, limit.min_properties),
            Keyword::MaxProperties => self.objects_of(node, now, limit.max_properties),
            Keyword::Enum => {
                let mut members = vec![now.clone()];
                members.extend(limit.enumeration.iter().flatten().cloned());
                members
            }
            Keyword::Type
            | Keyword::Format
            | Keyword::Pattern
            | Keyword::Required(_)
            | Keyword::AdditionalProperties
            | Keyword::AnyOf
            | Keyword::OneOf
            | Keyword::Not => vec![now.clone()],
        };
        found.retain(|value| self.is_valid(node, value));
        match constraint.keyword {
            Keyword::Minimum | Keyword::Maximum => found.truncate(1),
            // Both ends of the range, and nothing between them.
            Keyword::Format if now.is_number() => {
                let edges =
                    [found.iter().filter_map(Value::as_i64).min(), found.iter().filter_map(Value::as_i64).max()];
                found.retain(|value| value.is_f64() || edges.contains(&value.as_i64()));
            }
            _ => {}
        }
        found
    }

    /// Values that break the constraint, sorted by the number of other violations. `now` is a valid value of the node.
    pub(super) fn outsides(
        &self,
        node: &Schema,
        constraint: &Constraint<'_>,
        now: &Value,
        effort: Effort,
    ) -> Vec<(Value, Broken)> {
        let candidates = self.beyond(node, constraint, now, effort);
        let relaxed = without(node, constraint);
        let mut found: Vec<(Value, Broken)> = Vec::new();
        for value in candidates {
            if found.iter().any(|(other, _)| *other == value) {
                continue;
            }
            if let Some(broken) = self.breaks(node, &relaxed, &constraint.keyword, &value) {
                let is_best = broken.also == 0 && broken.without_constraint == 0 && effort == Effort::Little;
                found.push((value, broken));
                if is_best {
                    break;
                }
            }
        }
        found.sort_by_key(|(_, broken)| (broken.also, broken.without_constraint));
        found
    }

    /// Values that may break the constraint.
    #[allow(clippy::too_many_lines, reason = "a table: one arm for each keyword")]
    fn beyond(&self, node: &Schema, constraint: &Constraint<'_>, now: &Value, effort: Effort) -> Vec<Value> {
        let limit = constraint.node;
        let more = |bound: Option<i64>| bound.map(|bound| bound.saturating_add(1));
        let less = |bound: Option<i64>| bound.map(|bound| bound.saturating_sub(1));
        match &constraint.keyword {
            Keyword::Type => other_kinds(now),
            Keyword::Enum => not_members(limit, now),
            Keyword::Format => match now {
                Value::Number(_) => {
                    let edges = [i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1].map(|edge| json!(edge));
                    let far = [json!(9_223_372_036_854_775_808_u64), json!(-9_223_372_036_854_777_856.0), json!(1e300)];
                    edges.into_iter().chain(far).collect()
                }
                Value::String(text) => neighbours(text).into_iter().map(Value::from).collect(),
                _ => Vec::new(),
            },
            Keyword::Pattern => match now {
                Value::String(text) => neighbours(text).into_iter().map(Value::from).collect(),
                _ => Vec::new(),
            },
            Keyword::Minimum => limit.minimum.iter().flat_map(|bound| near(node, bound)).collect(),
            Keyword::Maximum => limit.maximum.iter().flat_map(|bound| near(node, bound)).collect(),
            Keyword::MultipleOf => {
                let mut near = Vec::new();
                if let Some(now) = now.as_i64() {
                    near.extend([now.saturating_add(1), now.saturating_sub(1)].map(|near| json!(near)));
                }
                if let Some(now) = now.as_f64() {
                    let factor = limit.multiple_of.as_ref().and_then(Number::as_f64).unwrap_or(1.0);
                    near.extend([now + factor / 2.0, now - factor / 2.0, now + factor / 3.0].map(|near| json!(near)));
                }
                near
            }
            Keyword::MinLength => self.texts_of(node, now, less(limit.min_length)),
            Keyword::MaxLength => self.texts_of(node, now, more(limit.max_length)),
            Keyword::MinItems => self.lists_of(node, now, &[], less(limit.min_items), effort),
            Keyword::MaxItems => self.lists_of(node, now, &[], more(limit.max_items), effort),
            Keyword::MinProperties => self.objects_of(node, now, less(limit.min_properties)),
            Keyword::MaxProperties => self.objects_of(node, now, more(limit.max_properties)),
            Keyword::Required(name) => match now {
                Value::Object(object) => {
                    let mut object = object.clone();
                    object.remove(name.as_ref());
                    vec![Value::Object(object)]
                }
                _ => Vec::new(),
            },
            Keyword::AdditionalProperties => match now {
                Value::Object(object) => {
                    let mut object = object.clone();
                    object.insert("unknownProperty".to_owned(), json!({}));
                    vec![Value::Object(object)]
                }
                _ => Vec::new(),
            },
            Keyword::ListMapKeys | Keyword::ListSet | Keyword::UniqueItems => {
                let first = match now.as_array().and_then(|items| items.first()) {
                    Some(first) => Some(first.clone()),
                    None => node.items.as_deref().and_then(|below| self.smallest(below)),
                };
                let mut lists = Vec::new();
                if let Some(first) = first {
                    let mut whole = now.as_array().cloned().unwrap_or_default();
                    if let Some(repeated) = whole.first().cloned() {
                        whole.push(repeated);
                        lists.push(Value::Array(whole));
                    }
                    // Different items with the same keys.
                    lists.extend(self.apart_from_keys(node, &first));
                    lists.push(json!([first, first]));
                }
                lists
            }
            Keyword::AnyOf => self.against_branches(node, &limit.any_of, now),
            Keyword::OneOf => self.against_branches(node, &limit.one_of, now),
            Keyword::Not => {
                let plain = without_combinators(node);
                let forbidden: Vec<Schema> = limit.not.iter().map(|not| merged(&plain, not)).collect();
                forbidden.iter().flat_map(|forbidden| self.small(forbidden)).collect()
            }
        }
    }

    fn texts_of(&self, node: &Schema, now: &Value, length: Option<i64>) -> Vec<Value> {
        let (Some(length), Value::String(now)) = (length, now) else { return Vec::new() };
        let Some(length) = usize::try_from(length).ok().filter(|_| length <= LONGEST_TEXT) else { return Vec::new() };
        let fits = |text: &String| {
            node.pattern.as_deref().is_none_or(|pattern| self.patterns.matches(pattern, text) == Some(true))
        };
        let alternatives = alternatives(node);
        let node = alternatives.first().map_or(node, AsRef::as_ref);
        // Long texts are slow to match: two that fit are enough.
        let mut texts: Vec<String> = resized(now, length).into_iter().filter(fits).take(2).collect();
        if texts.is_empty() {
            texts.extend((0..3).filter_map(|choice| self.text_between(node, length, length, choice)));
        }
        if texts.is_empty() {
            // A text that the pattern does not match is better than none.
            texts.push("a".repeat(length));
        }
        texts.into_iter().map(Value::from).collect()
    }

    fn lists_of(&self, node: &Schema, now: &Value, items: &[Value], count: Option<i64>, effort: Effort) -> Vec<Value> {
        let (Some(count), Value::Array(now)) = (count, now) else { return Vec::new() };
        let Some(count) = usize::try_from(count).ok() else { return Vec::new() };
        if count <= now.len() {
            return vec![Value::Array(now[..count].to_vec())];
        }
        let smallest = node.items.as_deref().and_then(|below| self.smallest(below));
        let mut examples: Vec<Value> = Vec::new();
        for example in now.iter().take(4).cloned().chain(smallest).chain(items.iter().cloned()) {
            if !examples.contains(&example) {
                examples.push(example);
            }
        }
        // The simplest list of each example before the second list of any.
        let ways: Vec<Vec<Value>> =
            examples.iter().map(|example| self.lists(node, std::slice::from_ref(example), count, effort)).collect();
        let longest = ways.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|index| ways.iter().filter_map(move |ways| ways.get(index).cloned())).collect()
    }

    /// Two items with the same keys that differ elsewhere.
    fn apart_from_keys(&self, node: &Schema, first: &Value) -> Option<Value> {
        let below = node.items.as_deref()?;
        let object = first.as_object()?;
        for (name, value) in object {
            if node.list_map_keys.iter().any(|key| key.as_ref() == name) {
                continue;
            }
            let Some(property) = below.properties.get(name) else { continue };
            if let Some([_, other]) = self.different(property, value, 2).as_deref() {
                let mut item = object.clone();
                item.insert(name.clone(), other.clone());
                return Some(json!([first, item]));
            }
        }
        None
    }

    fn objects_of(&self, node: &Schema, now: &Value, count: Option<i64>) -> Vec<Value> {
        let (Some(count), Value::Object(now)) = (count, now) else { return Vec::new() };
        let Some(count) = usize::try_from(count).ok() else { return Vec::new() };
        if count >= now.len() {
            return self.filled(node, now.clone(), count).map(Value::Object).into_iter().collect();
        }
        let mut fewer = now.clone();
        let optional: Vec<String> =
            now.keys().filter(|name| !node.required.iter().any(|required| required == *name)).cloned().collect();
        for name in optional.iter().take(now.len() - count) {
            fewer.remove(name);
        }
        vec![Value::Object(fewer)]
    }

    /// Values for which a combinator can fail: values of its branches, and values that break one constraint of a branch.
    fn against_branches(&self, node: &Schema, branches: &[Schema], now: &Value) -> Vec<Value> {
        let mut found = Vec::new();
        for branch in branches {
            let narrowed = merged(&without_combinators(node), branch);
            let names: Vec<&str> = branch.properties.keys().map(AsRef::as_ref).collect();
            let starts = [now.clone()].into_iter().chain(self.plainest_with(&narrowed, &names));
            for start in starts {
                found.push(start.clone());
                self.broken(&without_combinators(node), branch, &start, &mut found);
            }
            for other in branches {
                // Values of two branches break oneOf.
                found.extend(self.plain(&merged(&narrowed, other)));
            }
        }
        found
    }

    /// The value with one constraint of the branch broken, each in turn.
    fn broken(&self, node: &Schema, branch: &Schema, value: &Value, found: &mut Vec<Value>) {
        for constraint in own(branch) {
            let narrowed = merged(node, branch);
            found.extend(
                self.outsides(&narrowed, &constraint, value, Effort::Little)
                    .into_iter()
                    .take(2)
                    .map(|(value, _)| value),
            );
        }
        for (name, below) in &branch.properties {
            let (Some(property), Some(now)) = (node.properties.get(name), value.get(name.as_ref())) else { continue };
            let mut values = Vec::new();
            self.broken(property, below, now, &mut values);
            for broken in values {
                let mut other = value.clone();
                if let Some(object) = other.as_object_mut() {
                    object.insert(name.to_string(), broken);
                }
                found.push(other);
            }
        }
    }
}

/// Values of other kinds than this one, the nearest first.
fn other_kinds(now: &Value) -> Vec<Value> {
    match now {
        Value::String(_) => vec![json!(5), json!(true), json!({}), json!([])],
        Value::Number(now) => {
            let between = now.as_f64().map(|now| json!(now + if now > 1.0 { -0.5 } else { 0.5 }));
            between.into_iter().chain([json!(now.to_string()), json!(true), json!({})]).collect()
        }
        Value::Bool(now) => vec![json!(now.to_string()), json!(1), json!({})],
        Value::Array(items) => items.first().cloned().into_iter().chain([json!({}), json!("a"), json!(1)]).collect(),
        Value::Object(_) => vec![json!("a"), json!([]), json!(1), json!(true)],
        Value::Null => vec![json!("a"), json!(1)],
    }
}

/// Values that are similar to members of the enum.
fn not_members(limit: &Schema, now: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for member in [now].into_iter().chain(limit.enumeration.iter().flatten()) {
        match member {
            Value::String(text) => {
                found.push(json!(format!("{text}x")));
                found.extend([text.to_lowercase(), text.to_uppercase()].map(Value::from));
            }
            Value::Number(number) => {
                if let Some(number) = number.as_i64() {
                    found.extend([json!(number.saturating_add(1)), json!(number.saturating_sub(1))]);
                } else if let Some(number) = number.as_f64() {
                    found.push(json!(number + 1.0));
                }
            }
            Value::Bool(flag) => found.push(json!(!flag)),
            _ => {}
        }
    }
    found.extend([json!("unheardOf"), json!(987_654), json!({}), json!([])]);
    found
}

/// The node without this constraint, which can be in a part of its `allOf`.
fn without(node: &Schema, constraint: &Constraint<'_>) -> Schema {
    let mut relaxed = node.clone();
    remove(&mut relaxed, constraint);
    for part in &mut relaxed.all_of {
        if part == constraint.node {
            remove(part, constraint);
        }
    }
    relaxed
}

fn remove(node: &mut Schema, constraint: &Constraint<'_>) {
    constraint.keyword.remove(node);
    if constraint.keyword == Keyword::Format && node.kind.as_deref() == Some("integer") {
        // An integer without a format still has the range of int64.
        node.kind = Some("number".into());
    }
}

impl Keyword {
    /// Removes the constraint from a node.
    pub fn remove(&self, node: &mut Schema) {
        match self {
            Keyword::Type => {
                node.kind = None;
                node.int_or_string = false;
                // A format without a type also restricts the type.
                node.format = None;
            }
            Keyword::Required(name) => node.required.retain(|required| required != name),
            Keyword::AdditionalProperties => {
                node.additional_properties = Some(AdditionalProperties::Allowed(true));
                node.preserve_unknown_fields = Some(true);
            }
            Keyword::ListMapKeys | Keyword::ListSet => node.list_type = None,
            keyword => node.copy(&Schema::default(), keyword.of_schema()),
        }
    }
}
