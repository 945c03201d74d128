//! Facts about stored objects, and the effect of added and removed versions on them.

use k8s_openapi::ByteString;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::group::{
    Group, and, drop_version, served, set_schema, set_storage, storage, text, unserved, version_of, with_spec,
};
use crate::requests::{send_once, wait};

/// A schema with one field.
fn schema() -> Value {
    with_spec(json!({ "field": text() }))
}

#[test]
fn a_stored_object_carries_the_storage_version() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(a_stored_object_carries_the_storage_version, &versions) else { return };
    for version in ["v1alpha1", "v1"] {
        group.post(version, version, json!({ "field": "value" })).with_code(201);
        assert_eq!(group.stored_version(version), "v1alpha1", "written through {version}");
        assert_eq!(group.stored(version)["spec"], json!({ "field": "value" }));
    }
}

#[test]
fn a_new_storage_version_rewrites_nothing_by_itself() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(a_new_storage_version_rewrites_nothing_by_itself, &versions) else { return };
    for name in ["old", "touched"] {
        group.post("v1alpha1", name, json!({ "field": "value" })).with_code(201);
    }
    group.change(|crd| set_storage(crd, "v1"));
    group.post("v1alpha1", "new", json!({ "field": "value" })).with_code(201);
    assert_eq!(group.stored_version("new"), "v1");
    let resource_version = |answer: &Value| answer["metadata"]["resourceVersion"].clone();
    let before = resource_version(&group.get("v1alpha1", "touched").with_code(200));
    // A patch without changes is a write too, until the object is stored in the new version.
    let first = resource_version(&group.patch("v1alpha1", "touched", json!({})).with_code(200));
    let second = resource_version(&group.patch("v1alpha1", "touched", json!({})).with_code(200));
    assert_ne!(first, before);
    assert_eq!(second, first);
    assert_eq!(group.stored_version("touched"), "v1");
    assert_eq!(group.stored_version("old"), "v1alpha1");
}

#[test]
fn reading_changes_nothing_in_storage() {
    let versions = [storage("v1", schema()), served("v2", with_spec(json!({ "other": text() })))];
    let Some(group) = Group::create(reading_changes_nothing_in_storage, &versions) else { return };
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    let stored = group.stored("thing");
    assert_eq!(group.get("v2", "thing").spec(200), json!({}));
    assert_eq!(group.send("GET", &group.path("v2", ""), None).with_code(200)["items"][0]["spec"], json!({}));
    assert_eq!(group.stored("thing"), stored);
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "field": "value" }));
}

#[test]
fn an_answer_carries_the_version_that_was_asked_for() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(an_answer_carries_the_version_that_was_asked_for, &versions) else { return };
    group.post("v1alpha1", "thing", json!({ "field": "value" })).with_code(201);
    for version in ["v1alpha1", "v1"] {
        let requested = json!(format!("{}/{version}", group.name));
        assert_eq!(group.get(version, "thing").with_code(200)["apiVersion"], requested);
        let list = group.send("GET", &group.path(version, ""), None).with_code(200);
        assert_eq!((&list["apiVersion"], &list["items"][0]["apiVersion"]), (&requested, &requested));
    }
    // Events of a watch too, through the version that is not stored.
    let mut watched = Value::Null;
    // A busy server can end a watch before its first event.
    wait("a watch has an event", || {
        let path = format!("{}?watch=1&timeoutSeconds=1", group.path("v1", ""));
        watched = group.send("GET", &path, None).with_code(200);
        watched.is_object()
    });
    assert_eq!(watched["object"]["apiVersion"], json!(format!("{}/v1", group.name)));
}

/// The hash of the storage version in discovery: the first 8 bytes of the SHA-256 of `group/version/kind`, in base64.
fn storage_version_hash(group: &Group, version: &str) -> Value {
    let digest = Sha256::digest(format!("{}/{version}/Thing", group.name));
    serde_json::to_value(ByteString(digest[..8].to_vec())).expect("base64")
}

#[test]
fn discovery_shows_the_storage_version_of_a_crd_and_no_answer_shows_that_of_an_object() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let fact = discovery_shows_the_storage_version_of_a_crd_and_no_answer_shows_that_of_an_object;
    let Some(group) = Group::create(fact, &versions) else { return };
    let reported = |version: &str| {
        let resources = group.send("GET", &format!("/apis/{}/{version}", group.name), None).with_code(200);
        resources["resources"][0]["storageVersionHash"].clone()
    };
    for storage in ["v1alpha1", "v1"] {
        if storage == "v1" {
            group.change(|crd| set_storage(crd, "v1"));
        }
        for version in ["v1alpha1", "v1"] {
            // Discovery shows a change of the CRD with a delay.
            wait("the hash of the storage version", || reported(version) == storage_version_hash(&group, storage));
        }
        group.post("v1", storage, json!({ "field": "value" })).with_code(201);
    }
    // One object is stored in each version. The answers differ only in the data of each object.
    assert_eq!((group.stored_version("v1alpha1").as_str(), group.stored_version("v1").as_str()), ("v1alpha1", "v1"));
    let answer = |name: &str| {
        let mut answer = group.get("v1", name).with_code(200);
        let metadata = answer["metadata"].as_object_mut().expect("metadata");
        metadata.retain(|key, _| !["name", "uid", "resourceVersion", "creationTimestamp"].contains(&key.as_str()));
        for entry in metadata["managedFields"].as_array_mut().expect("managedFields") {
            entry.as_object_mut().expect("an entry").remove("time");
        }
        answer
    };
    assert_eq!(answer("v1alpha1"), answer("v1"));
}

#[test]
fn managed_fields_contain_the_version_of_each_writer() {
    let schema = with_spec(json!({ "a": text(), "b": text() }));
    let versions = [storage("v1", schema.clone()), served("v2", schema)];
    let Some(group) = Group::create(managed_fields_contain_the_version_of_each_writer, &versions) else { return };
    group.post_with("?fieldManager=first", "v1", "thing", json!({ "a": "a" })).with_code(201);
    let path = format!("{}?fieldManager=second", group.path("v2", "thing"));
    group.send("PATCH", &path, Some(&json!({ "spec": { "b": "b" } }))).with_code(200);
    let entries = |version: &str| {
        let thing = group.get(version, "thing").with_code(200);
        let entries = thing["metadata"]["managedFields"].as_array().expect("managedFields").clone();
        entries
            .iter()
            .map(|entry| json!([entry["manager"], entry["apiVersion"], entry["fieldsV1"]["f:spec"]]))
            .collect::<Vec<_>>()
    };
    let expected = [
        json!(["first", format!("{}/v1", group.name), { ".": {}, "f:a": {} }]),
        json!(["second", format!("{}/v2", group.name), { "f:b": {} }]),
    ];
    for version in ["v1", "v2"] {
        assert_eq!(entries(version), expected, "read through {version}");
    }
    // The version is the writer's, not the stored one: a rewrite of the object in another version changes neither entry.
    group.change(|crd| set_storage(crd, "v2"));
    group.patch("v1", "thing", json!({})).with_code(200);
    assert_eq!((group.stored_version("thing").as_str(), entries("v1")), ("v2", expected.to_vec()));
    // A client that may write the object can clear the entries.
    let cleared = group.patch("v1", "thing", json!({ "metadata": { "managedFields": [{}] } })).with_code(200);
    assert_eq!(cleared["metadata"]["managedFields"], Value::Null);
}

#[test]
fn managed_fields_reveal_a_removed_field() {
    let before = with_spec(json!({ "tls": text(), "note": text() }));
    let Some(group) = Group::create(managed_fields_reveal_a_removed_field, &[storage("v1", before)]) else { return };
    group.post("v1", "thing", json!({ "tls": "value", "note": "note" })).with_code(201);
    group.change(|crd| set_schema(crd, "v1", with_spec(json!({ "note": text() }))));
    let thing = group.label("v1", "thing", "rewritten").with_code(200);
    assert_eq!(thing["spec"], json!({ "note": "note" }));
    assert_eq!(group.stored("thing")["spec"], json!({ "note": "note" }));
    assert_eq!(thing["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:tls"], json!({}));
}

#[test]
fn stored_versions_lists_every_version_that_was_the_storage_version() {
    let versions = [storage("v1", schema()), served("v2", schema())];
    let fact = stored_versions_lists_every_version_that_was_the_storage_version;
    let Some(group) = Group::create(fact, &versions) else { return };
    assert_eq!(group.stored_versions(), json!(["v1"]));
    group.change(|crd| crd["spec"]["versions"].as_array_mut().expect("versions").push(served("v3", schema())));
    assert_eq!(group.stored_versions(), json!(["v1"]));
    // The group has never had an object.
    group.change(|crd| set_storage(crd, "v2"));
    assert_eq!(group.stored_versions(), json!(["v1", "v2"]));
    group.change(|crd| set_storage(crd, "v1"));
    assert_eq!(group.stored_versions(), json!(["v1", "v2"]));
}

#[test]
fn only_a_status_update_shortens_stored_versions() {
    let versions = [storage("v1", schema()), served("v2", schema())];
    let Some(group) = Group::create(only_a_status_update_shortens_stored_versions, &versions) else { return };
    group.change(|crd| set_storage(crd, "v2"));
    group.change(|crd| crd["status"]["storedVersions"] = json!(["v2"]));
    assert_eq!(group.stored_versions(), json!(["v1", "v2"]));
    assert_eq!(group.set_stored_versions(&["v2"]), json!(["v2"]));
    assert_eq!(group.stored_versions(), json!(["v2"]));
}

/// The first minor (1.N) whose error for a CRD without a stored version contains the reason.
const SAYS_WHY_VERSIONS_MUST_STAY: u32 = 33;

/// The error for a CRD without a version of its `storedVersions`.
fn must_stay(group: &Group, version: &str) -> String {
    match group.is_at_least(SAYS_WHY_VERSIONS_MUST_STAY) {
        true => format!("{version} was previously a storage version, and must remain in spec.versions"),
        false => format!("Invalid value: \"{version}\": must appear in spec.versions"),
    }
}

#[test]
fn a_crd_status_accepts_wrong_stored_versions() {
    let versions = [storage("v1", schema()), served("v2", schema())];
    let Some(group) = Group::create(a_crd_status_accepts_wrong_stored_versions, &versions) else { return };
    // An empty list is filled in.
    assert_eq!(group.set_stored_versions(&[]), json!(["v1"]));
    // A version that never existed is accepted. Then every change of the CRD itself is refused.
    assert_eq!(group.set_stored_versions(&["v1", "v7"]), json!(["v1", "v7"]));
    let refused = group.try_change(|crd| crd["metadata"]["annotations"] = json!({ "any": "change" }));
    refused.refuses(422, &must_stay(&group, "v7"));
    // A list without the storage version is accepted too. The next change of the CRD adds the version again.
    assert_eq!(group.set_stored_versions(&["v2"]), json!(["v2"]));
    group.change(|crd| crd["metadata"]["annotations"] = json!({ "any": "change" }));
    assert_eq!(group.stored_versions(), json!(["v2", "v1"]));
    // Without the storage version in the list, the version of all stored objects can be deleted.
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    assert_eq!(group.set_stored_versions(&["v2"]), json!(["v2"]));
    group.change(|crd| {
        set_storage(crd, "v2");
        drop_version(crd, "v1");
    });
    group.get("v2", "thing").refuses(500, "invalid group/version");
}

#[test]
fn a_version_in_stored_versions_cannot_be_deleted() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(a_version_in_stored_versions_cannot_be_deleted, &versions) else { return };
    group.change(|crd| set_storage(crd, "v1"));
    // The group has no object; with objects the answer is the same.
    let refused = group.try_change(|crd| drop_version(crd, "v1alpha1"));
    refused.refuses(422, &must_stay(&group, "v1alpha1"));
    assert_eq!(group.read_crd()["spec"]["versions"].as_array().map(Vec::len), Some(2));
    // A bundle that never had the version makes the same change.
    let bundle = group.crd(&[storage("v1", schema())]);
    let printed = group.server.kubectl_reading(&["apply", "-f", "-"], &bundle.to_string());
    assert!(!printed.success && printed.stderr.contains(&must_stay(&group, "v1alpha1")), "{}", printed.stderr);
}

#[test]
fn a_version_that_was_never_the_storage_version_can_be_deleted() {
    let versions = [storage("v1", schema()), served("v1alpha1", schema()), unserved("v1alpha2", schema())];
    let fact = a_version_that_was_never_the_storage_version_can_be_deleted;
    let Some(group) = Group::create(fact, &versions) else { return };
    group.post("v1alpha1", "thing", json!({ "field": "value" })).with_code(201);
    group.change(|crd| drop_version(crd, "v1alpha1"));
    group.change(|crd| drop_version(crd, "v1alpha2"));
    assert_eq!(group.get("v1alpha1", "thing").code, 404);
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "field": "value" }));
}

/// A group where `v1alpha1` was removed too early: the object `old` is stored in it, `new` in `v1`.
fn forgotten_too_early<F: Fn()>(fact: F) -> Option<Group> {
    let group = Group::create(fact, &[storage("v1alpha1", schema()), served("v1", schema())])?;
    group.post("v1alpha1", "old", json!({ "field": "old" })).with_code(201);
    group.change(|crd| set_storage(crd, "v1"));
    group.post("v1", "new", json!({ "field": "new" })).with_code(201);
    assert_eq!(group.set_stored_versions(&["v1"]), json!(["v1"]));
    group.change(|crd| drop_version(crd, "v1alpha1"));
    Some(group)
}

/// The first minor (1.N) whose error for a list of unreadable objects contains the reason.
const LIST_ERRORS_HAVE_REASONS: u32 = 33;

#[test]
fn an_entry_removed_too_early_makes_objects_unreadable() {
    let Some(group) = forgotten_too_early(an_entry_removed_too_early_makes_objects_unreadable) else { return };
    let words = format!("request to convert CR from an invalid group/version: {}/v1alpha1", group.name);
    let path = group.path("v1", "old");
    let replacement = and(group.thing("v1", "old"), json!({ "spec": {} }));
    for (method, body) in [("GET", None), ("PUT", Some(&replacement)), ("PATCH", Some(&json!({}))), ("DELETE", None)] {
        group.send(method, &path, body).refuses(500, &words);
    }
    group.send("DELETE", &group.path("v1", ""), None).refuses(500, &words);
    // Lists and watches answer 429 permanently, because the cause remains.
    let start = std::time::Instant::now();
    while start.elapsed().as_secs_f32() < 1.5 {
        for query in ["", "?resourceVersion=0", "?watch=1&timeoutSeconds=1"] {
            let (client, path) = (group.server.client(), format!("{}{query}", group.path("v1", "")));
            let answer = group.server.block_on(send_once(&client, "GET", &path, &[], None)).expect("an answer");
            answer.refuses(429, "storage is (re)initializing");
            assert_eq!(
                answer.message().contains(&words),
                group.is_at_least(LIST_ERRORS_HAVE_REASONS),
                "{}",
                answer.message()
            );
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    // Requests for other objects by name work.
    assert_eq!(group.get("v1", "new").spec(200), json!({ "field": "new" }));
    group.post("v1", "newer", json!({})).with_code(201);
    group.send("DELETE", &group.path("v1", "new"), None).with_code(200);
}

#[test]
fn a_crd_with_unreadable_objects_hangs_in_terminating() {
    let Some(group) = forgotten_too_early(a_crd_with_unreadable_objects_hangs_in_terminating) else { return };
    group.delete_crd().with_code(200);
    let condition = || {
        let crd = group.read_crd();
        let conditions = crd["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.into_iter().find(|condition| condition["type"] == "Terminating").unwrap_or_default()
    };
    wait("the deletion fails", || condition()["reason"] == "InstanceDeletionFailed");
    assert_eq!(condition()["status"], "True");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(!group.crd_is_deleted());
    assert_eq!(group.read_crd()["metadata"]["finalizers"], json!(["customresourcecleanup.apiextensions.k8s.io"]));
    assert_eq!(group.stored("old")["spec"], json!({ "field": "old" }));
}

#[test]
fn bringing_the_version_back_heals_unreadable_objects() {
    let Some(group) = forgotten_too_early(bringing_the_version_back_heals_unreadable_objects) else { return };
    group.get("v1", "old").refuses(500, "invalid group/version");
    // An unserved version is enough, and its entry in storedVersions is not needed.
    group.change(|crd| crd["spec"]["versions"].as_array_mut().expect("versions").push(unserved("v1alpha1", schema())));
    assert_eq!(group.stored_versions(), json!(["v1"]));
    assert_eq!(group.get("v1", "old").spec(200), json!({ "field": "old" }));
    assert_eq!(
        group.send("GET", &group.path("v1", ""), None).with_code(200)["items"].as_array().map(Vec::len),
        Some(2)
    );
    group.delete_crd().with_code(200);
    wait("the CRD is gone", || group.crd_is_deleted());
}

#[test]
fn a_version_can_go_once_every_object_was_rewritten() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(a_version_can_go_once_every_object_was_rewritten, &versions) else { return };
    let names = ["one", "two", "three"];
    for name in names {
        group.post("v1alpha1", name, json!({ "field": name })).with_code(201);
    }
    group.change(|crd| set_storage(crd, "v1"));
    for name in names {
        group.patch("v1", name, json!({})).with_code(200);
        assert_eq!(group.stored_version(name), "v1");
    }
    group.set_stored_versions(&["v1"]);
    group.change(|crd| drop_version(crd, "v1alpha1"));
    for name in names {
        assert_eq!(group.get("v1", name).spec(200), json!({ "field": name }));
    }
    assert_eq!(
        group.send("GET", &group.path("v1", ""), None).with_code(200)["items"].as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn the_storage_version_can_go_back() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let Some(group) = Group::create(the_storage_version_can_go_back, &versions) else { return };
    for (turn, version) in ["v1alpha1", "v1", "v1alpha1"].into_iter().enumerate() {
        group.change(|crd| set_storage(crd, version));
        group.post("v1", &format!("thing{turn}"), json!({ "field": "value" })).with_code(201);
        assert_eq!(group.stored_version(&format!("thing{turn}")), version);
    }
    assert_eq!(group.stored_versions(), json!(["v1alpha1", "v1"]));
    for version in ["v1alpha1", "v1"] {
        let list = group.send("GET", &group.path(version, ""), None).with_code(200);
        assert_eq!(list["items"].as_array().map(Vec::len), Some(3));
    }
}

#[test]
fn a_crd_has_one_storage_version_which_may_be_unserved() {
    let Some(group) = Group::of(a_crd_has_one_storage_version_which_may_be_unserved) else { return };
    let words = "must have exactly one version marked as storage version";
    group.try_create(&group.crd(&[served("v1", schema()), served("v2", schema())])).refuses(422, words);
    group.try_create(&group.crd(&[storage("v1", schema()), storage("v2", schema())])).refuses(422, words);
    let stored = and(storage("v1alpha1", schema()), json!({ "served": false }));
    group.try_create(&group.crd(&[stored, served("v1", schema())])).with_code(201);
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    assert_eq!(group.stored_version("thing"), "v1alpha1");
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "field": "value" }));
    assert_eq!(group.get("v1alpha1", "thing").code, 404);
}

/// The first minor (1.N) that serves the API of storage version migrations by default.
const MIGRATIONS_SERVED: u32 = 37;

#[test]
fn a_server_offers_storage_version_migrations() {
    let Some(group) = Group::of(a_server_offers_storage_version_migrations) else { return };
    let resources = group.send("GET", "/apis/storagemigration.k8s.io/v1", None);
    if !group.is_at_least(MIGRATIONS_SERVED) {
        resources.refuses(404, "404 page not found");
        assert_eq!(group.send("GET", "/apis/storagemigration.k8s.io", None).code, 404);
        return;
    }
    let resources = resources.with_code(200);
    assert_eq!(resources["resources"][0]["kind"], "StorageVersionMigration");
}

#[test]
fn objects_are_read_by_the_schema_of_their_stored_version_also_if_it_is_not_served() {
    let versions = [storage("v1alpha1", schema()), served("v1", schema())];
    let fact = objects_are_read_by_the_schema_of_their_stored_version_also_if_it_is_not_served;
    let Some(group) = Group::create(fact, &versions) else { return };
    let spec = json!({ "field": "value" });
    group.post("v1alpha1", "early", spec.clone()).with_code(201);
    group.change(|crd| {
        set_storage(crd, "v1");
        version_of(crd, "v1alpha1")["served"] = json!(false);
    });
    group.post("v1", "late", spec.clone()).with_code(201);
    group.change(|crd| set_schema(crd, "v1alpha1", with_spec(json!({}))));
    assert_eq!(group.stored_version("early"), "v1alpha1");
    assert_eq!(group.get("v1", "early").spec(200), json!({}));
    assert_eq!(group.get("v1", "late").spec(200), spec);
    // After the migration, the schema of the unserved version has no effect.
    group.change(|crd| set_schema(crd, "v1alpha1", schema()));
    group.patch("v1", "early", json!({})).with_code(200);
    group.change(|crd| set_schema(crd, "v1alpha1", with_spec(json!({}))));
    assert_eq!(group.get("v1", "early").spec(200), spec);
}

#[test]
fn a_crd_may_serve_no_version_at_all() {
    let Some(group) = Group::create(a_crd_may_serve_no_version_at_all, &[storage("v1", schema())]) else { return };
    group.post("v1", "thing", json!({ "field": "value" })).with_code(201);
    group.change(|crd| version_of(crd, "v1")["served"] = json!(false));
    wait("the version is unserved", || group.get("v1", "thing").code == 404);
    let crd = group.read_crd();
    let conditions = crd["status"]["conditions"].as_array().expect("conditions");
    assert!(conditions.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True"));
    wait("the group disappears from discovery", || {
        group.send("GET", &format!("/apis/{}", group.name), None).code == 404
    });
    assert_eq!(group.stored("thing")["spec"], json!({ "field": "value" }));
    group.change(|crd| version_of(crd, "v1")["served"] = json!(true));
    assert_eq!(group.get("v1", "thing").spec(200), json!({ "field": "value" }));
}
