//! The server of the guardrails, with objects that existed before them.
//!
//! Invariants: the server is not shared, because the policy applies to all namespaces. Requests start after each policy has refused a dry run,
//! because a policy needs a moment to become active.

use std::sync::LazyLock;
use std::time::Instant;

use crd_bundle::Released;
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_release::admission::guardrails;
use crd_release::{Release, ReleasedChannel};
use kube::Client;
use serde_json::{Value, json};

use crate::documents::{collections, crds};
use crate::requests::{Answer, TIME_LIMIT, create_namespace, send, wait_for};
use crate::server::{Crds, Server, start};

use super::objects::{User, users};
use super::{largest, toy};

/// A namespace without the annotation.
pub(super) const PLAIN: &str = "guardrails-plain";
/// A namespace that allows experimental API of both releases.
pub(super) const OPEN: &str = "guardrails-open";

/// The annotation of Gateway API.
pub(super) const ANNOTATION: &str = "gateway.networking.k8s.io/experimental";

pub(super) const ROUTES: &str = "gateway.networking.k8s.io/v1/namespaces/guardrails-plain/httproutes";

/// Routes that used `retry` before the guardrails, each for one story.
pub(super) const KEPT: [&str; 16] = [
    "labelled",
    "renamed",
    "retried",
    "spread",
    "extended",
    "emptied",
    "older",
    "older-extended",
    "merged",
    "applied",
    "applied-extended",
    "reported",
    "deleted",
    "finalized",
    "finalized-extended",
    "value",
];

pub(super) struct Stage {
    pub(super) server: Server,
    pub(super) client: Client,
    /// An object for each experimental field, value or resource.
    pub(super) users: Vec<User>,
}

/// A release of these CRDs.
pub(super) fn release_of(name: &str, prefix: &str, crds: impl Fn(Channel) -> Vec<CustomResourceDefinition>) -> Release {
    let channel = |channel| ReleasedChannel { channel, files: crd_bundle::files(crds(channel)) };
    Release {
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

/// Makes policies and bindings. The server compiles them: an expression that it does not know is refused.
pub(super) async fn install(client: &Client, policies: &[Value]) {
    for policy in policies {
        let plural = match policy["kind"].as_str() {
            Some("ValidatingAdmissionPolicy") => "validatingadmissionpolicies",
            _ => "validatingadmissionpolicybindings",
        };
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}?fieldValidation=Strict");
        let made = send(client, "POST", &path, Some(policy)).await;
        assert_eq!(made.warnings, Vec::<String>::new());
        let made = made.expect("the policy is taken");
        assert_eq!(made["status"]["typeChecking"], Value::Null, "no expression is in doubt");
    }
}

/// Waits until a dry run of this is refused by a policy.
pub(super) async fn wait_until_refused(client: &Client, path: &str, object: &Value) {
    let start = Instant::now();
    loop {
        let answer = send(client, "POST", &format!("{path}?dryRun=All"), Some(object)).await;
        if answer.code == 403 && answer.message().contains("ValidatingAdmissionPolicy") {
            return;
        }
        assert!(answer.is_success(), "the probe is good: {} {:#}", answer.code, answer.body);
        assert!(start.elapsed() < TIME_LIMIT, "no policy acts");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// A namespace with annotations.
pub(super) async fn annotated_namespace(client: &Client, name: &str, annotations: &Value) {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "annotations": annotations}});
    send(client, "POST", "/api/v1/namespaces", Some(&namespace)).await.expect(name);
}

/// The namespaces of all tables.
pub(super) async fn create_namespaces(client: &Client) {
    create_namespace(client, PLAIN).await;
    annotated_namespace(client, OPEN, &json!({ANNOTATION: "allowed", toy::ANNOTATION: "allowed"})).await;
}

/// A small route that uses `retry`.
pub(super) fn route(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"rules": [{"retry": {"attempts": 1}, "backendRefs": [{"name": "shop", "port": 80}]}]},
    })
}

/// The stage; `None` where there is no server.
pub(super) fn stage() -> Option<&'static Stage> {
    // Not repeated after a failure: the first failure has the reason.
    static STAGE: LazyLock<Option<Stage>> = LazyLock::new(|| {
        let server = start(Crds::Experimental)?;
        let client = server.client();
        let begin = Instant::now();
        server.block_on(async {
            create_namespaces(&client).await;
            toy::install(&client).await;
            wait_for(&client, &collections(Channel::Experimental)).await;
        });
        // Objects that exist before the guardrails.
        let users = users(&server);
        server.block_on(async {
            for name in KEPT {
                let mut route = route(PLAIN, name);
                if name.starts_with("finalized") {
                    route["metadata"]["finalizers"] = json!(["example.com/held"]);
                }
                if name == "value" {
                    route["spec"]["rules"][0]["filters"] = json!([largest::external_auth(1)]);
                }
                send(&client, "POST", &format!("/apis/{ROUTES}"), Some(&route)).await.expect(name);
            }
            let mesh = json!({
                "apiVersion": "gateway.networking.x-k8s.io/v1alpha1",
                "kind": "XMesh",
                "metadata": {"name": "kept"},
                "spec": {"controllerName": "example.com/mesh"},
            });
            send(&client, "POST", MESHES, Some(&mesh)).await.expect("a mesh");
            toy::make_kept(&client).await;

            install(&client, &policies()).await;
            install(&client, &toy::policies()).await;
            wait_until_refused(&client, &format!("/apis/{ROUTES}"), &route(PLAIN, "probe")).await;
            toy::wait_until_refused(&client).await;
        });
        println!("the server was prepared in {:.1} s", begin.elapsed().as_secs_f32());
        Some(Stage { server, client, users })
    });
    STAGE.as_ref()
}

pub(super) const MESHES: &str = "/apis/gateway.networking.x-k8s.io/v1alpha1/xmeshes";

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
