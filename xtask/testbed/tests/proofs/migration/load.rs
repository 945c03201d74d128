//! Many objects: a migration that is killed again and again while other clients write, create and delete, and four parts at once.
//!
//! Invariants: each writer remembers what the server confirmed, so a lost, overwritten or resurrected object is found. Each test has an API group of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crd_cluster::Content;
use crd_upgrade::migrate::{Migrated, Settings, Shard, StoragePlan};
use futures_util::StreamExt;
use futures_util::stream::iter;
use http::Request;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use super::{FAST, connect, stored_versions};
use crate::facts::group::{crd, integer, served, storage, with_spec};
use crate::requests::{Answer, CRDS, send, wait_for};
use crate::server::{Crds, Server, server, start};
use crd_testdata::Dice;

const WRITERS: usize = 8;

/// An API group with a CRD `things` of two versions, and this many objects.
pub(crate) struct Place {
    group: String,
    client: Client,
}

impl Place {
    pub(crate) async fn new(server: &Server, group: &str, objects: usize) -> Self {
        let place = Self { group: group.to_owned(), client: server.client() };
        send(&place.client, "POST", CRDS, Some(&place.crd("v1beta1", &["v1beta1", "v1"]))).await.expect("created");
        wait_for(&place.client, &[place.collection("v1beta1"), place.collection("v1")]).await;
        let create = |index: usize| {
            let place = &place;
            async move { place.create(index).await.expect("created") }
        };
        iter(0..objects).map(create).buffer_unordered(WRITERS).for_each(async |_| ()).await;
        place
    }

    pub(crate) fn name(&self) -> String {
        format!("things.{}", self.group)
    }

    fn collection(&self, version: &str) -> String {
        format!("/apis/{}/{version}/namespaces/default/things", self.group)
    }

    fn crd(&self, stored: &str, versions: &[&str]) -> Value {
        let version = |name: &&str| {
            let schema = with_spec(json!({"value": integer()}));
            if *name == stored { storage(name, schema) } else { served(name, schema) }
        };
        crd(&self.group, "Thing", "Namespaced", &versions.iter().map(version).collect::<Vec<_>>())
    }

    async fn create(&self, index: usize) -> Answer {
        let object = json!({
            "apiVersion": format!("{}/v1beta1", self.group),
            "kind": "Thing",
            "metadata": {"name": format!("thing-{index:06}")},
            "spec": {"value": 0},
        });
        send(&self.client, "POST", &self.collection("v1beta1"), Some(&object)).await
    }

    /// Replaces the versions of the CRD.
    pub(crate) async fn change(&self, stored: &str, versions: &[&str]) {
        let path = format!("{CRDS}/{}", self.name());
        let mut crd = send(&self.client, "GET", &path, None).await.expect("read");
        crd["spec"]["versions"] = self.crd(stored, versions)["spec"]["versions"].take();
        send(&self.client, "PUT", &path, Some(&crd)).await.expect("changed");
    }

    /// Every object with its UID and value.
    async fn objects(&self) -> BTreeMap<String, (String, i64)> {
        let cluster = connect(self.client.clone()).await;
        let (installed, _) = cluster.crd(&self.name()).await.expect("read").expect("installed");
        let crd = installed.crd.expect("readable");
        let (mut pages, mut objects) = (cluster.pages(&crd, "v1", Content::Whole), BTreeMap::new());
        while let Some(page) = pages.next().await.expect("listed") {
            assert!(page.unreadable.is_empty());
            objects.extend(page.objects.into_iter().map(|entry| {
                (entry.metadata.name, (entry.metadata.uid, entry.value["spec"]["value"].as_i64().expect("a value")))
            }));
        }
        objects
    }

    pub(crate) async fn plan(&self, client: Client) -> (crd_cluster::Cluster, StoragePlan) {
        let cluster = connect(client).await;
        let (installed, _) = cluster.crd(&self.name()).await.expect("read").expect("installed");
        let plan = StoragePlan::new(&installed).expect("a plan");
        (cluster, plan)
    }

    pub(crate) async fn run(&self, client: Client, settings: &Settings) -> Migrated {
        let (cluster, plan) = self.plan(client).await;
        plan.run(&cluster, settings, &mut |_| {}).await.expect("it runs")
    }
}

/// What the server confirmed of each object: its UID and value, or nothing after its deletion.
type Confirmed = Mutex<BTreeMap<String, Option<(String, i64)>>>;

/// Writes, deletes and creates objects until the migrations have ended. Objects belong to one writer each.
async fn disturb(place: &Place, own: Vec<String>, seed: u64, is_over: &AtomicBool, confirmed: &Confirmed) -> usize {
    let (mut dice, mut writes) = (Dice::new(seed), 0);
    while !is_over.load(Ordering::SeqCst) {
        // A writer whose objects are all deleted must not keep the other ones from their work.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let name = &own[dice.below(own.len())];
        let path = format!("{}/{name}", place.collection("v1beta1"));
        let known = confirmed.lock().expect("no panic").get(name).cloned().flatten();
        // One writer of eight also deletes.
        if seed == 0 && dice.below(3) == 0 {
            if known.is_some() {
                send(&place.client, "DELETE", &path, None).await.expect("deleted");
                confirmed.lock().expect("no panic").insert(name.clone(), None);
                writes += 1;
            }
            continue;
        }
        let Some((uid, value)) = known else { continue };
        let mut object = send(&place.client, "GET", &path, None).await.expect("read");
        assert_eq!((object["metadata"]["uid"].as_str(), object["spec"]["value"].as_i64()), (Some(&*uid), Some(value)));
        object["spec"]["value"] = json!(value + 1);
        let answer = send(&place.client, "PUT", &path, Some(&object)).await;
        // The migration was faster.
        if answer.code == 409 {
            continue;
        }
        answer.expect("written");
        confirmed.lock().expect("no panic").insert(name.clone(), Some((uid, value + 1)));
        writes += 1;
    }
    writes
}

#[test]
fn a_migration_that_is_killed_again_and_again_among_other_clients_loses_nothing() {
    let Some(server) = start(Crds::Nothing) else { return };
    let (number, kills) = if crd_testdata::is_proof() { (10_000, 100) } else { (400, 6) };
    server.block_on(async {
        let place = Place::new(&server, "load.kills.test", number).await;
        let confirmed: Confirmed =
            Mutex::new(place.objects().await.into_iter().map(|(name, object)| (name, Some(object))).collect());
        let names = confirmed.lock().expect("no panic").keys().cloned().collect::<Vec<_>>();
        place.change("v1", &["v1beta1", "v1"]).await;
        let is_over = AtomicBool::new(false);
        let own = |writer: usize| names.iter().skip(writer).step_by(WRITERS).cloned().collect::<Vec<_>>();
        let (place, confirmed, is_over) = (&place, &confirmed, &is_over);
        let writers = (0..WRITERS).map(|writer| disturb(place, own(writer), writer as u64, is_over, confirmed));
        let writers = futures_util::future::join_all(writers);
        let migrations = async {
            let (mut dice, mut killed) = (Dice::new(1), 0);
            while killed < kills {
                let most = if crd_testdata::is_proof() { 6_000 } else { 2_600 };
                let life = Duration::from_millis(dice.below(most) as u64);
                let run = place.run(server.client(), &FAST);
                if tokio::time::timeout(life, run).await.is_err() {
                    killed += 1;
                } else {
                    // It was complete before: the next runs begin again.
                    place.change("v1beta1", &["v1beta1", "v1"]).await;
                    place.change("v1", &["v1beta1", "v1"]).await;
                }
            }
            while !place.run(server.client(), &FAST).await.is_done() {}
            is_over.store(true, Ordering::SeqCst);
        };
        let (writes, ()) = tokio::join!(writers, migrations);
        assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1"]));
        // A server cannot read an object of a deleted version, so this shows the stored version of each one.
        place.change("v1", &["v1"]).await;
        let expected = confirmed.lock().expect("no panic").clone();
        let expected = expected.into_iter().filter_map(|(name, object)| Some((name, object?))).collect();
        assert_eq!(place.objects().await, expected);
        let deleted = number - expected.len();
        let writes = writes.iter().sum::<usize>();
        println!(
            "Kubernetes {}: {number} objects, {kills} kills, {writes} writes and {deleted} deletions of other clients",
            server.minor()
        );
        assert!(writes > 0);
    });
}

/// A client that counts the writes of each object.
fn counting(inner: Client, writes: &Arc<Mutex<BTreeMap<String, usize>>>) -> Client {
    let writes = writes.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (inner, writes) = (inner.clone(), writes.clone());
        async move {
            let path = request.uri().path().to_owned();
            if request.method() == http::Method::PATCH && path.contains("/things/") {
                *writes.lock().expect("no panic").entry(path).or_default() += 1;
            }
            inner.send(request).await
        }
    });
    Client::new(service, "default")
}

#[test]
fn four_parts_at_once_write_each_object_once() {
    let Some(server) = server(Crds::Nothing) else { return };
    server.block_on(async {
        let place = Place::new(server, "load.parts.test", 200).await;
        let before = place.objects().await;
        place.change("v1", &["v1beta1", "v1"]).await;
        let writes = Arc::new(Mutex::new(BTreeMap::new()));
        let part = |index: u32| {
            let settings = Settings { shard: Some(Shard { index, of: 4 }), ..FAST };
            let (place, client) = (&place, counting(server.client(), &writes));
            async move { place.run(client, &settings).await }
        };
        let done = futures_util::future::join_all((1..=4).map(part)).await;
        assert!(done.iter().all(Migrated::is_done));
        assert_eq!(done.iter().filter(|migrated| migrated.is_pruned).count(), 1, "the last part completes it");
        let writes = writes.lock().expect("no panic").clone();
        assert_eq!((writes.len(), writes.values().copied().collect::<BTreeSet<_>>()), (200, BTreeSet::from([1])));
        assert_eq!(stored_versions(&place.client, &place.name()).await, json!(["v1"]));
        place.change("v1", &["v1"]).await;
        assert_eq!(place.objects().await, before);
    });
}
