//! Facts about objects that were valid once: which invalid values an update may keep ("ratcheting").
//!
//! Each case is a field of one CRD whose schema became stricter after an object was written.

use serde_json::{Value, json};

use super::group::{Group, and, integer, object, set_schema, storage, text};

/// An update of an object that has become invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    /// Writes a label.
    Label,
    /// Writes another field of `spec`.
    Sibling,
    /// Writes the invalid value itself, which remains invalid.
    Inside,
}

/// A field before and after its schema became stricter.
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
    refusal: &'static str,
    /// The updates that the server accepts.
    forgiven: &'static [Update],
}

const ALL: &[Update] = &[Update::Label, Update::Sibling, Update::Inside];
const UNTOUCHED: &[Update] = &[Update::Label, Update::Sibling];

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn set(items: Value) -> Value {
    and(list(items), json!({ "x-kubernetes-list-type": "set" }))
}

fn map(items: Value) -> Value {
    and(list(items), json!({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"] }))
}

fn short() -> Value {
    and(text(), json!({ "maxLength": 3 }))
}

fn rule(rule: &str) -> Value {
    json!({ "x-kubernetes-validations": [{ "rule": rule, "message": "the rule" }] })
}

/// An entry of a list: `key`, which is required, and `value` of this schema.
fn entry(value: Value) -> Value {
    and(object(json!({ "key": text(), "value": value, "other": text() })), json!({ "required": ["key"] }))
}

/// Creates the CRD and the objects, and makes the CRD strict. Asserts the error for a new object and the accepted updates of each case.
fn try_cases<F: Fn()>(fact: F, cases: Vec<Case>) {
    let schema = |strict: bool| {
        let mut properties = json!({ "sibling": text() });
        for case in &cases {
            properties[case.name] = if strict { case.strict.clone() } else { case.loose.clone() };
        }
        object(json!({ "spec": object(properties) }))
    };
    let Some(group) = Group::create(fact, &[storage("v1", schema(false))]) else { return };
    let name = |case: &Case| case.name.to_lowercase();
    for case in &cases {
        group.post("v1", &name(case), json!({ case.name: case.value })).expect(201);
    }
    group.change(|crd| set_schema(crd, "v1", schema(true)));
    for case in &cases {
        let fresh = group.post("v1", "fresh", json!({ case.name: case.value }));
        if case.refusal.is_empty() {
            fresh.expect(201);
            group.send("DELETE", &group.path("v1", "fresh"), None).expect(200);
        } else {
            fresh.refuses(422, case.refusal);
        }
        for update in ALL {
            let patch = match update {
                Update::Label => json!({ "metadata": { "labels": { "label": "label" } } }),
                Update::Sibling => json!({ "spec": { "sibling": "new" } }),
                Update::Inside => json!({ "spec": { case.name: case.inside } }),
            };
            let answer = group.patch("v1", &name(case), patch);
            let expected = if case.forgiven.contains(update) { 200 } else { 422 };
            assert_eq!(answer.code, expected, "{} {update:?}: {:#}", case.name, answer.body);
            if expected == 422 && !case.refusal.is_empty() {
                answer.refuses(422, case.refusal);
            }
        }
    }
}

#[test]
fn an_update_may_keep_an_invalid_value_that_it_does_not_touch() {
    let strings = [
        ("maxLength", json!({ "maxLength": 3 }), "may not be more than 3 bytes"),
        ("minLength", json!({ "minLength": 30 }), "should be at least 30 chars long"),
        ("pattern", json!({ "pattern": "^a*$" }), "should match '^a*$'"),
        ("enum", json!({ "enum": ["a"] }), "supported values: \"a\""),
        ("format", json!({ "format": "date-time" }), "must be of type date-time"),
        ("rule", rule("self == 'a'"), "the rule"),
        ("not", json!({ "not": { "enum": ["too long", "longer still"] } }), "must not validate the schema"),
        ("oneOf", json!({ "oneOf": [{ "maxLength": 1 }, { "maxLength": 2 }] }), "validate one and only one schema"),
        ("allOf", json!({ "allOf": [{ "maxLength": 3 }] }), "must validate all the schemas"),
    ];
    let mut cases: Vec<Case> = Vec::new();
    for (name, keywords, refusal) in strings {
        let (loose, strict) = (text(), and(text(), keywords));
        let (value, inside) = (json!("too long"), json!("longer still"));
        cases.push(Case { name, loose, strict, value, inside, refusal, forgiven: UNTOUCHED });
    }
    let integers = [
        ("minimum", json!({ "minimum": 10 }), "greater than or equal to 10"),
        ("maximum", json!({ "maximum": 0 }), "less than or equal to 0"),
        ("multipleOf", json!({ "multipleOf": 10 }), "multiple of 10"),
    ];
    for (name, keywords, refusal) in integers {
        let (loose, strict) = (integer(), and(integer(), keywords));
        cases.push(Case { name, loose, strict, value: json!(1), inside: json!(2), refusal, forgiven: UNTOUCHED });
    }
    cases.push(Case {
        name: "type",
        loose: text(),
        strict: integer(),
        value: json!("text"),
        inside: json!("other text"),
        refusal: "must be of type integer: \"string\"",
        forgiven: UNTOUCHED,
    });
    cases.push(Case {
        name: "maxItems",
        loose: list(text()),
        strict: and(list(text()), json!({ "maxItems": 1 })),
        value: json!(["a", "b"]),
        inside: json!(["a", "c"]),
        refusal: "must have at most 1 item",
        forgiven: UNTOUCHED,
    });
    try_cases(an_update_may_keep_an_invalid_value_that_it_does_not_touch, cases);
}

#[test]
fn entries_of_map_lists_and_of_maps_are_forgiven_one_by_one() {
    let case = |name, loose, strict, value, inside, refusal| Case {
        name,
        loose,
        strict,
        value,
        inside,
        refusal,
        forgiven: ALL,
    };
    let long = json!({ "key": "a", "value": "too long" });
    let cases = vec![
        case(
            "listMap",
            map(entry(text())),
            map(entry(short())),
            json!([long, { "key": "b" }]),
            // Another entry is changed, one is added in front, and the invalid entry moves.
            json!([{ "key": "c" }, { "key": "b", "value": "new" }, long]),
            "may not be more than 3 bytes",
        ),
        case(
            "listMapSameEntry",
            map(entry(text())),
            map(entry(short())),
            json!([long]),
            // Another field of the invalid entry is changed.
            json!([{ "key": "a", "value": "too long", "other": "new" }]),
            "may not be more than 3 bytes",
        ),
        case(
            "additionalProperties",
            json!({ "type": "object", "additionalProperties": text() }),
            json!({ "type": "object", "additionalProperties": short() }),
            json!({ "a": "too long" }),
            json!({ "a": "too long", "b": "new" }),
            "may not be more than 3 bytes",
        ),
        case(
            "properties",
            object(json!({ "a": text(), "b": text() })),
            object(json!({ "a": short(), "b": text() })),
            json!({ "a": "too long" }),
            json!({ "a": "too long", "b": "new" }),
            "may not be more than 3 bytes",
        ),
    ];
    try_cases(entries_of_map_lists_and_of_maps_are_forgiven_one_by_one, cases);
}

#[test]
fn entries_of_atomic_lists_and_sets_are_forgiven_only_with_the_whole_list() {
    let case = |name, loose, strict, value, inside| Case {
        name,
        loose,
        strict,
        value,
        inside,
        refusal: "may not be more than 3 bytes",
        forgiven: UNTOUCHED,
    };
    let long = json!({ "key": "a", "value": "too long" });
    let cases = vec![
        case("atomic", list(text()), list(short()), json!(["too long"]), json!(["too long", "new"])),
        case(
            "atomicOfObjects",
            list(entry(text())),
            list(entry(short())),
            json!([long]),
            json!([long, { "key": "b" }]),
        ),
        case("set", set(text()), set(short()), json!(["too long"]), json!(["too long", "new"])),
    ];
    try_cases(entries_of_atomic_lists_and_sets_are_forgiven_only_with_the_whole_list, cases);
}

#[test]
fn rules_of_an_object_are_forgiven_only_if_nothing_in_it_changes() {
    let fields = || object(json!({ "a": text(), "b": text() }));
    let case = |name, keywords, refusal| Case {
        name,
        loose: fields(),
        strict: and(fields(), keywords),
        value: json!({ "a": "a" }),
        inside: json!({ "a": "new" }),
        refusal,
        forgiven: UNTOUCHED,
    };
    let cases = vec![
        case("required", json!({ "required": ["b"] }), "required.b: Required value"),
        case("rule", rule("has(self.b)"), "the rule"),
        case("minProperties", json!({ "minProperties": 2 }), "should have at least 2 properties"),
        case("anyOf", json!({ "anyOf": [{ "required": ["b"] }] }), "must validate at least one schema"),
        // Also if the invalid part is a child that does not change.
        case("anyOfChild", json!({ "anyOf": [{ "properties": { "b": {} }, "required": ["b"] }] }), "b: Required value"),
    ];
    try_cases(rules_of_an_object_are_forgiven_only_if_nothing_in_it_changes, cases);
}

#[test]
fn transition_rules_are_never_forgiven() {
    let optional = json!({
        "rule": "self == 'a' && (!oldSelf.hasValue() || oldSelf.value() != '')",
        "message": "the rule",
        "optionalOldSelf": true,
    });
    let case = |name, strict, refusal| Case {
        name,
        loose: text(),
        strict,
        value: json!("value"),
        inside: json!("other"),
        refusal,
        forgiven: &[],
    };
    let cases = vec![
        // A rule that needs an old value is not checked without one: a new object is accepted, and its updates are refused.
        case("oldSelf", and(text(), rule("self == 'a' || oldSelf == 'a'")), ""),
        case("optionalOldSelf", and(text(), json!({ "x-kubernetes-validations": [optional] })), "the rule"),
    ];
    try_cases(transition_rules_are_never_forgiven, cases);
}

#[test]
fn forbidden_additional_properties_are_never_forgiven() {
    let case = Case {
        name: "closed",
        loose: json!({ "type": "object", "additionalProperties": text() }),
        strict: json!({ "type": "object", "additionalProperties": false }),
        value: json!({ "a": "a" }),
        inside: json!({ "a": "b" }),
        refusal: "spec.closed.a in body is a forbidden property",
        forgiven: &[],
    };
    try_cases(forbidden_additional_properties_are_never_forgiven, vec![case]);
}

#[test]
fn a_missing_list_map_key_is_never_forgiven() {
    let unkeyed = list(object(json!({ "key": text(), "value": text() })));
    let case = Case {
        name: "list",
        loose: unkeyed,
        strict: map(entry(text())),
        value: json!([{ "value": "v" }]),
        inside: json!([{ "value": "w" }]),
        refusal: "spec.list[0].key: Required value",
        forgiven: &[],
    };
    try_cases(a_missing_list_map_key_is_never_forgiven, vec![case]);
}

#[test]
fn an_object_with_duplicates_in_a_set_or_map_list_may_get_more_of_them() {
    let case = |name, loose, strict, value, inside, refusal, forgiven| Case {
        name,
        loose,
        strict,
        value,
        inside,
        refusal,
        forgiven,
    };
    let lists = |of: &dyn Fn(Value) -> Value| object(json!({ "one": of(text()), "two": of(text()) }));
    let cases = vec![
        case(
            "map",
            list(entry(text())),
            map(entry(text())),
            json!([{ "key": "a" }, { "key": "a" }]),
            json!([{ "key": "a" }, { "key": "a" }, { "key": "b" }, { "key": "b" }]),
            "spec.map[1]: Duplicate value",
            ALL,
        ),
        case(
            "set",
            list(text()),
            set(text()),
            json!(["a", "a"]),
            json!(["a", "a", "b", "b"]),
            "spec.set[1]: Duplicate value",
            ALL,
        ),
        case(
            "otherList",
            lists(&list),
            lists(&set),
            json!({ "one": ["a", "a"], "two": ["a"] }),
            json!({ "two": ["a", "a"] }),
            "spec.otherList.one[1]: Duplicate value",
            ALL,
        ),
        // An object without duplicates: the first duplicate is refused.
        case("none", list(text()), set(text()), json!(["a", "b"]), json!(["a", "a"]), "", UNTOUCHED),
    ];
    try_cases(an_object_with_duplicates_in_a_set_or_map_list_may_get_more_of_them, cases);
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
    group.post("v1", "thing", json!({ "field": "value" })).expect(201);
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
        group.send("DELETE", &group.path("v1", "thing"), None).expect(200);
    }
}

#[test]
fn an_invalid_root_keeps_an_object_with_finalizers_forever() {
    let fact = an_invalid_root_keeps_an_object_with_finalizers_forever;
    let Some(group) = Group::create(fact, &[storage("v1", root(json!({})))]) else { return };
    let metadata = json!({ "name": "thing", "finalizers": ["example.com/finalizer"] });
    let thing = and(group.thing("v1", "thing"), json!({ "metadata": metadata, "spec": {} }));
    group.send("POST", &group.path("v1", ""), Some(&thing)).expect(201);
    group.change(|crd| set_schema(crd, "v1", root(json!({ "required": ["missing"] }))));
    // The object is marked as deleted, and its controller may not remove the finalizer.
    group.send("DELETE", &group.path("v1", "thing"), None).expect(200);
    let release = json!({ "metadata": { "finalizers": null } });
    group.patch("v1", "thing", release.clone()).refuses(422, "missing: Required value");
    // A write that also adds the missing field is accepted.
    let both = and(release, json!({ "missing": "value" }));
    group.patch("v1", "thing", both).expect(200);
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
            _ => assert_eq!(answer.expect(200)["status"], json!({ "state": "new" })),
        }
    }
    // Below the root, rules with `oldSelf` stop it too, whatever they check; rules without it do not.
    let broken_rule = if first.is_at_least(STATUS_FORGIVES_RULES) { 200 } else { 422 };
    let group = first.create_second("below", &[with_status(root(json!({})))]);
    group.post("v1", "thing", json!({ "field": "value" })).expect(201);
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
