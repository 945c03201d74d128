//! Facts about CRDs and objects that the rest of this tool relies on: delays, subresources, and limits of size.

use std::time::Instant;

use serde_json::{Value, json};

use super::group::{Group, and, object, one_of, set_schema, storage, text, with_spec};
use crate::requests::{Answer, wait};

#[test]
fn a_changed_crd_takes_effect_without_a_restart() {
    let schema = |values: &[&str]| with_spec(json!({ "choice": one_of(values) }));
    let Some(group) = Group::create(a_changed_crd_takes_effect_without_a_restart, &[storage("v1", schema(&["Old"]))])
    else {
        return;
    };
    group.post("v1", "thing", json!({ "choice": "New" })).refuses(422, "supported values: \"Old\"");
    group.change(|crd| set_schema(crd, "v1", schema(&["Old", "New"])));
    group.post("v1", "thing", json!({ "choice": "New" })).with_code(201);
    group.change(|crd| set_schema(crd, "v1", schema(&["New"])));
    group.post("v1", "other", json!({ "choice": "Old" })).refuses(422, "supported values: \"New\"");
}

#[test]
fn a_new_crd_delays_the_creation_of_objects() {
    let Some(group) = Group::create(a_new_crd_delays_the_creation_of_objects, &[storage("v1", with_spec(json!({})))])
    else {
        return;
    };
    let seconds = |write: &dyn Fn() -> Answer| {
        let start = Instant::now();
        write().with_code(201);
        start.elapsed().as_secs_f32()
    };
    // Shortly after the CRD is established, a create takes two seconds, and an apply that creates is not delayed.
    group.set_established("2101-01-01T00:00:00Z");
    wait("the server has heard of it", || seconds(&|| group.post_with("?dryRun=All", "v1", "thing", json!({}))) >= 2.0);
    // A busy server can take as long for one of them, and not for each.
    let numbers = std::cell::Cell::new(0);
    wait("an apply is not delayed", || {
        numbers.set(numbers.get() + 1);
        seconds(&|| group.apply("v1", &format!("applied-{}", numbers.get()), json!({}))) < 2.0
    });
}

#[test]
fn the_status_subresource_and_the_object_do_not_write_each_other() {
    let schema = object(json!({
        "spec": object(json!({ "field": text() })),
        "status": object(json!({ "state": text() })),
    }));
    let version = and(storage("v1", schema.clone()), json!({ "subresources": { "status": {} } }));
    let fact = the_status_subresource_and_the_object_do_not_write_each_other;
    let Some(group) = Group::create(fact, &[version]) else { return };
    let parts =
        |object: &Value| json!([object["spec"]["field"], object["status"]["state"], object["metadata"]["generation"]]);
    let thing = and(group.thing("v1", "thing"), json!({ "spec": { "field": "a" }, "status": { "state": "b" } }));
    let mut thing = group.send("POST", &group.path("v1", ""), Some(&thing)).with_code(201);
    assert_eq!(parts(&thing), json!(["a", null, 1]));
    thing["spec"]["field"] = json!("ignored");
    thing["metadata"]["labels"] = json!({ "ignored": "too" });
    thing["status"] = json!({ "state": "set" });
    let path = group.path("v1", "thing/status");
    let mut thing = group.send("PUT", &path, Some(&thing)).with_code(200);
    assert_eq!((parts(&thing), &thing["metadata"]["labels"]), (json!(["a", "set", 1]), &Value::Null));
    thing["spec"]["field"] = json!("new");
    thing["status"] = json!({ "state": "ignored" });
    let thing = group.send("PUT", &group.path("v1", "thing"), Some(&thing)).with_code(200);
    assert_eq!(parts(&thing), json!(["new", "set", 2]));
    assert_eq!(group.stored("thing")["status"], json!({ "state": "set" }));
    // A version without the subresource lacks this path, and a write to the object writes its status.
    let plain = group.create_second("plain", &[storage("v1", schema)]);
    let thing = and(plain.thing("v1", "thing"), json!({ "status": { "state": "b" } }));
    assert_eq!(
        plain.send("POST", &plain.path("v1", ""), Some(&thing)).with_code(201)["status"],
        json!({ "state": "b" })
    );
    assert_eq!(plain.patch_status("v1", "thing", json!({})).code, 404);
}

/// The limit of all annotations of an object together, in bytes.
const ANNOTATIONS: usize = 262_144;

#[test]
fn all_annotations_of_an_object_share_one_limit() {
    let Some(group) =
        Group::create(all_annotations_of_an_object_share_one_limit, &[storage("v1", with_spec(json!({})))])
    else {
        return;
    };
    // Names count like values, and a single annotation has no limit of its own.
    let annotated = |bytes: usize| {
        let mut thing = group.thing("v1", &format!("bytes{bytes}"));
        let half = "h".repeat(ANNOTATIONS / 2 - "first".len());
        let rest = "r".repeat(bytes - ANNOTATIONS / 2 - "second".len());
        thing["metadata"]["annotations"] = json!({ "first": half, "second": rest });
        group.send("POST", &group.path("v1", ""), Some(&thing))
    };
    annotated(ANNOTATIONS).with_code(201);
    annotated(ANNOTATIONS + 1).refuses(422, "metadata.annotations: Too long: may not be more than 262144 bytes");
}

#[test]
fn client_side_apply_writes_the_manifest_into_an_annotation_and_escapes_it() {
    let Some(group) = Group::of(client_side_apply_writes_the_manifest_into_an_annotation_and_escapes_it) else {
        return;
    };
    // 60,000 bytes each, but `&`, `<` and `>` take six in the annotation.
    let described = |characters: &str| {
        let description = characters.repeat(60_000 / characters.len());
        group.crd(&[storage("v1", and(with_spec(json!({})), json!({ "description": description })))]).to_string()
    };
    let apply = |arguments: &[&str], manifest: &str| {
        let arguments = [&["apply", "-f", "-"], arguments].concat();
        group.server.kubectl_reading(&arguments, manifest)
    };
    for escaped in ["&", "<", ">"] {
        let refused = apply(&[], &described(escaped));
        let words = "metadata.annotations: Too long: may not be more than 262144 bytes";
        assert!(!refused.success && refused.stderr.contains(words), "{escaped}: {}", refused.stderr);
    }
    apply(&[], &described("a")).expect("as large, without characters that are escaped");
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    let written = group.read_crd()["metadata"]["annotations"][annotation].as_str().map(str::len).unwrap_or_default();
    assert!((60_000..61_000).contains(&written), "{written}");
    // Server-side apply does not keep a copy.
    apply(&["--server-side", "--force-conflicts"], &described("&")).expect("server-side apply");
}

#[test]
fn a_crd_may_be_larger_than_annotations_but_not_than_a_record_of_etcd() {
    let Some(group) = Group::of(a_crd_may_be_larger_than_annotations_but_not_than_a_record_of_etcd) else { return };
    let crd = |bytes: usize| {
        let schema = and(with_spec(json!({})), json!({ "description": "d".repeat(bytes) }));
        group.crd(&[storage("v1", schema)])
    };
    // etcd's limit is 1.5 MiB for a request, the server's 3 MiB for a body.
    group.try_create(&crd(1_600_000)).refuses(500, "etcdserver: request is too large");
    group.try_create(&crd(3_200_000)).refuses(413, "limit is 3145728");
    group.try_create(&crd(1_400_000)).with_code(201);
    // The OpenAPI document that all clients read contains every CRD, so this large one is removed.
    group.delete_crd().with_code(200);
}
