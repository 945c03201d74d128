//! Hostile requests: no object, rule or schema makes the validation panic, and the budget of a server ends what would take long.

#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

use std::time::{Duration, Instant};

use crd_apiserver::objects::{Answer, ErrorKind, Request, Resource, read_json};
use crd_model::CustomResourceDefinition;
use crd_testdata::Dice;
use serde_json::{Map, Value, json};

const TEXTS: [&str; 12] = [
    "",
    "a",
    "\u{0}",
    "é",
    "2024-01-01T00:00:00Z",
    "10.0.0.0/8",
    "1.5Ki",
    "YWI=",
    "x.y/z",
    "\u{10ffff}",
    "-",
    "metadata",
];

fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth > 5 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 => json!(*dice.pick(&[0, 1, -1, i64::MAX, i64::MIN, 65_536])),
        3 => json!(*dice.pick(&[0.5, 1e300, -1e-300, 9.3e18, 1e19])),
        4 | 5 => json!(dice.pick(&TEXTS)),
        6 => (0..dice.below(4)).map(|_| value(dice, depth + 1)).collect(),
        _ => Value::Object(members(dice, depth)),
    }
}

fn members(dice: &mut Dice, depth: usize) -> Map<String, Value> {
    const NAMES: [&str; 9] = ["spec", "status", "metadata", "apiVersion", "kind", "a", "b", "", "name"];
    (0..dice.below(5)).map(|_| ((*dice.pick(&NAMES)).to_owned(), value(dice, depth + 1))).collect()
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    let kinds: &[&str] = &["string", "integer", "number", "boolean", "object", "array", ""];
    let kind = *dice.pick(if depth > 3 { &kinds[..4] } else { kinds });
    let mut schema = json!({});
    if !kind.is_empty() {
        schema["type"] = json!(kind);
    }
    let mut also = |chance: usize, keyword: &str, found: Value| {
        if dice.below(100) < chance {
            schema[keyword] = found;
        }
    };
    also(20, "nullable", json!(true));
    also(10, "x-kubernetes-preserve-unknown-fields", json!(true));
    also(8, "x-kubernetes-embedded-resource", json!(true));
    also(8, "x-kubernetes-int-or-string", json!(true));
    also(10, "default", json!({"a": null}));
    also(10, "enum", json!(["a", 1, null, 1.5]));
    also(10, "pattern", json!("^(a+)+$"));
    also(10, "format", json!("date-time"));
    also(10, "maximum", json!(1.5));
    also(10, "multipleOf", json!(0.5));
    also(10, "maxItems", json!(1));
    also(10, "uniqueItems", json!(true));
    also(10, "x-kubernetes-list-type", json!("map"));
    also(10, "x-kubernetes-list-map-keys", json!(["a", "b"]));
    also(8, "not", json!({"type": "string"}));
    also(8, "anyOf", json!([{"required": ["a"]}, {"minimum": 0}]));
    also(8, "oneOf", json!([{"required": ["b"]}, {"properties": {"a": {"pattern": "\\pL"}}}]));
    also(
        25,
        "x-kubernetes-validations",
        json!([
            {"rule": "self == oldSelf || has(self.a)", "messageExpression": "string(self)"},
            {"rule": "size(self) > 0 && self.all(x, x != x)"},
            {"rule": "true", "fieldPath": ".a.b"},
        ]),
    );
    if kind == "object" {
        for name in ["a", "b", "name"] {
            if dice.below(2) == 0 {
                schema["properties"][name] = self::schema(dice, depth + 1);
            }
        }
        if dice.below(4) == 0 {
            schema["additionalProperties"] = self::schema(dice, depth + 1);
        }
    }
    if kind == "array" && dice.below(5) > 0 {
        schema["items"] = self::schema(dice, depth + 1);
    }
    schema
}

fn resource(spec: Value, subresources: Value) -> Option<Resource> {
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": {"type": "object"}}});
    let crd = CustomResourceDefinition::from_value(&crd_testdata::thing_crd(&schema, &subresources)).ok()?;
    Resource::prepare(&crd, "v1", 36)?.ok()
}

fn thing(spec: Value) -> Value {
    crd_testdata::thing(&json!({ "spec": spec }))
}

#[test]
fn nothing_panics_and_every_refusal_has_a_reason() {
    let count = crd_testdata::sample(100_000);
    let mut dice = Dice::new(7);
    let (mut asked, mut accepted, mut refused) = (0, 0, 0);
    while asked < count {
        // Most of these CRDs are refused by a server; objects of all of them are answered.
        let scale = json!({"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.b"});
        let subresources = json!({"status": {}, "scale": scale});
        let Some(resource) = resource(schema(&mut dice, 0), subresources) else { continue };
        for _ in 0..20 {
            let mut object = thing(value(&mut dice, 0));
            if dice.below(4) == 0 {
                object["metadata"] = value(&mut dice, 3);
            }
            let old = thing(value(&mut dice, 0));
            let requests = [
                Request::create(object.clone()),
                Request::update(&old, object.clone()),
                Request::update_status(&old, object),
            ];
            for request in requests {
                let answer = resource.answer(request);
                assert_eq!(answer.stored.is_some(), answer.is_accepted());
                if answer.is_accepted() { accepted += 1 } else { refused += 1 }
            }
            asked += 1;
        }
    }
    println!("{asked} objects, {accepted} requests accepted, {refused} refused");
    assert!(accepted > 0 && refused > accepted);
}

/// The answer to the creation of a thing. It takes no longer than seconds, and the rest of the limit is for a busy machine.
fn bounded(schema: Value, spec: Value) -> Answer {
    let resource = resource(schema, json!({})).unwrap();
    let start = Instant::now();
    let answer = resource.answer(Request::create(thing(spec)));
    assert!(start.elapsed() < Duration::from_secs(600), "{:?}", start.elapsed());
    answer
}

#[test]
fn comprehensions_end_with_the_budget() {
    let rule = "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d >= 0))))";
    let schema = json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [{"rule": rule}, {"rule": "false"}]});
    let answer = bounded(schema, (0..1000).collect());
    // The rule after it is not evaluated.
    assert_eq!(answer.errors.len(), 1, "{:?}", answer.errors);
    assert!(
        answer.errors[0].message.contains("operation cancelled: actual cost limit exceeded"),
        "{:?}",
        answer.errors
    );
}

#[test]
fn all_rules_together_end_with_the_budget_of_the_object() {
    let rules: Vec<Value> = (0..40).map(|_| json!({"rule": "self.all(a, self.exists(b, a == b))"})).collect();
    let schema = json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": rules});
    let answer = bounded(schema, (0..300).collect());
    assert!(
        answer.errors[0].message.ends_with("running out of cost budget, no further validation rules will be run"),
        "{:?}",
        answer.errors
    );
}

#[test]
fn patterns_take_linear_time() {
    let schema = json!({"type": "string", "pattern": "^(a+)+$", "x-kubernetes-validations": [{"rule": "self.matches('^(b*)*c$')"}]});
    let answer = bounded(schema, json!("a".repeat(100_000) + "!"));
    assert_eq!(answer.errors.first().map(|error| error.kind), Some(ErrorKind::Invalid));
}

#[test]
fn wide_and_deep_objects_are_answered() {
    let wide: Map<String, Value> = (0..50_000).map(|index| (format!("key{index}"), json!(index))).collect();
    let schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let answer = bounded(schema, Value::Object(wide));
    assert_eq!(answer.errors.iter().filter(|error| error.kind == ErrorKind::TypeInvalid).count(), 50_000);

    let deep = (0..100).fold(json!({}), |inner, _| json!({"a": [inner]}));
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    assert!(bounded(schema, deep).is_accepted());
}

#[test]
fn repeated_fields_are_reported_with_their_paths() {
    let (object, repeated) = read_json(r#"{"a": 1, "b": [{"c": 1, "c": 2, "c": 3}], "a": {"d": 1, "d": 1}}"#).unwrap();
    assert_eq!(object, json!({"a": {"d": 1}, "b": [{"c": 3}]}));
    assert_eq!(repeated, ["b[0].c", "a", "a.d"]);
    assert!(read_json("{\"a\": 1").is_err() && read_json("{} {}").is_err());
}
