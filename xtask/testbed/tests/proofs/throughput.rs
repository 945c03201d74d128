//! The throughput of a migration, compared in the same run with a client that sends one request after the other, and with the most writes that the
//! server takes.
//!
//! Invariant: a proof of its own, because tests at the same time would change its figures.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crd_cluster::{Content, Part, Resource};
use crd_upgrade::migrate::Settings;
use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::json;

use crate::migration::FAST;
use crate::migration::load::Place;
use crate::server::{Crds, Server, server};

/// The requests in a second.
fn rate(number: usize, since: Instant) -> f64 {
    f64::from(u32::try_from(number).expect("small")) / since.elapsed().as_secs_f64()
}

/// Writes every object as it is, this many at once, as fast as the server answers.
async fn ceiling(place: &Place, server: &Server, at_once: usize) -> f64 {
    let (cluster, _) = place.plan(server.client()).await;
    let (installed, _) = cluster.crd(&place.name()).await.expect("read").expect("installed");
    let crd = installed.crd.expect("readable");
    let resource = Resource::of(&crd, "v1");
    let (mut pages, mut entries) = (cluster.pages(&crd, "v1", Content::Metadata), Vec::new());
    while let Some(page) = pages.next().await.expect("listed") {
        entries.extend(page.objects);
    }
    let (number, begun, done) = (entries.len(), Instant::now(), AtomicUsize::new(0));
    let write = |entry: crd_cluster::Object| {
        let (cluster, resource, done) = (&cluster, &resource, &done);
        async move {
            let operations =
                [json!({"op": "test", "path": "/metadata/resourceVersion", "value": entry.metadata.resource_version})];
            cluster.writer(false).patch(resource, &entry.metadata, Part::Object, &operations).await.expect("written");
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    iter(entries).map(write).buffer_unordered(at_once).for_each(async |()| ()).await;
    assert_eq!(done.load(Ordering::Relaxed), number);
    rate(number, begun)
}

/// The requests at once for the most writes in a second.
const AT_ONCE: usize = 32;

/// The figures are those of one machine; the comparison is of one run.
#[test]
fn a_migration_is_faster_than_one_request_after_the_other() {
    if !crd_testdata::is_proof() {
        println!("skipped: `cargo xtask prove throughput` runs it");
        return;
    }
    let Some(server) = server(Crds::Nothing) else { return };
    let number = 10_000;
    server.block_on(async {
        let place = Place::new(server, "load.rate.test", number).await;
        // Each object changes its version, as in a migration.
        place.change("v1", &["v1beta1", "v1"]).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let serial = ceiling(&place, server, 1).await;
        place.change("v1beta1", &["v1beta1", "v1"]).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let most = ceiling(&place, server, AT_ONCE).await;
        place.change("v1", &["v1beta1", "v1"]).await;
        let begun = Instant::now();
        let migrated = place.run(server.client(), &Settings { at_once: AT_ONCE, ..FAST }).await;
        // A run waits until servers use a changed CRD.
        let own = rate(number, begun + Duration::from_secs(2));
        assert!(migrated.is_done() && migrated.counts.written == number as u64, "{migrated:?}");
        println!(
            "Kubernetes {}: {number} objects; writes in a second: {serial:.0} one after the other, {most:.0} at most ({AT_ONCE} at once), {own:.0} by migrate; \
             {:.1} times the first",
            server.minor(),
            own / serial
        );
        assert!(own >= 2.0 * serial, "{own} and {serial}");
    });
}
