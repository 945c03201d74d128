//! The requests that a program sends to the server, read from the log of a `kubectl proxy`.
//!
//! Invariants: the proxy ends when the recorder is dropped. Only requests to CRDs that are neither reads nor dry runs are returned, in their order.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::requests::{CRDS, wait};
use crate::server::Server;

/// A proxy that records.
pub(super) struct Recorder {
    proxy: Child,
    log: PathBuf,
    /// A kubeconfig whose server is the proxy.
    pub(super) kubeconfig: PathBuf,
    _folder: TempDir,
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

impl Recorder {
    pub(super) fn start(server: &Server) -> Recorder {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("proxy.log");
        let mut proxy = Command::new(server.kubectl_program())
            // Level 8 logs methods, addresses and headers.
            .args(["proxy", "--port=0", "-v=8"])
            .envs(server.environment())
            .env("KUBERC", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).expect("a log"))
            .spawn()
            .expect("kubectl proxy starts");
        let mut line = String::new();
        BufReader::new(proxy.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit(' ').next().expect("Starting to serve on 127.0.0.1:PORT");
        let kubeconfig = folder.path().join("kubeconfig");
        let content = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "proxy",
            "clusters": [{"name": "proxy", "cluster": {"server": format!("http://{address}")}}],
            "users": [{"name": "proxy", "user": {}}],
            "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "proxy", "namespace": "default"}}],
        });
        std::fs::write(&kubeconfig, content.to_string()).expect("a kubeconfig");
        Recorder { proxy, log, kubeconfig, _folder: folder }
    }

    /// The length of the log.
    pub(super) fn position(&self) -> usize {
        self.text().len()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).expect("the log")).into_owned()
    }

    /// The requests since a position of the log, in the form of the table.
    pub(super) fn since(&self, position: usize) -> Vec<String> {
        let mut found = Vec::new();
        // The proxy logs an answer before it sends it on, so that the log of a program that has ended is complete; the writes are not atomic.
        wait("the log is complete", || {
            let text = self.text();
            found = requests(&text[position..]).into_iter().collect();
            found.iter().all(|request| !request.ends_with(' '))
        });
        found
    }
}

/// The requests of a log. One that has no answer ends with a space.
fn requests(log: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in log.split("\"Request\" verb=\"").skip(1) {
        let (verb, rest) = entry.split_once("\" url=\"").expect("an address");
        let (address, rest) = rest.split_once('"').expect("an address");
        let path = address.split_once("//").and_then(|(_, rest)| rest.find('/').map(|start| &rest[start..]));
        let Some(path) = path.filter(|path| path.starts_with(CRDS) && verb != "GET") else { continue };
        let query = path.split_once('?').map_or("-", |(_, query)| query);
        if query.contains("dryRun=All") {
            continue;
        }
        let (_, rest) = rest.split_once("Content-Type: ").unwrap_or(("", rest));
        let content = rest.lines().next().unwrap_or_default();
        let status =
            rest.split_once("\"Response\" status=\"").map_or("", |(_, status)| status.get(..3).unwrap_or_default());
        found.push(format!("{verb} {query} {content} {status}"));
    }
    found
}

#[test]
fn requests_are_read_from_a_log() {
    let log = "\"Request\" verb=\"GET\" url=\"https://127.0.0.1:1/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a?x=1\" headers=<\n >\n\
               \"Response\" status=\"200 OK\"\n\
               \"Request\" verb=\"PUT\" url=\"https://127.0.0.1:1/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a?dryRun=All\" headers=<\n >\n\
               \"Request\" verb=\"POST\" url=\"https://127.0.0.1:1/api/v1/namespaces/default/secrets\" headers=<\n >\n\
               \"Request\" verb=\"POST\" url=\"https://127.0.0.1:1/apis/apiextensions.k8s.io/v1/customresourcedefinitions\" headers=<\n\
               \tContent-Type: application/json\n >\n\"Response\" status=\"409 Conflict\"\n";
    assert_eq!(requests(log), ["POST - application/json 409"]);
    assert_eq!(requests(&log[..log.len() - 30]), ["POST - application/json "]);
}
