//! A migration that is killed at any request is completed by the next one, and nothing is lost.
//!
//! Invariants: a killed run sends nothing more: its client gives no answer, and its future is dropped. Each run has an API group of its own.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crd_convert::Document;
use crd_diagnostics::{Diagnostic, text};
use crd_model::CustomResourceDefinition;
use crd_upgrade::migrate::{BundlePlan, Migrated, StoragePlan, Target, roll_back};
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{FAST, connect, stored_versions, target};
use crate::facts::group::{crd, integer, served, storage, text as string, with_spec};
use crate::requests::{CRDS, send, wait_for};
use crate::server::{Crds, Server, server};

pub(super) const OBJECTS: usize = 20;
const WORKERS: usize = 8;

/// Where a run ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Never.
    Never,
    /// This request is not sent.
    Before(usize),
    /// This request has an effect, and its answer does not arrive.
    After(usize),
}

/// A client whose process is killed at a request.
fn killed(inner: Client, end: End) -> (Client, Arc<AtomicUsize>, Arc<Notify>) {
    let (requests, dead) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (counter, death) = (requests.clone(), dead.clone());
    let service = tower::service_fn(move |request: Request<Body>| {
        let (inner, counter, death) = (inner.clone(), counter.clone(), death.clone());
        async move {
            let number = counter.fetch_add(1, Ordering::SeqCst);
            let die = || async {
                death.notify_one();
                std::future::pending::<Result<Response<Body>, kube::Error>>().await
            };
            match end {
                End::Before(at) if number >= at => die().await,
                End::After(at) if number == at => {
                    let _ = inner.send(request).await;
                    die().await
                }
                End::After(at) if number > at => die().await,
                _ => inner.send(request).await,
            }
        }
    });
    (Client::new(service, "default"), requests, dead)
}

/// An API group with a CRD `things` and objects.
pub(super) struct Place {
    pub(super) group: String,
    pub(super) client: Client,
}

impl Place {
    pub(super) fn crd(&self, versions: &[Value]) -> CustomResourceDefinition {
        let mut document = crd(&self.group, "Thing", "Namespaced", versions);
        document["metadata"]["annotations"] = json!({"example.com/bundle-version": "v1.0.0"});
        CustomResourceDefinition::from_value(&document).expect("a CRD")
    }

    pub(super) fn name(&self) -> String {
        format!("things.{}", self.group)
    }

    pub(super) fn collection(&self, version: &str) -> String {
        format!("/apis/{}/{version}/namespaces/default/things", self.group)
    }

    /// Creates the CRD and objects of its first version.
    pub(super) async fn fill(&self, crd: &CustomResourceDefinition, field: &str) {
        send(&self.client, "POST", CRDS, Some(&crd.to_value())).await.expect("created");
        let version = crd.versions.first().expect("a version").name.to_string();
        wait_for(&self.client, &[self.collection(&version)]).await;
        for index in 0..OBJECTS {
            let object = json!({
                "apiVersion": format!("{}/{version}", self.group),
                "kind": "Thing",
                "metadata": {"name": format!("thing-{index:02}")},
                "spec": {field: format!("value {index}"), "kept": index},
            });
            send(&self.client, "POST", &self.collection(&version), Some(&object)).await.expect("created");
        }
    }

    /// Replaces the versions of the CRD.
    pub(super) async fn change(&self, crd: &CustomResourceDefinition) {
        let path = format!("{CRDS}/{}", self.name());
        let mut document = send(&self.client, "GET", &path, None).await.expect("read");
        document["spec"]["versions"] = crd.to_value()["spec"]["versions"].take();
        send(&self.client, "PUT", &path, Some(&document)).await.expect("changed");
    }

    /// The content of all objects in a version must be this.
    pub(super) async fn expect(&self, version: &str, field: &str, what: &str) {
        let list = send(&self.client, "GET", &self.collection(version), None).await.expect(what);
        let found = list["items"].as_array().expect("items").iter();
        let found =
            found.map(|object| (object["metadata"]["name"].clone(), object["spec"].clone())).collect::<Vec<_>>();
        let expected = (0..OBJECTS)
            .map(|index| (json!(format!("thing-{index:02}")), json!({field: format!("value {index}"), "kept": index})));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{what}");
    }
}

pub(super) fn version(name: &str, is_storage: bool, field: &str) -> Value {
    let schema = with_spec(json!({field: string(), "kept": integer()}));
    if is_storage { storage(name, schema) } else { served(name, schema) }
}

/// Runs to the end, or until the client is killed.
async fn until_killed(
    work: impl Future<Output = Result<Migrated, Diagnostic>>,
    dead: &Notify,
) -> Option<Result<Migrated, Diagnostic>> {
    tokio::select! {
        result = work => Some(result),
        () = dead.notified() => None,
    }
}

fn show(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(text::plain).collect::<Vec<_>>().join("\n")
}

/// Goes to a target with a client that may be killed. Nothing if it was.
async fn go(client: Client, dead: &Notify, target: &Target) -> Option<Migrated> {
    let crd = target.crds.first().expect("a CRD");
    let work = async {
        let cluster = connect(client).await;
        let plan = BundlePlan::new(&cluster, crd, target).await.map_err(|mut blocked| blocked.remove(0))?;
        plan.run(&cluster, &FAST, &|_| Ok(()), &mut |_| {}).await
    };
    until_killed(work, dead).await.map(|result| result.unwrap_or_else(|error| panic!("{}", show(&[error]))))
}

async fn back(client: Client, dead: &Notify, name: &str, target: &Target) -> Option<Migrated> {
    let work = async {
        let cluster = connect(client).await;
        roll_back(&cluster, name, &target.conversions, &FAST, &|_| Ok(()), &mut |_| {}).await
    };
    until_killed(work, dead).await.map(|result| result.unwrap_or_else(|error| panic!("{}", show(&[error]))))
}

/// Migrates the stored version with a client that may be killed.
async fn store(client: Client, dead: &Notify, name: &str) -> Option<Migrated> {
    let work = async {
        let cluster = connect(client).await;
        let (installed, _) = cluster.crd(name).await?.expect("installed");
        let plan = StoragePlan::new(&installed).map_err(|mut blocked| blocked.remove(0))?;
        plan.run(&cluster, &FAST, &mut |_| {}).await
    };
    until_killed(work, dead).await.map(|result| result.unwrap_or_else(|error| panic!("{}", show(&[error]))))
}

fn renaming(group: &str) -> Document {
    let document = json!({
        "schemaVersion": 1, "generator": "test", "prefix": "example.com",
        "lenses": [{
            "name": "rename", "resource": format!("things.{group}"), "group": group, "kind": "Thing", "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.old", "to": "spec.new"}],
        }],
    });
    Document::from_value(&document).expect("lenses")
}

/// The target of a place: `v1` with another field, which a lens fills.
pub(super) fn renamed(place: &Place) -> Target {
    let crds = vec![place.crd(&[version("v1", true, "new")])];
    target("v1.1.0 standard", crds, Vec::new(), &renaming(&place.group), &[])
}

/// What is migrated, and killed.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Storage,
    Forms,
    /// A migration that was killed at the gate, and is taken back.
    Rollback,
}

/// Runs one case, and returns the number of requests of the run that may be killed.
async fn case(server: &Server, kind: Kind, end: End, label: &str) -> usize {
    let place = Place { group: format!("{label}.kills.test"), client: server.client() };
    let what = format!("{kind:?} {end:?}");
    let (client, requests, dead) = killed(server.client(), end);
    let never = Notify::new();
    match kind {
        Kind::Storage => {
            place.fill(&place.crd(&[version("v1beta1", true, "old")]), "old").await;
            let both = place.crd(&[version("v1beta1", false, "old"), version("v1", true, "old")]);
            place.change(&both).await;
            wait_for(&place.client, &[place.collection("v1")]).await;
            store(client, &dead, &place.name()).await;
            store(server.client(), &never, &place.name()).await.expect("complete");
            assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1"]), "{what}");
            // A server cannot read an object of a deleted version.
            place.change(&place.crd(&[version("v1", true, "old")])).await;
            place.expect("v1", "old", &what).await;
        }
        Kind::Forms => {
            place.fill(&place.crd(&[version("v1beta1", true, "old")]), "old").await;
            let target = renamed(&place);
            go(client, &dead, &target).await;
            go(server.client(), &never, &target).await.expect("complete");
            assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1"]), "{what}");
            wait_for(&place.client, &[place.collection("v1")]).await;
            place.expect("v1", "new", &what).await;
        }
        Kind::Rollback => {
            place.fill(&place.crd(&[version("v1beta1", true, "old")]), "old").await;
            let target = renamed(&place);
            // Far enough that some objects have the new form.
            let (first, _, death) = killed(server.client(), End::Before(30));
            assert!(go(first, &death, &target).await.is_none());
            back(client, &dead, &place.name(), &target).await;
            let cluster = connect(server.client()).await;
            let (installed, _) = cluster.crd(&place.name()).await.expect("read").expect("installed");
            if crd_upgrade::migrate::is_begun(&installed) {
                back(server.client(), &never, &place.name(), &target).await.expect("complete");
            }
            assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1beta1"]), "{what}");
            place.expect("v1beta1", "old", &what).await;
        }
    }
    send(&place.client, "DELETE", &format!("{CRDS}/{}", place.name()), None).await.expect("deleted");
    requests.load(Ordering::SeqCst)
}

#[test]
fn a_run_that_is_killed_at_any_request_is_completed_by_the_next_one() {
    let Some(server) = server(Crds::Nothing) else { return };
    let mut cases = Vec::new();
    for kind in [Kind::Storage, Kind::Forms, Kind::Rollback] {
        let label = format!("whole-{kind:?}").to_lowercase();
        let number = server.block_on(case(server, kind, End::Never, &label));
        for at in 0..number {
            cases.extend([End::Before(at), End::After(at)].map(|end| (kind, end)));
        }
    }
    let all = cases.len();
    // More than a sample has would take minutes.
    let cases = if crd_testdata::is_proof() { cases } else { cases.into_iter().step_by(41).collect() };
    let number = cases.len();
    let left = Mutex::new(cases.into_iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let Some((index, (kind, end))) = left.lock().expect("no panic").next() else { break };
                    let label = format!("k{index}");
                    let work = case(server, kind, end, &label);
                    let limited = async { tokio::time::timeout(Duration::from_secs(600), work).await };
                    server.block_on(limited).unwrap_or_else(|_| panic!("{kind:?} {end:?} does not end"));
                }
            });
        }
    });
    println!("Kubernetes {}: {number} of {all} kills, {OBJECTS} objects each", server.minor());
}
