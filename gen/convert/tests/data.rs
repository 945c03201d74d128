//! Conversion data: what an older form cannot express returns, and nothing that a user removed or changed does.

use serde_json::{Value, json};

use super::{back, conversions, document, failure, forward, one, thing};

const ANNOTATION: &str = "example.com/conversion-data";

/// `refs` with several items, of which the old form has one.
fn lens(keys: Value) -> Value {
    let mut step = json!({"operation": "wrapInList", "from": "spec.rules[*].ref", "to": "spec.rules[*].refs"});
    step["keys"] = keys;
    step
}

fn by_name() -> Value {
    lens(json!({"spec.rules[*]": ["name"]}))
}

fn by_position() -> Value {
    lens(json!({}))
}

fn new() -> Value {
    thing(json!({"rules": [{"name": "a", "refs": [1]}, {"name": "b", "refs": [2, 3]}, {"name": "c", "refs": []}]}))
}

#[test]
fn the_text_of_the_data_is_stable() {
    let old = back(&one(by_name()), &new());
    assert_eq!(old["spec"], json!({"rules": [{"name": "a", "ref": 1}, {"name": "b", "ref": 2}, {"name": "c"}]}));
    let data = old["metadata"]["annotations"][ANNOTATION].as_str().unwrap();
    assert_eq!(
        data,
        r#"{"new":[{"at":[{"item":{"name":"b"}}],"kept":{"refs":[2,3]},"lens":"lens-0","step":0,"was":"35c3ca8842065a4db48a5bcea16883b0"},{"at":[{"item":{"name":"c"}}],"kept":{"refs":[]},"lens":"lens-0","step":0,"was":"0880955dd2ab1be95aa0733055c655b5"}],"version":1}"#
    );
}

#[test]
fn the_lens_and_place_of_what_is_left_out_are_reported() {
    let conversions = one(by_name());
    let converted = conversions.convert_back(&new(), "v1.0.0".parse().unwrap()).unwrap();
    let places: Vec<_> = converted.left_out.iter().map(|left| format!("{} {}", left.lens, left.place)).collect();
    assert_eq!(places, ["lens-0 spec.rules[1].refs", "lens-0 spec.rules[2].refs"]);
    assert_eq!(converted.applied, ["lens-0"]);
}

#[test]
fn data_returns_by_key_after_items_moved() {
    let conversions = one(by_name());
    let mut old = back(&conversions, &new());
    old["spec"]["rules"].as_array_mut().unwrap().rotate_left(1);
    let mut expected = new();
    expected["spec"]["rules"].as_array_mut().unwrap().rotate_left(1);
    assert_eq!(forward(&conversions, &old), expected);
}

#[test]
fn data_returns_by_position_only_between_the_same_neighbours() {
    let conversions = one(by_position());
    let old = back(&conversions, &new());
    assert_eq!(forward(&conversions, &old), new());
    let refs = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut old = old.clone();
        change(old["spec"]["rules"].as_array_mut().unwrap());
        let new = forward(&conversions, &old);
        assert_eq!(new["metadata"].get("annotations"), None);
        new["spec"]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| rule.get("refs").cloned().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        refs(&|rules| rules[1]["note"] = json!(1)),
        [json!([1]), json!([2, 3]), json!(null)],
        "a neighbour of the last item"
    );
    assert_eq!(
        refs(&|rules| rules[0]["note"] = json!(1)),
        [json!([1]), json!([2]), json!([])],
        "a neighbour of the second item"
    );
    assert_eq!(refs(&|rules| drop(rules.remove(0))), [json!([2]), json!(null)], "another length");
    assert_eq!(refs(&|rules| rules.swap(0, 2)), [json!(null), json!([2]), json!([1])], "other neighbours");
}

#[test]
fn the_only_item_of_a_list_must_be_unchanged() {
    let conversions = one(json!({"operation": "default", "path": "spec.rules[*].kind", "value": "Service"}));
    let new = thing(json!({"rules": [{"name": "a", "kind": "Other"}]}));
    let mut old = back(&conversions, &new);
    assert_eq!(forward(&conversions, &old), new);
    old["spec"]["rules"][0] = json!({"name": "b"});
    assert_eq!(forward(&conversions, &old)["spec"]["rules"], json!([{"name": "b", "kind": "Service"}]));
}

#[test]
fn data_of_a_changed_or_removed_value_is_dropped() {
    let conversions = one(by_name());
    let old = back(&conversions, &new());
    let rule_b = |change: &dyn Fn(&mut Value)| {
        let mut old = old.clone();
        change(&mut old["spec"]["rules"][1]);
        let new = forward(&conversions, &old);
        assert_eq!(new["metadata"].get("annotations"), None);
        new["spec"]["rules"][1].clone()
    };
    assert_eq!(rule_b(&|rule| rule["ref"] = json!(9)), json!({"name": "b", "refs": [9]}), "changed");
    assert_eq!(rule_b(&|rule| *rule = json!({"name": "b"})), json!({"name": "b"}), "removed");
    assert_eq!(
        rule_b(&|rule| *rule = json!({"name": "z", "ref": 2})),
        json!({"name": "z", "refs": [2]}),
        "another item"
    );
}

#[test]
fn items_with_equal_keys_get_nothing_by_key() {
    let conversions = one(by_name());
    let mut old = back(&conversions, &new());
    old["spec"]["rules"].as_array_mut().unwrap().push(json!({"name": "b", "ref": 2}));
    let new = forward(&conversions, &old);
    assert_eq!(new["spec"]["rules"][1]["refs"], json!([2]));
    assert_eq!(new["spec"]["rules"][3]["refs"], json!([2]));
}

#[test]
fn data_of_several_lenses_returns_step_by_step() {
    let conversions = conversions(&document(&[
        json!([{"operation": "rename", "from": "spec.routes", "to": "spec.rules"}]),
        json!([by_name()]),
        json!([{"operation": "default", "path": "spec.rules[*].kind", "value": "Service", "keys": {"spec.rules[*]": ["name"]}}]),
    ]));
    let new = thing(json!({"rules": [{"name": "a", "refs": [1, 2], "kind": "Other"}]}));
    let old = back(&conversions, &new);
    assert_eq!(old["spec"], json!({"routes": [{"name": "a", "ref": 1}]}));
    assert_eq!(forward(&conversions, &old), new);
    let middle = conversions.convert_back(&new, "v1.2.0".parse().unwrap()).unwrap();
    assert_eq!(middle.object["spec"], json!({"rules": [{"name": "a", "refs": [1, 2]}]}));
    assert_eq!(middle.applied, ["lens-2"]);
    assert_eq!(back(&conversions, &middle.object), old, "data of two conversions is data of one");
}

#[test]
fn other_annotations_stay() {
    let conversions = one(by_name());
    let mut new = new();
    new["metadata"]["annotations"] = json!({"a": "b"});
    assert_eq!(forward(&conversions, &back(&conversions, &new)), new);
}

#[test]
fn data_for_other_places_writes_nothing() {
    let conversions = one(by_name());
    let mut old = back(&conversions, &new());
    let data = old["metadata"]["annotations"][ANNOTATION].as_str().unwrap().replace("\"refs\"", "\"note\"");
    old["metadata"]["annotations"][ANNOTATION] = json!(data);
    assert_eq!(forward(&conversions, &old)["spec"]["rules"][1], json!({"name": "b", "refs": [2]}));
}

#[test]
fn invalid_data_is_an_error() {
    let conversions = one(by_name());
    for data in [json!("{"), json!("{\"version\":2,\"new\":[]}"), json!(5), json!("{\"version\":1,\"new\":[{}]}")] {
        let mut old = thing(json!({"rules": [{"name": "a", "ref": 1}]}));
        old["metadata"]["annotations"] = json!({ ANNOTATION: data });
        assert_eq!(
            failure(&conversions, &old),
            "`metadata.annotations[\"example.com/conversion-data\"]`: conversion data of version 1 is expected; remove the annotation to convert without it"
        );
    }
}

#[test]
fn all_annotations_together_have_a_limit() {
    let conversions = one(by_name());
    let mut new = new();
    let old = back(&conversions, &new);
    let own: usize = ANNOTATION.len() + old["metadata"]["annotations"][ANNOTATION].as_str().unwrap().len();
    new["metadata"]["annotations"] = json!({"a": "x".repeat(262_144 - own - 1)});
    assert_eq!(forward(&conversions, &back(&conversions, &new)), new);
    new["metadata"]["annotations"] = json!({"a": "x".repeat(262_144 - own)});
    let failure = conversions.convert_back(&new, "v1.0.0".parse().unwrap()).unwrap_err();
    assert_eq!(failure.why, "the annotations would have 262145 bytes; API servers accept 262144");
}

fn drop_mode() -> Value {
    json!({"operation": "drop", "path": "spec.rules[*].mode", "reason": "unused", "keeps": true, "keys": {"spec.rules[*]": ["name"]}})
}

#[test]
fn what_a_step_keeps_returns_backward() {
    let conversions = one(drop_mode());
    let old = thing(json!({"rules": [{"name": "a", "mode": "X"}, {"name": "b"}]}));
    let mut new = forward(&conversions, &old);
    assert_eq!(new["spec"]["rules"], json!([{"name": "a"}, {"name": "b"}]));
    let data = r#"{"old":[{"at":[{"item":{"name":"a"}}],"kept":{"mode":"X"},"lens":"lens-0","step":0,"was":"0880955dd2ab1be95aa0733055c655b5"}],"version":1}"#;
    assert_eq!(new["metadata"]["annotations"][ANNOTATION], data);
    assert_eq!(back(&conversions, &new), old);
    assert_eq!(forward(&conversions, &new), new, "the new form is converted again");
    new["spec"]["rules"].as_array_mut().unwrap().remove(0);
    assert_eq!(back(&conversions, &new), thing(json!({"rules": [{"name": "b"}]})), "its item is gone");
}

#[test]
fn merged_values_return_if_the_step_keeps_them() {
    let step = |keeps: bool| json!({"operation": "values", "from": "spec.mode", "to": "spec.mode", "values": {"A": "C", "B": "C"}, "merged": ["B"], "keeps": keeps});
    let mode = |mode: &str| thing(json!({ "mode": mode }));
    for (keeps, returned) in [(true, "B"), (false, "A")] {
        let conversions = one(step(keeps));
        let mut new = forward(&conversions, &mode("B"));
        assert_eq!(new["spec"]["mode"], "C");
        assert_eq!(back(&conversions, &new), mode(returned));
        assert_eq!(forward(&conversions, &mode("A")), mode("C"), "nothing to keep");
        new["spec"]["mode"] = json!("D");
        assert_eq!(back(&conversions, &new), mode("D"), "the user changed the value");
    }
}

#[test]
fn the_order_of_a_list_returns_if_the_step_keeps_it() {
    let step = json!({"operation": "listToMap", "from": "spec.list", "to": "spec.map", "key": "k", "keeps": true});
    let conversions = one(step);
    let old = thing(json!({"list": [{"k": "b"}, {"k": "a"}]}));
    let new = forward(&conversions, &old);
    assert_eq!(new["spec"], json!({"map": {"a": {}, "b": {}}}));
    assert_eq!(back(&conversions, &new), old);
}

#[test]
fn the_data_follows_its_schema() {
    let schema = serde_json::from_str(include_str!("../schemas/conversion-data.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let check = |object: &Value| {
        let data = serde_json::from_str(object["metadata"]["annotations"][ANNOTATION].as_str().unwrap()).unwrap();
        let errors: Vec<_> = validator.iter_errors(&data).map(|error| error.to_string()).collect();
        assert_eq!(errors, [] as [&str; 0], "{data}");
        data
    };
    let by_key = check(&back(&one(by_name()), &new()));
    let by_index = check(&back(&one(by_position()), &new()));
    let of_map = json!({"operation": "wrapInList", "from": "spec.map{*}", "to": "spec.map{*}"});
    let of_map = check(&back(&one(of_map), &thing(json!({"map": {"a": [1, 2]}}))));
    check(&forward(&one(drop_mode()), &thing(json!({"rules": [{"name": "a", "mode": "X"}]}))));
    for mut data in [by_key, by_index, of_map] {
        let entry = &mut data["new"][0];
        for key in ["lens", "step", "at", "was", "kept"] {
            let mut without = entry.clone();
            without.as_object_mut().unwrap().remove(key);
            assert!(!validator.is_valid(&json!({"version": 1, "new": [without]})), "{key}");
        }
        entry["at"][0]["unknown"] = json!(1);
        assert!(!validator.is_valid(&data));
    }
}
