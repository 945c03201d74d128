//! The webhook of Gateway API: its verdicts, its speed, certificates that rotate, and restarts, under load from a real API server.
//!
//! Invariants: a webhook is a process of its own, which is this program again. API servers reach it by URL on the loopback address. A configuration selects the
//! namespace of its test, because tests share a server.

mod flood;
mod load;
mod older;
mod replicas;
mod requests;
mod restarts;
mod rotations;
mod verdicts;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crd_channels::Channel;
use kube::Client;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::requests::{send, wait_for};
use crate::server::Server;

/// The environment variable with the arguments of the process, separated by spaces.
const ARGUMENTS: &str = "CRD_WEBHOOK_ARGUMENTS";

/// How long a state may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// The program of the webhook, in a process of its own.
#[test]
#[ignore = "the process that other tests start"]
fn process() {
    let arguments = std::env::var(ARGUMENTS).unwrap_or_default();
    let arguments = std::iter::once("gateway-api-webhook").chain(arguments.split_whitespace());
    let code = gateway_api_webhook::run(arguments.map(Into::into));
    assert_eq!(code, ExitCode::SUCCESS);
}

/// A webhook that runs. It is killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) reviews: SocketAddr,
    pub(crate) probes: SocketAddr,
}

impl Process {
    /// Starts `serve` with a certificate folder and more arguments, for the cluster of a server.
    pub(crate) fn start(server: &Server, channel: Channel, certificate: &Path, more: &str) -> Self {
        let certificate = certificate.display();
        let arguments = format!(
            "serve --channel {channel} --listen 127.0.0.1:0 --probes 127.0.0.1:0 --certificate {certificate} --log-format json {more}"
        );
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["webhook::process", "--exact", "--ignored", "--nocapture"])
            .envs(server.environment())
            .env(ARGUMENTS, arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a webhook starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let listening = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let event = serde_json::from_str::<Value>(&line).ok()?;
            let address = |key: &str| event[key].as_str()?.parse::<SocketAddr>().ok();
            Some((address("reviews")?, address("probes")?))
        });
        let (reviews, probes) = listening.expect("the webhook listens");
        // Read to its end, so that the process never waits for the pipe.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if line.contains("\"ERROR\"") || line.contains("panicked") {
                    println!("webhook: {line}");
                }
            }
        });
        Self { child, reviews, probes }
    }

    /// The status and the text of a probe.
    pub(crate) async fn probe(&self, path: &str) -> Option<(u16, String)> {
        probe(self.probes, path).await
    }

    /// Waits until it is ready.
    pub(crate) async fn wait_until_ready(&self) {
        let begun = Instant::now();
        loop {
            match self.probe("/readyz").await {
                Some((200, _)) => return,
                other => assert!(begun.elapsed() < PATIENCE, "not ready: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The most memory that it has used, in MiB.
    pub(crate) fn peak_mebibytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
    }

    /// Asks it to end.
    pub(crate) fn terminate(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("a signal");
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn wait_until_ended(mut self) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status and the text of a probe; nothing without an answer.
pub(crate) async fn probe(address: SocketAddr, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: probes\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

/// Writes a certificate for the loopback address, and returns it as PEM: it is its own CA.
pub(crate) fn write_certificate(folder: &Path) -> String {
    let key = rcgen::KeyPair::generate().expect("a key");
    let parameters = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned(), "webhook.test.svc".to_owned()]);
    let certificate = parameters.expect("names").self_signed(&key).expect("a certificate");
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join("tls.key"), key.serialize_pem()).expect("written");
    std::fs::write(folder.join("tls.crt"), certificate.pem()).expect("written");
    certificate.pem()
}

/// A configuration that fails closed, for the HTTPRoutes and Gateways of one namespace.
pub(crate) fn configuration(name: &str, url: &str, ca: Option<&str>, namespace: &str) -> Value {
    let mut client = json!({"url": url});
    if let Some(ca) = ca {
        client["caBundle"] = serde_json::to_value(k8s_openapi::ByteString(ca.as_bytes().to_vec())).expect("base64");
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [{
            "name": "objects.webhook.test",
            "clientConfig": client,
            "rules": [{
                "apiGroups": ["gateway.networking.k8s.io", "gateway.networking.x-k8s.io"],
                "apiVersions": ["*"],
                "operations": ["CREATE", "UPDATE"],
                "resources": ["*"],
                "scope": "Namespaced",
            }],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            // The longest that a server accepts.
            "timeoutSeconds": 30,
        }],
    })
}

/// The path of the configurations.
pub(crate) const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// Creates a configuration, and waits until the API server uses it: an object that a rule refuses is refused.
pub(crate) async fn configure(client: &Client, configuration: &Value, namespace: &str) {
    send(client, "POST", CONFIGURATIONS, Some(configuration)).await.expect("the configuration is created");
    let path = format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/httproutes");
    wait_for(client, std::slice::from_ref(&path)).await;
    let begun = Instant::now();
    let twice = json!([{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "1"}]);
    let object = route("twice", &json!([{"matches": [{"headers": twice}]}]));
    loop {
        let answer = send(client, "POST", &format!("{path}?dryRun=All"), Some(&object)).await;
        if answer.message().contains("denied the request") {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{} {}", answer.code, answer.body);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// An HTTPRoute with these rules.
pub(crate) fn route(name: &str, rules: &Value) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name},
        "spec": {"parentRefs": [{"name": "main"}], "rules": rules},
    })
}
