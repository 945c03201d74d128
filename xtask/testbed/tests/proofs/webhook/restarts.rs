//! Rolling restarts of two replicas under load: no request of the API server fails.

use crd_channels::Channel;
use tempfile::TempDir;

use super::replicas::{Forwarder, Load, Seen};
use super::{CONFIGURATIONS, Process, configuration, configure, write_certificate};
use crate::requests::{create_namespace, send};
use crate::server::{Crds, Server, server};

/// The namespace of all objects.
const NAMESPACE: &str = "webhook-restarts";
/// Seconds of a drain. Longer than readiness is asked for. On a machine that is so busy that this takes longer, the next one is tried. The proof has
/// only the first one.
const DRAINS: [u64; 3] = [2, 10, 60];

#[test]
fn no_request_fails_during_rolling_restarts() {
    let Some(server) = server(Crds::Experimental) else { return };
    let (rounds, drains) = if crd_testdata::is_proof() { (20, &DRAINS[..1]) } else { (1, &DRAINS[..]) };
    let (last, first) = drains.split_last().expect("a drain");
    let seen_with = |drain: &u64| seen_during(server, rounds, *drain);
    let seen = first.iter().map(seen_with).find(|seen| !seen.has_failures());
    seen.unwrap_or_else(|| seen_with(last)).check(server, &format!("{rounds} rolling restarts of 2 replicas"));
}

/// What clients see during rolling restarts with this drain.
fn seen_during(server: &Server, rounds: usize, drain: u64) -> Seen {
    let folder = TempDir::new().expect("a folder");
    let ca = write_certificate(folder.path());
    let start = || Process::start(server, Channel::Experimental, folder.path(), &format!("--drain {drain}"));
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, NAMESPACE).await;
        let forwarder = Forwarder::start().await;
        let mut replicas = vec![start(), start()];
        for replica in &replicas {
            forwarder.add(replica).await;
        }
        let url = format!("https://{}/validate", forwarder.address);
        let name = "webhook-restarts.test";
        configure(&client, &configuration(name, &url, Some(&ca), NAMESPACE), NAMESPACE).await;
        let load = Load::start(&client, NAMESPACE, 8);
        for _ in 0..rounds {
            // As a Deployment with `maxSurge: 1` and `maxUnavailable: 0`.
            for replica in &mut replicas {
                let new = start();
                forwarder.add(&new).await;
                let old = std::mem::replace(replica, new);
                let reviews = old.reviews;
                old.terminate();
                old.wait_until_ended().await;
                forwarder.remove(reviews);
            }
        }
        let seen = load.stop().await;
        send(&client, "DELETE", &format!("{CONFIGURATIONS}/{name}"), None).await.expect("deleted");
        seen
    })
}
