//! Transitional CRDs of `crd_upgrade::migrate` on a real server: it accepts them as updates, objects keep all values of older forms, and the gate refuses
//! to write an older form.
//!
//! Invariants: each pair of releases has an API group of its own, with a CRD `things` that has the schemas of the release. A change of the CRD has
//! taken effect when the next request is sent.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crd_apiserver::objects::MINORS;
use crd_apiserver::prune;
use crd_bundle::history_archive::{FILE_NAME, HistoryArchive};
use crd_bundle::published::Input;
use crd_model::CustomResourceDefinition;
use crd_model::crd::{Names, Scope, Version};
use crd_upgrade::migrate::transition::{gate, open};
use serde_json::{Value, json};

use crate::facts::group::{Group, and, integer, object, storage, text};
use crate::migration::{content, has_all};
use crate::served::{Served, written_nodes};

const TARGET: &str = "v1.6.1";
/// How many objects of each version have values of removed fields.
const OBJECTS: usize = 4;
const WORKERS: usize = 4;

/// A past structure of a CRD with those before it, and the CRD of the target.
struct Pair {
    what: String,
    installed: Arc<CustomResourceDefinition>,
    known: Vec<Arc<CustomResourceDefinition>>,
    target: Arc<CustomResourceDefinition>,
}

/// The pairs of all structures that differ from the target.
fn pairs() -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles").join(FILE_NAME);
    let archive = HistoryArchive::read(Input::new(FILE_NAME, fs::read(path).expect("the archive"))).expect("readable");
    let target = archive.releases().iter().find(|release| release.name == TARGET).expect("the target");
    let mut pairs = Vec::new();
    for (channel, crds) in &target.channels {
        for crd in crds {
            let mut known = Vec::<Arc<CustomResourceDefinition>>::new();
            for release in archive.releases().iter().filter(|release| release.version < target.version) {
                for old in release.channels.values().flatten().filter(|old| old.name == crd.name && *old != crd) {
                    if !known.contains(old) {
                        let what = format!("{} {} to {}", crd.name, release.name, channel.name());
                        let (installed, target) = (old.clone(), crd.clone());
                        pairs.push(Pair { what, installed, known: known.clone(), target });
                        known.push(old.clone());
                    }
                }
            }
        }
    }
    pairs
}

/// The CRD as the cluster-scoped `things` of a group.
fn things(crd: &CustomResourceDefinition, group: &Group) -> CustomResourceDefinition {
    let names = Names { kind: "Thing".into(), plural: "things".into(), ..Names::default() };
    CustomResourceDefinition {
        name: group.crd_name().into(),
        group: group.name.clone().into(),
        names,
        scope: Scope::Cluster,
        annotations: BTreeMap::new(),
        labels: BTreeMap::new(),
        ..crd.clone()
    }
}

/// Accepted objects of a version, with values at nodes that the target does not have; one object if there are none.
fn objects(crd: &CustomResourceDefinition, version: &Version, target: &CustomResourceDefinition) -> Vec<Value> {
    let Some(served) = Served::new(crd, version, MINORS.1) else { return Vec::new() };
    let mut search = served.search(crd, version, Vec::new());
    let new = target.versions.iter().find(|version| version.storage).expect("a storage version");
    let paths = written_nodes(&version.schema).map(|(path, _)| path).collect::<Vec<_>>();
    let removed = paths.iter().filter(|path| path.node(&new.schema).is_none()).collect::<Vec<_>>();
    let stride = removed.len().div_ceil(OBJECTS).max(1);
    let paths = removed.into_iter().step_by(stride).chain(paths.first());
    paths.filter_map(|path| Some(search.accepted(path).first()?.object.clone())).collect()
}

fn versions(crd: &CustomResourceDefinition) -> Vec<Value> {
    crd.to_value()["spec"]["versions"].as_array().cloned().expect("versions")
}

/// Replaces the versions of the CRD.
#[track_caller]
fn install(group: &Group, crd: &CustomResourceDefinition) {
    let versions = versions(crd);
    group.change(|document| document["spec"]["versions"] = json!(versions));
}

fn served(crd: &CustomResourceDefinition) -> impl Iterator<Item = &Version> {
    crd.versions.iter().filter(|version| version.served)
}

/// Goes the whole way from a release to the target. The numbers of objects, and of objects that the gate refuses.
fn travel(pair: &Pair, group: &Group, label: &str) -> (usize, usize) {
    let what = &pair.what;
    let group = group.create_second(label, &versions(&pair.installed));
    let [installed, target] = [&pair.installed, &pair.target].map(|crd| things(crd, &group));
    let known = pair.known.iter().map(|crd| things(crd, &group)).collect::<Vec<_>>();
    let known = known.iter().collect::<Vec<_>>();
    let mut made = Vec::new();
    for version in served(&installed) {
        for mut object in objects(&installed, version, &target) {
            let name = format!("object-{}", made.len());
            object["metadata"]["name"] = json!(name);
            let mut status = object.as_object_mut().and_then(|object| object.remove("status"));
            group.send("POST", &group.path(&version.name, ""), Some(&object)).with_code(201);
            if let Some(status) = status.take() {
                group.patch_status(&version.name, &name, status).with_code(200);
            }
            // Without defaults, which versions may have differently.
            made.push((name.clone(), group.stored(&name)));
        }
    }
    let stored = served(&installed).map(|version| version.name.to_string()).collect::<Vec<_>>();

    let opened = open(&installed, &known, &target, &stored);
    install(&group, &opened);
    for version in served(&opened) {
        for (name, before) in &made {
            let read = group.get(&version.name, name).with_code(200);
            assert!(has_all(&content(before), &content(&read)), "{what} {}: {before:#} {read:#}", version.name);
        }
    }
    let gated = gate(&installed, &known, &target, &stored);
    install(&group, &gated);
    let mut refused = 0;
    for version in served(&target) {
        for (name, before) in &made {
            let read = group.get(&version.name, name).with_code(200);
            assert!(has_all(&content(before), &content(&read)), "{what} {}: {before:#} {read:#}", version.name);
            let mut copy = group.thing(&version.name, "copy");
            copy["spec"] = before["spec"].clone();
            if copy["spec"].is_null() || prune(&version.schema, &mut copy.clone()).is_empty() {
                continue;
            }
            let path = format!("{}?dryRun=All", group.path(&version.name, ""));
            group.send("POST", &path, Some(&copy)).refuses(422, "must not validate the schema (not)");
            refused += 1;
        }
    }
    let storage = target.versions.iter().find(|version| version.storage).expect("a storage version");
    group.set_stored_versions(&[&storage.name]);
    install(&group, &target);
    group.delete_crd();
    (made.len(), refused)
}

#[test]
fn each_release_reaches_the_newest_one_through_transitional_crds() {
    let fact = each_release_reaches_the_newest_one_through_transitional_crds;
    if Group::of(fact).is_none() {
        return;
    }
    let pairs = crd_testdata::sample_of(pairs(), |pair| pair.what.starts_with("backendtlspolicies"));
    let number = pairs.len();
    let left = Mutex::new(pairs.into_iter().enumerate().collect::<Vec<_>>());
    let totals = Mutex::new([0, 0]);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let group = Group::of(fact).expect("a server");
                loop {
                    let next = left.lock().expect("no panic").pop();
                    let Some((index, pair)) = next else { break };
                    let (made, refused) = travel(&pair, &group, &format!("p{index}"));
                    let mut totals = totals.lock().expect("no panic");
                    totals[0] += made;
                    totals[1] += refused;
                }
            });
        }
    });
    let [made, refused] = totals.into_inner().expect("no panic");
    println!("{number} ways with {made} objects; the gate refused {refused} copies with removed fields");
    assert!(made > number && refused > number / 2);
}

/// A schema with the status subresource.
fn version(spec: Value, status: Value) -> Value {
    let spec = and(object(spec), json!({"default": {}}));
    and(storage("v1", object(json!({"spec": spec, "status": object(status)}))), json!({"subresources": {"status": {}}}))
}

#[test]
fn removed_values_return_are_converted_and_cannot_be_written_again() {
    let list = |item: Value| json!({"type": "array", "items": object(item)});
    let nested = || object(json!({"a": text(), "list": list(json!({"a": text()}))}));
    let older = version(
        json!({"old": nested(), "size": integer(), "kept": and(text(), json!({"default": "a"})), "list": list(json!({"old": text(), "a": text()}))}),
        json!({"old": text(), "ready": text()}),
    );
    let installed = version(
        json!({"size": integer(), "kept": and(text(), json!({"default": "a"})), "list": list(json!({"a": text()}))}),
        json!({"ready": text()}),
    );
    let target = version(
        json!({"new": text(), "size": and(integer(), json!({"maximum": 9})), "kept": text(), "list": list(json!({"a": text()}))}),
        json!({"ready": text()}),
    );
    let fact = removed_values_return_are_converted_and_cannot_be_written_again;
    let Some(group) = Group::create(fact, std::slice::from_ref(&older)) else { return };
    let full = json!({"old": {"a": "x", "list": [{"a": "x"}]}, "size": 20, "kept": "b", "list": [{"old": "x", "a": "y"}, {"a": "z"}]});
    for name in ["converted", "left"] {
        group.post("v1", name, full.clone()).with_code(201);
        group.patch_status("v1", name, json!({"old": "x", "ready": "no"})).with_code(200);
    }
    group.change(|crd| crd["spec"]["versions"] = json!([installed]));
    assert_eq!(group.get("v1", "left").spec(200), json!({"size": 20, "kept": "b", "list": [{"a": "y"}, {"a": "z"}]}));

    let [older, installed, target] = [older, installed, target]
        .map(|version| CustomResourceDefinition::from_value(&group.crd(&[version])).expect("our own CRD"));
    let stored = ["v1".to_owned()];
    install(&group, &open(&installed, &[&older], &target, &stored));
    let read = group.get("v1", "left").with_code(200);
    assert_eq!(content(&read), json!({"spec": full, "status": {"old": "x", "ready": "no"}}));
    let mut converted = group.get("v1", "converted").with_code(200);
    converted["spec"] = json!({"new": "x", "size": 9, "list": [{"a": "y"}]});
    group.send("PUT", &group.path("v1", "converted"), Some(&converted)).with_code(200);
    // Only the default of a field that the target has.
    assert_eq!(group.stored("converted")["spec"], json!({"new": "x", "size": 9, "kept": "a", "list": [{"a": "y"}]}));

    install(&group, &gate(&installed, &[&older], &target, &stored));
    let read = group.get("v1", "left").with_code(200);
    assert_eq!(content(&read), json!({"spec": full, "status": {"old": "x", "ready": "no"}}));
    let refused = "\"spec.old\" must not validate the schema (not)";
    group.post("v1", "created", json!({"old": {"a": "x"}})).refuses(422, refused);
    group.patch("v1", "converted", json!({"spec": {"old": {"a": "x"}}})).refuses(422, refused);
    group.apply("v1", "converted", json!({"old": {"a": "x"}})).refuses(422, refused);
    group.patch("v1", "left", json!({"spec": {"old": {"a": "y"}}})).refuses(422, refused);
    group.patch("v1", "converted", json!({"spec": {"size": 10}})).refuses(422, "spec.size");
    group.patch_status("v1", "converted", json!({"ready": "yes"})).with_code(200);
    group
        .patch_status("v1", "converted", json!({"old": "y"}))
        .refuses(422, "status: Invalid value: \"\": \"old\" must not");

    // An object of the old form: what an update leaves as it is, is accepted.
    group.label("v1", "left", "a").with_code(200);
    assert_eq!(group.stored("left")["spec"], full);
    group.patch_status("v1", "left", json!({"ready": "yes"})).with_code(200);
    assert_eq!(group.stored("left")["status"], json!({"old": "x", "ready": "yes"}));
    group.patch("v1", "left", json!({"spec": {"kept": "c"}})).with_code(200);
    // An atomic list is compared as a whole.
    let changed = json!([{"old": "x", "a": "y"}, {"a": "w"}]);
    group.patch("v1", "left", json!({"spec": {"list": changed}})).refuses(422, "\"spec.list[0].old\"");
    // The fields can be removed.
    group.patch("v1", "left", json!({"spec": {"old": null, "list": []}})).with_code(200);
    group.patch_status("v1", "left", json!({"old": null})).with_code(200);

    install(&group, &target);
    let spec = group.get("v1", "converted").spec(200);
    assert_eq!(spec, json!({"new": "x", "size": 9, "kept": "a", "list": [{"a": "y"}]}));
}
