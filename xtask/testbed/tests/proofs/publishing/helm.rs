//! The program Helm: its output and its stored revisions.
//!
//! Invariants: Helm's folders are temporary. Helm does not see its variables in the user's environment.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use k8s_openapi::ByteString;
use serde_json::Value;
use tempfile::TempDir;

use crate::server::{Printed, Server};

/// Helm with its own folders.
pub(crate) struct Helm {
    program: PathBuf,
    homes: TempDir,
}

/// A revision in Helm's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Revision {
    pub(super) number: u64,
    pub(super) status: String,
    /// Chart and version: `gateway-api-standard-1.6.1`.
    pub(super) chart: String,
    pub(super) description: String,
}

impl Helm {
    /// The cached Helm, which is built if needed. Prints `skipped` and returns `None` if Go is needed and not installed.
    pub(crate) fn find() -> Option<Helm> {
        static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| match crd_testbed::program("helm") {
            Ok(program) => Some(program),
            Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
                eprintln!("skipped: {failure}");
                None
            }
            Err(failure) => panic!("{failure}"),
        });
        Some(Helm { program: program.clone()?, homes: tempfile::tempdir().expect("a folder") })
    }

    /// The program.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Runs it, without a server.
    pub(super) fn alone(&self, arguments: &[&str]) -> Printed {
        self.finish(self.command(arguments))
    }

    /// Runs it against a server.
    pub(crate) fn run(&self, server: &Server, arguments: &[&str]) -> Printed {
        let mut command = self.command(arguments);
        command.envs(server.environment());
        self.finish(command)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HELM_")) {
            command.env_remove(name);
        }
        for (name, folder) in [("HELM_CACHE_HOME", "cache"), ("HELM_CONFIG_HOME", "config"), ("HELM_DATA_HOME", "data")]
        {
            command.env(name, self.homes.path().join(folder));
        }
        // Helm must not use the user's kubeconfig.
        command.args(arguments).env("KUBECONFIG", self.homes.path().join("none")).stdin(Stdio::null());
        command
    }

    fn finish(&self, mut command: Command) -> Printed {
        let output = command.output().expect("helm runs");
        Printed {
            success: output.status.success(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Helm's revisions of a release, oldest first; empty if the release does not exist.
    pub(super) fn history(&self, server: &Server, name: &str) -> Vec<Revision> {
        let printed = self.run(server, &["history", name, "-o", "json"]);
        if printed.stderr.contains("release: not found") {
            return Vec::new();
        }
        let list: Vec<Value> = serde_json::from_str(&printed.expect("a history")).expect("JSON");
        let text = |revision: &Value, key: &str| revision[key].as_str().unwrap_or_default().to_owned();
        list.iter()
            .map(|revision| Revision {
                number: revision["revision"].as_u64().expect("a number"),
                status: text(revision, "status"),
                chart: text(revision, "chart"),
                description: text(revision, "description"),
            })
            .collect()
    }
}

/// The size of a stored revision, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// `data.release` in the API: base64 of base64 of gzip of JSON.
    pub(super) shown: usize,
    /// The stored form, to which the limit of 1 MiB applies: base64 of gzip of JSON.
    pub(super) stored: usize,
    /// The JSON.
    pub(super) json: usize,
}

impl Size {
    /// The size of a revision.
    pub(super) fn of(server: &Server, name: &str, number: u64) -> Size {
        let path = format!("/api/v1/namespaces/default/secrets/sh.helm.release.v1.{name}.v{number}");
        let secret = server.send("GET", &path, None).expect("a secret");
        let shown = secret["data"]["release"].as_str().expect("data").len();
        let decoded = |value: Value| serde_json::from_value::<ByteString>(value).expect("base64").0;
        let stored = decoded(secret["data"]["release"].clone());
        let gzip = decoded(Value::String(String::from_utf8(stored.clone()).expect("base64")));
        let mut json = Vec::new();
        flate2::read::GzDecoder::new(&*gzip).read_to_end(&mut json).expect("gzip");
        serde_json::from_slice::<Value>(&json).expect("JSON");
        Size { shown, stored: stored.len(), json: json.len() }
    }
}
