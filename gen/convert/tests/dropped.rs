//! Values that a switch to standard removes.

use crd_convert::{Conversions, Document, Path, Segment};
use serde_json::{Value, json};

fn conversions() -> Conversions {
    let document = json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": []});
    Conversions::new(&Document::from_value(&document).unwrap()).unwrap()
}

/// The items of `spec.named` have the key `name`.
fn keys(path: &[Segment]) -> Option<Vec<String>> {
    (Path::new(path)?.to_string() == "spec.named").then(|| vec!["name".to_owned()])
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

fn kept(before: &Value, after: &Value) -> (Value, Vec<String>) {
    let mut after = object(after);
    let places = conversions().keep_dropped(&object(before), &mut after, &keys).unwrap();
    (after, places)
}

/// Keeps what is missing, lets a user edit the object, and returns the values.
#[track_caller]
fn check(before: &Value, after: &Value, edit: impl FnOnce(&mut Value), expected: &Value, places: &[&str]) {
    let (mut object, _) = kept(before, after);
    edit(&mut object["spec"]);
    let returned = conversions().return_dropped(&mut object).unwrap();
    assert_eq!(
        (&object["spec"], returned.places.iter().map(String::as_str).collect::<Vec<_>>()),
        (expected, places.to_vec())
    );
    let is_gone = object["metadata"].get("annotations").is_none();
    assert_eq!(is_gone, returned.not_returned.is_empty(), "the annotation keeps the rest");
}

#[test]
fn values_return_to_their_places() {
    let before = json!({"a": 1, "b": {"c": {"d": [1]}, "e": 2}, "named": [{"name": "x", "y": 1}], "list": [{"z": 1, "k": 0}, {"k": 1}]});
    let after = json!({"a": 1, "b": {"e": 2}, "named": [{"name": "x"}], "list": [{"k": 0}, {"k": 1}]});
    let (object, places) = kept(&before, &after);
    assert_eq!(places, ["spec.b.c", "spec.list[0].z", "spec.named[0].y"]);
    assert_eq!(object["spec"], after);
    check(&before, &after, |_| {}, &before, &["spec.b.c", "spec.list[0].z", "spec.named[0].y"]);
}

#[test]
fn an_object_without_missing_values_stays_as_it_is() {
    let spec = json!({"a": [{"b": 1}]});
    assert_eq!(kept(&spec, &spec), (object(&spec), Vec::new()));
    let mut plain = object(&spec);
    assert_eq!(conversions().return_dropped(&mut plain).unwrap().places, [] as [&str; 0]);
    assert_eq!(plain, object(&spec));
}

#[test]
fn what_a_user_wrote_stays() {
    let (before, after) = (json!({"a": {"b": 1, "c": 2}, "d": 3}), json!({"a": {}}));
    check(
        &before,
        &after,
        |spec| spec["a"]["b"] = json!(9),
        &json!({"a": {"b": 9, "c": 2}, "d": 3}),
        &["spec.d", "spec.a.c"],
    );
    check(&before, &after, |spec| *spec = json!({}), &json!({"d": 3}), &["spec.d"]);
    check(&before, &after, |spec| spec["a"] = json!("text"), &json!({"a": "text", "d": 3}), &["spec.d"]);
}

#[test]
fn an_item_is_found_by_its_key_or_by_its_whole_form() {
    let before =
        json!({"named": [{"name": "x", "y": 1}, {"name": "z", "y": 2}], "list": [{"k": 0, "y": 1}, {"k": 1, "y": 2}]});
    let after = json!({"named": [{"name": "x"}, {"name": "z"}], "list": [{"k": 0}, {"k": 1}]});
    // Another order, and one item less.
    let swap = |spec: &mut Value| spec["named"] = json!([{"name": "z"}, {"name": "x"}]);
    let expected = json!({"named": [{"name": "z", "y": 2}, {"name": "x", "y": 1}], "list": before["list"]});
    check(
        &before,
        &after,
        swap,
        &expected,
        &["spec.list[0].y", "spec.list[1].y", "spec.named[1].y", "spec.named[0].y"],
    );
    let remove = |spec: &mut Value| spec["list"] = json!([{"k": 1}]);
    let expected = json!({"named": before["named"], "list": [{"k": 1, "y": 2}]});
    check(&before, &after, remove, &expected, &["spec.list[0].y", "spec.named[0].y", "spec.named[1].y"]);
    let edit = |spec: &mut Value| spec["list"] = json!([{"k": 5}, {"k": 1}]);
    let expected = json!({"named": before["named"], "list": [{"k": 5}, {"k": 1, "y": 2}]});
    check(&before, &after, edit, &expected, &["spec.list[1].y", "spec.named[0].y", "spec.named[1].y"]);
}

#[test]
fn a_status_is_named_and_not_kept() {
    let mut before = object(&json!({"a": 1}));
    before["status"] = json!({"conditions": [{"type": "A", "extra": 1}], "gone": 2});
    let mut after = object(&json!({"a": 1}));
    after["status"] = json!({"conditions": [{"type": "A"}]});
    let unchanged = after.clone();
    let places = conversions().keep_dropped(&before, &mut after, &keys).unwrap();
    assert_eq!(places, ["status.gone", "status.conditions[0].extra"]);
    assert_eq!(after, unchanged);
}

#[test]
fn later_drops_join_earlier_ones() {
    let (mut object, _) = kept(&json!({"a": {"b": 1, "c": 2}}), &json!({"a": {"b": 1}}));
    let before = object.clone();
    object["spec"] = json!({"a": {}});
    conversions().keep_dropped(&before, &mut object, &keys).unwrap();
    conversions().return_dropped(&mut object).unwrap();
    assert_eq!(object["spec"], json!({"a": {"b": 1, "c": 2}}));
}

/// Two switches, between which the value was written again: the newer one returns, and the older one stays.
#[test]
fn the_newest_of_two_values_returns() {
    let (mut object, _) = kept(&json!({"a": {"b": 1}}), &json!({"a": {}}));
    object["spec"]["a"]["b"] = json!(2);
    let before = object.clone();
    object["spec"]["a"] = json!({});
    conversions().keep_dropped(&before, &mut object, &keys).unwrap();
    let returned = conversions().return_dropped(&mut object).unwrap();
    assert_eq!(object["spec"], json!({"a": {"b": 2}}));
    let not_returned = returned.not_returned.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(not_returned, ["`spec.a.b`: its place has another value"]);
    assert!(
        object["metadata"]["annotations"]["example.com/conversion-data"]
            .as_str()
            .unwrap()
            .contains(r#""kept":{"b":1}"#)
    );
}

/// Items of a list without keys that lost two values one after the other.
#[test]
fn values_of_two_switches_return_to_an_item_without_keys() {
    let (mut object, _) =
        kept(&json!({"list": [{"k": 0, "y": 1, "z": 2}, {"k": 1}]}), &json!({"list": [{"k": 0, "z": 2}, {"k": 1}]}));
    let before = object.clone();
    object["spec"] = json!({"list": [{"k": 0}, {"k": 1}]});
    conversions().keep_dropped(&before, &mut object, &keys).unwrap();
    object["spec"]["list"].as_array_mut().unwrap().reverse();
    conversions().return_dropped(&mut object).unwrap();
    assert_eq!(object["spec"], json!({"list": [{"k": 1}, {"k": 0, "y": 1, "z": 2}]}));
}

#[test]
fn too_large_values_are_refused() {
    let before = object(&json!({"text": "x".repeat(300_000)}));
    let mut after = object(&json!({}));
    let failure = conversions().keep_dropped(&before, &mut after, &keys).unwrap_err();
    assert!(failure.why.contains("bytes; API servers accept 262144"), "{failure}");
    assert_eq!(after, object(&json!({})));
}

#[test]
fn conversion_carries_the_values_along() {
    let (object, _) = kept(&json!({"a": 1, "b": 2}), &json!({"a": 1}));
    let mut converted = object.clone();
    assert_eq!(conversions().forward(&mut converted).unwrap(), [] as [&str; 0]);
    assert_eq!(converted, object);
    let conversions = conversions();
    let back = conversions.convert_back(&object, "v1.0.0".parse().unwrap()).unwrap();
    assert_eq!(back.object, object);
}
