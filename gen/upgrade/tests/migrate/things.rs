//! A model with things, which have two versions, and runs of a migration in it.

use std::collections::BTreeMap;

use crd_cluster::{Cluster, InstalledCrd};
use crd_diagnostics::Diagnostic;
use crd_upgrade::migrate::{Migrated, Settings, StoragePlan};
use serde_json::{Value, json};

use super::model::{CRDS, Model, Store, Stored};

pub(crate) const THINGS: &str = "things.example.com";

/// A version with these fields of `spec`.
pub(crate) fn version(name: &str, is_served: bool, is_storage: bool, fields: &[&str]) -> Value {
    let fields =
        fields.iter().map(|field| ((*field).to_owned(), json!({"type": "integer"}))).collect::<BTreeMap<_, _>>();
    let spec = json!({"type": "object", "properties": fields});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    json!({"name": name, "served": is_served, "storage": is_storage, "schema": schema})
}

pub(crate) const FIELDS: [&str; 2] = ["size", "invalid"];

/// The CRD of things with these versions.
pub(crate) fn crd(versions: &[Value]) -> Value {
    let names = json!({"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": THINGS},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": versions},
        "status": {"conditions": [{"type": "Established", "status": "True"}]},
    })
}

/// A thing whose `spec.size` is its number.
pub(crate) fn thing(number: usize) -> Value {
    let (name, namespace) = (format!("thing-{number:02}"), ["blue", "red"][number % 2]);
    json!({"kind": "Thing", "metadata": {"namespace": namespace, "name": name}, "spec": {"size": number}})
}

/// Makes another version the storage version.
pub(crate) fn store_as(store: &mut Store, version: &str) {
    store.change(CRDS, THINGS, |crd| {
        for known in crd["spec"]["versions"].as_array_mut().unwrap() {
            known["storage"] = json!(known["name"] == version);
        }
    });
}

/// This many things that are stored as v1beta1, in a cluster that stores v1 now.
pub(crate) fn things(count: usize) -> Store {
    let mut store = Store::default();
    store.create(CRDS, crd(&[version("v1beta1", true, true, &FIELDS), version("v1", true, false, &FIELDS)]));
    (0..count).for_each(|number| store.create(THINGS, thing(number)));
    store_as(&mut store, "v1");
    store
}

pub(crate) fn stored_versions(store: &Store) -> Value {
    store.crd(THINGS)["status"]["storedVersions"].clone()
}

pub(crate) async fn installed(cluster: &Cluster) -> Option<InstalledCrd> {
    cluster.crd(THINGS).await.unwrap().map(|(installed, _)| installed)
}

/// Plans and runs a migration with pages of 7 objects. A CRD that is absent has no diagnostics.
pub(crate) async fn migrate(model: &Model, settings: Settings) -> Result<Migrated, Vec<Diagnostic>> {
    let cluster = model.cluster(7).await;
    let Some(installed) = installed(&cluster).await else { return Err(Vec::new()) };
    let plan = StoragePlan::new(&installed)?;
    plan.run(&cluster, &settings, &mut |_| {}).await.map_err(|diagnostic| vec![diagnostic])
}

/// The values and identities of things, by key.
pub(crate) fn values(store: &Store) -> BTreeMap<String, (Value, Value)> {
    let value = |stored: Stored| (stored.value["spec"].clone(), stored.value["metadata"]["uid"].clone());
    store.of(THINGS).into_iter().map(|(key, stored)| (key, value(stored))).collect()
}

/// Everything is stored as v1, and these are the objects.
#[track_caller]
pub(crate) fn assert_migrated(store: &Store, expected: &BTreeMap<String, (Value, Value)>) {
    assert_eq!(values(store), *expected);
    assert!(store.of(THINGS).values().all(|stored| stored.version == "v1"), "{store:?}");
    assert_eq!(stored_versions(store), json!(["v1"]));
}
