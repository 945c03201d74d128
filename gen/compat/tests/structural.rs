//! Directions, branches, defaults and keywords without effect, compared with random objects by our validator.
//!
//! Each round makes a random object schema with branches, applies edits that often have no effect, and tries objects of the old schema. If no
//! finding reports something as tightened, the new schema must accept every object that the old one accepts; if all are tightened, the reverse.
//! The proof `verdicts` compares the first of these with Kubernetes' own libraries.

use std::sync::Arc;

use crd_apiserver::objects::{FieldValidation, MINORS, Request, Resource};
use crd_compat::{Channels, Comparison, Declared, Direction, Finding, policy::Profile};
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::schema::AdditionalProperties;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Map, Value, json};

use crd_testdata::Dice;

const PAIRS: usize = 40_000;
const OBJECTS: usize = 60;
const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const WORDS: [&str; 5] = ["", "a", "ab", "b", "zzz"];
const EXCLUSIVE: [(&str, &str); 2] = [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")];
const PATTERNS: [&str; 4] = ["^a", "^[ab]*$", "b$", "^z+$"];

fn some<'a>(random: &mut Dice, words: &[&'a str]) -> Vec<&'a str> {
    let chosen = words.iter().filter(|_| random.one_in(2)).copied().collect::<Vec<_>>();
    if chosen.is_empty() { vec![*random.pick(words)] } else { chosen }
}

/// A keyword for strings, numbers or lists.
fn keyword(random: &mut Dice, kind: &str) -> (&'static str, Value) {
    match (kind, random.below(4)) {
        ("string", 0) => {
            let mut values = some(random, &WORDS).into_iter().map(Value::from).collect::<Vec<_>>();
            values.extend(random.one_in(6).then_some(Value::Null));
            ("enum", values.into())
        }
        ("string", 1) => ("pattern", json!(random.pick(&PATTERNS))),
        ("string", 2) => ("minLength", json!(random.below(4))),
        ("string", _) => ("maxLength", if random.one_in(5) { json!(9_000_000) } else { json!(random.below(4)) }),
        ("integer", 0) => ("enum", json!([0, 1, 2, 3][..1 + random.below(4)])),
        ("integer", 1) => ("minimum", json!(random.below(4))),
        ("integer", 2) => ("maximum", json!(random.below(4))),
        ("integer", _) => ("multipleOf", json!(1 + random.below(3))),
        ("boolean", _) => ("enum", [json!([true]), json!([false]), json!([true, false])][random.below(3)].clone()),
        ("array", 0) => ("minItems", json!(random.below(3))),
        ("array", 1) => ("maxItems", json!(random.below(3))),
        ("array", _) => {
            let (name, value) = keyword(random, "string");
            ("items", json!({ name: value }))
        }
        _ => ("maxProperties", json!(1 + random.below(4))),
    }
}

fn field(random: &mut Dice) -> Value {
    let kind = *random.pick(&["string", "string", "integer", "integer", "boolean", "array", "object", "object"]);
    let mut field = json!({ "type": kind });
    match kind {
        "array" => field["items"] = json!({ "type": "string" }),
        "object" if random.one_in(2) => {
            field["additionalProperties"] = json!({ "type": "string", "maxLength": 1 + random.below(3) });
        }
        "object" => {
            let inner = json!({ "type": "string", "maxLength": 3 });
            field["properties"] = json!({ "x": inner, "y": inner });
            if random.one_in(4) {
                field["required"] = json!(["x"]);
            }
        }
        _ => {}
    }
    for _ in 0..random.below(3) {
        let (name, value) = keyword(random, kind);
        if name != "items" {
            field[name] = value;
        }
    }
    for (bound, flag) in EXCLUSIVE {
        if !field[bound].is_null() && random.one_in(3) {
            field[flag] = json!(true);
        }
    }
    if random.one_in(5) {
        let (junctor, branches) = junctor(random, &field, 1);
        field[junctor] = branches;
    }
    if random.one_in(6) {
        field["nullable"] = json!(true);
    }
    if random.one_in(6) {
        field["default"] = match kind {
            "string" => json!(random.pick(&WORDS)),
            "integer" => json!(random.below(4)),
            "boolean" => json!(random.one_in(2)),
            "array" => json!(["a"]),
            _ => json!({ "x": "a" }),
        };
    }
    field
}

fn branch(random: &mut Dice, node: &Value, depth: usize) -> Value {
    if depth > 0 && random.one_in(4) {
        let (junctor, branches) = junctor(random, node, depth - 1);
        return json!({ junctor: branches });
    }
    if random.one_in(12) {
        return json!({});
    }
    let Some(properties) = node["properties"].as_object() else {
        let (name, value) = keyword(random, node["type"].as_str().unwrap_or("string"));
        return json!({ name: value });
    };
    let names = properties.keys().map(String::as_str).collect::<Vec<_>>();
    let mut branch = json!({});
    if !random.one_in(3) {
        branch["required"] = json!([random.pick(&names)]);
    }
    if random.one_in(3) {
        let name = *random.pick(&names);
        branch["properties"] = json!({ name: self::branch(random, &properties[name], depth.saturating_sub(1)) });
    }
    branch
}

fn junctor(random: &mut Dice, node: &Value, depth: usize) -> (&'static str, Value) {
    let name = *random.pick(&["allOf", "anyOf", "oneOf", "not"]);
    match name {
        "not" => (name, branch(random, node, depth)),
        _ => (name, (0..1 + random.below(3)).map(|_| branch(random, node, depth)).collect()),
    }
}

fn schema(random: &mut Dice) -> Value {
    let mut properties = Map::new();
    for name in NAMES {
        if !random.one_in(3) {
            properties.insert(name.to_owned(), field(random));
        }
    }
    if properties.is_empty() {
        properties.insert("a".to_owned(), json!({ "type": "string" }));
    }
    let required = properties.keys().filter(|_| random.one_in(4)).cloned().collect::<Vec<_>>();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    for _ in 0..random.below(3) {
        let (junctor, branches) = junctor(random, &schema, 2);
        schema[junctor] = branches;
    }
    if random.one_in(10) {
        schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
    }
    schema
}

const MOVED: [&str; 12] = [
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "required",
    "not",
    "oneOf",
];

/// An edit that often has no effect.
fn edit(random: &mut Dice, whole: &mut Value) {
    let names = whole["properties"].as_object().expect("valid").keys().cloned().collect::<Vec<_>>();
    let below = random.pick(&names).clone();
    let is_below = random.one_in(2);
    let free = NAMES.iter().find(|name| !names.iter().any(|known| known == *name));
    let node = if is_below { &mut whole["properties"][&below] } else { &mut *whole };
    match random.below(13) {
        // Into `allOf`, as one or more branches, and the keyword may stay.
        0 | 1 => {
            let found = MOVED.iter().filter(|keyword| !node[**keyword].is_null()).collect::<Vec<_>>();
            let Some(keyword) = (!found.is_empty()).then(|| **random.pick(&found)) else { return };
            let branch = json!({ keyword: node[keyword] });
            let mut branches = node["allOf"].as_array().cloned().unwrap_or_default();
            branches.extend(vec![branch; 1 + random.below(2)]);
            node["allOf"] = json!(branches);
            if !random.one_in(3) {
                node.as_object_mut().expect("valid").remove(keyword);
            }
        }
        // Out of `allOf`.
        2 => {
            let Some(branches) = node["allOf"].as_array().cloned().filter(|branches| !branches.is_empty()) else {
                return;
            };
            let index = random.below(branches.len());
            for (keyword, value) in branches[index].as_object().expect("valid") {
                if keyword == "properties" {
                    for (name, branch) in value.as_object().expect("valid") {
                        let node = &mut node["properties"][name];
                        branch.as_object().expect("valid").iter().for_each(|(key, value)| node[key] = value.clone());
                    }
                } else {
                    node[keyword] = value.clone();
                }
            }
            let left = branches.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, branch)| branch.clone());
            node["allOf"] = left.collect();
        }
        // A union has one more member, with a new field.
        3 | 4 => {
            let Some(free) = free.filter(|_| !is_below) else { return };
            let with_default = random.one_in(5);
            node["properties"][*free] = json!({ "type": "string" });
            if with_default {
                node["properties"][*free]["default"] = json!("a");
            }
            let mut member = json!({ "required": [free] });
            if random.one_in(4) {
                member = branch(random, node, 1);
            }
            let junctor = *random.pick(&["oneOf", "anyOf"]);
            let mut branches = node[junctor].as_array().cloned().unwrap_or_default();
            if let Some(none) = branches.iter_mut().find(|branch| !branch["not"]["anyOf"].is_null()) {
                none["not"]["anyOf"].as_array_mut().expect("valid").push(member.clone());
            }
            branches.push(member);
            node[junctor] = json!(branches);
        }
        // Something that may be a tautology.
        5 => {
            let part = branch(random, node, 1);
            let (junctor, branches) = match random.below(4) {
                0 => ("anyOf", json!([part, { "not": part }])),
                1 => ("oneOf", json!([part, { "not": part }])),
                2 => ("oneOf", json!([{}])),
                _ => ("allOf", json!([{ "anyOf": [part, {}] }])),
            };
            node[junctor] = branches;
        }
        6 => node["not"] = branch(random, node, 1),
        7 => {
            let junctor = junctor(random, node, 1);
            node[junctor.0] = junctor.1;
        }
        8 => {
            let Some(kind) = node["type"].as_str().map(str::to_owned) else { return };
            let (name, value) = keyword(random, &kind);
            if name != "items" {
                node[name] = value;
            }
        }
        9 => {
            if let Some(values) = node["enum"].as_array_mut() {
                match random.one_in(2) {
                    true => values.retain(|value| !value.is_null()),
                    false => values.push(Value::Null),
                }
            }
        }
        // A flag more or less, or another limit of the entries of a map.
        10 | 11 if is_below => {
            let bounds = EXCLUSIVE.iter().filter(|(bound, _)| !node[*bound].is_null()).map(|(_, flag)| *flag);
            let flags = bounds.chain(["nullable"]).collect::<Vec<_>>();
            let flag = *random.pick(&flags);
            match node["additionalProperties"].is_null() {
                false => node["additionalProperties"]["maxLength"] = json!(1 + random.below(3)),
                true if node[flag] == true => drop(node.as_object_mut().expect("valid").remove(flag)),
                true => node[flag] = json!(true),
            }
        }
        _ => {
            if is_below {
                match node["default"].is_null() {
                    true => node["default"] = field(random)["default"].clone(),
                    false => drop(node.as_object_mut().expect("valid").remove("default")),
                }
            }
        }
    }
}

/// A schema without the keywords that are null or empty.
fn cleaned(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_kept = |(key, value): &(&String, &Value)| {
                !(value.is_null() || *value == &json!([]) && ["allOf", "anyOf", "oneOf"].contains(&key.as_str()))
            };
            Value::Object(map.iter().filter(is_kept).map(|(key, value)| (key.clone(), cleaned(value))).collect())
        }
        Value::Array(items) => items.iter().map(cleaned).collect(),
        other => other.clone(),
    }
}

fn value(random: &mut Dice, schema: &Value) -> Value {
    if random.one_in(12) {
        return Value::Null;
    }
    match schema["type"].as_str() {
        Some("string") => json!(random.pick(&WORDS)),
        Some("integer") => json!(random.below(5)),
        Some("boolean") => json!(random.one_in(2)),
        Some("array") => (0..random.below(3)).map(|_| json!(random.pick(&WORDS))).collect(),
        _ => object(random, schema),
    }
}

fn object(random: &mut Dice, schema: &Value) -> Value {
    let mut object = Map::new();
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        if !random.one_in(3) {
            object.insert(name.clone(), value(random, below));
        }
    }
    let is_open =
        schema["x-kubernetes-preserve-unknown-fields"] == json!(true) || !schema["additionalProperties"].is_null();
    if is_open && random.one_in(2) {
        object.entry((*random.pick(&NAMES)).to_owned()).or_insert_with(|| json!(random.pick(&WORDS)));
    }
    Value::Object(object)
}

fn crd(schema: &Value) -> Option<CustomResourceDefinition> {
    let root = json!({ "type": "object", "properties": { "spec": cleaned(schema) } });
    let schema = Schema::from_value(&root).ok()?;
    let version = Version { name: "v1".into(), served: true, storage: true, schema, ..Version::default() };
    Some(CustomResourceDefinition { name: "things.example.com".into(), versions: vec![version], ..Default::default() })
}

fn findings(old: &CustomResourceDefinition, new: &CustomResourceDefinition, declared: &Declared) -> Vec<Finding> {
    let channels =
        |crd: &CustomResourceDefinition| Channels::from([(Channel::Experimental, vec![Arc::new(crd.clone())])]);
    let (before, after) = (channels(old), channels(new));
    Comparison::new(&before, &after, Profile::Semver, declared).findings()
}

fn accepts(resource: &Resource, spec: &Value) -> bool {
    let mut object = json!({
        "apiVersion": resource.api_version(), "kind": resource.kind(), "metadata": { "name": "a" }, "spec": spec,
    });
    if resource.is_namespaced() {
        object["metadata"]["namespace"] = json!("default");
    }
    resource.answer(Request::create(object).fields(FieldValidation::Ignore)).is_accepted()
}

fn refuses(finding: &Finding) -> bool {
    // A required field that loses its default is a change of the default.
    finding.rule == "default-changed" || matches!(finding.direction, Some(Direction::Tightened | Direction::Neither))
}

#[test]
fn stored_objects_may_have_a_field_of_an_earlier_release() {
    let union = |names: &[&str]| {
        let properties = names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" })));
        let members = names.iter().map(|name| json!({ "required": [name] })).collect::<Value>();
        crd(&json!({ "type": "object", "properties": properties.collect::<Map<_, _>>(), "oneOf": members }))
            .expect("valid")
    };
    let (old, new) = (union(&["a", "b"]), union(&["a", "b", "c"]));
    for (path, is_refused) in [("spec.d", false), ("spec.c", true), ("spec", true)] {
        let mut declared = Declared::default();
        declared.renames.had(old.name.to_string(), path.to_owned());
        assert_eq!(findings(&old, &new, &declared).iter().any(refuses), is_refused, "{path}");
    }
}

#[test]
fn no_accepted_object_is_refused_where_nothing_was_tightened() {
    let mut random = Dice::new(20_261_126);
    let (mut harmless, mut without_effect, mut harmful, mut asked, mut accepted) = (0, 0, 0, 0_usize, 0_usize);
    // Pairs that are tightened, and those of them for which an object shows it.
    let (mut tightened, mut shown) = (0_usize, 0);
    let pairs = crd_testdata::sample(PAIRS);
    for _ in 0..pairs {
        let old = schema(&mut random);
        let mut new = old.clone();
        for _ in 0..=random.below(2) {
            edit(&mut random, &mut new);
        }
        let (old, new) = (cleaned(&old), cleaned(&new));
        let (Some(before), Some(after)) = (crd(&old), crd(&new)) else { continue };
        let found = findings(&before, &after, &Declared::default());
        // Another default accepts and refuses other objects without the field.
        let defaults = |schema: &Value| NAMES.map(|name| schema["properties"][name]["default"].clone());
        let is_tightened = defaults(&old) == defaults(&new)
            && found.iter().any(|finding| finding.direction.is_some())
            && found.iter().all(|finding| matches!(finding.direction, Some(Direction::Tightened) | None));
        if found.is_empty() || !is_tightened && found.iter().any(refuses) {
            harmful += usize::from(!found.is_empty());
            continue;
        }
        *(if is_tightened { &mut tightened } else { &mut harmless }) += 1;
        let has_no_effect = found.iter().all(|finding| finding.rule == "words");
        without_effect += usize::from(has_no_effect);
        let [before, after] =
            [&before, &after].map(|crd| Resource::prepare(crd, "v1", MINORS.1).expect("valid").expect("valid"));
        let (narrow, wide) = if is_tightened { (&after, &before) } else { (&before, &after) };
        let mut differs = false;
        for _ in 0..OBJECTS {
            let side = if is_tightened && random.one_in(2) { &new } else { &old };
            let spec = object(&mut random, side);
            asked += 1;
            let by_narrow = accepts(narrow, &spec);
            accepted += usize::from(by_narrow);
            if by_narrow || has_no_effect || is_tightened {
                let by_wide = accepts(wide, &spec);
                differs |= by_wide != by_narrow;
                assert!(by_wide == by_narrow || is_tightened && by_wide, "{spec}\n{old:#}\n{new:#}\n{found:#?}");
            }
        }
        shown += usize::from(differs);
    }
    println!(
        "{pairs} pairs: {harmless} harmless, {without_effect} of them without effect, {tightened} tightened, as objects of {shown} show, \
         {harmful} not proven; {asked} objects, {accepted} accepted, none contradicts"
    );
    assert!(harmless > pairs / 4 && without_effect > pairs / 8 && shown > tightened / 4 && accepted > asked / 10);
}

/// Which values of unnamed entries are allowed is a claim too.
#[test]
fn what_is_unnamed_is_judged_by_what_is_kept() {
    let with = |properties: Option<AdditionalProperties>| {
        let mut crd = crd(&json!({ "type": "object" })).expect("valid");
        let version = &mut crd.versions[0];
        let mut spec = Schema::from_value(&json!({ "type": "object" })).expect("a schema");
        spec.additional_properties = properties;
        version.schema.properties = Default::default();
        version.schema.properties.insert("spec".into(), spec);
        crd
    };
    let values = || AdditionalProperties::Values(Box::new(Schema { kind: Some("string".into()), ..Schema::default() }));
    let order =
        [Some(AdditionalProperties::Allowed(false)), None, Some(values()), Some(AdditionalProperties::Allowed(true))];
    for (low, one) in order.iter().enumerate() {
        for (high, other) in order.iter().enumerate() {
            let found = findings(&with(one.clone()), &with(other.clone()), &Declared::default());
            let directions = found.iter().filter_map(|finding| finding.direction).collect::<Vec<_>>();
            let expected = match low.cmp(&high) {
                // What was refused is dropped.
                std::cmp::Ordering::Less if (low, high) == (0, 1) => vec![],
                std::cmp::Ordering::Less => vec![Direction::Loosened],
                std::cmp::Ordering::Equal => vec![],
                std::cmp::Ordering::Greater => vec![Direction::Tightened],
            };
            assert_eq!(directions, expected, "{one:?} → {other:?}: {found:?}");
        }
    }
}
