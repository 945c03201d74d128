//! Conversion data: what an older form cannot express returns, and nothing that a user removed or changed does.

use crd_convert::Conversions;
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

/// The values of a field of the items, and why kept ones do not return.
fn forward_reported(conversions: &Conversions, old: &Value) -> (Vec<Value>, Vec<String>) {
    let mut new = old.clone();
    let forward = conversions.convert_forward(&mut new).unwrap();
    let refs = |rule: &Value| rule.get("refs").cloned().unwrap_or_default();
    let refs = new["spec"]["rules"].as_array().unwrap().iter().map(refs).collect();
    (refs, forward.not_returned.iter().map(ToString::to_string).collect())
}

#[test]
fn without_keys_data_returns_to_the_item_that_is_as_it_was() {
    let conversions = one(by_position());
    let old = back(&conversions, &new());
    assert_eq!(forward(&conversions, &old), new());
    let refs = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut old = old.clone();
        change(old["spec"]["rules"].as_array_mut().unwrap());
        forward_reported(&conversions, &old)
    };
    let of_b = || vec!["`spec.rules[1].refs`: its item was changed or removed".to_owned()];
    assert_eq!(
        refs(&|rules| rules[1]["note"] = json!(1)),
        (vec![json!([1]), json!([2]), json!([])], of_b()),
        "changed"
    );
    assert_eq!(
        refs(&|rules| rules[0]["note"] = json!(1)),
        (vec![json!([1]), json!([2, 3]), json!([])], vec![]),
        "another item was changed"
    );
    assert_eq!(
        refs(&|rules| drop(rules.remove(0))),
        (vec![json!([2, 3]), json!([])], vec![]),
        "another one was removed"
    );
    assert_eq!(refs(&|rules| rules.swap(0, 2)), (vec![json!([]), json!([2, 3]), json!([1])], vec![]), "moved");
    assert_eq!(refs(&|rules| drop(rules.remove(1))), (vec![json!([1]), json!([])], of_b()), "removed");
    let copied = refs(&|rules| rules.insert(0, rules[1].clone()));
    assert_eq!(copied, (vec![json!([2]), json!([1]), json!([2]), json!([])], of_b()), "copied");
    let replaced = refs(&|rules| rules[1] = json!({"name": "x", "ref": 2}));
    assert_eq!(replaced, (vec![json!([1]), json!([2]), json!([])], of_b()), "replaced");
}

/// Data of the first versions has no digest of whole items: neighbours show where they are.
#[test]
fn data_without_whole_forms_returns_where_the_neighbours_show_it() {
    let conversions = one(by_position());
    let mut old = back(&conversions, &new());
    let annotation = &mut old["metadata"]["annotations"][ANNOTATION];
    let mut data: Value = serde_json::from_str(annotation.as_str().unwrap()).unwrap();
    data["new"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|entry| drop(entry.as_object_mut().unwrap().remove("whole")));
    *annotation = json!(data.to_string());
    let refs = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut old = old.clone();
        change(old["spec"]["rules"].as_array_mut().unwrap());
        forward_reported(&conversions, &old)
    };
    let of = |index: usize| format!("`spec.rules[{index}].refs`: its item was changed or removed");
    let (two, none) = (json!([2, 3]), json!([]));
    assert_eq!(refs(&|_| {}).0, [json!([1]), two.clone(), none.clone()]);
    // The last item is a neighbour of the changed one.
    assert_eq!(refs(&|rules| rules[1]["note"] = json!(1)), (vec![json!([1]), two.clone(), none.clone()], vec![]));
    // The neighbour of the last item is the one between the other ones.
    assert_eq!(refs(&|rules| drop(rules.remove(0))), (vec![two.clone(), Value::Null], vec![of(2)]));
    assert_eq!(refs(&|rules| drop(rules.remove(1))), (vec![json!([1]), none.clone()], vec![of(1)]));
    assert_eq!(refs(&|rules| rules.swap(0, 2)), (vec![none, two.clone(), json!([1])], vec![]));
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
fn data_of_a_changed_or_removed_value_stays_and_is_named() {
    let conversions = one(by_name());
    let old = back(&conversions, &new());
    let rule_b = |change: &dyn Fn(&mut Value)| {
        let mut changed = old.clone();
        change(&mut changed["spec"]["rules"][1]);
        let mut new = changed.clone();
        let forward = conversions.convert_forward(&mut new).unwrap();
        let again = forward_reported(&conversions, &new).1;
        assert_eq!(again, forward.not_returned.iter().map(ToString::to_string).collect::<Vec<_>>(), "a later run");
        let data = new["metadata"]["annotations"][ANNOTATION].as_str().unwrap();
        assert!(data.contains(r#""kept":{"refs":[2,3]}"#), "{data}");
        (new["spec"]["rules"][1].clone(), again.join(", "))
    };
    let why = |why: &str| format!("`spec.rules[name=\"b\"].refs`: {why}");
    let changed = why("its place was changed");
    assert_eq!(rule_b(&|rule| rule["ref"] = json!(9)), (json!({"name": "b", "refs": [9]}), changed.clone()));
    assert_eq!(rule_b(&|rule| *rule = json!({"name": "b"})), (json!({"name": "b"}), changed), "removed");
    assert_eq!(
        rule_b(&|rule| *rule = json!({"name": "z", "ref": 2})),
        (json!({"name": "z", "refs": [2]}), why("its item was changed or removed")),
        "another item"
    );
}

/// What did not return is found when its item exists again, and the newest value of an item comes first.
#[test]
fn a_later_run_finds_what_stayed() {
    let conversions = one(drop_mode());
    let modes = |modes: &[(&str, &str)]| {
        let rule = |(name, mode): &(&str, &str)| match mode.is_empty() {
            true => json!({ "name": name }),
            false => json!({"name": name, "mode": mode}),
        };
        json!(modes.iter().map(rule).collect::<Vec<_>>())
    };
    let mut new = forward(&conversions, &thing(json!({"rules": modes(&[("a", "A"), ("b", "B")])})));
    new["spec"]["rules"] = modes(&[("b", "")]);
    let mut old = back(&conversions, &new);
    assert_eq!(old["spec"]["rules"], modes(&[("b", "B")]));
    old["spec"]["rules"] = modes(&[("a", ""), ("b", "C")]);
    let again = forward(&conversions, &old);
    let returned = back(&conversions, &again);
    assert_eq!(returned["spec"]["rules"], modes(&[("a", "A"), ("b", "C")]));
    assert_eq!(returned["metadata"].get("annotations"), None);
}

/// A place that the user wrote in the new form, and an object around it that is gone.
#[test]
fn a_place_that_has_no_room_keeps_the_value_in_the_data() {
    let step = json!({"operation": "drop", "path": "spec.a.mode", "reason": "unused", "keeps": true});
    let conversions = one(step);
    let new = forward(&conversions, &thing(json!({"a": {"mode": "A", "x": 1}})));
    let returned = |spec: Value| {
        let mut new = new.clone();
        new["spec"] = spec;
        let back = conversions.convert_back(&new, "v1.0.0".parse().unwrap()).unwrap();
        assert!(back.object["metadata"]["annotations"][ANNOTATION].is_string());
        back.not_returned.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let gone = "`spec.a.mode`: the object around it was removed, or is not an object";
    assert_eq!(returned(json!({"a": {"mode": "Z", "x": 1}})), "`spec.a.mode`: its place has another value");
    assert_eq!(returned(json!({})), gone);
    assert_eq!(returned(json!({"a": [1]})), gone);
}

#[test]
fn what_a_step_keeps_is_named_with_the_identity() {
    let lens = |name: &str, from: &str, is_merged: bool| {
        json!({"name": name, "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.1.0", "merged": is_merged,
            "from": {"apiVersion": format!("example.com/{from}"), "kind": "Thing"}, "to": {"apiVersion": "example.com/v1", "kind": "Thing"}, "steps": []})
    };
    let document = json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [lens("beta", "v1beta1", false), lens("alpha", "v1alpha1", true)]});
    let conversions = conversions(&document);
    let mut object = thing(json!({}));
    object["apiVersion"] = json!("example.com/v1alpha1");
    let before = object.clone();
    let done = conversions.convert_forward(&mut object).unwrap();
    let kept = |left: &[crd_convert::LeftOut]| {
        left.iter().map(|left| format!("{} {}", left.lens, left.place)).collect::<Vec<_>>()
    };
    assert_eq!(kept(&done.left_out), ["alpha apiVersion"]);
    assert_eq!(back(&conversions, &object), before);
    // Another version in the meantime: the identity stays, until a newer one takes its place.
    object["apiVersion"] = json!("example.com/v1beta1");
    let back = conversions.convert_back(&object, "v1.0.0".parse().unwrap()).unwrap();
    assert_eq!(
        back.not_returned.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["`apiVersion`: the object has another one"]
    );
    let done = conversions.convert_forward(&mut object).unwrap();
    assert_eq!(
        done.not_returned.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["`apiVersion`: the object had a newer one"]
    );
    assert_eq!(super::back(&conversions, &object)["apiVersion"], "example.com/v1beta1");
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
    let gone = back(&conversions, &new);
    assert_eq!(gone["spec"]["rules"], json!([{"name": "b"}]), "its item is gone");
    assert_eq!(gone["metadata"]["annotations"][ANNOTATION], data);
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
        assert_eq!(back(&conversions, &new)["spec"], json!({"mode": "D"}), "the user changed the value");
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
    let schema = serde_json::from_str(crd_convert::DATA_SCHEMA).unwrap();
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
