//! Objects of any shape: nothing panics, and an object that fails is as it was.

use std::thread;

use crd_convert::{Canonical, CurrentForm};
use serde_json::{Map, Value, json};

use super::{conversions, document, thing};

/// Several operations on nested places.
fn steps() -> Value {
    json!([
        {"operation": "rename", "from": "spec.a", "to": "spec.b"},
        {"operation": "move", "from": "spec.c.d", "to": "spec.e.f"},
        {"operation": "wrapInList", "from": "spec.rules[*].ref", "to": "spec.rules[*].refs", "keys": {"spec.rules[*]": ["name"]}},
        {"operation": "wrapInObject", "from": "spec.names[*]", "to": "spec.names[*]", "field": "name"},
        {"operation": "unwrapObject", "from": "spec.o", "to": "spec.p", "field": "name"},
        {"operation": "unwrapList", "from": "spec.l", "to": "spec.m"},
        {"operation": "listToMap", "from": "spec.list", "to": "spec.map", "key": "k"},
        {"operation": "values", "from": "spec.options{*}.mode", "to": "spec.options{*}.mode", "values": {"A": "B"}},
        {"operation": "scale", "from": "spec.s", "to": "spec.ms", "multiply": 1000, "divide": 1},
        {"operation": "split", "from": "spec.text", "to": {"x": "spec.x", "y": "spec.y"}, "pattern": "^(?P<x>.*)-(?P<y>.*)$", "template": "{x}-{y}"},
        {"operation": "default", "path": "spec.rules[*].kind", "value": "Service"},
        {"operation": "constant", "path": "spec.type", "value": 1},
        {"operation": "drop", "path": "spec.gone", "reason": "unused"},
    ])
}

fn full() -> Value {
    let mut object = thing(json!({
        "a": 1, "c": {"d": 2}, "rules": [{"name": "x", "ref": 1}, {"name": "y", "refs": [1, 2], "kind": "Z"}], "names": ["n", {"name": "m"}],
        "o": {"name": 1}, "l": [1], "list": [{"k": "q"}], "options": {"u": {"mode": "A"}}, "s": 5, "text": "1-2", "type": 1, "gone": 0,
    }));
    object["metadata"]["annotations"] = json!({"x": "y"});
    object
}

/// Every place of a value, as a JSON pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| places(value, &format!("{at}/{}", name.replace('/', "~1")), found))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn a_value_of_another_type_in_any_place_never_panics() {
    let conversions = conversions(&document(&[steps()]));
    let mut new = full();
    assert_eq!(conversions.forward(&mut new).unwrap(), ["lens-0"]);
    let old = conversions.convert_back(&new, "v1.0.0".parse().unwrap()).unwrap().object;
    let (mut failed, mut converted) = (0, 0);
    for base in [full(), new, old] {
        let mut found = Vec::new();
        places(&base, "", &mut found);
        let others = [
            json!(null),
            json!(true),
            json!(-1),
            json!(1.5),
            json!(""),
            json!("x"),
            json!([]),
            json!([[]]),
            json!({}),
            json!({"a": {}}),
        ];
        for (pointer, other) in found.iter().flat_map(|pointer| others.iter().map(move |other| (pointer, other))) {
            let mut object = base.clone();
            *object.pointer_mut(pointer).unwrap() = other.clone();
            let mut result = object.clone();
            match conversions.forward(&mut result) {
                Ok(_) => converted += 1,
                Err(failure) => {
                    failed += 1;
                    assert_eq!(result, object, "{failure}");
                    assert!(!failure.why.is_empty() && !failure.place.is_empty());
                }
            }
            let before = object.clone();
            conversions.convert_back(&object, "v1.0.0".parse().unwrap()).map(drop).unwrap_or_default();
            assert_eq!(object, before);
        }
    }
    assert!(failed > 100 && converted > 100, "{failed} {converted}");
}

/// `json!` would copy the value.
fn in_list(value: Value) -> Value {
    Value::Array(vec![value])
}

fn in_object(value: Value) -> Value {
    Value::Object(Map::from_iter([("a".to_owned(), value)]))
}

#[test]
fn a_deep_object_is_refused() {
    // Comparing, copying and dropping a deep value recurse in serde_json.
    let test = || {
        let conversions = conversions(&document(&[steps()]));
        let current = CurrentForm::new("v1.9.0".parse().unwrap(), &[]);
        for wrap in [in_list, in_object] {
            let mut object = thing(json!({"gone": (0..10_000).fold(Value::Null, |value, _| wrap(value)), "a": 1}));
            let why = conversions.forward(&mut object).unwrap_err().to_string();
            assert_eq!(why, "`the object`: it has more than 100 levels");
            assert_eq!(object["spec"]["a"], 1);
            assert_eq!(conversions.canonicalize(&object, &current, None), Canonical::Unrecognised { why: why.clone() });
            assert_eq!(conversions.convert_back(&object, "v1.0.0".parse().unwrap()).unwrap_err().to_string(), why);
        }
    };
    thread::Builder::new().stack_size(256 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn values_that_are_no_objects_are_refused() {
    let conversions = conversions(&document(&[steps()]));
    for value in [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({"apiVersion": 1, "kind": "Thing"}),
        json!({"apiVersion": "example.com/v1"}),
    ] {
        let mut object = value.clone();
        let why = conversions.forward(&mut object).unwrap_err().why;
        assert_eq!((why.as_str(), object), ("it must be a string", value));
    }
}

#[test]
fn a_huge_list_is_converted_and_one_invalid_item_leaves_it_as_it_is() {
    let conversions = conversions(&document(&[steps()]));
    let rules = |name: &str| {
        (0..100_000).map(|index| json!({"name": index.to_string(), name: index, "kind": "K"})).collect::<Vec<_>>()
    };
    let mut object = thing(json!({"rules": rules("ref")}));
    conversions.forward(&mut object).unwrap();
    assert_eq!(object["spec"]["rules"][99_999]["refs"], json!([99_999]));
    let mut object = thing(json!({"rules": rules("ref")}));
    object["spec"]["rules"][99_999]["refs"] = json!([]);
    let before = object.clone();
    let failure = conversions.forward(&mut object).unwrap_err();
    assert_eq!(failure.place, "spec.rules[99999].ref");
    assert!(object == before);
}

/// Entries of many items are found without a search of the list for each.
#[test]
fn data_of_many_items_takes_little_time() {
    for keys in [json!({"spec.rules[*]": ["name"]}), json!({})] {
        let conversions = conversions(&document(&[json!([
            {"operation": "wrapInList", "from": "spec.rules[*].ref", "to": "spec.rules[*].refs", "keys": keys},
        ])]));
        let rules =
            |item: fn(String) -> Value| (0..30_000).map(|index: usize| item(index.to_string())).collect::<Vec<_>>();
        let new = thing(json!({"rules": rules(|name| json!({"name": name, "refs": []}))}));
        // The data is larger than annotations may be, which is found at the end.
        let failure = conversions.convert_back(&new, "v1.0.0".parse().unwrap()).unwrap_err();
        assert!(failure.why.contains("API servers accept 262144"), "{failure}");
        let mut old = thing(json!({"rules": rules(|name| json!({"name": name, "ref": 1}))}));
        let entry = |index: usize| json!({"lens": "lens-0", "step": 0, "at": [{"item": {"name": index.to_string()}}], "was": "", "kept": {}});
        let data = json!({"version": 1, "new": (0..2_500).map(entry).collect::<Vec<_>>()});
        old["metadata"]["annotations"] = json!({"example.com/conversion-data": data.to_string()});
        assert_eq!(conversions.forward(&mut old).unwrap(), ["lens-0"]);
        assert_eq!(old["spec"]["rules"][29_999]["refs"], json!([1]));
    }
}

#[test]
fn a_late_failure_restores_what_earlier_lenses_converted() {
    let conversions = conversions(&document(&[
        json!([{"operation": "rename", "from": "spec.a", "to": "spec.b"}]),
        json!([{"operation": "unwrapList", "from": "spec.l", "to": "spec.m"}]),
    ]));
    let mut object = thing(json!({"a": 1, "l": [1, 2]}));
    let before = object.clone();
    assert_eq!(conversions.forward(&mut object).unwrap_err().lens, "lens-1");
    assert_eq!(object, before);
}

#[test]
fn names_with_any_characters_are_fields() {
    let names = ["", ".", "[*]", "{*}", "\"", "\\", "a b", "é", "\u{0}"];
    let conversions = conversions(&document(&[Value::Array(
        names.iter().map(|name| json!({"operation": "rename", "from": format!("spec[{}]", json!(name)), "to": format!("spec[{}]", json!(format!("{name}+")))})).collect(),
    )]));
    let spec =
        |end: &str| Value::Object(names.iter().map(|name| (format!("{name}{end}"), json!(1))).collect::<Map<_, _>>());
    let mut object = thing(spec(""));
    conversions.forward(&mut object).unwrap();
    assert_eq!(object, thing(spec("+")));
}
