//! Each operation on a short example, forward and backward, and what it does not carry.

use serde_json::{Value, json};

use super::{back, failure, forward, one, thing};

/// The old form becomes the new one, and the new one the old one, without conversion data.
#[track_caller]
fn both_ways(step: Value, old: Value, new: Value) {
    let conversions = one(step);
    let (old, new) = (thing(old), thing(new));
    assert_eq!(forward(&conversions, &old), new);
    assert_eq!(back(&conversions, &new), old);
    assert_eq!(forward(&conversions, &new), new, "the new form is converted again");
    assert_eq!(back(&conversions, &old), old, "the old form is converted back again");
}

#[track_caller]
fn fails(step: Value, old: Value, expected: &str) {
    assert_eq!(failure(&one(step), &thing(old)), format!("{expected} (lens `lens-0`)"));
}

#[test]
fn a_field_is_renamed() {
    let step = json!({"operation": "rename", "from": "spec.tls", "to": "spec.validation"});
    both_ways(step, json!({"tls": {"a": null}, "b": 1}), json!({"validation": {"a": null}, "b": 1}));
}

#[test]
fn fields_of_items_and_of_map_values_are_renamed() {
    let step = json!({"operation": "rename", "from": "spec.rules[*].filters[*].x", "to": "spec.rules[*].filters[*].y"});
    let rules = |name: &str| json!({"rules": [{"filters": [{name: 1}, {"z": 2}]}, {}, {"filters": [{name: 3}]}]});
    both_ways(step, rules("x"), rules("y"));
    let step = json!({"operation": "rename", "from": "spec.options{*}.x", "to": r#"spec.options{*}["y.z"]"#});
    let options = |name: &str| json!({"options": {"a": {name: 1}, "b/c": {name: 2}, "d": 5}});
    both_ways(step, options("x"), options("y.z"));
}

#[test]
fn a_field_moves_up_down_and_to_another_parent() {
    let step = |from: &str, to: &str| json!({"operation": "move", "from": from, "to": to});
    both_ways(step("spec.tls.mode", "spec.mode"), json!({"tls": {"mode": 1}}), json!({"mode": 1}));
    both_ways(step("spec.mode", "spec.tls.a.mode"), json!({"mode": 1}), json!({"tls": {"a": {"mode": 1}}}));
    both_ways(
        step("spec.backend.tls", "spec.tls.backend"),
        json!({"backend": {"tls": 1, "x": 2}, "tls": {"y": 3}}),
        json!({"backend": {"x": 2}, "tls": {"backend": 1, "y": 3}}),
    );
    fails(
        step("spec.mode", "spec.tls.mode"),
        json!({"mode": 1, "tls": "x"}),
        "`the object`: `spec.tls.mode` cannot be written: `spec.tls` is not an object",
    );
}

#[test]
fn both_forms_together_are_an_error_with_both_places() {
    fails(
        json!({"operation": "rename", "from": "spec.rules[*].x", "to": "spec.rules[*].y"}),
        json!({"rules": [{"x": 1}, {"x": 1, "y": 2}]}),
        "`spec.rules[1].x`: the old form `spec.rules[1].x` and the new form `spec.rules[1].y` are both present; remove one of them",
    );
}

#[test]
fn a_value_becomes_a_list_of_one() {
    let step = |from: &str, to: &str| json!({"operation": "wrapInList", "from": from, "to": to});
    both_ways(
        step("spec.targetRef", "spec.targetRefs"),
        json!({"targetRef": {"name": "a"}}),
        json!({"targetRefs": [{"name": "a"}]}),
    );
    both_ways(step("spec.a", "spec.a"), json!({"a": {"b": 1}}), json!({"a": [{"b": 1}]}));
    both_ways(step("spec.a[*]", "spec.a[*]"), json!({"a": [1, "x"]}), json!({"a": [[1], ["x"]]}));
}

#[test]
fn a_list_of_one_becomes_a_value() {
    let step = json!({"operation": "unwrapList", "from": "spec.refs", "to": "spec.ref"});
    both_ways(step.clone(), json!({"refs": [1]}), json!({"ref": 1}));
    let list = |list: Value, why: &str| fails(step.clone(), json!({ "refs": list }), &format!("`the object`: {why}"));
    list(json!([1, 2]), "the list has 2 items, and the new form has room for one");
    list(json!([]), "the list is empty, and the new form needs one item");
    list(json!("x"), "the value is not a list");
    both_ways(json!({"operation": "unwrapList", "from": "spec.a", "to": "spec.a"}), json!({"a": [1]}), json!({"a": 1}));
}

#[test]
fn values_become_objects_with_one_field() {
    let step = |path: &str| json!({"operation": "wrapInObject", "from": path, "to": path, "field": "name"});
    both_ways(
        step("spec.features[*]"),
        json!({"features": ["a", "b"]}),
        json!({"features": [{"name": "a"}, {"name": "b"}]}),
    );
    both_ways(step("spec.a"), json!({"a": [1]}), json!({"a": {"name": [1]}}));
    let step = json!({"operation": "wrapInObject", "from": "spec.a", "to": "spec.b", "field": "name"});
    both_ways(step, json!({"a": {"x": 1}}), json!({"b": {"name": {"x": 1}}}));
}

#[test]
fn objects_with_one_field_become_values() {
    let step = json!({"operation": "unwrapObject", "from": "spec.a", "to": "spec.a", "field": "name"});
    both_ways(step.clone(), json!({"a": {"name": 1}}), json!({"a": 1}));
    fails(step.clone(), json!({"a": {}}), "`the object`: the object does not have the field `name`");
    fails(
        step,
        json!({"a": {"name": 1, "b": 2}}),
        "`the object`: the object has the field `b`, and the new form has room for `name` only",
    );
}

#[test]
fn a_list_becomes_a_map_by_a_key() {
    let step = json!({"operation": "listToMap", "from": "spec.ports", "to": "spec.ports", "key": "name"});
    let list = json!({"ports": [{"name": "a", "port": 1}, {"name": "b"}]});
    both_ways(step.clone(), list.clone(), json!({"ports": {"a": {"port": 1}, "b": {}}}));
    both_ways(
        json!({"operation": "mapToList", "from": "spec.ports", "to": "spec.ports", "key": "name"}),
        json!({"ports": {"a": {"port": 1}, "b": {}}}),
        list,
    );
    let fails =
        |items: Value, why: &str| fails(step.clone(), json!({ "ports": items }), &format!("`the object`: {why}"));
    fails(json!([{"name": "a"}, {"name": "a"}]), "two items have the key `a`");
    fails(json!([{"port": 1}]), "item 0 does not have the key `name` as a string");
    fails(json!([5]), "item 0 is not an object");
}

#[test]
fn a_list_becomes_a_map_of_one_field() {
    let step = |operation: &str, from: &str, to: &str| json!({"operation": operation, "from": from, "to": to, "key": "k", "value": "v"});
    let (list, map) = (json!({"list": [{"k": "a", "v": 1}, {"k": "b", "v": [2]}]}), json!({"map": {"a": 1, "b": [2]}}));
    both_ways(step("listToMap", "spec.list", "spec.map"), list.clone(), map.clone());
    both_ways(step("mapToList", "spec.map", "spec.list"), map, list);
    fails(
        step("listToMap", "spec.list", "spec.map"),
        json!({"list": [{"k": "a", "w": 1}]}),
        "`the object`: item 0 must have the fields `k` and `v` only",
    );
}

#[test]
fn values_of_an_enum_are_renamed() {
    let values = json!({"Old": "New", "Ancient": "Modern"});
    let step = |from: &str, to: &str| json!({"operation": "values", "from": from, "to": to, "values": values});
    both_ways(step("spec.mode", "spec.mode"), json!({"mode": "Old"}), json!({"mode": "New"}));
    both_ways(step("spec.mode", "spec.kind"), json!({"mode": "Ancient"}), json!({"kind": "Modern"}));
    both_ways(step("spec.mode", "spec.kind"), json!({"mode": "Same"}), json!({"kind": "Same"}));
    both_ways(
        step("spec.modes[*]", "spec.modes[*]"),
        json!({"modes": ["Old", "x", 3]}),
        json!({"modes": ["New", "x", 3]}),
    );
    fails(step("spec.mode", "spec.kind"), json!({"mode": 5}), "`the object`: the value is not a string");
}

#[test]
fn an_integer_has_another_unit() {
    let step = |multiply: u32, divide: u32| json!({"operation": "scale", "from": "spec.seconds", "to": "spec.millis", "multiply": multiply, "divide": divide});
    both_ways(step(1000, 1), json!({"seconds": -3}), json!({"millis": -3000}));
    both_ways(step(3, 2), json!({"seconds": 4}), json!({"millis": 6}));
    both_ways(step(1, 1), json!({"seconds": u64::MAX}), json!({"millis": u64::MAX}));
    fails(step(3, 2), json!({"seconds": 5}), "`the object`: 5 × 3 / 2 is not an integer");
    fails(step(1000, 1), json!({"seconds": u64::MAX}), "`the object`: the result is larger than 64 bits");
    fails(step(1000, 1), json!({"seconds": 1.5}), "`the object`: the value is not an integer");
}

fn split() -> Value {
    json!({
        "operation": "split",
        "from": "spec.address",
        "to": {"host": "spec.host", "port": "spec.port"},
        "pattern": "^(?P<host>[^:]+)(?::(?P<port>[0-9]+))?$",
        "template": "{host}:{port}",
        "integers": ["port"],
    })
}

#[test]
fn a_string_is_split_by_a_pattern() {
    both_ways(split(), json!({"address": "a.b:80"}), json!({"host": "a.b", "port": 80}));
    let fails = |value: Value, why: &str| fails(split(), json!({ "address": value }), &format!("`the object`: {why}"));
    fails(json!("a:b"), "the string does not match the pattern");
    fails(json!("a:080"), "the template does not write the same string again");
    fails(json!("a:99999999999999999999"), "`99999999999999999999` is not an integer");
    fails(json!(5), "the value is not a string");
}

#[test]
fn fields_are_joined_by_a_template() {
    let mut step = split();
    step["operation"] = json!("join");
    step["from"] = split()["to"].clone();
    step["to"] = split()["from"].clone();
    both_ways(step.clone(), json!({"host": "a.b", "port": 80}), json!({"address": "a.b:80"}));
    let fails = |old: Value, why: &str| fails(step.clone(), old, &format!("`the object`: {why}"));
    fails(json!({"host": "a:1", "port": 80}), "the string does not match the pattern");
    fails(json!({"host": "a", "port": "80"}), "a field of the string is not an integer");
    fails(json!({"host": 1, "port": 80}), "a field of the string is not a string");
}

#[test]
fn a_new_required_field_has_a_default() {
    let step = json!({"operation": "default", "path": "spec.rules[*].kind", "value": "Service"});
    both_ways(step, json!({"rules": [{"a": 1}]}), json!({"rules": [{"a": 1, "kind": "Service"}]}));
    let step = json!({"operation": "default", "path": "spec.ref.kind", "value": "Service"});
    both_ways(step, json!({}), json!({}));
}

#[test]
fn a_constant_is_implied_by_the_new_form() {
    let step = json!({"operation": "constant", "path": "spec.type", "value": "Static"});
    let conversions = one(step.clone());
    let (old, new) = (thing(json!({"type": "Static"})), thing(json!({})));
    assert_eq!((forward(&conversions, &old), back(&conversions, &new)), (new, old));
    fails(
        step,
        json!({"type": "x"}),
        "`the object`: `spec.type` has another value than the constant \"Static\", which the new form implies",
    );
}

#[test]
fn a_dropped_field_is_lost() {
    let conversions =
        one(json!({"operation": "drop", "path": "spec.idleTimeout", "reason": "no implementation used it"}));
    assert_eq!(forward(&conversions, &thing(json!({"idleTimeout": "1s", "a": 1}))), thing(json!({"a": 1})));
    assert_eq!(back(&conversions, &thing(json!({"a": 1}))), thing(json!({"a": 1})));
}
