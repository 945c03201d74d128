//! Migrations of `crd_upgrade::migrate` on a real server: from release to release of Gateway API, between channels, and killed at each request.
//!
//! Invariants: a proof that installs CRDs of Gateway API has a server of its own. What an object must be afterwards is computed from what the server
//! showed before the migration, by the lenses and by pruning, which other proofs compare with servers.

mod channels;
mod kills;
pub(crate) mod load;
mod refusals;
mod releases;

use std::collections::BTreeSet;

use crd_cluster::{Cluster, Limits};
use crd_convert::{BundleVersion, Code, Conversions, Document};
use crd_diagnostics::text;
use crd_model::CustomResourceDefinition;
use crd_upgrade::migrate::{BundlePlan, Migrated, Settings, Target};
use kube::Client;
use serde_json::Value;

use crate::requests::{CRDS, send};
use crate::server::Server;

/// No limit of the pace.
pub(crate) const FAST: Settings = Settings { rate: u32::MAX, at_once: 8, shard: None, is_dry_run: false };

/// A connection for migrations.
async fn connect(client: Client) -> Cluster {
    Cluster::of_client(client, "https://localhost", Limits::default()).await.expect("connected")
}

/// A target with the lenses up to its bundle.
fn target(
    name: &str,
    crds: Vec<CustomResourceDefinition>,
    known: Vec<CustomResourceDefinition>,
    document: &Document,
    codes: &[Code],
) -> Target {
    let mut document = document.clone();
    if let Ok(bundle) = BundleVersion::parse_release(name.split(' ').next().unwrap_or_default()) {
        document.lenses.retain(|lens| lens.since <= bundle);
    }
    Target {
        name: name.to_owned(),
        crds,
        experimental: Vec::new(),
        known,
        conversions: Conversions::with_code(&document, codes).expect("lenses"),
        drops: BTreeSet::new(),
        looks_for_removed_fields: false,
    }
}

/// Brings the CRDs of a target and their objects to it, four CRDs at once. What was done for each CRD.
#[track_caller]
fn migrate(server: &Server, target: &Target) -> Vec<(String, Migrated)> {
    let next = std::sync::Mutex::new(target.crds.iter());
    let done = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(crd) = next.lock().expect("no panic").next() else { break };
                    let migrated = server.block_on(run(&connect_to(server), target, crd));
                    done.lock().expect("no panic").push((crd.name.to_string(), migrated));
                }
            });
        }
    });
    done.into_inner().expect("no panic")
}

fn connect_to(server: &Server) -> Cluster {
    server.block_on(connect(server.client()))
}

/// Brings one CRD to a target.
async fn run(cluster: &Cluster, target: &Target, crd: &CustomResourceDefinition) -> Migrated {
    let what = |diagnostics: Vec<_>| {
        let texts = diagnostics.iter().map(text::plain).collect::<Vec<_>>();
        format!("{} to {}: {}", crd.name, target.name, texts.join("\n"))
    };
    let plan = BundlePlan::new(cluster, crd, target).await.unwrap_or_else(|blocked| panic!("{}", what(blocked)));
    let migrated = plan.run(cluster, &FAST, &|_| Ok(()), &mut |_| {}).await;
    let migrated = migrated.unwrap_or_else(|error| panic!("{}", what(vec![error])));
    assert!(migrated.is_done() && migrated.counts.is_complete(), "{}", what(migrated.counts.refused));
    migrated
}

/// Whether the second value has everything that the first one has.
pub(crate) fn has_all(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, value)| after.get(key).is_some_and(|after| has_all(value, after)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(before, after)| has_all(before, after))
        }
        _ => before == after,
    }
}

/// What users and controllers wrote.
pub(crate) fn content(object: &Value) -> Value {
    let members = object.as_object().into_iter().flatten();
    members
        .filter(|(key, _)| !["apiVersion", "kind", "metadata"].contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Creates an object with its status, and returns it as the server shows it.
async fn create(client: &Client, collection: &str, object: &Value) -> Value {
    let created = send(client, "POST", collection, Some(object)).await.expect("created");
    let path = format!("{collection}/{}", created["metadata"]["name"].as_str().expect("a name"));
    if let Some(status) = object.get("status").filter(|status| created.get("status") != Some(status)) {
        let mut with_status = created;
        with_status["status"] = status.clone();
        let answer = send(client, "PUT", &format!("{path}/status"), Some(&with_status)).await;
        // Without the endpoint, the object has its status already.
        assert!(answer.is_success() || answer.code == 404, "{} {:#}", answer.code, answer.body);
    }
    send(client, "GET", &path, None).await.expect("read")
}

/// The collection of a version of a CRD in the namespace `default`.
fn collection(crd: &CustomResourceDefinition, version: &str) -> String {
    let namespace = match crd.scope {
        crd_model::crd::Scope::Namespaced => "/namespaces/default",
        crd_model::crd::Scope::Cluster => "",
    };
    format!("/apis/{}/{version}{namespace}/{}", crd.group, crd.names.plural)
}

/// `status.storedVersions` of a CRD.
async fn stored_versions(client: &Client, name: &str) -> Value {
    send(client, "GET", &format!("{CRDS}/{name}"), None).await.expect("read")["status"]["storedVersions"].take()
}
