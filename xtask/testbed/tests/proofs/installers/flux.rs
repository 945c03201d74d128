//! Flux's helm-controller on the server of the proof, with a source of charts.
//!
//! Invariants: without source-controller, the test writes the status of each OCIRepository. The controller and the recorder of its requests end when
//! this value is dropped.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::recorder::Recorder;
use crate::requests::{CRDS, wait};
use crate::server::Server;

/// The kinds that the controller watches: group, version, kind and plural.
const KINDS: [(&str, &str, &str, &str); 3] = [
    ("helm.toolkit.fluxcd.io", "v2", "HelmRelease", "helmreleases"),
    ("source.toolkit.fluxcd.io", "v1", "OCIRepository", "ocirepositories"),
    ("source.toolkit.fluxcd.io", "v1", "HelmChart", "helmcharts"),
];

/// A running controller.
pub(super) struct Controller<'a> {
    server: &'a Server,
    process: Child,
    pub(super) recorder: Recorder,
    /// The folder of the charts, and the address that serves it.
    charts: TempDir,
    address: String,
}

impl Drop for Controller<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Answers a request for a file of this folder.
fn serve(mut stream: TcpStream, folder: &Path) {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let _ = reader.read_line(&mut line);
    let mut header = String::new();
    while reader.read_line(&mut header).is_ok_and(|length| length > 2) {
        header.clear();
    }
    let name = line.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let content = std::fs::read(folder.join(name)).expect("the chart");
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", content.len());
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&content);
}

impl<'a> Controller<'a> {
    pub(super) fn start(server: &'a Server, program: &Path) -> Self {
        for (group, version, kind, plural) in KINDS {
            let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
            let version = json!({"name": version, "served": true, "storage": true, "subresources": {"status": {}}, "schema": schema});
            let crd = json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": format!("{plural}.{group}")},
                "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": [version]},
            });
            server.send("POST", CRDS, Some(&crd)).with_code(201);
        }
        for (group, version, _, plural) in KINDS {
            wait(plural, || server.send("GET", &format!("/apis/{group}/{version}/{plural}"), None).code == 200);
        }
        let charts = tempfile::tempdir().expect("a folder");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let folder = charts.path().to_owned();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| serve(stream, &folder)));
        let recorder = Recorder::start(server);
        let process = Command::new(program)
            .args(["--metrics-addr=127.0.0.1:0", "--health-addr=127.0.0.1:0", "--interval-jitter-percentage=0"])
            .env("KUBECONFIG", &recorder.kubeconfig)
            .env("RUNTIME_NAMESPACE", "default")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(charts.path().join("log")).expect("a log"))
            .spawn()
            .expect("helm-controller starts");
        Self { server, process, recorder, charts, address }
    }

    /// Installs or upgrades a release of this name, and waits until the controller has done it. `package` makes the archive of the chart in a folder.
    pub(super) fn release(&self, name: &str, policy: &str, number: &str, package: impl Fn(&Path) -> PathBuf) {
        let folder = self.charts.path().join(format!("{name}-{number}"));
        let archive = package(&folder);
        let digest = Sha256::digest(std::fs::read(&archive).expect("the chart"));
        let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let file = archive.strip_prefix(self.charts.path()).expect("below the folder").display().to_string();
        let sources = "/apis/source.toolkit.fluxcd.io/v1/namespaces/default/ocirepositories";
        let releases = "/apis/helm.toolkit.fluxcd.io/v2/namespaces/default/helmreleases";
        self.create(
            sources,
            &json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "OCIRepository", "metadata": {"name": name},
                "spec": {"url": "oci://charts.example.com/widgets", "interval": "1h"},
            }),
        );
        let policies = json!({"install": {"crds": policy}, "upgrade": {"crds": policy}});
        let mut release = json!({
            "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": name},
            "spec": policies,
        });
        release["spec"]["interval"] = json!("1h");
        release["spec"]["chartRef"] = json!({"kind": "OCIRepository", "name": name});
        self.create(releases, &release);
        // Before the new chart, so that the upgrade has this policy.
        self.server.send("PATCH", &format!("{releases}/{name}"), Some(&json!({"spec": policies}))).with_code(200);
        let time = "2026-01-01T00:00:00Z";
        let status = json!({"status": {
            "observedGeneration": 1,
            "conditions": [{"type": "Ready", "status": "True", "reason": "Succeeded", "message": "", "lastTransitionTime": time}],
            "artifact": {
                "url": format!("{}/{file}", self.address), "path": file, "lastUpdateTime": time,
                "digest": format!("sha256:{digest}"), "revision": format!("{number}@sha256:{digest}"),
            },
        }});
        self.server.send("PATCH", &format!("{sources}/{name}/status"), Some(&status)).with_code(200);
        wait("the release is deployed", || {
            let release = self.server.send("GET", &format!("{releases}/{name}"), None).expect("the release");
            let last = &release["status"]["history"][0];
            let conditions = release["status"]["conditions"].as_array().cloned().unwrap_or_default();
            let is_ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
            let is_newest = last["chartVersion"].as_str().is_some_and(|version| version.starts_with(number));
            is_newest && last["status"] == "deployed" && conditions.iter().any(is_ready)
        });
    }

    /// Creates an object, unless it exists.
    fn create(&self, collection: &str, object: &Value) {
        let answer = self.server.send("POST", collection, Some(object));
        assert!(matches!(answer.code, 201 | 409), "{}", answer.message());
    }
}
