//! Rolling restarts of two replicas under load: no request of the API server fails.

use crd_channels::Channel;
use tempfile::TempDir;

use super::replicas::{Forwarder, Load};
use super::{CONFIGURATIONS, Process, configuration, configure, write_certificate};
use crate::requests::{create_namespace, send};
use crate::server::{Crds, server};

/// The namespace of all objects.
const NAMESPACE: &str = "webhook-restarts";

#[test]
fn no_request_fails_during_rolling_restarts() {
    let Some(server) = server(Crds::Experimental) else { return };
    let folder = TempDir::new().expect("a folder");
    let ca = write_certificate(folder.path());
    let rounds = if crd_testdata::is_proof() { 20 } else { 1 };
    // Longer than readiness is asked for.
    let start = || Process::start(server, Channel::Experimental, folder.path(), "--drain 2");
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
        seen.check(server, &format!("{rounds} rolling restarts of 2 replicas"));
    });
}
