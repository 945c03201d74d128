//! The server of the guardrails, with objects that existed before them.
//!
//! Invariants: the server is not shared, because the policy applies to all namespaces. Requests start after each policy has refused a dry run,
//! because a policy needs a moment to become active.

use std::sync::LazyLock;
use std::time::Instant;

use crd_channels::Channel;
use kube::Client;
use serde_json::json;

use crate::documents::collections;
use crate::requests::{create_namespace, send, wait_for};
use crate::server::{Crds, Server, start};

use super::objects::{User, users};
use super::policies::{
    ANNOTATION, OPEN, PLAIN, ROUTES, annotated_namespace, install, policies, route, wait_until_refused,
};
use super::{largest, toy};

/// Routes that used `sessionPersistence` before the guardrails, each for one story.
pub(super) const KEPT: [&str; 16] = [
    "labelled",
    "renamed",
    "retimed",
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

/// The namespaces of all tables.
pub(super) async fn create_namespaces(client: &Client) {
    create_namespace(client, PLAIN).await;
    annotated_namespace(client, OPEN, &json!({ANNOTATION: "allowed", toy::ANNOTATION: "allowed"})).await;
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
