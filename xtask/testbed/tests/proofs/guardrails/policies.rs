//! The policies of the guardrails, the namespaces in which they are tested, and their decisions.

use std::time::Instant;

use crd_bundle::Released;
use crd_bundle::admission::{ReleasedChannel, guardrails};
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_release::Release;
use kube::Client;
use serde_json::{Value, json};

use crate::documents::crds;
use crate::requests::{Answer, TIME_LIMIT, send};

/// A namespace without the annotation.
pub(super) const PLAIN: &str = "guardrails-plain";
/// A namespace that allows experimental API of both releases.
pub(super) const OPEN: &str = "guardrails-open";

/// The annotation of Gateway API.
pub(super) const ANNOTATION: &str = "gateway.networking.k8s.io/experimental";

pub(super) const ROUTES: &str = "gateway.networking.k8s.io/v1/namespaces/guardrails-plain/httproutes";

/// A release of these CRDs.
pub(crate) fn release_of(name: &str, prefix: &str, crds: impl Fn(Channel) -> Vec<CustomResourceDefinition>) -> Release {
    let channel = |channel| ReleasedChannel { channel, files: crd_bundle::files(crds(channel)) };
    Release {
        documents: Vec::new(),
        webhook: None,
        policies: Vec::new(),
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        version: "v1.6.1".parse().expect("a version"),
        released: Released::of_unix_seconds(1_760_000_000).expect("a release date"),
        channels: Channel::ALL.map(channel).into(),
    }
}

/// The guardrails of the unreleased bundle.
pub(super) fn policies() -> Vec<Value> {
    let release = release_of("gateway-api", "gateway.networking.k8s.io", |channel| crds(channel).to_vec());
    guardrails::policies(&release)
}

/// Creates policies and bindings. The server compiles them, and refuses unknown expressions.
pub(crate) async fn install(client: &Client, policies: &[Value]) {
    for policy in policies {
        let plural = match policy["kind"].as_str() {
            Some("ValidatingAdmissionPolicy") => "validatingadmissionpolicies",
            _ => "validatingadmissionpolicybindings",
        };
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}?fieldValidation=Strict");
        let created = send(client, "POST", &path, Some(policy)).await;
        assert_eq!(created.warnings, Vec::<String>::new());
        let created = created.expect("the server accepts the policy");
        assert_eq!(created["status"]["typeChecking"], Value::Null, "an expression has a type warning");
    }
}

/// Waits until a policy refuses a dry run of this object.
pub(crate) async fn wait_until_refused(client: &Client, path: &str, object: &Value) {
    let start = Instant::now();
    loop {
        let answer = send(client, "POST", &format!("{path}?dryRun=All"), Some(object)).await;
        if !answer.is_success() && answer.message().contains("ValidatingAdmissionPolicy") {
            return;
        }
        assert!(answer.is_success(), "the probe is valid: {} {:#}", answer.code, answer.body);
        assert!(start.elapsed() < TIME_LIMIT, "no policy is active");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// A namespace with annotations.
pub(crate) async fn annotated_namespace(client: &Client, name: &str, annotations: &Value) {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "annotations": annotations}});
    send(client, "POST", "/api/v1/namespaces", Some(&namespace)).await.expect(name);
}

/// A small route that uses `sessionPersistence`.
pub(super) fn route(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"rules": [{"sessionPersistence": {"cookie": {}}, "backendRefs": [{"name": "shop", "port": 80}]}]},
    })
}

/// The decision of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passes,
    /// Refused by the guardrails because of these fields and values.
    Refused(Vec<String>),
    /// Any other answer.
    Other(String),
}

impl Verdict {
    pub(super) fn of(answer: &Answer) -> Self {
        let message = answer.message();
        if answer.is_success() {
            return Verdict::Passes;
        }
        // The message for users: `X uses what only … has: A, B. To allow it …`
        let list = message.split_once(" denied request: ").and_then(|(_, text)| text.split_once(" has: "));
        match list.and_then(|(_, rest)| rest.rsplit_once(". To allow it")) {
            Some((list, _)) if answer.code == 403 && message.contains("ValidatingAdmissionPolicy 'guardrails.") => {
                Verdict::Refused(list.split(", ").map(str::to_owned).collect())
            }
            _ => Verdict::Other(format!("{} {message}", answer.code)),
        }
    }

    pub(super) fn refused(names: &[&str]) -> Self {
        Verdict::Refused(names.iter().map(|name| (*name).to_owned()).collect())
    }
}
