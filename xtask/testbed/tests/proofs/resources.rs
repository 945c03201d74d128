//! `kube::Api<T>` of every resource and every served version, through a whole life: create, get, list, watch, patch, apply, status, delete.
//!
//! Invariants: the versions that live are those that the bundles serve, compared, so that a new one cannot be forgotten; after every step the
//! whole object is what the step and the schema's defaults say, and the watch has seen exactly the writes that stored something.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::apply_defaults;
use crd_channels::Channel;
use crd_model::yaml;
use futures_util::TryStreamExt;
use kube::Client;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions, WatchEvent, WatchParams};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::documents::{VersionedKind, collections, crds_of};
use crate::requests::{authored, create_namespace, wait_for};
use crate::server::server;
use crate::types::{Object, for_all_types, names};

const NAMESPACE: &str = "resources";

/// The types that no CRD serves in either channel: `+kubebuilder:skipversion`.
const SERVED_NOWHERE: [&str; 1] = ["gateway.networking.k8s.io/v1alpha2 GRPCRoute"];

/// A small object of a kind.
#[derive(Clone, Debug)]
struct Small {
    spec: Value,
    /// A merge patch of the spec.
    change: Value,
    /// Null where the kind has no status.
    status: Value,
    /// Another status.
    new_status: Value,
}

fn small_objects() -> BTreeMap<String, Small> {
    let documents = yaml::read(include_str!("resources/objects.yaml")).expect("it is YAML");
    let small = |document: &Value| Small {
        spec: document["spec"].clone(),
        change: document["change"].clone(),
        status: document["status"].clone(),
        new_status: document["newStatus"].clone(),
    };
    documents.iter().map(|document| (document["kind"].as_str().expect("a kind").to_owned(), small(document))).collect()
}

/// What a merge patch (RFC 7386) makes of a value.
fn merged(mut value: Value, patch: &Value) -> Value {
    let Some(entries) = patch.as_object() else { return patch.clone() };
    if !value.is_object() {
        value = json!({});
    }
    for (key, patch) in entries {
        let new = merged(value[key].take(), patch);
        let object = value.as_object_mut().expect("it is one");
        if new.is_null() {
            object.remove(key)
        } else {
            object.insert(key.clone(), new)
        };
    }
    value
}

/// An object on its way through life: what it ought to be, and what was stored of it.
struct Life<'a> {
    versioned: &'a VersionedKind,
    what: String,
    /// As its authors know it, without defaults.
    object: Value,
    generation: i64,
    /// The resource versions of all writes that stored something.
    stored: Vec<String>,
}

impl Life<'_> {
    /// The object with the defaults that the server fills in.
    fn expected(&self) -> Value {
        let mut object = self.object.clone();
        apply_defaults(&self.versioned.version.schema, &mut object);
        object
    }

    /// Compares what was read.
    fn see<T: Object>(&self, step: &str, seen: &T) {
        let what = format!("{}: {step}", self.what);
        let written = serde_json::to_value(seen).expect("it can be written");
        assert_eq!(authored(&written), self.expected(), "{what}");
        assert_eq!(seen.meta().generation, Some(self.generation), "{what}: the generation");
    }

    /// Compares what a write returned, and whether it stored something.
    fn wrote<T: Object>(&mut self, step: &str, returned: &T, stores: bool) {
        self.see(step, returned);
        let version = returned.meta().resource_version.clone().expect("a resource version");
        let is_new = self.stored.last() != Some(&version);
        assert_eq!(is_new, stores, "{}: {step}: stored: {is_new}", self.what);
        if is_new {
            self.stored.push(version);
        }
    }
}

/// The HTTP code of a refusal.
fn refusal<T: std::fmt::Debug>(what: &str, result: Result<T, kube::Error>) -> u16 {
    match result {
        Err(kube::Error::Api(status)) => status.code,
        other => panic!("{what}: {other:?}"),
    }
}

/// One object of the type lives and dies. Returns how many writes its watch has seen.
async fn live<T: Object>(client: Client, versioned: VersionedKind, small: Small) -> usize {
    let name = format!("resources-{}-{}", versioned.kind().to_lowercase(), versioned.version.name);
    let what = T::name();
    let api = T::api(&client, NAMESPACE);
    let by = |manager: &str| PostParams { field_manager: Some(manager.to_owned()), ..PostParams::default() };
    let patch_by = |manager: &str| PatchParams {
        field_manager: Some(manager.to_owned()),
        ..PatchParams::default().validation_strict()
    };
    let apply_by = |manager: &str| PatchParams::apply(manager).validation_strict();
    let typed = |object: &Value| -> T {
        serde_json::from_value(object.clone()).unwrap_or_else(|error| panic!("{what}: {error}: {object:#}"))
    };
    let failed = |step: &'static str| {
        let what = what.clone();
        move |error: kube::Error| -> T { panic!("{what}: {step}: {error}") }
    };

    let mut metadata = json!({"name": name, "labels": {"proof": name}});
    if !versioned.is_cluster_wide() {
        metadata["namespace"] = json!(NAMESPACE);
    }
    let object = json!({"apiVersion": versioned.api_version(), "kind": versioned.kind(), "metadata": metadata, "spec": small.spec});
    let changed = merged(object.clone(), &json!({"spec": small.change}));
    assert_ne!(object, changed, "{what}: the change changes nothing");
    let mut life = Life { versioned: &versioned, what: what.clone(), object, generation: 1, stored: Vec::new() };

    // The object does not exist yet. The watch starts here.
    let labels = format!("proof={name}");
    let list = api.list(&ListParams::default().labels(&labels)).await.expect("it can be listed");
    assert!(list.items.is_empty(), "{what}: {:?}", list.items);
    let since = list.metadata.resource_version.expect("lists have a resource version");
    // The longest that kube permits.
    let watch = WatchParams::default().labels(&labels).timeout(294);
    let watching = api.watch(&watch, &since).await.expect("it can be watched");
    let watching = tokio::spawn(async move {
        let mut watching = std::pin::pin!(watching);
        let mut events = Vec::new();
        while let Some(event) = watching.try_next().await.expect("a readable event") {
            let (kind, object) = match event {
                WatchEvent::Added(object) => ("added", object),
                WatchEvent::Modified(object) => ("modified", object),
                WatchEvent::Deleted(object) => ("deleted", object),
                WatchEvent::Bookmark(_) => continue,
                WatchEvent::Error(status) => panic!("{status:?}"),
            };
            events.push((kind, object.meta().resource_version.clone().unwrap_or_default(), object.meta().generation));
            if kind == "deleted" {
                break;
            }
        }
        events
    });

    // Create, get, list.
    let created = api.create(&by("creator"), &typed(&life.object)).await.unwrap_or_else(failed("create"));
    life.wrote("create", &created, true);
    assert_eq!(refusal("create again", api.create(&by("creator"), &typed(&life.object)).await), 409, "{what}");
    let read = api.get(&name).await.unwrap_or_else(failed("get"));
    life.see("get", &read);
    let list = api.list(&ListParams::default().labels(&labels)).await.expect("it can be listed");
    assert_eq!(list.items.len(), 1, "{what}");
    life.see("list", &list.items[0]);

    // Merge patch.
    let patch = json!({"spec": small.change});
    let patched = api.patch(&name, &patch_by("patcher"), &Patch::Merge(&patch)).await;
    life.object = merged(life.object, &patch);
    life.generation += 1;
    life.wrote("merge patch", &patched.unwrap_or_else(failed("merge patch")), true);
    let again = api.patch(&name, &patch_by("patcher"), &Patch::Merge(&patch)).await;
    life.wrote("the same merge patch", &again.unwrap_or_else(failed("the same merge patch")), false);
    let unknown = json!({"spec": {"nobodyKnows": 1}});
    let unknown = api.patch(&name, &patch_by("patcher"), &Patch::Merge(&unknown)).await;
    assert_eq!(refusal("a patch of an unknown field", unknown), 422, "{what}");

    // Server-side apply: a quarrel about the fields that the patch has changed, then by force, then without a label it applied before.
    let mut wanted = merged(life.object.clone(), &json!({"metadata": {"labels": {"applied": "yes"}}}));
    wanted["spec"] = small.spec.clone();
    let apply = api.patch(&name, &apply_by("applier"), &Patch::Apply(&typed(&wanted))).await;
    assert_eq!(refusal("an apply against another manager", apply), 409, "{what}");
    let forced = api.patch(&name, &apply_by("applier").force(), &Patch::Apply(&typed(&wanted))).await;
    life.object = wanted;
    life.generation += 1;
    life.wrote("apply by force", &forced.unwrap_or_else(failed("apply by force")), true);
    let applied = api.patch(&name, &apply_by("applier"), &Patch::Apply(&typed(&changed))).await;
    life.object = changed.clone();
    life.generation += 1;
    let applied = applied.unwrap_or_else(failed("apply"));
    life.wrote("apply", &applied, true);
    let managers = applied.meta().managed_fields.iter().flatten();
    let applier = managers.filter(|entry| entry.operation.as_deref() == Some("Apply"));
    let of_version = applier.filter(|entry| entry.api_version.as_deref() == Some(T::API_VERSION));
    assert_eq!(of_version.count(), 1, "{what}: {:?}", applied.meta().managed_fields);
    let again = api.patch(&name, &apply_by("applier"), &Patch::Apply(&typed(&changed))).await;
    life.wrote("the same apply", &again.unwrap_or_else(failed("the same apply")), false);

    // Status: the subresource writes it and nothing else, and nothing else writes it.
    let other = |life: &Life<'_>, status: &Value| {
        let mut object = life.object.clone();
        object["metadata"]["resourceVersion"] = json!(life.stored.last());
        object["spec"] = small.spec.clone();
        object["status"] = status.clone();
        object
    };
    assert_eq!(versioned.has_status(), !small.status.is_null(), "{what}: resources/objects.yaml and the CRD disagree");
    if versioned.has_status() {
        let replaced = api.replace_status(&name, &by("reporter"), &typed(&other(&life, &small.status))).await;
        life.object["status"] = small.status.clone();
        life.wrote("replace status", &replaced.unwrap_or_else(failed("replace status")), true);
        let patch = json!({"spec": small.spec, "status": small.new_status});
        let patched = api.patch_status(&name, &patch_by("reporter"), &Patch::Merge(&patch)).await;
        life.object["status"] = merged(life.object["status"].take(), &small.new_status);
        life.wrote("patch status", &patched.unwrap_or_else(failed("patch status")), true);
        let applied = other(&life, &small.status);
        let applied = merged(applied, &json!({"metadata": {"resourceVersion": null}}));
        let applied =
            api.patch_status(&name, &apply_by("applying-reporter").force(), &Patch::Apply(&typed(&applied))).await;
        life.object["status"] = merged(life.object["status"].take(), &small.status);
        life.wrote("apply status", &applied.unwrap_or_else(failed("apply status")), true);
        life.see("get status", &api.get_status(&name).await.unwrap_or_else(failed("get status")));
        let ignored = json!({"status": small.new_status});
        let ignored = api.patch(&name, &patch_by("patcher"), &Patch::Merge(&ignored)).await;
        life.wrote("a patch of status", &ignored.unwrap_or_else(failed("a patch of status")), false);
    } else {
        let object = typed(&other(&life, &Value::Null));
        assert_eq!(refusal("replace status", api.replace_status(&name, &by("reporter"), &object).await), 404, "{what}");
        assert_eq!(refusal("get status", api.get_status(&name).await), 404, "{what}");
    }

    // Replace, which ignores the status that is sent, and not with what was read long ago.
    let mut stale = other(&life, &small.new_status);
    stale["metadata"]["resourceVersion"] = json!(life.stored.first());
    let stale = api.replace(&name, &by("replacer"), &typed(&stale)).await;
    assert_eq!(refusal("a stale replace", stale), 409, "{what}");
    let replaced = api.replace(&name, &by("replacer"), &typed(&other(&life, &small.new_status))).await;
    life.object["spec"] = small.spec.clone();
    life.generation += 1;
    life.wrote("replace", &replaced.unwrap_or_else(failed("replace")), true);

    // An apply also creates; a collection is deleted at once.
    let second = format!("{name}-applied");
    let patch = merged(
        life.object.clone(),
        &json!({"metadata": {"name": second, "labels": {"proof": second}}, "status": null}),
    );
    let applied = api.patch(&second, &apply_by("applier"), &Patch::Apply(&typed(&patch))).await;
    let born = Life { versioned: &versioned, what: what.clone(), object: patch, generation: 1, stored: Vec::new() };
    born.see("apply of a new object", &applied.unwrap_or_else(failed("apply of a new object")));
    let of_second = ListParams::default().labels(&format!("proof={second}"));
    api.delete_collection(&DeleteParams::default(), &of_second).await.expect("it can be deleted");
    assert!(api.get_opt(&second).await.expect("it can be asked for").is_none(), "{what}: it is still there");

    // Delete.
    let of_another = Preconditions { uid: Some("another".to_owned()), ..Preconditions::default() };
    let of_another = api.delete(&name, &DeleteParams::default().preconditions(of_another)).await;
    assert_eq!(refusal("a delete of another object", of_another), 409, "{what}");
    let deleted = api.delete(&name, &DeleteParams::default()).await.expect("it can be deleted");
    assert!(deleted.is_right(), "{what}: it lingers");
    assert!(api.get_opt(&name).await.expect("it can be asked for").is_none(), "{what}: it is still there");

    // The watch has seen each write once, in order, and the end.
    let mut events =
        tokio::time::timeout(crate::requests::TIME_LIMIT, watching).await.expect("an end").expect("no panic");
    let end = events.pop().map(|(kind, _, generation)| (kind, generation));
    assert_eq!(end, Some(("deleted", Some(life.generation))), "{what}");
    let kinds: Vec<&str> = events.iter().map(|(kind, ..)| *kind).collect();
    let expected: Vec<&str> =
        std::iter::once("added").chain(std::iter::repeat("modified")).take(life.stored.len()).collect();
    assert_eq!(kinds, expected, "{what}");
    let versions: Vec<String> = events.into_iter().map(|(_, version, _)| version).collect();
    assert_eq!(versions, life.stored, "{what}");
    versions.len()
}

/// Of a version that is not served, nothing is there.
async fn find_nothing<T: Object>(client: Client) {
    let list = T::api(&client, NAMESPACE).list(&ListParams::default()).await;
    assert_eq!(refusal(&T::name(), list.map(|list| list.items.len())), 404, "{}", T::name());
}

macro_rules! spawn_all {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// Starts the lives of all types that the channel serves; returns their names.
        fn spawn_all(client: &Client, channel: Channel, lives: &mut JoinSet<usize>) -> BTreeSet<String> {
            let small = small_objects();
            let mut started = BTreeSet::new();
            $({
                type Type = gateway_api_types::$module::$name;
                let versioned = VersionedKind::all(channel).find(|versioned| versioned.name() == <Type as Object>::name() && versioned.version.served);
                match versioned {
                    Some(versioned) => {
                        let small = small.get(versioned.kind()).unwrap_or_else(|| panic!("no small {}", versioned.kind()));
                        lives.spawn(live::<Type>(client.clone(), versioned, small.clone()));
                        started.insert(versioned.name());
                    }
                    None => {
                        let client = client.clone();
                        lives.spawn(async move {
                            find_nothing::<Type>(client).await;
                            0
                        });
                    }
                }
            })*
            started
        }
    };
}
for_all_types!(spawn_all);

fn every_served_version_lives(channel: Channel) {
    let Some(server) = server(crds_of(channel)) else { return };
    let client = server.client();
    let (started, writes) = server.block_on(async {
        wait_for(&client, &collections(channel)).await;
        create_namespace(&client, NAMESPACE).await;
        let mut lives = JoinSet::new();
        let started = spawn_all(&client, channel, &mut lives);
        (started, lives.join_all().await)
    });
    let served: BTreeSet<String> = VersionedKind::all(channel)
        .filter(|versioned| versioned.version.served)
        .map(|versioned| versioned.name())
        .collect();
    assert_eq!(started, served, "the types that lived, and the versions that the bundle serves");
    let unserved = writes.len() - started.len();
    let writes: usize = writes.iter().sum();
    println!(
        "{channel}: {} versions lived, {writes} writes watched; {unserved} types are not served: {started:#?}",
        started.len()
    );
}

#[test]
fn every_version_that_standard_serves_lives() {
    every_served_version_lives(Channel::Standard);
}

#[test]
fn every_version_that_experimental_serves_lives() {
    every_served_version_lives(Channel::Experimental);
}

/// Needs no server: a version that is added to the types or to the bundles must live too.
#[test]
fn every_served_version_has_a_type_and_every_type_is_served() {
    let served: BTreeSet<String> = Channel::ALL
        .into_iter()
        .flat_map(VersionedKind::all)
        .filter(|versioned| versioned.version.served)
        .map(|versioned| versioned.name())
        .collect();
    let types: BTreeSet<String> = names().into_iter().collect();
    assert_eq!(served.difference(&types).count(), 0, "{served:?}");
    assert_eq!(types.difference(&served).collect::<Vec<_>>(), SERVED_NOWHERE);
}
