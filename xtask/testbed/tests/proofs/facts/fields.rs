//! Facts about removed fields, whose values remain in storage, and about defaults.

use serde_json::{Value, json};

use super::group::{Group, and, integer, object, served, set_schema, storage, text, with_spec};

/// A schema with the field `tls` of this schema, or without it.
fn with_tls(tls: Option<Value>) -> Value {
    let mut properties = json!({ "note": text() });
    if let Some(tls) = tls {
        properties["tls"] = tls;
    }
    with_spec(properties)
}

fn tls() -> Option<Value> {
    Some(object(json!({ "hostname": text() })))
}

/// A group whose objects of these names were written with `tls`, which was removed from the schema afterwards.
fn with_removed_field<F: Fn()>(fact: F, names: &[&str]) -> Option<Group> {
    let version = and(storage("v1", with_tls(tls())), json!({ "subresources": { "status": {} } }));
    let group = Group::create(fact, &[version])?;
    for name in names {
        group.post("v1", name, json!({ "tls": { "hostname": "example.com" }, "note": "note" })).with_code(201);
    }
    group.change(|crd| set_schema(crd, "v1", with_tls(None)));
    Some(group)
}

/// The stored content of such an object.
fn whole() -> Value {
    json!({ "tls": { "hostname": "example.com" }, "note": "note" })
}

#[test]
fn a_removed_field_is_hidden_and_stays_in_storage_until_a_write() {
    let writes = ["label", "nothing", "status", "note"];
    let fact = a_removed_field_is_hidden_and_stays_in_storage_until_a_write;
    let Some(group) = with_removed_field(fact, &writes) else { return };
    for name in writes {
        assert_eq!(group.get("v1", name).spec(200), json!({ "note": "note" }));
        assert_eq!(group.stored(name)["spec"], whole(), "reading changes nothing");
    }
    group.label("v1", "label", "label").with_code(200);
    group.patch("v1", "nothing", json!({})).with_code(200);
    group.patch_status("v1", "status", json!({})).with_code(200);
    group.patch("v1", "note", json!({ "spec": { "note": "other" } })).with_code(200);
    for (name, note) in [("label", "note"), ("nothing", "note"), ("status", "note"), ("note", "other")] {
        assert_eq!(group.stored(name)["spec"], json!({ "note": note }), "{name}");
    }
}

#[test]
fn a_value_of_a_removed_field_returns_with_its_name() {
    let Some(group) = with_removed_field(a_value_of_a_removed_field_returns_with_its_name, &["sleeping", "written"])
    else {
        return;
    };
    group.label("v1", "written", "label").with_code(200);
    // Later the name is declared again.
    group.change(|crd| set_schema(crd, "v1", with_tls(tls())));
    assert_eq!(group.get("v1", "sleeping").spec(200), whole());
    assert_eq!(group.get("v1", "written").spec(200), json!({ "note": "note" }));
    // The next write stores the value.
    assert_eq!(group.label("v1", "sleeping", "label").spec(200), whole());
}

#[test]
fn a_returned_name_of_another_type_shows_values_that_its_type_forbids() {
    let fact = a_returned_name_of_another_type_shows_values_that_its_type_forbids;
    let Some(group) = with_removed_field(fact, &["thing"]) else { return };
    // The schema declares a string, and the value is an object. The fields of the object are unknown now, and dropped.
    let shown = json!({ "tls": {}, "note": "note" });
    group.change(|crd| set_schema(crd, "v1", with_tls(Some(text()))));
    assert_eq!(group.get("v1", "thing").spec(200), shown);
    let strict = group.post("v1", "copy", shown.clone());
    strict.refuses(422, "spec.tls in body must be of type string: \"object\"");
    // Updates keep it because they do not change it, so every typed client continues to fail.
    assert_eq!(group.patch("v1", "thing", json!({ "spec": { "note": "other" } })).spec(200)["tls"], json!({}));
    group.change(|crd| set_schema(crd, "v1", with_tls(Some(integer()))));
    assert_eq!(group.get("v1", "thing").spec(200)["tls"], json!({}));
}

/// A schema whose field `mode` has this default.
fn with_default(default: Option<&str>) -> Value {
    let mode = default.map_or(text(), |default| and(text(), json!({ "default": default })));
    with_spec(json!({ "field": text(), "mode": mode }))
}

#[test]
fn defaults_are_filled_in_on_reading() {
    let Some(group) = Group::create(defaults_are_filled_in_on_reading, &[storage("v1", with_default(None))]) else {
        return;
    };
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    group.send("POST", &group.path("v1", ""), Some(&group.thing("v1", "empty"))).with_code(201);
    let before = group.get("v1", "thing").with_code(200);
    group.change(|crd| set_schema(crd, "v1", with_default(Some("first"))));
    let after = group.get("v1", "thing").with_code(200);
    assert_eq!(after["spec"], json!({ "field": "value", "mode": "first" }));
    // Without a write, neither the resource version nor the stored object changed.
    assert_eq!(after["metadata"], before["metadata"]);
    assert_eq!(group.stored("thing")["spec"], json!({ "field": "value" }));
    let list = group.send("GET", &group.path("v1", ""), None).with_code(200);
    assert_eq!(list["items"][1]["spec"], after["spec"]);
    // A default is filled in only if its parent object exists.
    assert_eq!(group.get("v1", "empty").spec(200), Value::Null);
}

#[test]
fn a_default_becomes_a_value_with_the_first_write() {
    let fact = a_default_becomes_a_value_with_the_first_write;
    let Some(group) = Group::create(fact, &[storage("v1", with_default(None))]) else { return };
    group.post("v1", "never-written", json!({ "field": "value" })).with_code(201);
    group.post("v1", "labelled", json!({ "field": "value" })).with_code(201);
    group.change(|crd| set_schema(crd, "v1", with_default(Some("first"))));
    group.post("v1", "created", json!({ "field": "value" })).with_code(201);
    group.label("v1", "labelled", "label").with_code(200);
    for name in ["created", "labelled"] {
        assert_eq!(group.stored(name)["spec"]["mode"], "first", "{name}");
    }
    // A changed or removed default affects only objects that were not written since.
    for (default, shown) in [(Some("second"), json!("second")), (None, Value::Null)] {
        group.change(|crd| set_schema(crd, "v1", with_default(default)));
        assert_eq!(group.get("v1", "never-written").spec(200)["mode"], shown);
        for name in ["created", "labelled"] {
            assert_eq!(group.get("v1", name).spec(200)["mode"], "first", "{name}");
        }
    }
}

#[test]
fn each_version_stores_its_own_defaults() {
    let versions = [storage("v1", with_default(Some("one"))), served("v2", with_default(Some("two")))];
    let Some(group) = Group::create(each_version_stores_its_own_defaults, &versions) else { return };
    for (version, mode) in [("v1", "one"), ("v2", "two")] {
        group.post(version, version, json!({})).with_code(201);
        assert_eq!(group.stored(version)["spec"], json!({ "mode": mode }));
        for reader in ["v1", "v2"] {
            assert_eq!(group.get(reader, version).spec(200), json!({ "mode": mode }), "{reader}");
        }
    }
}

#[test]
fn null_is_dropped_and_a_default_takes_its_place() {
    let nullable = and(text(), json!({ "nullable": true, "default": "first" }));
    let schema = with_spec(json!({
        "plain": text(),
        "mode": and(text(), json!({ "default": "first" })),
        "nullable": nullable,
        "number": and(integer(), json!({ "nullable": true })),
    }));
    let Some(group) = Group::create(null_is_dropped_and_a_default_takes_its_place, &[storage("v1", schema)]) else {
        return;
    };
    let nulls = json!({ "plain": null, "mode": null, "nullable": null, "number": null });
    let written = group.post("v1", "thing", nulls).spec(201);
    assert_eq!(written, json!({ "mode": "first", "nullable": null, "number": null }));
    assert_eq!(group.stored("thing")["spec"], written);
}
