//! Facts about versions as clients see them: which are served, which rules apply to a write, and how a version affects fields of another.

use serde_json::{Value, json};

use super::group::{
    Group, and, drop_version, integer, object, one_of, served, set_schema, set_storage, storage, text, version_of,
    with_spec,
};
use crate::requests::{Answer, wait};

fn schema() -> Value {
    with_spec(json!({ "field": text() }))
}

#[test]
fn an_unserved_version_answers_like_a_version_that_never_existed() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(an_unserved_version_answers_like_a_version_that_never_existed, &versions) else {
        return;
    };
    group.post("v1alpha1", "thing", json!({ "field": "value" })).with_code(201);
    group.change(|crd| version_of(crd, "v1alpha1")["served"] = json!(false));
    wait("the version is unserved", || group.get("v1alpha1", "thing").code == 404);
    wait("the version disappears from discovery", || {
        group.send("GET", &format!("/apis/{}/v1alpha1", group.name), None).code == 404
    });
    let answers = |version: &str| -> Vec<Answer> {
        let thing = group.thing(version, "other");
        vec![
            group.get(version, "thing"),
            group.send("GET", &group.path(version, ""), None),
            group.send("POST", &group.path(version, ""), Some(&thing)),
            group.send("PUT", &group.path(version, "thing"), Some(&thing)),
            group.patch(version, "thing", json!({})),
            group.send("DELETE", &group.path(version, "thing"), None),
            group.send("GET", &format!("/apis/{}/{version}", group.name), None),
        ]
    };
    let unserved = answers("v1alpha1");
    // Code, headers and body, without the time and the audit id.
    assert_eq!(unserved, answers("v9"));
    for answer in unserved {
        assert_eq!((answer.code, answer.body), (404, json!("404 page not found\n")));
    }
    // Objects that were written through it are available through other versions.
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "field": "value" }));
}

#[test]
fn a_request_names_its_version_twice_and_both_must_agree() {
    let versions = [storage("v1", schema()), served("v2", schema())];
    let Some(group) = Group::create(a_request_names_its_version_twice_and_both_must_agree, &versions) else { return };
    assert_eq!(group.send("GET", &format!("/apis/{}/things", group.name), None).code, 404);
    let other = group.thing("v2", "thing");
    group.send("POST", &group.path("v1", ""), Some(&other)).refuses(400, "does not match the expected API version");
    let none = json!({ "kind": "Thing", "metadata": { "name": "thing" } });
    group.send("POST", &group.path("v1", ""), Some(&none)).refuses(400, "does not match the expected API version");
}

#[test]
fn kubectl_uses_the_version_of_highest_priority() {
    let names = ["v1alpha1", "v1beta1", "v1", "v2alpha1", "foo1", "v10", "v1beta2", "v2"];
    let mut versions = names.map(|name| served(name, schema()));
    versions[0]["storage"] = json!(true);
    let Some(group) = Group::create(kubectl_uses_the_version_of_highest_priority, &versions) else { return };
    let discovered = || {
        let discovered = group.send("GET", &format!("/apis/{}", group.name), None).body;
        let versions = discovered["versions"].as_array().cloned().unwrap_or_default();
        let names = versions.iter().map(|version| version["version"].as_str().unwrap_or_default().to_owned());
        (names.collect::<Vec<_>>(), discovered["preferredVersion"]["version"].clone())
    };
    let order = ["v10", "v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "v1alpha1", "foo1"];
    wait("discovery lists all versions in their order", || {
        discovered() == (order.map(str::to_owned).to_vec(), json!("v10"))
    });
    group.post("v1alpha1", "thing", json!({ "field": "value" })).with_code(201);
    let kubectl = |resource: &str| {
        let printed = group.server.kubectl(&["get", resource, "thing", "-o", "jsonpath={.apiVersion}"]);
        printed.expect(resource)
    };
    assert_eq!(kubectl(&group.crd_name()), format!("{}/v10", group.name));
    assert_eq!(kubectl(&format!("things.v1beta1.{}", group.name)), format!("{}/v1beta1", group.name));
    // The version that was added last is not preferred for that.
    let last = group.create_second("last", &[storage("v1", schema())]);
    last.change(|crd| crd["spec"]["versions"].as_array_mut().expect("versions").push(served("v2alpha1", schema())));
    last.post("v2alpha1", "thing", json!({})).with_code(201);
    let printed = last.server.kubectl(&["get", &last.crd_name(), "thing", "-o", "jsonpath={.apiVersion}"]);
    assert_eq!(printed.expect("get"), format!("{}/v1", last.name));
}

/// A lenient stored version, and a strict one.
fn lenient_and_strict() -> [Value; 2] {
    let strict = and(object(json!({ "a": one_of(&["yes", "no"]), "b": text() })), json!({ "required": ["b"] }));
    [
        storage("v1alpha1", with_spec(json!({ "a": text(), "b": text() }))),
        served("v1", object(json!({ "spec": strict }))),
    ]
}

#[test]
fn each_version_validates_only_its_own_writes() {
    let Some(group) = Group::create(each_version_validates_only_its_own_writes, &lenient_and_strict()) else { return };
    group.post("v1alpha1", "thing", json!({ "a": "perhaps" })).with_code(201);
    let refused = group.post("v1", "other", json!({ "a": "perhaps" }));
    refused.refuses(422, "spec.a: Unsupported value: \"perhaps\"");
    refused.refuses(422, "spec.b: Required value");
    // The rules of the version in the path apply, not those of the storage version.
    group.change(|crd| set_storage(crd, "v1"));
    group.post("v1alpha1", "third", json!({ "a": "perhaps" })).with_code(201);
    assert_eq!(group.stored_version("third"), "v1");
}

#[test]
fn reading_validates_nothing() {
    let Some(group) = Group::create(reading_validates_nothing, &lenient_and_strict()) else { return };
    group.post("v1alpha1", "thing", json!({ "a": "perhaps" })).with_code(201);
    // The strict version shows values that it would refuse.
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "a": "perhaps" }));
    group.post("v1", "copy", json!({ "a": "perhaps", "b": "b" })).refuses(422, "spec.a: Unsupported value");
    // An update through it keeps invalid values that it does not change.
    assert_eq!(
        group.patch("v1", "thing", json!({ "spec": { "b": "b" } })).spec(200),
        json!({ "a": "perhaps", "b": "b" })
    );
    group.patch("v1", "thing", json!({ "spec": { "a": "maybe" } })).refuses(422, "spec.a: Unsupported value");
}

#[test]
fn each_version_has_its_own_columns() {
    let columns = |name: &str| json!({ "additionalPrinterColumns": [{ "name": name, "type": "string", "jsonPath": ".spec.field" }] });
    let versions = [
        and(storage("v1alpha1", schema()), columns("Early")),
        and(served("v1alpha2", schema()), columns("Late")),
        served("v1beta1", schema()),
    ];
    let Some(group) = Group::create(each_version_has_its_own_columns, &versions) else { return };
    group.post("v1alpha1", "thing", json!({ "field": "value" })).with_code(201);
    let table = |version: &str| {
        let accept = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
        let table = group.server.send_with("GET", &group.path(version, ""), &accept, None).with_code(200);
        let columns = table["columnDefinitions"].as_array().expect("columns").clone();
        columns.iter().map(|column| column["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(table("v1alpha1"), ["Name", "Early"]);
    assert_eq!(table("v1alpha2"), ["Name", "Late"]);
    assert_eq!(table("v1beta1"), ["Name", "Age"]);
    let printed = group.server.kubectl(&["get", &format!("things.v1alpha2.{}", group.name)]).expect("get");
    assert_eq!(printed.split_whitespace().collect::<Vec<_>>(), ["NAME", "LATE", "thing", "value"]);
}

#[test]
fn conversion_none_maps_fields_by_name_only() {
    let versions = [
        storage("v1", with_spec(json!({ "port": integer(), "tls": text() }))),
        served("v2", with_spec(json!({ "port": text(), "validation": text() }))),
    ];
    let Some(group) = Group::create(conversion_none_maps_fields_by_name_only, &versions) else { return };
    group.post("v1", "thing", json!({ "port": 80, "tls": "value" })).with_code(201);
    // A field of the same name with another type shows the value of the old type. A field of another name is not shown.
    assert_eq!(group.get("v2", "thing").spec(200), json!({ "port": 80 }));
    group.post("v2", "other", json!({ "port": "http" })).with_code(201);
    assert_eq!(group.get("v1", "other").spec(200), json!({ "port": "http" }));
    group.post("v2", "third", json!({ "port": 80 })).refuses(422, "spec.port in body must be of type string");
}

#[test]
fn a_list_of_objects_is_a_list_of_empty_objects_where_another_version_has_texts() {
    let list = |items: Value| with_spec(json!({ "params": { "type": "array", "items": items } }));
    let versions = [storage("v1", list(object(json!({ "name": text() })))), served("v2", list(text()))];
    let fact = a_list_of_objects_is_a_list_of_empty_objects_where_another_version_has_texts;
    let Some(group) = Group::create(fact, &versions) else { return };
    let whole = json!({ "params": [{ "name": "a" }] });
    group.post("v1", "thing", whole.clone()).with_code(201);
    assert_eq!(group.get("v2", "thing").spec(200), json!({ "params": [{}] }));
    assert_eq!(group.get("v1", "thing").spec(200), whole);
    // What the version returns, it refuses as a new object.
    group.post("v2", "copy", json!({ "params": [{}] })).refuses(422, "spec.params[0] in body must be of type string");
    // Any write through it stores what it returns.
    group.label("v2", "thing", "label").with_code(200);
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "params": [{}] }));
    // In the other direction, the values have the wrong type.
    group.post("v2", "other", json!({ "params": ["a"] })).with_code(201);
    assert_eq!(group.get("v1", "other").spec(200), json!({ "params": ["a"] }));
}

#[test]
fn any_write_through_a_version_erases_fields_that_only_another_version_has() {
    let versions = [
        storage("v1", with_spec(json!({ "shared": text(), "only_v1": text() }))),
        served("v2", with_spec(json!({ "shared": text(), "only_v2": text() }))),
    ];
    let fact = any_write_through_a_version_erases_fields_that_only_another_version_has;
    let Some(group) = Group::create(fact, &versions) else { return };
    let replace = |name: &str| {
        let mut thing = group.get("v2", name).with_code(200);
        thing["spec"]["shared"] = json!("new");
        group.send("PUT", &group.path("v2", name), Some(&thing))
    };
    let json_patch = |name: &str| {
        let patch = json!([{ "op": "replace", "path": "/spec/shared", "value": "new" }]);
        let content = [("content-type", "application/json-patch+json")];
        group.server.send_with("PATCH", &group.path("v2", name), &content, Some(&patch))
    };
    type Write<'a> = &'a dyn Fn(&str) -> Answer;
    let writes: [(&str, &str, Write<'_>); 6] = [
        ("put", "new", &replace),
        ("merge-patch", "new", &|name| group.patch("v2", name, json!({ "spec": { "shared": "new" } }))),
        ("json-patch", "new", &json_patch),
        ("apply", "new", &|name| group.apply("v2", name, json!({ "shared": "new" }))),
        ("label", "old", &|name| group.label("v2", name, "label")),
        ("empty-patch", "old", &|name| group.patch("v2", name, json!({}))),
    ];
    for (name, shared, write) in writes {
        group.post("v1", name, json!({ "shared": "old", "only_v1": "precious" })).with_code(201);
        assert_eq!(group.get("v1", name).spec(200)["only_v1"], "precious");
        let answer = write(name);
        assert_eq!((answer.code, answer.warnings), (200, Vec::new()), "{name}");
        assert_eq!(group.get("v1", name).spec(200), json!({ "shared": shared }), "{name}");
        assert_eq!(group.stored(name)["spec"], json!({ "shared": shared }), "{name}");
    }
    // The same write through the version with the field keeps it.
    group.post("v1", "kept", json!({ "shared": "old", "only_v1": "precious" })).with_code(201);
    group.label("v1", "kept", "label").with_code(200);
    assert_eq!(group.get("v1", "kept").spec(200), json!({ "shared": "old", "only_v1": "precious" }));
}

#[test]
fn a_write_silently_drops_fields_that_the_storage_version_lacks() {
    let versions = [
        storage("v1", with_spec(json!({ "shared": text() }))),
        served("v2", with_spec(json!({ "shared": text(), "only_v2": text() }))),
    ];
    let fact = a_write_silently_drops_fields_that_the_storage_version_lacks;
    let Some(group) = Group::create(fact, &versions) else { return };
    // The object is valid in the version of the request and passes strict validation.
    let spec = json!({ "shared": "value", "only_v2": "precious" });
    let answer = group.post_with("?fieldValidation=Strict", "v2", "thing", spec);
    assert_eq!(answer.warnings, Vec::<String>::new());
    let thing = answer.with_code(201);
    assert_eq!(thing["spec"], json!({ "shared": "value" }));
    assert_eq!(group.stored("thing")["spec"], json!({ "shared": "value" }));
    // The managed fields name the field nevertheless.
    let written = &thing["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"];
    assert_eq!(written, &json!({ ".": {}, "f:shared": {}, "f:only_v2": {} }));
}

#[test]
fn a_field_that_comes_and_goes_needs_no_new_version() {
    let Some(group) = Group::create(a_field_that_comes_and_goes_needs_no_new_version, &[storage("v1", schema())])
    else {
        return;
    };
    group.post_with("?fieldValidation=Strict", "v1", "early", json!({ "new": "value" })).refuses(400, "\"spec.new\"");
    group.change(|crd| set_schema(crd, "v1", with_spec(json!({ "field": text(), "new": text() }))));
    group.post_with("?fieldValidation=Strict", "v1", "thing", json!({ "new": "value" })).with_code(201);
    group.change(|crd| set_schema(crd, "v1", schema()));
    assert_eq!(group.get("v1", "thing").spec(200), json!({}));
}

#[test]
fn a_server_accepts_any_change_of_a_schema_however_breaking() {
    let before = with_spec(json!({ "removed": text(), "narrowed": text(), "retyped": text() }));
    let Some(group) = Group::create(a_server_accepts_any_change_of_a_schema_however_breaking, &[storage("v1", before)])
    else {
        return;
    };
    group.post("v1", "thing", json!({ "removed": "r", "narrowed": "too long", "retyped": "t" })).with_code(201);
    let after =
        object(json!({ "narrowed": and(text(), json!({ "maxLength": 3 })), "retyped": integer(), "new": text() }));
    let after = and(after, json!({ "required": ["new"] }));
    group.change(|crd| set_schema(crd, "v1", object(json!({ "spec": after }))));
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "narrowed": "too long", "retyped": "t" }));
    // The refused changes do not concern fields.
    let refused = group.try_change(|crd| crd["spec"]["scope"] = json!("Namespaced"));
    refused.refuses(422, "spec.scope: Invalid value: \"Namespaced\": field is immutable");
    let refused = group.try_change(|crd| crd["spec"]["names"]["kind"] = json!("Other"));
    refused.refuses(422, "spec.names.kind: Invalid value: \"Other\": field is immutable");
}

#[test]
fn a_new_required_field_breaks_clients_that_do_not_set_it() {
    let Some(group) = Group::create(a_new_required_field_breaks_clients_that_do_not_set_it, &[storage("v1", schema())])
    else {
        return;
    };
    let manifest = json!({ "field": "value" });
    group.post("v1", "before", manifest.clone()).with_code(201);
    let spec = |required: Value| {
        let spec = and(object(json!({ "field": text(), "new": text() })), json!({ "required": required }));
        object(json!({ "spec": spec }))
    };
    group.change(|crd| set_schema(crd, "v1", spec(json!([]))));
    group.post("v1", "optional", manifest.clone()).with_code(201);
    group.change(|crd| set_schema(crd, "v1", spec(json!(["new"]))));
    group.post("v1", "required", manifest).refuses(422, "spec.new: Required value");
    group.patch("v1", "before", json!({ "spec": { "field": "other" } })).refuses(422, "spec.new: Required value");
}

#[test]
fn a_replacing_client_erases_new_fields_and_a_patching_one_keeps_them() {
    let schema = with_spec(json!({ "old": text(), "new": text() }));
    let fact = a_replacing_client_erases_new_fields_and_a_patching_one_keeps_them;
    let Some(group) = Group::create(fact, &[storage("v1", schema)]) else { return };
    for name in ["put", "patch", "apply"] {
        group.post("v1", name, json!({ "old": "old", "new": "new" })).with_code(201);
    }
    // A client whose types lack `new`: the objects that it reads and writes back lack it too.
    let mut thing = group.get("v1", "put").with_code(200);
    thing["spec"] = json!({ "old": "changed" });
    assert_eq!(group.send("PUT", &group.path("v1", "put"), Some(&thing)).spec(200), json!({ "old": "changed" }));
    let kept = json!({ "old": "changed", "new": "new" });
    assert_eq!(group.patch("v1", "patch", json!({ "spec": { "old": "changed" } })).spec(200), kept);
    assert_eq!(group.apply("v1", "apply", json!({ "old": "changed" })).spec(200), kept);
}

#[test]
fn a_version_name_is_a_label_and_annotations_carry_real_versions() {
    let Some(group) = Group::of(a_version_name_is_a_label_and_annotations_carry_real_versions) else { return };
    let refused = group.try_create(&group.crd(&[storage("v1.6.1", schema())]));
    refused.refuses(422, "spec.versions[0].name: Invalid value: \"v1.6.1\"");
    let mut crd = group.crd(&[storage("v1", schema())]);
    let annotations = json!({
        "gateway.networking.k8s.io/bundle-version": "v1.6.1",
        "gateway.networking.k8s.io/channel": "experimental",
    });
    crd["metadata"]["annotations"] = annotations.clone();
    group.try_create(&crd).with_code(201);
    // Writes of the server (conditions, names) and changes of spec and status keep them.
    group.change(|crd| set_schema(crd, "v1", with_spec(json!({ "other": text() }))));
    group.set_stored_versions(&["v1"]);
    assert_eq!(group.read_crd()["metadata"]["annotations"], annotations);
}

/// The first minor (1.N) whose admission policies support `semver()`.
const COMPARES_VERSIONS: u32 = 34;

#[test]
fn an_admission_policy_can_compare_semantic_versions() {
    let Some(group) = Group::create(an_admission_policy_can_compare_semantic_versions, &[storage("v1", schema())])
    else {
        return;
    };
    let number = |object: &str| {
        let annotations = format!("{object}.metadata.annotations['gateway.networking.k8s.io/bundle-version']");
        format!("semver({annotations}.substring(1))")
    };
    let validations = json!([{
        "expression": format!("!{}.isLessThan({})", number("object"), number("oldObject")),
        "message": "an older bundle than the installed one",
    }]);
    let rule = json!({
        "apiGroups": ["apiextensions.k8s.io"],
        "apiVersions": ["v1"],
        "operations": ["UPDATE"],
        "resources": ["customresourcedefinitions"],
        "resourceNames": [group.crd_name()],
    });
    group.change(|crd| crd["metadata"]["annotations"] = bundle_version("v1.6.1"));
    let answer = super::admission::try_policy(&group, "Equivalent", &rule, &validations);
    if !group.is_at_least(COMPARES_VERSIONS) {
        answer.refuses(422, "undeclared reference to 'semver'");
        return;
    }
    answer.with_code(201);
    wait("the policy refuses an older bundle", || {
        let answer = group.try_change(|crd| crd["metadata"]["annotations"] = bundle_version("v1.5.0"));
        if answer.code == 200 {
            // The policy is not active yet: restore the previous state.
            group.change(|crd| crd["metadata"]["annotations"] = bundle_version("v1.6.1"));
        }
        answer.code == 422 && answer.message().contains("an older bundle than the installed one")
    });
    // Versions are compared as numbers, not as text.
    group.change(|crd| crd["metadata"]["annotations"] = bundle_version("v1.10.0"));
}

fn bundle_version(version: &str) -> Value {
    json!({ "gateway.networking.k8s.io/bundle-version": version })
}

#[test]
fn an_unavailable_conversion_webhook_blocks_every_version_except_the_storage_version() {
    let fact = an_unavailable_conversion_webhook_blocks_every_version_except_the_storage_version;
    let Some(group) = Group::of(fact) else { return };
    let mut crd = group.crd(&[storage("v1", schema()), served("v2", schema())]);
    crd["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        // The discard port, on which no process listens.
        "webhook": { "conversionReviewVersions": ["v1"], "clientConfig": { "url": "https://127.0.0.1:9/convert" } },
    });
    group.try_create(&crd).with_code(201);
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "field": "value" }));
    let words = format!("conversion webhook for {}/", group.name);
    group.get("v2", "thing").refuses(500, &words);
    group.send("GET", &group.path("v2", ""), None).refuses(500, &words);
    group.post("v2", "other", json!({})).refuses(500, &words);
    group.patch("v2", "thing", json!({})).refuses(500, &words);
    group.send("DELETE", &group.path("v2", "thing"), None).refuses(500, &words);
    // When another version becomes the storage version, the first one fails too.
    group.try_change(|crd| set_storage(crd, "v2")).with_code(200);
    wait("what is stored must be converted", || group.get("v2", "thing").message().contains(&words));
    group.get("v1", "thing").with_code(200);
}

#[test]
fn a_deprecated_version_warns_its_users() {
    let versions = [
        and(storage("v1beta1", schema()), json!({ "deprecated": true, "deprecationWarning": "take v1" })),
        and(served("v1alpha1", schema()), json!({ "deprecated": true })),
        served("v1", schema()),
    ];
    let Some(group) = Group::create(a_deprecated_version_warns_its_users, &versions) else { return };
    let warnings = |version: &str| group.server.send("GET", &group.path(version, ""), None).warnings;
    assert_eq!(warnings("v1beta1"), ["take v1"]);
    let name = &group.name;
    assert_eq!(warnings("v1alpha1"), [format!("{name}/v1alpha1 Thing is deprecated; use {name}/v1 Thing")]);
    assert_eq!(warnings("v1"), Vec::<String>::new());
    // A write causes a warning and succeeds.
    let written = group.post("v1beta1", "thing", json!({}));
    assert_eq!((written.code, written.warnings), (201, vec!["take v1".to_owned()]));
    // A version that is removed without deprecation causes no warning.
    group.change(|crd| drop_version(crd, "v1alpha1"));
    assert_eq!((group.get("v1alpha1", "thing").code, warnings("v1alpha1")), (404, Vec::new()));
}

#[test]
fn a_required_version_key_shows_only_the_first_writer() {
    let schema = |key: &str| {
        let spec = object(json!({ "key": one_of(&[key]), "field": text() }));
        object(json!({ "spec": and(spec, json!({ "required": ["key"] })) }))
    };
    let versions = [storage("v1", schema("one")), served("v2", schema("two"))];
    let Some(group) = Group::create(a_required_version_key_shows_only_the_first_writer, &versions) else { return };
    group.post("v1", "thing", json!({ "field": "value" })).refuses(422, "spec.key: Required value");
    group.post("v1", "thing", json!({ "key": "one", "field": "value" })).with_code(201);
    group.post("v2", "other", json!({ "key": "one" })).refuses(422, "spec.key: Unsupported value");
    assert_eq!(group.get("v2", "thing").spec(200)["key"], "one");
    // After a write through v2, the key is still `one`.
    let written = group.patch("v2", "thing", json!({ "spec": { "field": "in the sense of v2" } }));
    assert_eq!(written.spec(200), json!({ "key": "one", "field": "in the sense of v2" }));
}
