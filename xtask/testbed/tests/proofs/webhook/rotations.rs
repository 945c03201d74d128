//! Rotations of the CA and the certificate under load: no request of the API server fails, and `caBundle` always verifies what replicas present.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crd_channels::Channel;
use crd_webhook::certs::{self, Namespaced, Settings, Until};
use kube::Client;
use serde_json::Value;
use tempfile::TempDir;

use super::replicas::{Forwarder, Load, Seen};
use super::{CONFIGURATIONS, Process, configuration, configure};
use crate::requests::{create_namespace, send, wait_for};
use crate::server::{Crds, Server, server};

/// The namespace of all objects, and of the Secret.
const NAMESPACE: &str = "webhook-rotations";
const CONFIGURATION: &str = "webhook-rotations.test";
/// How long a kubelet of the test takes to write a changed Secret to a volume. The replica reads the files each second.
const KUBELET: Duration = Duration::from_millis(300);
/// Longer than both together. On a machine that is so busy that they take longer, the next one is tried. The proof has only the first one.
const OVERLAPS: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(32)];

/// The certificate and the key of the Secret.
async fn secret(client: &Client) -> Option<(Vec<u8>, Vec<u8>)> {
    let path = format!("/api/v1/namespaces/{NAMESPACE}/secrets/webhook-certificate");
    let answer = send(client, "GET", &path, None).await;
    let bytes = |key: &str| {
        let value: Value = answer.body.pointer("/data")?.get(key)?.clone();
        serde_json::from_value::<k8s_openapi::ByteString>(value).ok().map(|bytes| bytes.0)
    };
    Some((bytes("tls.crt")?, bytes("tls.key")?))
}

/// Writes the Secret to a folder again and again, as a kubelet does for a volume: to a new folder, to which a symbolic link is moved.
async fn kubelet(client: Client, volume: PathBuf, delay: Duration) {
    let mut written = None;
    for number in 0_u64.. {
        let found = secret(&client).await;
        if found.is_some() && found != written {
            let (certificate, key) = found.clone().expect("some");
            let folder = volume.with_file_name(format!("{number}"));
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("tls.crt"), certificate).expect("written");
            std::fs::write(folder.join("tls.key"), key).expect("written");
            let link = volume.with_file_name("link");
            std::os::unix::fs::symlink(&folder, &link).expect("a link");
            std::fs::rename(&link, &volume).expect("moved");
            written = found;
        }
        tokio::time::sleep(delay).await;
    }
}

fn volume(folder: &Path) -> PathBuf {
    folder.join("volume")
}

#[test]
fn no_request_fails_during_rotations() {
    let Some(server) = server(Crds::Experimental) else { return };
    let (rotations, overlaps) = if crd_testdata::is_proof() { (100, &OVERLAPS[..1]) } else { (2, &OVERLAPS[..]) };
    let during = format!("{rotations} rotations of CA and certificate with 2 replicas");
    let (last, first) = overlaps.split_last().expect("an overlap");
    let seen_with = |overlap: &Duration| seen_during(server, rotations, *overlap);
    let seen = first.iter().map(seen_with).find(|seen| !seen.has_failures());
    seen.unwrap_or_else(|| seen_with(last)).check(server, &during);
}

/// What clients see during rotations with this overlap.
fn seen_during(server: &Server, rotations: usize, overlap: Duration) -> Seen {
    let folders = [(); 2].map(|()| TempDir::new().expect("a folder"));
    let client = server.client();
    let namespaced = |name: &str| Namespaced { namespace: NAMESPACE.to_owned(), name: name.to_owned() };
    let settings = Settings {
        overlap,
        hosts: vec!["127.0.0.1".to_owned()],
        ..Settings::new(
            "gateway.networking.k8s.io",
            namespaced("webhook-certificate"),
            CONFIGURATION,
            namespaced("webhook"),
        )
    };
    server.block_on(async {
        create_namespace(&client, NAMESPACE).await;
        let forwarder = Forwarder::start().await;
        let url = format!("https://{}/validate", forwarder.address);
        let mut kubelets = tokio::task::JoinSet::new();
        let mut replicas = Vec::new();
        for (number, folder) in (1..).zip(&folders) {
            kubelets.spawn(kubelet(client.clone(), volume(folder.path()), KUBELET / number));
            replicas.push(Process::start(server, Channel::Experimental, &volume(folder.path()), ""));
        }
        // The configuration is installed first, and has no CA.
        let without_ca = configuration(CONFIGURATION, &url, None, NAMESPACE);
        send(&client, "POST", CONFIGURATIONS, Some(&without_ca)).await.expect("created");
        let run = async |settings: &Settings| {
            let mut steps = Vec::new();
            let mut on_step = |step: &certs::Step| steps.push(step.to_string());
            let ran = certs::run(client.clone(), settings, Until::Complete, &SystemTime::now, &mut on_step).await;
            let outcome = ran.unwrap_or_else(|error| panic!("{error:?}\n{steps:#?}"));
            assert!(outcome.is_complete, "{steps:#?}");
        };
        run(&settings).await;
        for replica in &replicas {
            forwarder.add(replica).await;
        }
        send(&client, "DELETE", &format!("{CONFIGURATIONS}/{CONFIGURATION}"), None).await.expect("deleted");
        configure_with_ca(&client, &url, &settings).await;
        let load = Load::start(&client, NAMESPACE, 8);
        let mut certificates = std::collections::BTreeSet::new();
        for _ in 0..rotations {
            run(&Settings { rotate: true, ..settings.clone() }).await;
            certificates.insert(secret(&client).await.expect("a Secret").0);
        }
        let seen = load.stop().await;
        send(&client, "DELETE", &format!("{CONFIGURATIONS}/{CONFIGURATION}"), None).await.expect("deleted");
        assert_eq!(certificates.len(), rotations);
        seen
    })
}

/// Installs the configuration again, as an upgrade of the manifests with `kubectl replace` does: the next run restores its CA.
async fn configure_with_ca(client: &Client, url: &str, settings: &Settings) {
    let without_ca = configuration(CONFIGURATION, url, None, NAMESPACE);
    let client_of_run = client.clone();
    let restored = async {
        // A run fails without it.
        wait_for(client, &[format!("{CONFIGURATIONS}/{CONFIGURATION}")]).await;
        let ran = certs::run(client_of_run, settings, Until::Complete, &SystemTime::now, &mut |_| ()).await;
        ran.unwrap_or_else(|error| panic!("{error:?}"));
    };
    tokio::join!(configure(client, &without_ca, NAMESPACE), restored);
}
