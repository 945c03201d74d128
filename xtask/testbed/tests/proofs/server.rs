//! The servers that the proofs run on: one for each thing that it holds, started when the first test asks for it, ended with the process.
//!
//! Fed with the launcher of this package. Read by every proof.
//!
//! Invariants: without Go a test says that it was skipped and why, and passes; with `CRD_TESTBED=require` it fails instead. Tests share a
//! server, so each works in a namespace or API group of its own, and none changes the CRDs that others use.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

use crd_testbed::{Options, Testbed};
use kube::Client;
use kube::config::Kubeconfig;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// What a server holds when a test gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    /// Nothing but Kubernetes. Tests bring CRDs of groups of their own.
    Nothing,
    /// `bundles/unreleased/standard`.
    Standard,
    /// `bundles/unreleased/experimental`.
    Experimental,
}

/// A running server and a client of it.
pub(crate) struct Server {
    testbed: Testbed,
    client: Client,
    /// Of etcd's own HTTP gateway.
    etcd: Client,
}

/// One runtime for all tests: the connections of a client live on the runtime that made it.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts")
    })
}

/// The shared server that holds this; `None` if there can be none here, which has been said then.
pub(crate) fn server(holds: Holds) -> Option<&'static Server> {
    static SERVERS: Mutex<BTreeMap<Holds, Option<&'static Server>>> = Mutex::new(BTreeMap::new());
    let mut servers = SERVERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Never dropped: the testbed ends when this process does, however that happens.
    *servers.entry(holds).or_insert_with(|| start(holds).map(|server| &*Box::leak(Box::new(server))))
}

/// A server for one test alone, ended when it is dropped.
pub(crate) fn start(holds: Holds) -> Option<Server> {
    let testbed = Testbed::start(&Options::of_environment(Path::new(env!("CARGO_BIN_EXE_crd-testbed"))));
    let testbed = match testbed {
        Ok(testbed) => testbed,
        Err(failure) if failure.is_missing_go() && !crd_testbed::required() => {
            eprintln!("skipped: {failure}");
            return None;
        }
        Err(failure) => panic!("{failure}"),
    };
    let client = client(Kubeconfig::read_from(testbed.kubeconfig()).expect("the kubeconfig is readable"));
    let etcd = client_of_etcd(&testbed);
    let server = Server { testbed, client, etcd };
    let channel = match holds {
        Holds::Nothing => return Some(server),
        Holds::Standard => "standard",
        Holds::Experimental => "experimental",
    };
    let folder = bundle(channel);
    server.kubectl(&["apply", "-f", &folder.display().to_string()]).expect("the bundle installs");
    server
        .kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"])
        .expect("it is established");
    Some(server)
}

fn client(kubeconfig: Kubeconfig) -> Client {
    runtime().block_on(async {
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await;
        let mut config = config.expect("it is whole");
        // A list that is answered with 429 for good is a fact to be seen, and not to be waited for.
        config.default_retry = false;
        // No proxy leads to this machine, whatever the environment says.
        config.proxy_url = None;
        Client::try_from(config).expect("a client of it")
    })
}

/// etcd asks for the same kind of certificates as the API server, so the same client can talk to it.
fn client_of_etcd(testbed: &Testbed) -> Client {
    let file = |name: &str| testbed.folder().join(name);
    let kubeconfig = json!({
        "clusters": [{ "name": "etcd", "cluster": { "server": testbed.etcd(), "certificate-authority": file("authority.crt") } }],
        "users": [{
            "name": "etcd",
            "user": { "client-certificate": file("etcd-client.crt"), "client-key": file("etcd-client.key") },
        }],
        "contexts": [{ "name": "etcd", "context": { "cluster": "etcd", "user": "etcd" } }],
        "current-context": "etcd",
    });
    client(serde_json::from_value(kubeconfig).expect("a kubeconfig"))
}

/// The folder of the unreleased bundle in this channel.
pub(crate) fn bundle(channel: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/unreleased").join(channel)
}

/// What `kubectl` printed, and whether it was content.
pub(crate) struct Printed {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Printed {
    /// Its stdout, if it succeeded.
    pub(crate) fn expect(self, what: &str) -> String {
        assert!(self.success, "{what}: kubectl failed\n{}\n{}", self.stdout, self.stderr);
        self.stdout
    }
}

impl Server {
    /// A client that is in group `system:masters`.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Runs a future to its end, on the runtime that the client lives on.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        runtime().block_on(future)
    }

    /// The minor that is running, as `1.36`.
    pub(crate) fn minor(&self) -> &'static str {
        self.testbed.minor().name
    }

    /// What programs that are not `kubectl` need in their environment to talk to this server, as a user who may do everything.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 2] {
        self.testbed.environment()
    }

    /// Where the `kubectl` of the server's own version lies.
    pub(crate) fn kubectl_program(&self) -> &Path {
        self.testbed.kubectl()
    }

    /// What etcd really holds at this key, as `/registry/GROUP/RESOURCE/NAMESPACE/NAME`. Custom resources are stored as JSON.
    pub(crate) fn stored(&self, key: &str) -> Option<Value> {
        let base64 =
            |text: &str| serde_json::to_value(k8s_openapi::ByteString(text.as_bytes().to_vec())).expect("base64");
        let question = json!({ "key": base64(key) }).to_string().into_bytes();
        let request = http::Request::post("/v3/kv/range").body(question).expect("a request");
        let answer = self.block_on(self.etcd.request::<Value>(request)).expect("etcd answers");
        let value = answer.pointer("/kvs/0/value")?.clone();
        let bytes = serde_json::from_value::<k8s_openapi::ByteString>(value).expect("base64");
        Some(serde_json::from_slice(&bytes.0).expect("a custom resource is stored as JSON"))
    }

    /// Runs the `kubectl` of the server's own version.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> Printed {
        self.kubectl_reading(arguments, "")
    }

    /// Runs `kubectl` with this as its standard input (`-f -`).
    pub(crate) fn kubectl_reading(&self, arguments: &[&str], input: &str) -> Printed {
        let mut child = Command::new(self.testbed.kubectl())
            .args(arguments)
            .envs(self.testbed.environment())
            // What whoever runs the tests prefers is no fact about Kubernetes.
            .env("KUBERC", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl starts");
        // From a thread, since kubectl may print before it has read everything.
        let mut stdin = child.stdin.take().expect("piped");
        let input = input.to_owned();
        let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let Output { status, stdout, stderr } = child.wait_with_output().expect("kubectl ends");
        writer.join().expect("the writer does not panic");
        Printed {
            success: status.success(),
            stdout: String::from_utf8(stdout).expect("UTF-8"),
            stderr: String::from_utf8(stderr).expect("UTF-8"),
        }
    }
}
