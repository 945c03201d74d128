//! Directions compared with random objects, by the validator of another project.
//!
//! Each round makes a random schema, applies a few random edits, and tries objects near the bounds of both. If all differences are
//! loosened, the new schema must accept every object that the old one accepts; if all are tightened, the reverse.

use std::sync::Arc;

use crd_compat::{Channels, Comparison, Declared, Direction, policy::Profile};
use crd_model::channel::Channel;
use crd_model::schema::{AdditionalProperties, Schema};
use crd_model::{CustomResourceDefinition, crd::Version};
use serde_json::{Map, Value, json};

use crate::random::Random;

const PAIRS: usize = 10_000;
const OBJECTS: usize = 24;

const PATTERNS: [&str; 8] = ["^a*$", "^[ab]*$", "^a", "b$", "^(a|b)+$", "^[a-c]{0,3}$", "a", "^$"];
const WORDS: [&str; 5] = ["", "a", "ab", "b", "aaa"];
const NAMES: [&str; 3] = ["a", "b", "c"];

/// A random schema, as JSON.
fn schema(random: &mut Random, depth: usize) -> Value {
    let kind = match depth {
        0 => random.below(3),
        _ => random.below(6),
    };
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    match kind {
        0 => {
            put("type", json!("string"));
            constrain(random, &mut put, STRING);
        }
        1 => {
            put("type", json!("integer"));
            constrain(random, &mut put, INTEGER);
        }
        2 => put("type", json!("boolean")),
        3 => {
            put("type", json!("array"));
            put("items", schema(random, depth - 1));
            constrain(random, &mut put, LIST);
        }
        4 => {
            put("type", json!("object"));
            put("additionalProperties", schema(random, depth - 1));
            constrain(random, &mut put, MAP);
        }
        _ => {
            put("type", json!("object"));
            let mut properties = Map::new();
            for name in NAMES {
                if !random.one_in(3) {
                    properties.insert(name.to_owned(), schema(random, depth - 1));
                }
            }
            let required = properties.keys().filter(|_| random.one_in(4)).cloned().collect::<Vec<_>>();
            put("properties", Value::Object(properties));
            if !required.is_empty() {
                put("required", json!(required));
            }
        }
    }
    if random.one_in(6) {
        put("nullable", json!(true));
    }
    Value::Object(map)
}

const STRING: &[&str] = &["minLength", "maxLength", "pattern", "enum", "anyOf", "allOf", "oneOf", "not"];
const INTEGER: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enumOfNumbers", "anyOfNumbers"];
const LIST: &[&str] = &["minItems", "maxItems"];
const MAP: &[&str] = &["minProperties", "maxProperties"];

fn constrain(random: &mut Random, put: &mut dyn FnMut(&str, Value), keywords: &[&str]) {
    for keyword in keywords {
        if random.one_in(3) {
            constraint(random, put, keyword);
        }
    }
}

fn constraint(random: &mut Random, put: &mut dyn FnMut(&str, Value), keyword: &str) {
    let branches = |random: &mut Random| {
        let count = 1 + random.below(2);
        (0..count).map(|_| json!({ "pattern": random.pick(&PATTERNS) })).collect::<Vec<_>>()
    };
    match keyword {
        "pattern" => put(keyword, json!(random.pick(&PATTERNS))),
        "enum" => {
            let words = WORDS.iter().filter(|_| random.one_in(2)).collect::<Vec<_>>();
            put(keyword, if words.is_empty() { json!(["a"]) } else { json!(words) });
        }
        "enumOfNumbers" => {
            let numbers = (-2..5).filter(|_| random.one_in(2)).collect::<Vec<i64>>();
            put("enum", if numbers.is_empty() { json!([1]) } else { json!(numbers) });
        }
        "anyOfNumbers" => put("anyOf", json!([{ "minimum": random.below(4) }, { "maximum": -1 }])),
        "anyOf" | "allOf" | "oneOf" => put(keyword, Value::Array(branches(random))),
        "not" => put(keyword, json!({ "pattern": random.pick(&PATTERNS) })),
        "minimum" => put(keyword, json!(random.below(4) as i64 - 2)),
        "maximum" => put(keyword, json!(random.below(6))),
        "multipleOf" => put(keyword, json!(1 + random.below(6))),
        "exclusiveMinimum" => {
            put("minimum", json!(random.below(4) as i64 - 2));
            put(keyword, json!(true));
        }
        "exclusiveMaximum" => {
            put("maximum", json!(random.below(6)));
            put(keyword, json!(true));
        }
        _ if keyword.starts_with("min") => put(keyword, json!(random.below(3))),
        _ => put(keyword, json!(random.below(4))),
    }
}

/// Changes something somewhere.
fn edit(random: &mut Random, schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let below = match kind.as_str() {
        "array" => Some("items"),
        "object" if map.contains_key("additionalProperties") => Some("additionalProperties"),
        _ => None,
    };
    if let Some(key) = below
        && !random.one_in(3)
    {
        return edit(random, map.get_mut(key).expect("it was there"));
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties")
        && !random.one_in(3)
        && !properties.is_empty()
    {
        let name = properties.keys().nth(random.below(properties.len())).expect("there is one").clone();
        return edit(random, properties.get_mut(&name).expect("it was there"));
    }
    if random.one_in(6) {
        match map.remove("nullable") {
            Some(_) => {}
            None => drop(map.insert("nullable".to_owned(), json!(true))),
        }
        return;
    }
    let keywords = match kind.as_str() {
        "string" => STRING,
        "integer" => INTEGER,
        "array" => LIST,
        "object" if map.contains_key("additionalProperties") => MAP,
        "object" => {
            let names = map["properties"].as_object().expect("a struct").keys().cloned().collect::<Vec<_>>();
            let required = names.into_iter().filter(|_| random.one_in(2)).collect::<Vec<_>>();
            match required.is_empty() {
                true => drop(map.remove("required")),
                false => drop(map.insert("required".to_owned(), json!(required))),
            }
            return;
        }
        _ => return,
    };
    let keyword = *random.pick(keywords);
    let plain = keyword.strip_suffix("OfNumbers").unwrap_or(keyword);
    if random.one_in(3) {
        map.remove(plain);
        if plain == "minimum" || plain == "maximum" {
            map.remove(&format!("exclusive{}{}", plain[..1].to_uppercase(), &plain[1..]));
        }
    } else {
        constraint(random, &mut |key, value| drop(map.insert(key.to_owned(), value)), keyword);
    }
}

/// A value that is likely to be near the bounds of this schema, or not.
fn object(random: &mut Random, schema: &Value) -> Value {
    if random.one_in(12) {
        return Value::Null;
    }
    match schema["type"].as_str().unwrap_or_default() {
        "string" => {
            let length = random.below(5);
            json!((0..length).map(|_| *random.pick(&['a', 'b', 'a', 'c'])).collect::<String>())
        }
        "integer" => json!(random.below(12) as i64 - 4),
        "boolean" => json!(random.one_in(2)),
        "array" => {
            let count = random.below(5);
            Value::Array((0..count).map(|_| object(random, &schema["items"])).collect())
        }
        _ => {
            let mut map = Map::new();
            for name in NAMES {
                let below = match schema["properties"].get(name) {
                    Some(below) => below,
                    None => &schema["additionalProperties"],
                };
                if below.is_object() && !random.one_in(3) {
                    map.insert(name.to_owned(), object(random, below));
                }
            }
            Value::Object(map)
        }
    }
}

/// The same schema in the words of JSON Schema, draft 4, which has boolean exclusive bounds as Kubernetes has them, and no `nullable`.
fn draft4(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut out = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("nullable", _) => continue,
            ("properties", Value::Object(properties)) => {
                Value::Object(properties.iter().map(|(name, below)| (name.clone(), draft4(below))).collect())
            }
            ("items" | "additionalProperties" | "not", below) => draft4(below),
            ("anyOf" | "allOf" | "oneOf", Value::Array(branches)) => {
                Value::Array(branches.iter().map(draft4).collect())
            }
            (_, value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    match map.contains_key("nullable") {
        // A null that is allowed is looked at by nothing else; apart from `enum`, which servers hold it against too.
        true => match map.get("enum") {
            Some(_) => Value::Object(out),
            None => json!({ "anyOf": [{ "type": "null" }, out] }),
        },
        false => Value::Object(out),
    }
}

/// A server drops nulls that are not allowed from objects before it looks, and refuses them in lists.
fn without_nulls(value: &Value, schema: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let below = |name: &str| match schema["properties"].get(name) {
                Some(below) => below,
                None => &schema["additionalProperties"],
            };
            let kept = map.iter().filter(|(name, value)| !value.is_null() || below(name)["nullable"] == true);
            Value::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value, below(name)))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| without_nulls(item, &schema["items"])).collect()),
        other => other.clone(),
    }
}

fn crd(schema: &Value) -> Channels {
    let root = json!({ "type": "object", "properties": { "spec": schema } });
    let crd = CustomResourceDefinition {
        name: "things.example.com".into(),
        versions: vec![Version {
            name: "v1".into(),
            served: true,
            storage: true,
            schema: Schema::from_value(&root).expect("a schema"),
            ..Version::default()
        }],
        ..CustomResourceDefinition::default()
    };
    Channels::from([(Channel::Experimental, vec![Arc::new(crd)])])
}

#[test]
fn directions_agree_with_objects() {
    let mut random = Random(20_261_121);
    let (mut loosened, mut tightened, mut neither, mut equal) = (0, 0, 0, 0);
    let (mut confirmed, mut asked) = (0_usize, 0_usize);
    let pairs = crd_testdata::sample(PAIRS);
    for _ in 0..pairs {
        let old = schema(&mut random, 3);
        let mut new = old.clone();
        for _ in 0..=random.below(2) {
            edit(&mut random, &mut new);
        }
        let (before, after) = (crd(&old), crd(&new));
        let findings = Comparison::new(&before, &after, Profile::Gep922, &Declared::default()).findings();
        let directions = findings.iter().filter_map(|finding| finding.direction).collect::<Vec<_>>();
        let all = |direction| !directions.is_empty() && directions.iter().all(|known| *known == direction);
        let claim = match () {
            () if directions.is_empty() => {
                equal += 1;
                None
            }
            () if all(Direction::Loosened) => {
                loosened += 1;
                Some(Direction::Loosened)
            }
            () if all(Direction::Tightened) => {
                tightened += 1;
                Some(Direction::Tightened)
            }
            () => {
                neither += 1;
                continue;
            }
        };
        let validator = |schema: &Value| {
            jsonschema::options().with_draft(jsonschema::Draft::Draft4).build(&draft4(schema)).expect("a schema")
        };
        let whole = |value: &Value| json!({ "type": "object", "properties": { "spec": value } });
        let (old, new) = (whole(&old), whole(&new));
        let (old_validator, new_validator) = (validator(&old), validator(&new));
        let mut differs = false;
        for round in 0..OBJECTS {
            let value =
                object(&mut random, if round % 2 == 0 { &old } else { &new }["properties"].get("spec").unwrap_or(&old));
            let value = json!({ "spec": value });
            let by_old = old_validator.is_valid(&without_nulls(&value, &old));
            let by_new = new_validator.is_valid(&without_nulls(&value, &new));
            asked += 1;
            differs |= by_old != by_new;
            let contradicts = match claim {
                None => by_old != by_new,
                Some(Direction::Loosened) => by_old && !by_new,
                _ => by_new && !by_old,
            };
            assert!(!contradicts, "{claim:?}, and {value} contradicts it\n{old:#}\n{new:#}\n{findings:#?}");
        }
        confirmed += usize::from(differs && claim.is_some());
    }
    println!(
        "{pairs} pairs: {loosened} loosened, {tightened} tightened, {neither} neither, {equal} without effect; {asked} objects, none \
         contradicts; in {confirmed} pairs one shows the difference"
    );
    // A test that claims nothing would contradict nothing.
    assert!([loosened, tightened, confirmed].iter().all(|count| *count > pairs / 10));
}

/// Which values of unnamed entries are allowed is a claim too.
#[test]
fn what_is_unnamed_is_judged_by_what_is_kept() {
    let with = |properties: Option<AdditionalProperties>| {
        let mut channels = crd(&json!({ "type": "object" }));
        let crds = channels.get_mut(&Channel::Experimental).expect("there");
        let version = &mut Arc::make_mut(&mut crds[0]).versions[0];
        let mut spec = Schema::from_value(&json!({ "type": "object" })).expect("a schema");
        spec.additional_properties = properties;
        version.schema.properties = Default::default();
        version.schema.properties.insert("spec".into(), spec);
        channels
    };
    let values = || AdditionalProperties::Values(Box::new(Schema { kind: Some("string".into()), ..Schema::default() }));
    let order =
        [Some(AdditionalProperties::Allowed(false)), None, Some(values()), Some(AdditionalProperties::Allowed(true))];
    for (low, one) in order.iter().enumerate() {
        for (high, other) in order.iter().enumerate() {
            let declared = Declared::default();
            let (before, after) = (with(one.clone()), with(other.clone()));
            let found = Comparison::new(&before, &after, Profile::Gep922, &declared).findings();
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
