//! Facts about unknown fields: which are dropped, which are refused, and which are kept if a schema preserves them.

use serde_json::{Value, json};

use super::group::{Group, and, object, one_of, served, set_schema, storage, text, with_spec};
use crate::requests::APPLY;

/// A schema: an object with these properties that keeps unknown fields.
fn keeping(properties: Value) -> Value {
    and(object(properties), json!({ "x-kubernetes-preserve-unknown-fields": true }))
}

#[test]
fn unknown_fields_are_not_stored() {
    let Some(group) =
        Group::create(unknown_fields_are_not_stored, &[storage("v1", with_spec(json!({ "known": text() })))])
    else {
        return;
    };
    let thing = and(group.thing("v1", "thing"), json!({ "spec": { "known": "k", "unknown": "u" }, "top": "t" }));
    let written = group.send("POST", &group.path("v1", ""), Some(&thing)).with_code(201);
    let stored = group.stored("thing");
    for object in [written, stored] {
        assert_eq!((&object["spec"], &object["top"]), (&json!({ "known": "k" }), &Value::Null));
    }
}

#[test]
fn unknown_fields_are_refused_on_request_and_otherwise_cause_warnings() {
    let list = json!({ "type": "array", "items": object(json!({ "known": text() })) });
    let schema = with_spec(json!({ "known": text(), "list": list }));
    let fact = unknown_fields_are_refused_on_request_and_otherwise_cause_warnings;
    let Some(group) = Group::create(fact, &[storage("v1", schema)]) else { return };
    let spec = json!({ "known": "k", "unknown": "u", "list": [{ "known": "k" }, { "unknown": "u" }] });
    let kept = json!({ "known": "k", "list": [{ "known": "k" }, {}] });
    let named = ["unknown field \"spec.list[1].unknown\"", "unknown field \"spec.unknown\""];
    // The default is a warning.
    for (query, name) in [("", "default"), ("?fieldValidation=Warn", "warn")] {
        let answer = group.post_with(query, "v1", name, spec.clone());
        assert_eq!(answer.warnings, named);
        assert_eq!(answer.spec(201), kept);
    }
    let ignored = group.post_with("?fieldValidation=Ignore", "v1", "ignore", spec.clone());
    assert_eq!((ignored.warnings.clone(), ignored.spec(201)), (Vec::new(), kept.clone()));
    let refused = group.post_with("?fieldValidation=Strict", "v1", "strict", spec.clone());
    refused.refuses(400, &format!("strict decoding error: {}, {}", named[0], named[1]));
    let path = format!("{}?fieldValidation=Strict", group.path("v1", "warn"));
    group.send("PATCH", &path, Some(&json!({ "spec": spec }))).refuses(422, named[1]);
    // kubectl requests strict validation by default.
    let manifest = and(group.thing("v1", "kubectl"), json!({ "spec": spec })).to_string();
    let strict = group.server.kubectl_reading(&["create", "-f", "-"], &manifest);
    assert!(!strict.success && strict.stderr.contains("strict decoding error: unknown field"), "{}", strict.stderr);
    let warned = group.server.kubectl_reading(&["create", "--validate=warn", "-f", "-"], &manifest);
    assert!(warned.success && warned.stderr.contains("Warning: unknown field \"spec.unknown\""), "{}", warned.stderr);
}

#[test]
fn server_side_apply_refuses_unknown_fields() {
    let list = json!({ "type": "array", "items": object(json!({ "known": text() })) });
    let schema = with_spec(json!({ "known": text(), "list": list }));
    let Some(group) = Group::create(server_side_apply_refuses_unknown_fields, &[storage("v1", schema)]) else { return };
    group.apply("v1", "thing", json!({ "unknown": "u" })).refuses(500, ".spec.unknown: field not declared in schema");
    // The requested validation does not matter.
    let thing = and(group.thing("v1", "thing"), json!({ "spec": { "unknown": "u" } }));
    let path = format!("{}?fieldManager=fact&fieldValidation=Ignore", group.path("v1", "thing"));
    group.server.send_with("PATCH", &path, &[APPLY], Some(&thing)).refuses(500, "field not declared in schema");
    // Inside an atomic list too, although its entries have no owners of their own.
    let list = group.apply("v1", "thing", json!({ "list": [{ "known": "k", "unknown": "u" }] }));
    list.refuses(500, ".spec.list[0].unknown: field not declared in schema");
}

#[test]
fn an_unknown_enum_value_is_refused_where_an_unknown_field_is_dropped() {
    let schema = with_spec(json!({ "choice": one_of(&["Old"]) }));
    let fact = an_unknown_enum_value_is_refused_where_an_unknown_field_is_dropped;
    let Some(group) = Group::create(fact, &[storage("v1", schema)]) else { return };
    for query in ["?fieldValidation=Ignore", "?fieldValidation=Strict"] {
        let answer = group.post_with(query, "v1", "thing", json!({ "choice": "New" }));
        answer.refuses(422, "spec.choice: Unsupported value: \"New\": supported values: \"Old\"");
    }
    assert_eq!(group.post("v1", "thing", json!({ "new": "New" })).spec(201), json!({}));
}

/// Three objects in each other (the last in a list); each keeps unknown fields or does not.
fn nested(keeps: [bool; 3]) -> Value {
    let level = |keeps: bool, properties: Value| if keeps { keeping(properties) } else { object(properties) };
    let items = level(keeps[2], json!({ "known": text() }));
    let middle = level(keeps[1], json!({ "known": text(), "list": { "type": "array", "items": items } }));
    level(keeps[0], json!({ "known": text(), "middle": middle }))
}

/// An object of that shape with an unknown field at each level, and one below an unknown field.
fn nested_value() -> Value {
    let unknown = json!({ "deep": { "deeper": "d" } });
    json!({
        "known": "k",
        "unknown": unknown,
        "middle": { "known": "k", "unknown": unknown, "list": [{ "known": "k", "unknown": unknown }] },
    })
}

/// The levels that still have the unknown field.
fn kept(value: &Value) -> [bool; 3] {
    let whole = json!({ "deep": { "deeper": "d" } });
    let levels = [value, &value["middle"], &value["middle"]["list"][0]];
    levels.map(|level| {
        assert_eq!(level["known"], "k", "{value:#}");
        assert!(level["unknown"].is_null() || level["unknown"] == whole, "only a part of it: {value:#}");
        !level["unknown"].is_null()
    })
}

#[test]
fn preserving_unknown_fields_reaches_the_fields_of_one_object_only() {
    let fact = preserving_unknown_fields_reaches_the_fields_of_one_object_only;
    let combinations: Vec<[bool; 3]> = (0..8).map(|bits| [bits & 4 > 0, bits & 2 > 0, bits & 1 > 0]).collect();
    let mut properties = json!({});
    for (number, keeps) in combinations.iter().enumerate() {
        properties[format!("case{number}")] = nested(*keeps);
    }
    let Some(group) = Group::create(fact, &[storage("v1", with_spec(properties))]) else { return };
    for (number, keeps) in combinations.into_iter().enumerate() {
        let case = format!("case{number}");
        let written = group.post("v1", &case, json!({ case.as_str(): nested_value() })).spec(201);
        // The setting of each object applies to its own fields only. Everything below an unknown field is kept.
        assert_eq!(kept(&written[&case]), keeps);
        assert_eq!(kept(&group.stored(&case)["spec"][&case]), keeps);
    }
    // The root of the schema is such an object too.
    let root = group.create_second("root", &[storage("v1", keeping(json!({ "spec": object(json!({})) })))]);
    let thing = and(root.thing("v1", "thing"), json!({ "top": "t", "spec": { "unknown": "u" } }));
    let written = root.send("POST", &root.path("v1", ""), Some(&thing)).with_code(201);
    assert_eq!((&written["top"], &written["spec"]), (&json!("t"), &json!({})));
}

#[test]
fn preserving_must_hold_in_the_requested_and_in_the_stored_version() {
    let (all, none) = ([true; 3], [false; 3]);
    let fact = preserving_must_hold_in_the_requested_and_in_the_stored_version;
    let schema = |keeps| object(json!({ "spec": nested(keeps) }));
    let Some(group) = Group::create(fact, &[storage("v1", schema(all)), served("v2", schema(none))]) else { return };
    // The object is stored with the fields and shown without them.
    assert_eq!(kept(&group.post("v1", "thing", nested_value()).spec(201)), all);
    assert_eq!(kept(&group.get("v2", "thing").spec(200)), none);
    assert_eq!(kept(&group.get("v1", "thing").spec(200)), all);
    assert_eq!(kept(&group.stored("thing")["spec"]), all);
    // A write through the version that drops them removes them permanently.
    group.label("v2", "thing", "label").with_code(200);
    assert_eq!(kept(&group.get("v1", "thing").spec(200)), none);
    // In the other direction, the storage version drops fields that the requested version keeps, and strict validation passes.
    let other = group.create_second("other", &[storage("v1", schema(none)), served("v2", schema(all))]);
    let answer = other.post_with("?fieldValidation=Strict", "v2", "thing", nested_value());
    assert_eq!(answer.warnings, Vec::<String>::new());
    assert_eq!(kept(&answer.spec(201)), none);
    assert_eq!(kept(&other.stored("thing")["spec"]), none);
    // If both versions keep them, nothing is lost.
    let both = group.create_second("both", &[storage("v1", schema(all)), served("v2", schema(all))]);
    both.post("v2", "thing", nested_value()).with_code(201);
    both.label("v2", "thing", "label").with_code(200);
    for version in ["v1", "v2"] {
        assert_eq!(kept(&both.get(version, "thing").spec(200)), all);
    }
}

#[test]
fn a_field_can_be_renamed_both_ways_without_a_webhook_where_both_versions_preserve() {
    let versions = [
        storage("v1", object(json!({ "spec": keeping(json!({ "tls": object(json!({ "hostname": text() })) })) }))),
        served(
            "v2",
            object(json!({ "spec": keeping(json!({ "validation": object(json!({ "hostname": text() })) })) })),
        ),
    ];
    let fact = a_field_can_be_renamed_both_ways_without_a_webhook_where_both_versions_preserve;
    let Some(group) = Group::create(fact, &versions) else { return };
    let value = json!({ "hostname": "example.com" });
    group.post("v1", "thing", json!({ "tls": value })).with_code(201);
    // The new version shows the old name, although it does not declare it, with its whole content.
    assert_eq!(group.get("v2", "thing").spec(200), json!({ "tls": value }));
    let rename = |version: &str, from: &str, to: &str| {
        let mut thing = group.get(version, "thing").with_code(200);
        let taken = thing["spec"][from].take();
        thing["spec"] = json!({ to: taken });
        group.send("PUT", &group.path(version, "thing"), Some(&thing)).spec(200)
    };
    assert_eq!(rename("v2", "tls", "validation"), json!({ "validation": value }));
    assert_eq!(group.stored("thing")["spec"], json!({ "validation": value }));
    assert_eq!(rename("v1", "validation", "tls"), json!({ "tls": value }));
    assert_eq!(group.stored("thing")["spec"], json!({ "tls": value }));
}

#[test]
fn a_field_can_be_renamed_without_preserving_if_every_version_declares_both_names() {
    let schema = || with_spec(json!({ "tls": text(), "validation": text() }));
    let fact = a_field_can_be_renamed_without_preserving_if_every_version_declares_both_names;
    let Some(group) = Group::create(fact, &[storage("v1", schema()), served("v2", schema())]) else { return };
    group.post("v1", "thing", json!({ "tls": "value" })).with_code(201);
    let renamed = group.patch("v2", "thing", json!({ "spec": { "tls": null, "validation": "value" } }));
    assert_eq!(renamed.spec(200), json!({ "validation": "value" }));
    let back = group.patch("v1", "thing", json!({ "spec": { "tls": "value", "validation": null } }));
    assert_eq!(back.spec(200), json!({ "tls": "value" }));
    // Unknown fields are still detected.
    group.post_with("?fieldValidation=Strict", "v2", "other", json!({ "tsl": "v" })).refuses(400, "\"spec.tsl\"");
}

#[test]
fn a_misspelled_field_is_not_detected_where_unknown_fields_are_preserved() {
    let schema = object(json!({ "spec": keeping(json!({ "port": json!({ "type": "integer" }) })) }));
    let fact = a_misspelled_field_is_not_detected_where_unknown_fields_are_preserved;
    let Some(group) = Group::create(fact, &[storage("v1", schema)]) else { return };
    let answer = group.post_with("?fieldValidation=Strict", "v1", "thing", json!({ "prot": "not a number" }));
    assert_eq!(answer.warnings, Vec::<String>::new());
    assert_eq!(answer.spec(201), json!({ "prot": "not a number" }));
    let printed = group.server.kubectl_reading(
        &["apply", "--server-side", "--validate=strict", "-f", "-"],
        &and(group.thing("v1", "other"), json!({ "spec": { "prot": [] } })).to_string(),
    );
    assert!(printed.success, "{}", printed.stderr);
    // When the name is declared, the unchecked value is invalid.
    let declared = json!({ "port": json!({ "type": "integer" }), "prot": json!({ "type": "integer" }) });
    group.change(|crd| set_schema(crd, "v1", object(json!({ "spec": keeping(declared.clone()) }))));
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "prot": "not a number" }));
    let copy = and(group.thing("v1", "copy"), json!({ "spec": { "prot": "not a number" } }));
    let copied = group.server.send_with("POST", &group.path("v1", ""), &[], Some(&copy));
    copied.refuses(422, "spec.prot in body must be of type integer");
}
