//! Facts about fields that a schema does not know: what is dropped, what is refused, and what is kept where a schema asks for that.

use serde_json::{Value, json};

use super::group::{APPLY, Group, and, ask_with, object, one_of, served, set_schema, storage, text, with_spec};

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
    let written = group.ask("POST", &group.path("v1", ""), Some(&thing)).expect(201);
    let stored = group.stored("thing");
    for object in [written, stored] {
        assert_eq!((&object["spec"], &object["top"]), (&json!({ "known": "k" }), &Value::Null));
    }
}

#[test]
fn unknown_fields_are_refused_if_asked_for_and_warned_of_otherwise() {
    let list = json!({ "type": "array", "items": object(json!({ "known": text() })) });
    let schema = with_spec(json!({ "known": text(), "list": list }));
    let fact = unknown_fields_are_refused_if_asked_for_and_warned_of_otherwise;
    let Some(group) = Group::create(fact, &[storage("v1", schema)]) else { return };
    let spec = json!({ "known": "k", "unknown": "u", "list": [{ "known": "k" }, { "unknown": "u" }] });
    let kept = json!({ "known": "k", "list": [{ "known": "k" }, {}] });
    let named = ["unknown field \"spec.list[1].unknown\"", "unknown field \"spec.unknown\""];
    // A client that says nothing is warned.
    for (query, name) in [("", "default"), ("?fieldValidation=Warn", "warn")] {
        let answer = group.post_with(query, "v1", name, spec.clone());
        assert_eq!(answer.warnings(), named);
        assert_eq!(answer.spec(201), kept);
    }
    let ignored = group.post_with("?fieldValidation=Ignore", "v1", "ignore", spec.clone());
    assert_eq!((ignored.warnings(), ignored.spec(201)), (Vec::new(), kept.clone()));
    let refused = group.post_with("?fieldValidation=Strict", "v1", "strict", spec.clone());
    refused.refuses(400, &format!("strict decoding error: {}, {}", named[0], named[1]));
    let path = format!("{}?fieldValidation=Strict", group.path("v1", "warn"));
    group.ask("PATCH", &path, Some(&json!({ "spec": spec }))).refuses(422, named[1]);
    // kubectl asks for the refusal unless told otherwise.
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
    // No matter which validation is asked for.
    let thing = and(group.thing("v1", "thing"), json!({ "spec": { "unknown": "u" } }));
    let path = format!("{}?fieldManager=fact&fieldValidation=Ignore", group.path("v1", "thing"));
    ask_with(group.server, "PATCH", &path, &[APPLY], Some(&thing)).refuses(500, "field not declared in schema");
    // Inside an atomic list too, though nobody owns its entries one by one.
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

/// At which levels the unknown field is still there.
fn kept(value: &Value) -> [bool; 3] {
    let whole = json!({ "deep": { "deeper": "d" } });
    let levels = [value, &value["middle"], &value["middle"]["list"][0]];
    levels.map(|level| {
        assert_eq!(level["known"], "k", "{value:#}");
        assert!(level["unknown"].is_null() || level["unknown"] == whole, "half of it: {value:#}");
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
        // Each object decides for its own fields: nothing is inherited, and nothing above is needed. Below an unknown field all is kept.
        assert_eq!(kept(&written[&case]), keeps);
        assert_eq!(kept(&group.stored(&case)["spec"][&case]), keeps);
    }
    // The root of the schema is such an object too.
    let root = group.beside("root", &[storage("v1", keeping(json!({ "spec": object(json!({})) })))]);
    let thing = and(root.thing("v1", "thing"), json!({ "top": "t", "spec": { "unknown": "u" } }));
    let written = root.ask("POST", &root.path("v1", ""), Some(&thing)).expect(201);
    assert_eq!((&written["top"], &written["spec"]), (&json!("t"), &json!({})));
}

#[test]
fn preserving_must_hold_in_the_requested_and_in_the_stored_version() {
    let (all, none) = ([true; 3], [false; 3]);
    let fact = preserving_must_hold_in_the_requested_and_in_the_stored_version;
    let schema = |keeps| object(json!({ "spec": nested(keeps) }));
    let Some(group) = Group::create(fact, &[storage("v1", schema(all)), served("v2", schema(none))]) else { return };
    // Stored with everything, shown without.
    assert_eq!(kept(&group.post("v1", "thing", nested_value()).spec(201)), all);
    assert_eq!(kept(&group.get("v2", "thing").spec(200)), none);
    assert_eq!(kept(&group.get("v1", "thing").spec(200)), all);
    assert_eq!(kept(&group.stored("thing")["spec"]), all);
    // A write through the version that drops them drops them for good.
    group.label("v2", "thing", "label").expect(200);
    assert_eq!(kept(&group.get("v1", "thing").spec(200)), none);
    // The other way round: the storage version drops what the requested one would keep, and strict validation is content.
    let other = group.beside("other", &[storage("v1", schema(none)), served("v2", schema(all))]);
    let answer = other.post_with("?fieldValidation=Strict", "v2", "thing", nested_value());
    assert_eq!(answer.warnings(), Vec::<String>::new());
    assert_eq!(kept(&answer.spec(201)), none);
    assert_eq!(kept(&other.stored("thing")["spec"]), none);
    // Where both keep them, all is well.
    let both = group.beside("both", &[storage("v1", schema(all)), served("v2", schema(all))]);
    both.post("v2", "thing", nested_value()).expect(201);
    both.label("v2", "thing", "label").expect(200);
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
    group.post("v1", "thing", json!({ "tls": value })).expect(201);
    // The new version shows the old name, though it does not know it. What is below it is whole.
    assert_eq!(group.get("v2", "thing").spec(200), json!({ "tls": value }));
    let rename = |version: &str, from: &str, to: &str| {
        let mut thing = group.get(version, "thing").expect(200);
        let taken = thing["spec"][from].take();
        thing["spec"] = json!({ to: taken });
        group.ask("PUT", &group.path(version, "thing"), Some(&thing)).spec(200)
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
    group.post("v1", "thing", json!({ "tls": "value" })).expect(201);
    let renamed = group.patch("v2", "thing", json!({ "spec": { "tls": null, "validation": "value" } }));
    assert_eq!(renamed.spec(200), json!({ "validation": "value" }));
    let back = group.patch("v1", "thing", json!({ "spec": { "tls": "value", "validation": null } }));
    assert_eq!(back.spec(200), json!({ "tls": "value" }));
    // And an unknown field is still told from a known one.
    group.post_with("?fieldValidation=Strict", "v2", "other", json!({ "tsl": "v" })).refuses(400, "\"spec.tsl\"");
}

#[test]
fn where_unknown_fields_are_preserved_nobody_notices_a_misspelling() {
    let schema = object(json!({ "spec": keeping(json!({ "port": json!({ "type": "integer" }) })) }));
    let fact = where_unknown_fields_are_preserved_nobody_notices_a_misspelling;
    let Some(group) = Group::create(fact, &[storage("v1", schema)]) else { return };
    let answer = group.post_with("?fieldValidation=Strict", "v1", "thing", json!({ "prot": "not a number" }));
    assert_eq!(answer.warnings(), Vec::<String>::new());
    assert_eq!(answer.spec(201), json!({ "prot": "not a number" }));
    let printed = group.server.kubectl_reading(
        &["apply", "--server-side", "--validate=strict", "-f", "-"],
        &and(group.thing("v1", "other"), json!({ "spec": { "prot": [] } })).to_string(),
    );
    assert!(printed.success, "{}", printed.stderr);
    // The day that the name is declared, what nobody judged is invalid.
    let declared = json!({ "port": json!({ "type": "integer" }), "prot": json!({ "type": "integer" }) });
    group.change(|crd| set_schema(crd, "v1", object(json!({ "spec": keeping(declared.clone()) }))));
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "prot": "not a number" }));
    let copy = and(group.thing("v1", "copy"), json!({ "spec": { "prot": "not a number" } }));
    let copied = ask_with(group.server, "POST", &group.path("v1", ""), &[], Some(&copy));
    copied.refuses(422, "spec.prot in body must be of type integer");
}
