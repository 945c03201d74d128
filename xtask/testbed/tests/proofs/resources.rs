//! `kube::Api<T>` of every resource and every served version, through a whole life: create, get, list, watch, patch, apply, status, delete.
//!
//! Invariants: the versions that live are those that the bundles serve, compared, so that a new one cannot be forgotten; after every step the
//! whole object is what the step and the schema's defaults say.

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::apply_defaults;
use crd_channels::Channel;
use crd_model::yaml;
use futures_util::TryStreamExt;
use kube::Client;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
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

/// An object on its way through life, as its authors know it, without defaults.
struct Life<'a> {
    versioned: &'a VersionedKind,
    what: String,
    object: Value,
}

impl Life<'_> {
    /// Compares what a request returned with the object and the defaults that the server fills in.
    fn see<T: Object>(&self, step: &str, seen: Result<T, kube::Error>) -> T {
        let seen = seen.unwrap_or_else(|error| panic!("{}: {step}: {error}", self.what));
        let mut expected = self.object.clone();
        apply_defaults(&self.versioned.version.schema, &mut expected);
        let written = serde_json::to_value(&seen).expect("it can be written");
        assert_eq!(authored(&written), expected, "{}: {step}", self.what);
        seen
    }

    /// The object as a replacement of what was stored last.
    fn after<T: Object>(&self, last: &T) -> T {
        let mut object = self.object.clone();
        object["metadata"]["resourceVersion"] = json!(last.meta().resource_version);
        typed(&object)
    }
}

fn typed<T: Object>(object: &Value) -> T {
    serde_json::from_value(object.clone()).unwrap_or_else(|error| panic!("{}: {error}: {object:#}", T::name()))
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
    let api = T::api(&client, NAMESPACE);
    let (by, patch) = (PostParams::default(), PatchParams::default().validation_strict());
    let apply = PatchParams::apply("applier").validation_strict().force();
    let mut metadata = json!({"name": name, "labels": {"proof": name}});
    if !versioned.is_cluster_wide() {
        metadata["namespace"] = json!(NAMESPACE);
    }
    let object = json!({"apiVersion": versioned.api_version(), "kind": versioned.kind(), "metadata": metadata, "spec": small.spec});
    let mut life = Life { versioned: &versioned, what: T::name(), object };

    // The watch starts before the object exists, and ends with it.
    let labels = format!("proof={name}");
    let listed = ListParams::default().labels(&labels);
    let list = api.list(&listed).await.expect("it can be listed");
    let since = list.metadata.resource_version.expect("lists have a resource version");
    // The longest that kube permits.
    let watch = WatchParams::default().labels(&labels).timeout(294);
    let watching = api.watch(&watch, &since).await.expect("it can be watched");
    let watching = tokio::spawn(async move {
        let mut watching = std::pin::pin!(watching);
        let mut writes = Vec::new();
        while let Some(event) = watching.try_next().await.expect("a readable event") {
            match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                    writes.push(object.meta().resource_version.clone());
                }
                WatchEvent::Deleted(_) => break,
                WatchEvent::Bookmark(_) => {}
                WatchEvent::Error(status) => panic!("{status:?}"),
            }
        }
        writes
    });

    let mut written = vec![life.see("create", api.create(&by, &typed(&life.object)).await)];
    life.see("get", api.get(&name).await);
    let mut list = api.list(&listed).await.expect("it can be listed");
    life.see("list", Ok(list.items.remove(0)));
    let change = json!({"spec": small.change});
    life.object = merged(life.object, &change);
    written.push(life.see("merge patch", api.patch(&name, &patch, &Patch::Merge(&change)).await));
    life.object["metadata"]["labels"]["applied"] = json!("yes");
    life.object["spec"] = small.spec.clone();
    written.push(life.see("apply", api.patch(&name, &apply, &Patch::Apply(&typed::<T>(&life.object))).await));
    assert_eq!(versioned.has_status(), !small.status.is_null(), "resources/objects.yaml and the CRD disagree");
    if versioned.has_status() {
        life.object["status"] = small.status.clone();
        let status = life.after(written.last().expect("writes"));
        written.push(life.see("replace status", api.replace_status(&name, &by, &status).await));
        let change = json!({"status": small.new_status});
        life.object = merged(life.object, &change);
        written.push(life.see("patch status", api.patch_status(&name, &patch, &Patch::Merge(&change)).await));
        life.see("get status", api.get_status(&name).await);
    } else {
        assert_eq!(refusal("get status", api.get_status(&name).await), 404, "{}", life.what);
    }
    life.object["spec"] = merged(small.spec.clone(), &small.change);
    let object = life.after(written.last().expect("writes"));
    written.push(life.see("replace", api.replace(&name, &by, &object).await));
    api.delete(&name, &DeleteParams::default()).await.expect("it can be deleted");
    assert!(api.get_opt(&name).await.expect("it can be asked for").is_none(), "{}: it is still there", life.what);

    let seen = tokio::time::timeout(crate::requests::TIME_LIMIT, watching).await.expect("an end").expect("no panic");
    let versions = written.iter().map(|object| object.meta().resource_version.clone());
    assert_eq!(seen, versions.collect::<Vec<_>>(), "{}", life.what);
    seen.len()
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
