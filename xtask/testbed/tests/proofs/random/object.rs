//! Random objects of a schema: values at boundaries, near-valid values, and old objects as mutations of new ones.

use serde_json::{Map, Value, json};

use super::words::WORDS;
use crd_testdata::Dice;

pub(super) const DOUBLES: [f64; 14] =
    [0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 0.1, 3.0, 100.0, 1e15, 1e18, 9.3e18, 1e-7, 123_456.789];

/// A value that the schema allows, in most cases.
pub(crate) fn valid(dice: &mut Dice, schema: &Value, depth: usize) -> Value {
    if schema["nullable"] == json!(true) && dice.percent(15) {
        return Value::Null;
    }
    if let Some(values) = schema["enum"].as_array() {
        return dice.pick(values).clone();
    }
    if schema["x-kubernetes-int-or-string"] == json!(true) {
        return if dice.percent(50) { json!(dice.pick(&WORDS.integers)) } else { json!(dice.one(&WORDS.texts)) };
    }
    match schema["type"].as_str() {
        Some("string") => json!(text(dice, schema)),
        Some("integer") if schema.get("minimum").is_some() => json!(dice.pick(&[0, 1, -100, 1000, 7])),
        Some("integer") if schema["format"] == "int32" => json!(dice.pick(&[0, 1, -1, i32::MAX, i32::MIN, 42])),
        Some("integer") => json!(dice.pick(&WORDS.integers)),
        Some("number") if schema.get("minimum").is_some() => json!(dice.pick(&[0.0, 1.0, -0.5, 1e6, 2.25])),
        Some("number") if dice.percent(40) => json!(dice.pick(&WORDS.integers[..14])),
        Some("number") => json!(dice.pick(&DOUBLES)),
        Some("boolean") => json!(dice.percent(50)),
        Some("array") => items(dice, schema, depth),
        Some("object") => object(dice, schema, depth),
        _ => anything(dice),
    }
}

/// A value of a field without a schema.
fn anything(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"a": 1, "b": {"c": "x"}}),
        1 => json!([1, "a"]),
        2 => json!(dice.pick(&WORDS.integers)),
        _ => json!(dice.one(&WORDS.texts)),
    }
}

fn items(dice: &mut Dice, schema: &Value, depth: usize) -> Value {
    let count = match schema["maxItems"].as_u64() {
        Some(3000) => *dice.pick(&[0, 10, 60, 150, 400, 1000]),
        _ if depth > 3 => dice.below(2),
        _ => dice.below(4),
    };
    let mut items: Vec<Value> = Vec::new();
    let keys = schema["x-kubernetes-list-map-keys"].as_array();
    let list_type = schema["x-kubernetes-list-type"].as_str();
    for at in 0..count {
        let mut item = valid(dice, &schema["items"], depth + 1);
        if count > 5 {
            // The items of long lists differ.
            if item.is_string() {
                item = json!(format!("item {at}"));
            } else if item.is_number() {
                item = json!(at);
            }
        }
        let is_known = count <= 5
            && items.iter().any(|known| match keys {
                Some(keys) => keys.iter().filter_map(Value::as_str).all(|key| known[key] == item[key]),
                None => {
                    list_type == Some("set") && (*known == item || known.as_f64() == item.as_f64() && item.is_number())
                }
            });
        if !is_known || dice.below(400) == 0 {
            items.push(item);
        }
    }
    Value::Array(items)
}

fn object(dice: &mut Dice, schema: &Value, depth: usize) -> Value {
    let mut entries = Map::new();
    if schema["x-kubernetes-embedded-resource"] == json!(true) {
        entries.insert("apiVersion".to_owned(), json!("v1"));
        entries.insert("kind".to_owned(), json!("Inner"));
        if dice.percent(70) {
            entries.insert("metadata".to_owned(), json!({"name": "inner", "labels": {"a": "b"}}));
        }
    }
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array();
        for (name, property) in properties {
            let is_required = required.is_some_and(|names| names.contains(&json!(name)));
            let is_present = if is_required { dice.below(300) > 0 } else { dice.percent(85) };
            if is_present {
                entries.insert(name.clone(), valid(dice, property, depth + 1));
            }
        }
    }
    if let Some(values) = schema["additionalProperties"].as_object() {
        let values = Value::Object(values.clone());
        for _ in 0..dice.below(4) {
            let key = dice.one(&["a", "b", "x-y", "k", "é", "", "a.b/c", "10", "namespace"]);
            entries.insert(key.to_owned(), valid(dice, &values, depth + 1));
        }
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == json!(true) && dice.percent(50) {
        entries.insert("extra".to_owned(), anything(dice));
    }
    Value::Object(entries)
}

fn text(dice: &mut Dice, schema: &Value) -> String {
    let examples: &[&str] = match schema["format"].as_str() {
        Some("date") => &["2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31", "2023-06-15"],
        Some("date-time") => &[
            "2024-02-29T12:30:45.123Z",
            "1970-01-01T00:00:00Z",
            "2024-01-01T00:00:00+02:00",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
            "2023-06-15t10:00:00z",
        ],
        Some("duration") => &["1h30m", "0s", "-2s", "1.5h", "100ms", "1us", "2540400h", "1ns", "24h", "3 hours"],
        Some("byte") => &["", "YWI=", "AAEC/w==", "aGVsbG8gd29ybGQ=", "w6k="],
        Some("ipv4") => &["10.0.0.1", "127.0.0.1", "255.255.255.255", "0.0.0.0"],
        Some("ipv6") => &["::1", "fe80::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4"],
        Some("cidr") => &["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0", "10.1.2.3/24"],
        Some("uri") => &["https://example.com/a?b=c", "http://[::1]:80/", "/path", "mailto:a@b"],
        Some("hostname") => &["a", "a.example.com", "x-1.y"],
        Some("uuid") => &["c1d8a5b2-0a3c-4d5e-8f90-123456789abc"],
        Some("email") => &["a@b.c", "x.y@example.com"],
        Some("mac") => &["00:11:22:33:44:55"],
        _ => &WORDS.texts,
    };
    dice.one(examples).to_owned()
}

/// A resource of this schema.
pub(crate) fn resource(dice: &mut Dice, schema: &Value) -> Value {
    let spec = valid(dice, &schema["properties"]["spec"], 0);
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": dice.one(&["one", "two-2"]), "namespace": "default", "generateName": "g-", "resourceVersion": "7"},
        "spec": spec,
    })
}

/// The old version of an object: most parts are the same.
pub(crate) fn old(dice: &mut Dice, schema: &Value, new: &Value) -> Value {
    let mut old = new.clone();
    mutate(dice, &schema["properties"]["spec"], &mut old["spec"], 0);
    old
}

fn mutate(dice: &mut Dice, schema: &Value, value: &mut Value, depth: usize) {
    match value {
        _ if dice.percent(10) => *value = valid(dice, schema, depth),
        Value::Object(entries) if schema["properties"].is_object() => {
            let properties = schema["properties"].as_object().expect("an object");
            for (name, property) in properties {
                match entries.get_mut(name) {
                    Some(_) if dice.percent(4) => drop(entries.remove(name)),
                    Some(value) if dice.percent(50) => mutate(dice, property, value, depth + 1),
                    None if dice.percent(30) => {
                        entries.insert(name.clone(), valid(dice, property, depth + 1));
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) if dice.percent(30) => {
            items.reverse();
            if dice.percent(50) {
                items.pop();
            }
        }
        Value::Array(items) => {
            for item in items {
                if dice.percent(30) && schema.get("x-kubernetes-list-type").is_none() {
                    mutate(dice, &schema["items"], item, depth + 1);
                }
            }
        }
        Value::Object(_) | Value::Null => {}
        value => *value = valid(dice, schema, depth),
    }
}
