//! Random documents that are valid under a schema, except for CEL rules.
//!
//! Invariants: made from the schema alone, without the Rust types; valid after the server's defaults are applied (callers check
//! this); [`targets`] lists every schema path and every enum value, so that a run over all targets is complete. A keyword that
//! these types do not use yet makes the test fail with a request to support it.

use std::collections::HashSet;

use crd_apiserver::apply_defaults;
use crd_apiserver::validate::{Subject, Validator, ViolationKind};
use crd_model::schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value, json};

use crate::objects::Published;
use crate::patterns;
use crd_testdata::Dice;

/// How many nodes a document has before optional parts become rare.
const SIZE: usize = 40;

/// How often a part with `oneOf` and its like is made anew.
const TRIES: usize = 200;

const VALIDATOR: Validator<'static> = Validator { matches: &patterns::matches, subject: Subject::Part };

/// A step from a node of a schema to one below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A property.
    Field(String),
    /// An item of a list or a value of a map.
    Any,
    /// The value at this place of the `enum`.
    Member(usize),
}

/// A path through a schema.
pub type Target = Vec<Step>;

/// The path in the way it is written in messages.
pub fn show(target: &[Step]) -> String {
    let steps = target.iter().map(|step| match step {
        Step::Field(name) => format!(".{name}"),
        Step::Any => "[*]".to_owned(),
        Step::Member(index) => format!("={index}"),
    });
    steps.collect::<String>().trim_start_matches('.').to_owned()
}

/// Every place and enum value below the root of a resource, its metadata apart.
pub fn targets(schema: &Schema) -> Vec<Target> {
    let mut found = Vec::new();
    for (name, property) in &schema.properties {
        if !is_identity(name) {
            collect(property, &mut vec![Step::Field(name.to_string())], &mut found);
        }
    }
    found
}

fn is_identity(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

fn collect(schema: &Schema, path: &mut Target, found: &mut Vec<Target>) {
    found.push(path.clone());
    let mut below = |step: Step, schema: Option<&Schema>| {
        path.push(step);
        match schema {
            Some(schema) => collect(schema, path, found),
            None => found.push(path.clone()),
        }
        path.pop();
    };
    for (name, property) in &schema.properties {
        below(Step::Field(name.to_string()), Some(property));
    }
    if let Some(items) = &schema.items {
        below(Step::Any, Some(items));
    }
    if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
        below(Step::Any, Some(values));
    }
    for index in 0..schema.enumeration.as_ref().map_or(0, Vec::len) {
        below(Step::Member(index), None);
    }
}

/// A document of this version in this channel. With a target, the document has it.
pub fn document(published: &Published, random: &mut Dice, target: &[Step]) -> Value {
    let mut maker = Maker { random, size: 0 };
    let mut object = maker.properties(&published.schema, target, 0);
    object.insert("apiVersion".to_owned(), published.version.api_version.into());
    object.insert("kind".to_owned(), published.version.kind.into());
    object.insert("metadata".to_owned(), maker.metadata());
    Value::Object(object)
}

/// Whether the document has the target.
pub fn has(document: &Value, schema: &Schema, target: &[Step]) -> bool {
    let Some((step, rest)) = target.split_first() else { return true };
    match step {
        Step::Field(name) => {
            let property = schema.properties.get(name.as_str()).unwrap();
            document.get(name).is_some_and(|value| has(value, property, rest))
        }
        Step::Any => match (document, &schema.items, &schema.additional_properties) {
            (Value::Array(items), Some(below), _) => items.iter().any(|item| has(item, below, rest)),
            (Value::Object(object), _, Some(AdditionalProperties::Values(below))) => {
                object.values().any(|value| has(value, below, rest))
            }
            _ => false,
        },
        Step::Member(index) => schema.enumeration.as_ref().is_some_and(|values| *document == values[*index]),
    }
}

struct Maker<'r> {
    random: &'r mut Dice,
    /// How many nodes there are already.
    size: usize,
}

impl Maker<'_> {
    fn value(&mut self, name: &str, schema: &Schema, target: &[Step], depth: usize) -> Value {
        self.size += 1;
        let has_junctor =
            !schema.any_of.is_empty() || !schema.one_of.is_empty() || !schema.all_of.is_empty() || schema.not.is_some();
        if !has_junctor {
            return self.plain(name, schema, target, depth);
        }
        for _ in 0..TRIES {
            let mut narrowed = schema.clone();
            for branches in [&schema.any_of, &schema.one_of] {
                if !branches.is_empty() {
                    let chosen = self.random.below(branches.len());
                    narrow(self.random, &mut narrowed, &branches[chosen]);
                }
            }
            for branch in &schema.all_of {
                narrow(self.random, &mut narrowed, branch);
            }
            let value = self.plain(name, &narrowed, target, depth);
            let mut complete = value.clone();
            apply_defaults(schema, &mut complete);
            let violations = VALIDATOR.validate(schema, &complete);
            if violations.iter().all(|violation| violation.kind != ViolationKind::Junctor) {
                return value;
            }
        }
        panic!("found no value for {name} with {}", show(target));
    }

    fn plain(&mut self, name: &str, schema: &Schema, target: &[Step], depth: usize) -> Value {
        assert!(
            schema.multiple_of.is_none() && !schema.exclusive_maximum && !schema.exclusive_minimum,
            "{name}: write it"
        );
        if let Some(values) = schema.enumeration.as_ref().filter(|values| !values.is_empty()) {
            return match target {
                [Step::Member(index)] => values[*index].clone(),
                _ => self.random.pick(values).clone(),
            };
        }
        if schema.int_or_string {
            return if self.random.one_in(2) { json!(self.random.between(-5, 70_000)) } else { self.text(schema) };
        }
        match schema.kind.as_deref() {
            Some("object") => Value::Object(self.properties(schema, target, depth)),
            Some("array") => Value::Array(self.list(name, schema, target, depth)),
            Some("string") => self.text(schema),
            Some("boolean") => self.random.one_in(2).into(),
            Some("integer") => self.integer(name, schema),
            other => panic!("{name}: no document is made for type {other:?} yet; write it"),
        }
    }

    fn properties(&mut self, schema: &Schema, target: &[Step], depth: usize) -> Map<String, Value> {
        let mut object = Map::new();
        if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
            let fewest = bound(schema.min_properties, 0).max(usize::from(!target.is_empty()));
            let most = bound(schema.max_properties, 40);
            let count = self.count(fewest, most);
            while object.len() < count {
                let rest = if object.is_empty() { target.get(1..).unwrap_or_default() } else { &[] };
                let value = self.value("", values, rest, depth + 1);
                let key = if self.random.one_in(2) { self.label() } else { self.any_text(0, 20) };
                object.insert(key, value);
            }
            return object;
        }
        let (wanted, rest) = match target.split_first() {
            Some((Step::Field(name), rest)) => (Some(name.as_str()), rest),
            _ => (None, target),
        };
        assert!(schema.max_properties.is_none(), "write it");
        for (name, property) in &schema.properties {
            let is_wanted = wanted == Some(name.as_ref());
            if depth == 0 && is_identity(name) {
                continue;
            }
            let is_required = schema.required.contains(name);
            let rarity = if self.size > SIZE { 20 } else { 2 + depth / 3 };
            if is_wanted || is_required || self.random.one_in(rarity) {
                let rest = if is_wanted { rest } else { &[] };
                let value = self.value(name, property, rest, depth + 1);
                object.insert(name.to_string(), value);
            }
        }
        let mut absent =
            schema.properties.iter().filter(|(name, _)| !object.contains_key(&***name)).collect::<Vec<_>>();
        while object.len() < bound(schema.min_properties, 0) {
            let (name, property) = absent.swap_remove(self.random.below(absent.len()));
            object.insert(name.to_string(), self.value(name, property, &[], depth + 1));
        }
        object
    }

    fn list(&mut self, name: &str, schema: &Schema, target: &[Step], depth: usize) -> Vec<Value> {
        let Some(below) = &schema.items else { panic!("{name}: a list without items; write it") };
        let fewest = bound(schema.min_items, 0).max(usize::from(!target.is_empty()));
        let is_simple = below.properties.is_empty();
        let most = bound(schema.max_items, 40).min(if is_simple { 70 } else { 5 }).max(fewest);
        let count = self.count(fewest, most);
        let mut items = Vec::new();
        let mut seen = HashSet::new();
        for attempt in 0..TRIES {
            if items.len() == count {
                break;
            }
            let rest = if items.is_empty() { target.get(1..).unwrap_or_default() } else { &[] };
            let item = self.value(name, below, rest, depth + 1);
            let mut complete = item.clone();
            apply_defaults(below, &mut complete);
            let identity = match schema.list_type.as_deref() {
                Some("map") => schema
                    .list_map_keys
                    .iter()
                    .map(|key| complete[key.as_ref()].to_string())
                    .collect::<Vec<_>>()
                    .join(","),
                Some("set") => complete.to_string(),
                _ if schema.unique_items => complete.to_string(),
                _ => format!("{attempt}"),
            };
            if seen.insert(identity) {
                items.push(item);
            }
        }
        assert!(items.len() >= fewest, "{name}: found only {} different items", items.len());
        items
    }

    /// How many of something: few, and now and then as many as there may be.
    fn count(&mut self, fewest: usize, most: usize) -> usize {
        assert!(fewest <= most);
        let usual = if self.size > SIZE { 1 } else { 4 };
        if self.random.one_in(40) && self.size < SIZE { most } else { (fewest + self.random.below(usual)).min(most) }
    }

    fn integer(&mut self, name: &str, schema: &Schema) -> Value {
        let (mut low, mut high) = match schema.format.as_deref() {
            Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Some("int64") | None => (i64::MIN, i64::MAX),
            Some(other) => panic!("{name}: no integer is made for format {other} yet; write it"),
        };
        let bounds =
            [&schema.minimum, &schema.maximum].map(|bound| bound.as_ref().map(|bound| bound.as_i64().unwrap()));
        low = low.max(bounds[0].unwrap_or(low));
        high = high.min(bounds[1].unwrap_or(high));
        match self.random.below(6) {
            0 => low.into(),
            1 => high.into(),
            2 if (low..=high).contains(&0) => 0.into(),
            _ => self.random.between(low, high).into(),
        }
    }

    fn text(&mut self, schema: &Schema) -> Value {
        let mut parts = vec![schema];
        parts.extend(&schema.all_of);
        let shortest = parts.iter().map(|part| bound(part.min_length, 0)).max().unwrap_or(0);
        let longest = parts.iter().map(|part| bound(part.max_length, usize::MAX)).min().unwrap_or(usize::MAX);
        let patterns: Vec<&str> = parts.iter().filter_map(|part| part.pattern.as_deref()).collect();
        let format = parts.iter().find_map(|part| part.format.as_deref());
        let text = match format {
            Some("date-time") => self.time(),
            Some("ipv4") => self.ipv4(),
            Some("ipv6") => self.ipv6(),
            Some(other) => panic!("no text is made for format {other} yet; write it"),
            None if patterns.is_empty() => self.any_text(shortest, longest),
            None => patterns::text(self.random, &patterns, shortest, longest.min(400)),
        };
        text.into()
    }

    /// A text of whatever characters.
    fn any_text(&mut self, shortest: usize, longest: usize) -> String {
        // Texts that a careless reader takes for something else.
        const TREACHEROUS: [&str; 12] = [
            "null",
            "true",
            "0x1F",
            "1e3",
            "~",
            " a ",
            "\"quoted\"",
            "back\\slash",
            "{\"a\":1}",
            "2026-11-21",
            "\u{0}\n\t",
            "\u{feff}é",
        ];
        if self.random.one_in(6) {
            let text = *self.random.pick(&TREACHEROUS);
            if (shortest..=longest).contains(&text.chars().count()) {
                return text.to_owned();
            }
        }
        let length = match self.random.below(24) {
            0 => longest.min(1_000),
            1 => shortest,
            _ => (shortest + self.random.below(16)).min(longest),
        };
        (0..length)
            .map(|_| match self.random.below(12) {
                0 => {
                    *self.random.pick(&['\u{1}', '\u{7f}', '\u{2028}', '\u{fffd}', '\u{10ffff}', '😀', '\u{300}', 'ß'])
                }
                1 => *self.random.pick(&['"', '\\', '/', '<', '&', '\'', ':', '#']),
                _ => char::from(b' ' + u8::try_from(self.random.below(95)).unwrap()),
            })
            .collect()
    }

    fn label(&mut self) -> String {
        patterns::text(self.random, &["^([a-z]{1,4}\\.[a-z]{1,3}/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$"], 1, 40)
    }

    fn time(&mut self) -> String {
        let moment = self.moment();
        let fraction = *self.random.pick(&["", ".5", ".123456789", ".000"]);
        let zone = *self.random.pick(&["Z", "z", "+00:00", "-11:30", "+14:00"]);
        format!("{moment}{fraction}{zone}")
    }

    fn moment(&mut self) -> String {
        let [month, day, hour, minute, second] =
            [(1, 12), (1, 28), (0, 23), (0, 59), (0, 59)].map(|(low, high)| self.random.between(low, high));
        format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", self.random.between(1970, 2099))
    }

    fn ipv4(&mut self) -> String {
        std::net::Ipv4Addr::from(u32::try_from(self.random.number() >> 32).unwrap()).to_string()
    }

    fn ipv6(&mut self) -> String {
        let bits = u128::from(self.random.number()) << 64 | u128::from(self.random.number() & 0xffff);
        let short = std::net::Ipv6Addr::from(bits);
        if self.random.one_in(2) { short.to_string() } else { "::1".to_owned() }
    }

    /// Metadata in the form in which a server returns it, so that readers which know times read and write it back equal too.
    fn metadata(&mut self) -> Value {
        let mut metadata = json!({"name": patterns::text(self.random, &["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"], 1, 63)});
        let object = metadata.as_object_mut().unwrap();
        let mut put = |random: &mut Dice, name: &str, value: Value| {
            if random.one_in(5) {
                object.insert(name.to_owned(), value);
            }
        };
        let moments = [(); 3].map(|()| format!("{}Z", self.moment()));
        let (label, text) = (self.label(), self.any_text(0, 30));
        let number = self.random.between(0, 1 << 40);
        let random = &mut *self.random;
        let [created, deleted, written] = moments;
        put(random, "namespace", json!("shop"));
        put(random, "generateName", json!("shop-"));
        put(random, "uid", json!("3d8a6ab0-9a3c-4cf1-9d0f-6f2a8c1f7a11"));
        put(random, "resourceVersion", json!(number.to_string()));
        put(random, "generation", json!(number));
        put(random, "creationTimestamp", json!(created));
        put(random, "deletionTimestamp", json!(deleted));
        put(random, "deletionGracePeriodSeconds", json!(number % 3600));
        put(random, "selfLink", json!("/apis/x"));
        put(random, "finalizers", json!(["example.com/tidy"]));
        put(random, "labels", json!({label.clone(): "blue", "tier": ""}));
        put(random, "annotations", json!({label: text}));
        let owner = json!([
            {"apiVersion": "v1", "kind": "Service", "name": "shop", "uid": "u-1"},
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop", "uid": "u-2", "controller": true, "blockOwnerDeletion": false},
        ]);
        put(random, "ownerReferences", owner);
        let manager = json!([{
            "manager": "kubectl", "operation": "Apply", "apiVersion": "gateway.networking.k8s.io/v1", "time": written, "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:rules": {}, ".": {}}}, "subresource": "status",
        }]);
        put(random, "managedFields", manager);
        metadata
    }
}

/// What a branch of `oneOf` and its like asks for, put on the schema; what cannot be put is left to another try.
fn narrow(random: &mut Dice, schema: &mut Schema, branch: &Schema) {
    for (name, property) in &branch.properties {
        if let Some(known) = schema.properties.get_mut(name) {
            narrow(random, known, property);
        }
    }
    if branch.enumeration.is_some() {
        schema.enumeration.clone_from(&branch.enumeration);
    }
    if branch.format.is_some() {
        schema.format.clone_from(&branch.format);
    }
    for branches in [&branch.any_of, &branch.one_of] {
        if !branches.is_empty() {
            let chosen = random.below(branches.len());
            narrow(random, schema, &branches[chosen]);
        }
    }
}

fn bound(bound: Option<i64>, otherwise: usize) -> usize {
    bound.map_or(otherwise, |bound| usize::try_from(bound).unwrap())
}
