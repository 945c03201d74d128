//! Facts about objects that were valid once: which invalid values an update may keep ("ratcheting").
//!
//! Each case of `ratcheting.yaml` is a field of one CRD whose schema became stricter after an object was written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::group::{Group, and, object, set_schema, storage, text};
use crate::tables::table;

/// An update of an object that has become invalid.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum Update {
    /// Writes a label.
    Label,
    /// Writes another field of `spec`.
    Sibling,
    /// Writes the invalid value itself, which remains invalid.
    Inside,
}

/// A field before and after its schema became stricter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The name of the field, and of the object.
    name: &'static str,
    /// The previous schema of the field.
    loose: Value,
    /// The stricter schema.
    strict: Value,
    /// The value that was valid before.
    value: Value,
    /// The value with a change next to its invalid part.
    inside: Value,
    /// The error for a new object with the value; empty if it is accepted.
    #[serde(default)]
    refusal: &'static str,
    /// The updates that the server accepts.
    #[serde(default = "untouched")]
    forgiven: Vec<Update>,
}

fn untouched() -> Vec<Update> {
    vec![Update::Label, Update::Sibling]
}

/// The cases by fact.
static CASES: LazyLock<BTreeMap<&str, Vec<Case>>> = LazyLock::new(|| table(include_str!("ratcheting.yaml")));

fn rule(rule: &str) -> Value {
    json!({ "x-kubernetes-validations": [{ "rule": rule, "message": "the rule" }] })
}

/// Creates the CRD and the objects, and makes the CRD strict. Asserts the error for a new object and the accepted updates of each case.
fn try_cases<F: Fn()>(fact: F) {
    let name = std::any::type_name::<F>().rsplit("::").next().unwrap_or_default();
    let cases = &CASES[name];
    let schema = |strict: bool| {
        let mut properties = json!({ "sibling": text() });
        for case in cases {
            properties[case.name] = if strict { case.strict.clone() } else { case.loose.clone() };
        }
        object(json!({ "spec": object(properties) }))
    };
    let Some(group) = Group::create(fact, &[storage("v1", schema(false))]) else { return };
    let name = |case: &Case| case.name.to_lowercase();
    for case in cases {
        group.post("v1", &name(case), json!({ case.name: case.value })).with_code(201);
    }
    group.change(|crd| set_schema(crd, "v1", schema(true)));
    for case in cases {
        let fresh = group.post("v1", "fresh", json!({ case.name: case.value }));
        if case.refusal.is_empty() {
            fresh.with_code(201);
            group.send("DELETE", &group.path("v1", "fresh"), None).with_code(200);
        } else {
            fresh.refuses(422, case.refusal);
        }
        for update in [Update::Label, Update::Sibling, Update::Inside] {
            let patch = match update {
                Update::Label => json!({ "metadata": { "labels": { "label": "label" } } }),
                Update::Sibling => json!({ "spec": { "sibling": "new" } }),
                Update::Inside => json!({ "spec": { case.name: case.inside } }),
            };
            let answer = group.patch("v1", &name(case), patch);
            let expected = if case.forgiven.contains(&update) { 200 } else { 422 };
            assert_eq!(answer.code, expected, "{} {update:?}: {:#}", case.name, answer.body);
            if expected == 422 && !case.refusal.is_empty() {
                answer.refuses(422, case.refusal);
            }
        }
    }
}

#[test]
fn an_update_may_keep_an_invalid_value_that_it_does_not_touch() {
    try_cases(an_update_may_keep_an_invalid_value_that_it_does_not_touch);
}

#[test]
fn entries_of_map_lists_and_of_maps_are_forgiven_one_by_one() {
    try_cases(entries_of_map_lists_and_of_maps_are_forgiven_one_by_one);
}

#[test]
fn entries_of_atomic_lists_and_sets_are_forgiven_only_with_the_whole_list() {
    try_cases(entries_of_atomic_lists_and_sets_are_forgiven_only_with_the_whole_list);
}

#[test]
fn rules_of_an_object_are_forgiven_only_if_nothing_in_it_changes() {
    try_cases(rules_of_an_object_are_forgiven_only_if_nothing_in_it_changes);
}

#[test]
fn transition_rules_are_never_forgiven() {
    try_cases(transition_rules_are_never_forgiven);
}

#[test]
fn forbidden_additional_properties_are_never_forgiven() {
    try_cases(forbidden_additional_properties_are_never_forgiven);
}

#[test]
fn a_missing_list_map_key_is_never_forgiven() {
    try_cases(a_missing_list_map_key_is_never_forgiven);
}

#[test]
fn an_object_with_duplicates_in_a_set_or_map_list_may_get_more_of_them() {
    try_cases(an_object_with_duplicates_in_a_set_or_map_list_may_get_more_of_them);
}

/// A schema with more keywords at its root.
fn root(keywords: Value) -> Value {
    let properties = json!({
        "spec": object(json!({ "field": text() })),
        "status": object(json!({ "state": text() })),
        "missing": text(),
    });
    and(object(properties), keywords)
}

/// A version with the status subresource.
fn with_status(schema: Value) -> Value {
    and(storage("v1", schema), json!({ "subresources": { "status": {} } }))
}

/// Keywords at the root of the schema that make every object of the kind invalid, with the error.
fn at_the_root() -> [(&'static str, Value, &'static str); 4] {
    [
        ("required", json!({ "required": ["missing"] }), "missing: Required value"),
        ("rule", rule("has(self.missing)"), "the rule"),
        ("properties", json!({ "minProperties": 9 }), "should have at least 9 properties"),
        ("alternative", json!({ "anyOf": [{ "required": ["missing"] }] }), "must validate at least one schema"),
    ]
}

/// A group with an object that these keywords at the root made invalid.
fn with_invalid_root(group: &Group, label: &str, version: Value, keywords: &Value) -> Group {
    let group = group.create_second(label, &[version]);
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    group.change(|crd| set_schema(crd, "v1", root(keywords.clone())));
    group
}

#[test]
fn at_the_root_only_deletion_is_forgiven() {
    let Some(group) = Group::of(at_the_root_only_deletion_is_forgiven) else { return };
    for (label, keywords, refusal) in at_the_root() {
        let group = with_invalid_root(&group, label, storage("v1", root(json!({}))), &keywords);
        let label = json!({ "metadata": { "labels": { "a": "b" } } });
        for patch in [label, json!({ "spec": { "field": "new" } }), json!({})] {
            group.patch("v1", "thing", patch).refuses(422, refusal);
        }
        group
            .patch("v1", "thing", json!({ "metadata": { "finalizers": ["example.com/finalizer"] } }))
            .refuses(422, refusal);
        group.send("DELETE", &group.path("v1", "thing"), None).with_code(200);
    }
}

#[test]
fn an_invalid_root_keeps_an_object_with_finalizers_forever() {
    let fact = an_invalid_root_keeps_an_object_with_finalizers_forever;
    let Some(group) = Group::create(fact, &[storage("v1", root(json!({})))]) else { return };
    let metadata = json!({ "name": "thing", "finalizers": ["example.com/finalizer"] });
    let thing = and(group.thing("v1", "thing"), json!({ "metadata": metadata, "spec": {} }));
    group.send("POST", &group.path("v1", ""), Some(&thing)).with_code(201);
    group.change(|crd| set_schema(crd, "v1", root(json!({ "required": ["missing"] }))));
    // The object is marked as deleted, and its controller may not remove the finalizer.
    group.send("DELETE", &group.path("v1", "thing"), None).with_code(200);
    let release = json!({ "metadata": { "finalizers": null } });
    group.patch("v1", "thing", release.clone()).refuses(422, "missing: Required value");
    // A write that also adds the missing field is accepted.
    let both = and(release, json!({ "missing": "value" }));
    group.patch("v1", "thing", both).with_code(200);
    assert_eq!(group.get("v1", "thing").code, 404);
}

/// The first minor (1.N) that ignores violated rules outside the status in a status write.
const STATUS_FORGIVES_RULES: u32 = 33;

#[test]
fn a_status_write_is_stopped_only_by_rules_of_the_root_and_transition_rules() {
    let fact = a_status_write_is_stopped_only_by_rules_of_the_root_and_transition_rules;
    let Some(first) = Group::of(fact) else { return };
    for (label, keywords, refusal) in at_the_root() {
        if !["required", "rule"].contains(&label) {
            let refused = first.try_create(&first.crd(&[with_status(root(keywords))]));
            refused.refuses(422, "fields are allowed at the root of the schema if the status subresource is enabled");
            continue;
        }
        let group = with_invalid_root(&first, label, with_status(root(json!({}))), &keywords);
        let answer = group.patch_status("v1", "thing", json!({ "state": "new" }));
        match label {
            "rule" => answer.refuses(422, refusal),
            _ => assert_eq!(answer.with_code(200)["status"], json!({ "state": "new" })),
        }
    }
    // Below the root, rules with `oldSelf` stop it too, whatever they check; rules without it do not.
    let broken_rule = if first.is_at_least(STATUS_FORGIVES_RULES) { 200 } else { 422 };
    let group = first.create_second("below", &[with_status(root(json!({})))]);
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    for (number, (field, code)) in [
        (and(text(), json!({ "maxLength": 1 })), 200),
        (and(text(), rule("self == 'a'")), broken_rule),
        (and(text(), rule("oldSelf == 'a'")), 422),
    ]
    .into_iter()
    .enumerate()
    {
        let mut schema = root(json!({}));
        schema["properties"]["spec"] = object(json!({ "field": field }));
        group.change(|crd| set_schema(crd, "v1", schema.clone()));
        let answer = group.patch_status("v1", "thing", json!({ "state": number.to_string() }));
        assert_eq!(answer.code, code, "{field}: {:#}", answer.body);
    }
}
