//! The webhook does not answer: nothing listens behind its Service, with the shipped configuration and with `failurePolicy: Fail`.

use std::time::Instant;

use crd_channels::Channel;
use kube::Client;
use serde_json::{Value, json};

use crate::requests::{Answer, TIME_LIMIT, create_namespace, send};
use crate::server::{Crds, Server, start};

use super::{CONFIGURATION, NAMESPACE, change, install_file, provide};

/// A namespace with objects.
const SHOP: &str = "shop";

fn routes(namespace: &str) -> String {
    format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/httproutes")
}

fn route(name: &str) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name, "finalizers": ["example.com/kept"]},
        "spec": {"rules": [{"backendRefs": [{"name": "shop", "port": 80}]}]},
    })
}

fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": "value"}})
}

/// How often the server went on without an answer of the webhook.
async fn calls_that_failed(client: &Client) -> u64 {
    let metrics = send(client, "GET", "/metrics", None).await.expect("metrics");
    let metrics = metrics.as_str().expect("text").to_owned();
    let of_webhook =
        |line: &&str| line.starts_with("apiserver_admission_webhook_fail_open_count{") && line.contains(CONFIGURATION);
    let line = metrics.lines().find(of_webhook);
    line.and_then(|line| line.split(' ').next_back()?.parse().ok()).unwrap_or_default()
}

/// Writes an object that the server just returned, after a change.
async fn update(client: &Client, name: &str, subresource: &str, change: impl Fn(&mut Value)) -> Answer {
    let path = format!("{}/{name}", routes(SHOP));
    let mut object = send(client, "GET", &path, None).await.expect("the route");
    change(&mut object);
    send(client, "PUT", &format!("{path}{subresource}"), Some(&object)).await
}

/// What must work whatever the webhook does: other resources, and of the own kinds status, labels, finalizers and deletions.
async fn everything_else_works(client: &Client, name: &str) {
    let maps = format!("/api/v1/namespaces/{SHOP}/configmaps");
    send(client, "POST", &maps, Some(&config_map(name))).await.expect("another resource is created");
    let mut changed = config_map(name);
    changed["data"]["key"] = json!("other");
    send(client, "PUT", &format!("{maps}/{name}"), Some(&changed)).await.expect("another resource is changed");
    send(client, "DELETE", &format!("{maps}/{name}"), None).await.expect("another resource is deleted");
    let labelled = |object: &mut Value| object["metadata"]["labels"] = json!({"changed": name});
    update(client, name, "", labelled).await.expect("labels");
    let condition = json!({
        "type": "Accepted", "status": "True", "reason": "Accepted", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z",
    });
    let parents =
        json!([{"controllerName": "example.com/controller", "parentRef": {"name": "a"}, "conditions": [condition]}]);
    let status = |object: &mut Value| object["status"] = json!({"parents": parents});
    let written = update(client, name, "/status", status).await.expect("status");
    assert_eq!(written["status"]["parents"][0]["parentRef"]["name"], "a");
    let finalizer =
        |object: &mut Value| object["metadata"]["finalizers"] = json!(["example.com/kept", "example.com/more"]);
    update(client, name, "", finalizer).await.expect("finalizers");
    let path = format!("{}/{name}", routes(SHOP));
    let deleted = send(client, "DELETE", &path, None).await.expect("the deletion begins");
    assert!(deleted["metadata"]["deletionTimestamp"].is_string(), "it waits for its finalizers");
    // A controller cleans up, which may change the spec.
    let last = |object: &mut Value| {
        object["spec"]["hostnames"] = json!(["last.example"]);
        object["metadata"]["finalizers"] = json!([]);
    };
    update(client, name, "", last).await.expect("the last finalizers are removed");
    assert_eq!(send(client, "GET", &path, None).await.code, 404, "it is gone");
}

/// Deletes a namespace as the controller of namespaces does: its objects, and then its own finalizer.
async fn delete_namespace(client: &Client) {
    let path = format!("/api/v1/namespaces/{SHOP}");
    let mut namespace = send(client, "DELETE", &path, None).await.expect("the deletion of the namespace begins");
    assert_eq!(namespace["status"]["phase"], "Terminating");
    send(client, "DELETE", &routes(SHOP), None).await.expect("its objects are deleted");
    let left = send(client, "GET", &routes(SHOP), None).await.expect("the list");
    for object in left["items"].as_array().expect("a list") {
        let name = object["metadata"]["name"].as_str().expect("a name");
        let none = |object: &mut Value| object["metadata"]["finalizers"] = json!([]);
        update(client, name, "", none).await.expect("finalizers are removed");
    }
    let left = send(client, "GET", &routes(SHOP), None).await.expect("the list");
    assert_eq!(left["items"], json!([]));
    namespace["spec"]["finalizers"] = json!([]);
    send(client, "PUT", &format!("{path}/finalize"), Some(&namespace)).await.expect("the namespace is finalised");
    assert_eq!(send(client, "GET", &path, None).await.code, 404, "the namespace is gone");
}

async fn create_route(client: &Client, namespace: &str, name: &str, query: &str) -> Answer {
    send(client, "POST", &format!("{}?{query}", routes(namespace)), Some(&route(name))).await
}

/// Waits until the configuration has taken effect.
async fn wait_until_refused(client: &Client) {
    let begin = Instant::now();
    while create_route(client, SHOP, "probe", "dryRun=All").await.is_success() {
        assert!(begin.elapsed() < TIME_LIMIT, "no call fails");
    }
}

async fn delete_crds(client: &Client) {
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    send(client, "DELETE", crds, None).await.expect("the CRDs are deleted");
    let begin = Instant::now();
    loop {
        let left = send(client, "GET", crds, None).await.expect("CRDs");
        let left = left["items"].as_array().expect("a list").len();
        if left == 0 {
            return;
        }
        assert!(begin.elapsed() < TIME_LIMIT, "{left} CRDs remain");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// A server with the webhook of a channel installed, which has its authority and no process.
fn installed() -> Option<Server> {
    let server = start(Crds::Standard)?;
    let file = install_file("v1.6.1", Channel::Standard);
    server.kubectl(&["apply", "--server-side", "-f", &file.path().display().to_string()]).expect("it is installed");
    provide(&server);
    Some(server)
}

#[test]
fn with_the_shipped_configuration_everything_works() {
    let Some(server) = installed() else { return };
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, SHOP).await;
        // A new configuration takes effect after a moment. Then the server calls it, without an answer.
        let begin = Instant::now();
        while calls_that_failed(&client).await == 0 {
            create_route(&client, SHOP, "probe", "dryRun=All").await.expect("it is accepted");
            assert!(begin.elapsed() < TIME_LIMIT, "the server does not call the webhook");
        }
        let before = calls_that_failed(&client).await;
        for name in ["a", "b"] {
            create_route(&client, SHOP, name, "").await.expect("an object is created");
        }
        let hostname = |object: &mut Value| object["spec"]["hostnames"] = json!(["shop.example"]);
        update(&client, "a", "", hostname).await.expect("an object is changed");
        assert_eq!(calls_that_failed(&client).await, before + 3, "each of them was sent");
        everything_else_works(&client, "a").await;
        delete_namespace(&client).await;
        assert_eq!(calls_that_failed(&client).await, before + 3, "nothing else was sent");
        create_namespace(&client, SHOP).await;
        create_route(&client, SHOP, "c", "").await.expect("an object is created");
        let none = |object: &mut Value| object["metadata"]["finalizers"] = json!([]);
        update(&client, "c", "", none).await.expect("finalizers are removed");
        delete_crds(&client).await;
    });
}

#[test]
fn with_fail_only_new_specs_of_its_kinds_are_refused() {
    let Some(server) = installed() else { return };
    let client = server.client();
    server.block_on(async {
        create_namespace(&client, SHOP).await;
        for name in ["a", "b"] {
            create_route(&client, SHOP, name, "").await.expect("an object is created");
        }
    });
    change(&server, "admin", |webhook| webhook["failurePolicy"] = json!("Fail"));
    server.block_on(async {
        wait_until_refused(&client).await;
        let refused = create_route(&client, SHOP, "c", "").await;
        let is_refused = |answer: &Answer| answer.code == 500 && answer.message().contains("failed calling webhook");
        assert!(is_refused(&refused), "{} {}", refused.code, refused.message());
        let hostname = |object: &mut Value| object["spec"]["hostnames"] = json!(["shop.example"]);
        let refused = update(&client, "a", "", hostname).await;
        assert!(is_refused(&refused), "{} {}", refused.code, refused.message());
        create_route(&client, NAMESPACE, "own", "dryRun=All").await.expect("its own namespace is not checked");
        everything_else_works(&client, "a").await;
        delete_namespace(&client).await;
        delete_crds(&client).await;
    });
}
