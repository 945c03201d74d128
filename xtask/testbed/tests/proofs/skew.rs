//! The matrix of crd-stamps on a real server: a client that does what its file states finds the same.
//!
//! Invariants: what is found depends on the server's answers only. The client lists each kind in the versions that it reads, and sends an object with all fields of its
//! own bundle. With strict field validation, the server names the fields that it would drop.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_model::{CustomResourceDefinition, Schema};
use crd_stamps::skew::{Bundles, Client, ClientKind, KindVerdict};
use serde_json::{Map, Value, json};

use crate::lenses::archive;
use crate::requests::{CRDS, wait, wait_for};
use crate::server::{Crds, Server, repeat_on_other_minors, start};
use crd_testdata::Dice;

/// How many pairs of a client and a bundle are compared. The example controller meets each of these bundles too.
const PAIRS: usize = 20;
/// The API versions of Gateway API, the oldest one first.
const VERSIONS: [&str; 5] = ["v1alpha1", "v1alpha2", "v1alpha3", "v1beta1", "v1"];

/// CRDs of a bundle by their kinds.
type Own<'o> = &'o [Arc<CustomResourceDefinition>];

/// Removes all CRDs of the server, and installs these.
fn install(server: &Server, crds: Own<'_>) {
    let names = || {
        let items = server.send("GET", CRDS, None).expect("listed")["items"].take();
        let names =
            items.as_array().into_iter().flatten().filter_map(|crd| Some(crd["metadata"]["name"].as_str()?.to_owned()));
        names.collect::<Vec<_>>()
    };
    for name in names() {
        server.send("DELETE", &format!("{CRDS}/{name}"), None).expect("deleted");
    }
    wait("the CRDs are deleted", || names().is_empty());
    let mut served = Vec::new();
    for crd in crds {
        server.send("POST", CRDS, Some(&crd.to_value())).expect("created");
        let versions = crd.versions.iter().filter(|version| version.served);
        served.extend(versions.map(|version| format!("/apis/{}/{}/{}", crd.group, version.name, crd.names.plural)));
    }
    server.block_on(wait_for(&server.client(), &served));
    let groups = crds.iter().map(|crd| &*crd.group).collect::<std::collections::BTreeSet<_>>();
    // Discovery follows later.
    wait("all kinds are listed", || {
        groups.iter().map(|group| listed(server, group).len()).sum::<usize>() == served.len()
    });
}

/// The kinds and versions of a group that the server lists, in its order of versions.
fn listed(server: &Server, group: &str) -> Vec<(String, String)> {
    // A group without resources is not found.
    let list = |path: &str, key: &str| server.send("GET", path, None).body.get(key).cloned().unwrap_or_default();
    let versions = list(&format!("/apis/{group}"), "versions");
    let mut listed = Vec::new();
    for version in versions.as_array().into_iter().flatten().filter_map(|version| version["version"].as_str()) {
        let resources = list(&format!("/apis/{group}/{version}"), "resources");
        let resources = resources.as_array().into_iter().flatten();
        let whole = resources.filter(|resource| resource["name"].as_str().is_some_and(|name| !name.contains('/')));
        listed.extend(whole.filter_map(|resource| Some((resource["kind"].as_str()?.to_owned(), version.to_owned()))));
    }
    listed
}

/// A value with every field of a schema. Only its form matters, because a server looks for unknown fields first.
fn whole(schema: &Schema) -> Value {
    if let Some(items) = &schema.items {
        return json!([whole(items)]);
    }
    match schema.kind.as_deref() {
        Some("object") => {
            schema.properties.iter().map(|(name, below)| (name.to_string(), whole(below))).collect::<Map<_, _>>().into()
        }
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("string") => json!("a"),
        _ => Value::Null,
    }
}

/// What the client finds of a kind. `own` is the CRD of its own bundle.
fn found(server: &Server, kind: &ClientKind, own: &CustomResourceDefinition) -> KindVerdict {
    let place = |version: &str| format!("/apis/{}/{version}/{}", kind.group, own.names.plural);
    let is_served = |version: &&String| server.send("GET", &place(version), None).code == 200;
    let Some(version) = kind.versions.iter().find(is_served) else {
        let listed = listed(server, &kind.group).into_iter().filter(|(name, _)| *name == kind.kind);
        let served = listed.map(|(_, version)| version).collect::<Vec<_>>();
        let age = |version: &String| VERSIONS.iter().position(|known| known == version).expect("a known version");
        let is_newer = served.iter().map(age).max() > kind.versions.iter().map(age).max();
        return if served.is_empty() { KindVerdict::Absent } else { KindVerdict::NotServed { served, is_newer } };
    };
    let of = |name: &String| own.versions.iter().find(|version| version.served && *version.name == **name);
    let schema = own.version(version).or_else(|| kind.versions.iter().find_map(of)).expect("its own version");
    let mut object = whole(&schema.schema);
    object["apiVersion"] = json!(format!("{}/{version}", kind.group));
    object["kind"] = json!(kind.kind);
    object["metadata"] = json!({"name": "a"});
    let namespace = if own.scope == crd_model::crd::Scope::Namespaced { "namespaces/default/" } else { "" };
    let path = format!("/apis/{}/{version}/{namespace}{}", kind.group, own.names.plural);
    let answer = server.send("POST", &format!("{path}?dryRun=All&fieldValidation=Strict"), Some(&object));
    assert!(matches!(answer.code, 201 | 400 | 422), "{path}: {} {}", answer.code, answer.message());
    let mut fields = answer.unknown_fields().iter().map(|path| path.replace("[0]", "[*]")).collect::<Vec<_>>();
    fields.sort();
    let version = version.clone();
    if fields.is_empty() { KindVerdict::Works { version } } else { KindVerdict::WithoutFields { version, fields } }
}

fn with_sorted_fields(mut verdict: KindVerdict) -> KindVerdict {
    if let KindVerdict::WithoutFields { fields, .. } = &mut verdict {
        fields.sort();
    }
    verdict
}

#[test]
fn a_client_finds_on_a_server_what_the_matrix_states() {
    let Some(server) = start(Crds::Nothing) else { return };
    let archive = archive();
    let mut bundles = Bundles::default();
    let mut crds = BTreeMap::new();
    for release in archive.releases() {
        let version = release.version.expect("a version");
        bundles.add(version, &release.channels);
        crds.extend(release.channels.iter().map(|(channel, crds)| ((version, *channel), &**crds)));
    }
    let (mut dice, clients, all) =
        (Dice::new(42), bundles.clients().collect::<Vec<_>>(), bundles.bundles().collect::<Vec<_>>());
    let number = if crd_testdata::is_proof() { PAIRS } else { 2 };
    let mut pairs = (0..number).map(|_| (*dice.pick(&all), dice.below(clients.len()))).collect::<Vec<_>>();
    pairs.sort();
    let example = Client::from(&gateway_api_controller::built_for());
    let (mut installed, mut words) = (None, BTreeMap::<_, usize>::new());
    for (bundle, client) in pairs {
        if installed != Some(bundle) {
            install(&server, crds[&bundle]);
            installed = Some(bundle);
        }
        for client in [&clients[client], &example] {
            let stated =
                bundles.row(client).into_iter().find(|cell| cell.bundle == Some(bundle)).expect("a cell").kinds;
            let own = crds[&client.built_for.expect("a bundle")];
            for (kind, stated) in client.kinds.iter().zip(stated) {
                let own = own.iter().find(|crd| *crd.group == *kind.group && *crd.names.kind == *kind.kind);
                let found = found(&server, kind, own.expect("a CRD"));
                let what = format!("{} {} on {} {}", client.name, kind.kind, bundle.0, bundle.1);
                assert_eq!(with_sorted_fields(stated), found, "{what}: the verdict, and what the server answers");
                *words.entry(found.word()).or_default() += 1;
            }
        }
    }
    println!("Kubernetes {}: {number} pairs, and the example controller: {words:?}", server.minor());
    assert!(!crd_testdata::is_proof() || words.len() == 4, "{words:?}");
}

#[test]
fn a_client_finds_the_same_on_other_minors() {
    repeat_on_other_minors(module_path!(), &["a_client_finds_on_a_server_what_the_matrix_states"]);
}
