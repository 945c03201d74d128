//! The servers of the proofs: one for each set of installed CRDs. A server starts when the first test needs it, and ends with the process.
//!
//! Invariants: without Go a test is skipped and prints the reason; with `CRD_TESTBED=require` it fails instead. Tests share a server, so each
//! uses a namespace or API group of its own, and does not change CRDs that other tests use.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

use crd_testbed::{MINORS, Minor, Options, Testbed};
use kube::Client;
use kube::config::Kubeconfig;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::requests::{self, Answer};

/// The CRDs of a server at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Crds {
    /// No CRDs. Tests create CRDs in their own groups.
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
    /// A client of etcd's HTTP gateway.
    etcd: Client,
}

/// One runtime for all tests, because the connections of a client belong to the runtime that created it.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts")
    })
}

/// The shared server with these CRDs. Prints `skipped` and returns `None` if no server can be started.
pub(crate) fn server(crds: Crds) -> Option<&'static Server> {
    static SERVERS: Mutex<BTreeMap<Crds, Option<&'static Server>>> = Mutex::new(BTreeMap::new());
    let mut servers = SERVERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Never dropped: the testbed ends with this process, however that happens.
    *servers.entry(crds).or_insert_with(|| start(crds).map(|server| &*Box::leak(Box::new(server))))
}

/// A server for one test, which ends when it is dropped.
pub(crate) fn start(crds: Crds) -> Option<Server> {
    let testbed = Testbed::start(&Options::from_environment(Path::new(env!("CARGO_BIN_EXE_crd-testbed"))));
    let testbed = match testbed {
        Ok(testbed) => testbed,
        Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
            eprintln!("skipped: {failure}");
            return None;
        }
        Err(failure) => panic!("{failure}"),
    };
    let client = client(Kubeconfig::read_from(testbed.kubeconfig()).expect("the kubeconfig is readable"));
    let etcd = client_of_etcd(&testbed);
    let server = Server { testbed, client, etcd };
    let channel = match crds {
        Crds::Nothing => return Some(server),
        Crds::Standard => "standard",
        Crds::Experimental => "experimental",
    };
    let folder = bundle(channel);
    server.kubectl(&["apply", "-f", &folder.display().to_string()]).expect("the bundle installs");
    server
        .kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=600s"])
        .expect("it is established");
    Some(server)
}

/// A client of the user of a kubeconfig.
pub(crate) fn client(kubeconfig: Kubeconfig) -> Client {
    runtime().block_on(async {
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await;
        let mut config = config.expect("it is complete");
        // A list that always answers 429 is a fact that tests check; a retry would hide it.
        config.default_retry = false;
        // A proxy in the environment cannot reach the loopback address.
        config.proxy_url = None;
        Client::try_from(config).expect("a client of it")
    })
}

/// A client of etcd, which uses the same kind of certificates as the API server.
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

/// The number of a minor: 36 for 1.36.
pub(crate) fn number(minor: &Minor) -> u32 {
    minor.name.strip_prefix("1.").and_then(|number| number.parse().ok()).expect("a minor")
}

/// Repeats tests of a module on the oldest and the newest minor if they are built. Building takes minutes; `cargo xtask testbed matrix` does that.
pub(crate) fn repeat_on_other_minors(module: &str, tests: &[&str]) {
    let module = module.split_once("::").map_or("", |(_, module)| module);
    let here = std::env::var("CRD_TESTBED_KUBERNETES").unwrap_or_else(|_| crd_testbed::DEFAULT_MINOR.to_owned());
    for minor in [MINORS.last(), MINORS.first()].into_iter().flatten().filter(|minor| minor.name != here) {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "--show-output"])
            .args(tests.iter().map(|test| format!("{module}::{test}")))
            .env("CRD_TESTBED_KUBERNETES", minor.name)
            // Without Go, minors that are not built are skipped.
            .env("GO", "/nonexistent/go")
            .env_remove("CRD_TESTBED")
            .env_remove("CRD_TESTBED_WRITE")
            .output()
            .expect("this program runs");
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let is_passed = output.status.success() && printed.contains(&format!("{} passed", tests.len()));
        assert!(is_passed, "{}:\n{printed}", minor.name);
        if printed.contains("skipped: ") {
            println!(
                "skipped: Kubernetes {} is not built; build it with `cargo xtask testbed build --kubernetes {0}`",
                minor.name
            );
        }
    }
}

/// The folder of the unreleased bundle in this channel.
pub(crate) fn bundle(channel: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/unreleased").join(channel)
}

/// The output of `kubectl`, and whether it succeeded.
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
    /// A client of a user in the group `system:masters`.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Sends a request.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.send_with(method, path, &[], body)
    }

    /// Sends a request with headers.
    pub(crate) fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        self.block_on(requests::send_with(&self.client, method, path, headers, body))
    }

    /// Runs a future to its end, on the runtime of the client.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        runtime().block_on(future)
    }

    /// The minor of the server, as `1.36`.
    pub(crate) fn minor(&self) -> &'static str {
        self.testbed.minor().name
    }

    /// The number of the minor, as 36.
    pub(crate) fn number(&self) -> u32 {
        number(self.testbed.minor())
    }

    /// The environment variables that direct other programs to this server, as a user with all permissions.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 2] {
        self.testbed.environment()
    }

    /// The path of the server's `kubectl`.
    pub(crate) fn kubectl_program(&self) -> &Path {
        self.testbed.kubectl()
    }

    /// The object in etcd at this key, as `/registry/GROUP/RESOURCE/NAMESPACE/NAME`. Custom resources are stored as JSON.
    pub(crate) fn stored(&self, key: &str) -> Option<Value> {
        let base64 =
            |text: &str| serde_json::to_value(k8s_openapi::ByteString(text.as_bytes().to_vec())).expect("base64");
        let query = json!({ "key": base64(key) }).to_string().into_bytes();
        let request = http::Request::post("/v3/kv/range").body(query).expect("a request");
        let answer = self.block_on(self.etcd.request::<Value>(request)).expect("etcd answers");
        let value = answer.pointer("/kvs/0/value")?.clone();
        let bytes = serde_json::from_value::<k8s_openapi::ByteString>(value).expect("base64");
        Some(serde_json::from_slice(&bytes.0).expect("a custom resource is stored as JSON"))
    }

    /// Overwrites an object in etcd, as if another version of Kubernetes had written it.
    pub(crate) fn store(&self, key: &str, object: &Value) {
        let base64 = |bytes: Vec<u8>| serde_json::to_value(k8s_openapi::ByteString(bytes)).expect("base64");
        let query = json!({"key": base64(key.into()), "value": base64(object.to_string().into())}).to_string();
        let request = http::Request::post("/v3/kv/put").body(query.into_bytes()).expect("a request");
        self.block_on(self.etcd.request::<Value>(request)).expect("etcd answers");
    }

    /// Removes the history of all objects from etcd, so that listings that have begun expire.
    pub(crate) fn compact(&self) {
        let ask = |path: &str, query: &Value| {
            let request = http::Request::post(path).body(query.to_string().into_bytes()).expect("a request");
            self.block_on(self.etcd.request::<Value>(request)).expect("etcd answers")
        };
        let answer = ask("/v3/kv/range", &json!({"key": "AA==", "limit": 1}));
        ask("/v3/kv/compaction", &json!({"revision": answer["header"]["revision"], "physical": true}));
    }

    /// Runs the server's `kubectl`.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> Printed {
        self.kubectl_reading(arguments, "")
    }

    /// Runs `kubectl` with this as its standard input (`-f -`).
    pub(crate) fn kubectl_reading(&self, arguments: &[&str], input: &str) -> Printed {
        let mut child = Command::new(self.testbed.kubectl())
            .args(arguments)
            .envs(self.testbed.environment())
            // Preferences of the user must not change results.
            .env("KUBERC", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl starts");
        // Written in a thread, because kubectl may print before it has read all input.
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
