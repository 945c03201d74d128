//! The laws of lenses on random objects, for each operation, place and direction: 500 in a proof, a sample of them otherwise.
//!
//! 1. Backward after forward gives the same object, where forward conversion succeeds.
//! 2. Forward after backward gives the same object, with the help of conversion data.
//! 3. An edit of another field of the old form is in the new form, and nothing else changes.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::{back, forward, one, thing};

/// How many objects each operation converts in each place.
fn objects() -> u32 {
    if crd_testdata::is_proof() { 500 } else { 60 }
}

type Members = BoxedStrategy<Map<String, Value>>;

/// A step, from what gives the path of a field.
type Step = fn(&dyn Fn(&str) -> String) -> Value;

/// An operation on fields of one object, with members of its old and its new form.
struct Case {
    step: Step,
    old: Members,
    new: Members,
    /// What forward conversion loses.
    without_losses: fn(&mut Value),
    /// Whether every old form has a new one.
    is_total: bool,
}

fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-9..9_i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
        "\\PC{0,3}".prop_map(Value::from),
        Just(json!(1.5)),
    ]
    .boxed()
}

fn anything() -> BoxedStrategy<Value> {
    leaf()
        .prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[a-c]|name", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
        .boxed()
}

fn scalar() -> BoxedStrategy<Value> {
    leaf().prop_filter("a value", |value| !value.is_null()).boxed()
}

/// An object that may or may not have the field.
fn field(name: &'static str, value: BoxedStrategy<Value>) -> Members {
    prop::option::weighted(0.9, value)
        .prop_map(move |value| value.map(|value| (name.to_owned(), value)).into_iter().collect())
        .boxed()
}

fn both(one: Members, other: Members) -> Members {
    (one, other).prop_map(|(one, other)| one.into_iter().chain(other).collect()).boxed()
}

/// The members below a field.
fn below(name: &'static str, members: Members) -> Members {
    let object = members.prop_map(Value::Object).boxed();
    field(name, object)
}

fn items() -> BoxedStrategy<Value> {
    let item = ("[a-e]", leaf()).prop_map(|(key, value)| json!({"key": key, "value": value}));
    prop::collection::vec(item, 0..4).prop_map(Value::from).boxed()
}

fn map() -> BoxedStrategy<Value> {
    prop::collection::btree_map("[a-e]", anything(), 0..4)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
        .boxed()
}

fn map_of_objects() -> BoxedStrategy<Value> {
    let object =
        prop::collection::btree_map("[x-z]", leaf(), 0..3).prop_map(|map| Value::Object(map.into_iter().collect()));
    prop::collection::btree_map("[a-e]", object, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())).boxed()
}

fn texts(texts: &'static [&'static str]) -> BoxedStrategy<Value> {
    prop::sample::select(texts).prop_map(Value::from).boxed()
}

fn sort_list(item: &mut Value) {
    if let Some(items) = item["from"].as_array_mut() {
        items.sort_by_key(|item| item["key"].to_string());
    }
}

/// An empty object around a field that moves into it is lost.
fn without_empty_objects(item: &mut Value) {
    let object = item.as_object_mut().unwrap();
    object.retain(|name, value| name != "around" || value.as_object().is_none_or(|value| !value.is_empty()));
}

fn host_and_port() -> Members {
    let host = prop_oneof!["[a-c]{1,2}".prop_map(Value::from), "[a-c:]{0,2}".prop_map(Value::from), leaf()].boxed();
    let port = prop_oneof![(0..99_i64).prop_map(Value::from), leaf()].boxed();
    both(field("host", host), field("port", port))
}

fn address() -> Members {
    let text = prop_oneof!["[a-c]{1,2}:[0-9]{1,2}", "[a-c:]{0,3}"].prop_map(Value::from);
    field("address", prop_oneof![4 => text, 1 => leaf()].boxed())
}

fn cases() -> Vec<(&'static str, Case)> {
    fn case(step: Step, old: Members, new: Members) -> Case {
        Case { step, old, new, without_losses: |_| {}, is_total: true }
    }
    let list_or_any = || prop_oneof![prop::collection::vec(anything(), 0..3).prop_map(Value::from), anything()].boxed();
    let no_list = || anything().prop_filter("not a list", |value| !value.is_array()).boxed();
    let list = || prop::collection::vec(anything(), 0..3).prop_map(Value::from).boxed();
    let object = || {
        prop::collection::btree_map("[a-c]|name", anything(), 0..3)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
            .boxed()
    };
    let no_object = || anything().prop_filter("not an object", |value| !value.is_object()).boxed();
    vec![
        (
            "rename",
            case(
                |at| json!({"operation": "rename", "from": at("from"), "to": at("to")}),
                field("from", anything()),
                field("to", anything()),
            ),
        ),
        (
            "move up",
            case(
                |at| json!({"operation": "move", "from": at("around.from"), "to": at("to")}),
                below("around", both(field("from", anything()), field("x", leaf()))),
                both(field("to", anything()), below("around", field("x", leaf()))),
            ),
        ),
        (
            "move down",
            Case {
                without_losses: without_empty_objects,
                ..case(
                    |at| json!({"operation": "move", "from": at("from"), "to": at("around.to")}),
                    both(field("from", anything()), below("around", field("x", leaf()))),
                    below("around", both(field("to", anything()), field("x", leaf()))),
                )
            },
        ),
        (
            "wrapInList",
            case(
                |at| json!({"operation": "wrapInList", "from": at("from"), "to": at("to")}),
                field("from", anything()),
                field("to", list()),
            ),
        ),
        (
            "wrapInList in place",
            case(
                |at| json!({"operation": "wrapInList", "from": at("from"), "to": at("from")}),
                field("from", no_list()),
                field("from", list()),
            ),
        ),
        (
            "unwrapList",
            Case {
                is_total: false,
                ..case(
                    |at| json!({"operation": "unwrapList", "from": at("from"), "to": at("to")}),
                    field("from", list_or_any()),
                    field("to", anything()),
                )
            },
        ),
        (
            "unwrapList in place",
            Case {
                is_total: false,
                ..case(
                    |at| json!({"operation": "unwrapList", "from": at("from"), "to": at("from")}),
                    field("from", prop::collection::vec(scalar(), 0..2).prop_map(Value::from).boxed()),
                    field("from", no_list()),
                )
            },
        ),
        (
            "wrapInObject",
            case(
                |at| json!({"operation": "wrapInObject", "from": at("from"), "to": at("from"), "field": "name"}),
                field("from", no_object()),
                field("from", object()),
            ),
        ),
        (
            "unwrapObject",
            Case {
                is_total: false,
                ..case(
                    |at| json!({"operation": "unwrapObject", "from": at("from"), "to": at("to"), "field": "name"}),
                    field("from", prop_oneof![scalar().prop_map(|value| json!({ "name": value })), object()].boxed()),
                    field("to", anything()),
                )
            },
        ),
        (
            "listToMap",
            Case {
                is_total: false,
                without_losses: sort_list,
                ..case(
                    |at| json!({"operation": "listToMap", "from": at("from"), "to": at("to"), "key": "key"}),
                    field("from", items()),
                    field("to", map_of_objects()),
                )
            },
        ),
        (
            "mapToList",
            case(
                |at| json!({"operation": "mapToList", "from": at("from"), "to": at("to"), "key": "key", "value": "value"}),
                field("from", map()),
                field("to", items()),
            ),
        ),
        (
            "values",
            Case {
                is_total: false,
                ..case(
                    |at| json!({"operation": "values", "from": at("from"), "to": at("to"), "values": {"A": "B", "C": "D"}, "nearest": {"E": "A"}}),
                    field("from", texts(&["A", "C", "X", "B"])),
                    field("to", texts(&["B", "D", "E", "X", "A"])),
                )
            },
        ),
        (
            "values in place",
            case(
                |at| json!({"operation": "values", "from": at("from"), "to": at("from"), "values": {"A": "B", "C": "D"}, "nearest": {"E": "A"}}),
                field("from", texts(&["A", "C", "X"])),
                field("from", texts(&["B", "D", "E", "X"])),
            ),
        ),
        (
            "scale",
            Case {
                is_total: false,
                ..case(
                    |at| json!({"operation": "scale", "from": at("from"), "to": at("to"), "multiply": 3, "divide": 2}),
                    field(
                        "from",
                        prop_oneof![(-99..99_i64).prop_map(|n| json!(2 * n)), any::<i64>().prop_map(Value::from)]
                            .boxed(),
                    ),
                    field(
                        "to",
                        prop_oneof![(-99..99_i64).prop_map(Value::from), any::<i64>().prop_map(Value::from)].boxed(),
                    ),
                )
            },
        ),
        (
            "split",
            Case { is_total: false, ..case(|at| split("split", at, "address", true), address(), host_and_port()) },
        ),
        (
            "join",
            Case { is_total: false, ..case(|at| split("join", at, "address", false), host_and_port(), address()) },
        ),
        (
            "default",
            case(
                |at| json!({"operation": "default", "path": at("new"), "value": 1}),
                field("x", leaf()),
                prop_oneof![Just(json!(1)), leaf()]
                    .prop_map(|value| Map::from_iter([("new".to_owned(), value)]))
                    .boxed(),
            ),
        ),
        (
            "constant",
            case(
                |at| json!({"operation": "constant", "path": at("from"), "value": 1}),
                Just(Map::from_iter([("from".to_owned(), json!(1))])).boxed(),
                field("x", leaf()),
            ),
        ),
        (
            "drop",
            Case {
                without_losses: |item| drop(item.as_object_mut().unwrap().remove("from")),
                ..case(
                    |at| json!({"operation": "drop", "path": at("from"), "reason": "unused"}),
                    field("from", anything()),
                    field("x", leaf()),
                )
            },
        ),
    ]
}

/// Operations whose losses travel in the conversion data.
fn keeping_cases() -> Vec<(&'static str, Case)> {
    fn case(step: Step, old: Members, new: Members) -> Case {
        Case { step, old, new, without_losses: |_| {}, is_total: true }
    }
    vec![
        (
            "drop that keeps",
            case(
                |at| json!({"operation": "drop", "path": at("from"), "reason": "unused", "keeps": true}),
                field("from", anything()),
                field("x", leaf()),
            ),
        ),
        (
            "constant that keeps",
            case(
                |at| json!({"operation": "constant", "path": at("from"), "value": 1, "keeps": true}),
                anything().prop_map(|value| Map::from_iter([("from".to_owned(), value)])).boxed(),
                field("x", leaf()),
            ),
        ),
        (
            "values that keep",
            case(
                |at| json!({"operation": "values", "from": at("from"), "to": at("from"), "values": {"A": "C", "B": "C"}, "merged": ["B"], "keeps": true}),
                field("from", texts(&["A", "B", "X"])),
                field("from", texts(&["C", "X"])),
            ),
        ),
        (
            "listToMap that keeps",
            Case {
                is_total: false,
                ..case(
                    |at| json!({"operation": "listToMap", "from": at("from"), "to": at("to"), "key": "key", "keeps": true}),
                    field("from", items()),
                    field("to", map_of_objects()),
                )
            },
        ),
    ]
}

fn split(operation: &str, at: &dyn Fn(&str) -> String, text: &str, splits: bool) -> Value {
    let (text, parts) = (json!(at(text)), json!({"host": at("host"), "port": at("port")}));
    let (from, to) = if splits { (text, parts) } else { (parts, text) };
    json!({
        "operation": operation,
        "from": from,
        "to": to,
        "pattern": "^(?P<host>[^:]+):(?P<port>[0-9]+)$",
        "template": "{host}:{port}",
        "integers": ["port"],
    })
}

/// Where the operation applies: its name, its path, and the specification around items with these members.
const PLACES: [(&str, &str); 4] = [
    ("spec", "spec"),
    ("items with keys", "spec.rules[*]"),
    ("items", "spec.rules[*]"),
    ("map values", "spec.options{*}"),
];

/// Places items, which get a name and a note, in an object.
fn around(place: usize, items: &[Map<String, Value>]) -> Value {
    let items = items.iter().enumerate().map(|(index, members)| {
        let mut members = members.clone();
        members.insert("id".to_owned(), format!("i{index}").into());
        members.insert("note".to_owned(), json!(0));
        Value::Object(members)
    });
    let mut items: Vec<Value> = items.collect();
    match place {
        0 => thing(items.swap_remove(0)),
        1 | 2 => thing(json!({ "rules": items })),
        _ => {
            let map = items.into_iter().map(|item| (item["id"].as_str().unwrap().to_owned(), item));
            thing(json!({"options": map.collect::<Map<_, _>>()}))
        }
    }
}

fn each_item(place: usize, object: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    let spec = &mut object["spec"];
    match place {
        0 => change(spec),
        1 | 2 => spec["rules"].as_array_mut().unwrap().iter_mut().for_each(change),
        _ => spec["options"].as_object_mut().unwrap().values_mut().for_each(change),
    }
}

fn runner() -> TestRunner {
    let config = Config { cases: objects(), failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Calls `check` for each operation in each place.
fn for_each_case(mut check: impl FnMut(&str, &Case, usize, Value)) {
    for (name, case) in cases().into_iter().chain(keeping_cases()) {
        for (place, (place_name, path)) in PLACES.into_iter().enumerate() {
            let mut step = (case.step)(&|field| format!("{path}.{field}"));
            if place == 1 {
                step["keys"] = json!({"spec.rules[*]": ["id"]});
            }
            check(&format!("{name} in {place_name}"), &case, place, step);
        }
    }
}

#[test]
fn backward_after_forward_gives_the_same_object() {
    for_each_case(|name, case, place, step| {
        let conversions = one(step);
        let converted = Cell::new(0_u32);
        let run = |items: Vec<Map<String, Value>>| {
            let object = around(place, &items);
            let mut new = object.clone();
            if conversions.forward(&mut new).is_err() {
                assert!(!case.is_total, "{name}: {object}");
                assert_eq!(new, object, "{name}");
                return;
            }
            converted.set(converted.get() + 1);
            let (mut expected, mut found) = (object, back(&conversions, &new));
            each_item(place, &mut expected, &mut |item| (case.without_losses)(item));
            each_item(place, &mut found, &mut |item| (case.without_losses)(item));
            assert_eq!(found, expected, "{name} through {new}");
        };
        let items = prop::collection::vec(case.old.clone(), 1..3);
        runner()
            .run(&items, |items| {
                run(items);
                Ok(())
            })
            .unwrap();
        assert!(converted.get() > objects() / 20, "{name}: {}", converted.get());
    });
}

#[test]
fn forward_after_backward_gives_the_same_object() {
    for_each_case(|name, case, place, step| {
        let conversions = one(step);
        let run = |items: Vec<Map<String, Value>>| {
            let object = around(place, &items);
            if conversions.convert_back(&object, "v1.0.0".parse().unwrap()).is_err() {
                // Values of the wrong type have no old form.
                assert!(name.starts_with("mapToList") || name.starts_with("values"), "{name}: {object}");
                return;
            }
            let old = back(&conversions, &object);
            assert_eq!(forward(&conversions, &old), object, "{name} through {old}");
        };
        let items = prop::collection::vec(case.new.clone(), 1..4);
        runner()
            .run(&items, |items| {
                run(items);
                Ok(())
            })
            .unwrap();
    });
}

#[test]
fn an_edit_of_the_old_form_changes_nothing_else() {
    for_each_case(|name, case, place, step| {
        let conversions = one(step);
        let edit = |object: &mut Value, wanted: usize| {
            let mut index = 0;
            each_item(place, object, &mut |item| {
                if index == wanted {
                    item["note"] = json!("edited");
                }
                index += 1;
            });
        };
        let run = |items: Vec<Map<String, Value>>, wanted: usize| {
            let mut object = around(place, &items);
            let Ok(converted) = conversions.convert_back(&object, "v1.0.0".parse().unwrap()) else { return };
            let mut old = converted.object;
            edit(&mut old, wanted);
            edit(&mut object, wanted);
            // Without keys, an edited neighbour may be another item: then its data is dropped.
            if place == 2 && !converted.left_out.is_empty() {
                conversions.forward(&mut old).unwrap_or_default();
                return;
            }
            assert_eq!(forward(&conversions, &old), object, "{name}");
        };
        let items = (prop::collection::vec(case.new.clone(), 1..4), 0..3_usize);
        runner()
            .run(&items, |(items, wanted)| {
                run(items, wanted);
                Ok(())
            })
            .unwrap();
    });
}
