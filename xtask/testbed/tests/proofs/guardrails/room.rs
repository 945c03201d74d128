//! The distance between the cost of the largest route and the limits of CEL.
//!
//! Invariants: a second policy is equal to the first, except that it evaluates each field [`TIMES`] times. It has its own names, and applies
//! to one namespace, which the first policy allows.

use kube::Client;
use serde_json::{Value, json};

use crate::requests::send;

use super::largest;
use super::policies::{ANNOTATION, Verdict, annotated_namespace, install, policies, route, wait_until_refused};

/// The factor by which the second policy is more costly.
pub(super) const TIMES: usize = 8;

const NAMESPACE: &str = "guardrails-room";

const ROUTES: &str = "/apis/gateway.networking.k8s.io/v1/namespaces/guardrails-room/httproutes";

/// The answers of the guardrails and of the costlier policy. A server takes seconds for each of these routes, with any policy.
pub(super) async fn verdicts(client: &Client) -> Vec<(&'static str, Verdict)> {
    annotated_namespace(client, NAMESPACE, &json!({ANNOTATION: "allowed"})).await;
    let mut verdicts = Vec::new();
    let experimental = largest::route(NAMESPACE, "largest", true);
    let allowed = send(client, "POST", ROUTES, Some(&experimental)).await;
    verdicts.push(("new, allowed", Verdict::of(&allowed)));

    install(client, &costlier()).await;
    wait_until_refused(client, ROUTES, &route(NAMESPACE, "probe")).await;
    // The policy reads the old and the new object to the end, which is the most expensive case.
    let mut kept = allowed.body;
    kept["spec"]["hostnames"][0] = json!("another.example");
    let kept = send(client, "PUT", &format!("{ROUTES}/largest?dryRun=All"), Some(&kept)).await;
    verdicts.push(("costlier, another hostname", Verdict::of(&kept)));
    for (what, experimental) in [("costlier, new, standard", false), ("costlier, new", true)] {
        let new = largest::route(NAMESPACE, "new", experimental);
        let answer = send(client, "POST", &format!("{ROUTES}?dryRun=All"), Some(&new)).await;
        verdicts.push((what, Verdict::of(&answer)));
    }
    verdicts
}

/// The guardrails with each field evaluated several times, for one namespace, with an annotation that it does not have.
fn costlier() -> Vec<Value> {
    let text = Value::Array(policies()).to_string();
    let text = text.replace(ANNOTATION, "room.example.com/experimental");
    let text = text.replace("\"guardrails.gateway.networking.k8s.io\"", "\"guardrails.room.example.com\"");
    let mut policies: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let times: Vec<String> = (0..TIMES).map(|time| time.to_string()).collect();
    let mut costlier = 0;
    for variable in policies[0]["spec"]["variables"].as_array_mut().expect("it has variables") {
        if variable["name"].as_str().is_some_and(|name| name.starts_with("uses_")) {
            let expression = variable["expression"].as_str().expect("a text");
            variable["expression"] = json!(format!("[{}].map(time, {expression})[0]", times.join(", ")));
            costlier += 1;
        }
    }
    assert!(costlier >= largest::names().len(), "{costlier} expressions are costlier");
    let selector = json!({"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}});
    // A selector of namespaces also matches cluster-scoped objects, which other tests use.
    let routes = json!([{
        "apiGroups": ["gateway.networking.k8s.io"],
        "apiVersions": ["*"],
        "operations": ["*"],
        "resources": ["httproutes"],
    }]);
    policies[1]["spec"]["matchResources"] = json!({"namespaceSelector": selector, "resourceRules": routes});
    policies
}
