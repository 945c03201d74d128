//! How much room the largest route leaves below the limits of CEL.
//!
//! Invariants: a second policy is the first one, with each look at a field done so many times over, under names of its own, and for one
//! namespace only, which the first one lets alone.

use kube::Client;
use serde_json::{Value, json};

use crate::requests::send;

use super::largest;
use super::stage::{ANNOTATION, Verdict, annotated_namespace, install, policies, route, wait_until_refused};

/// How many times as costly the guardrails are made.
pub(super) const TIMES: usize = 8;

const NAMESPACE: &str = "guardrails-room";

const ROUTES: &str = "/apis/gateway.networking.k8s.io/v1/namespaces/guardrails-room/httproutes";

/// What the guardrails do, and the costlier ones. A server takes seconds for each of these routes, whatever policies there are.
pub(super) async fn verdicts(client: &Client) -> Vec<(&'static str, Verdict)> {
    annotated_namespace(client, NAMESPACE, &json!({ANNOTATION: "allowed"})).await;
    let mut verdicts = Vec::new();
    let experimental = largest::route(NAMESPACE, "largest", true);
    let allowed = send(client, "POST", ROUTES, Some(&experimental)).await;
    verdicts.push(("new, allowed", Verdict::of(&allowed)));

    install(client, &costlier()).await;
    wait_until_refused(client, ROUTES, &route(NAMESPACE, "probe")).await;
    // Old and new are both looked through to the end, which is the most that there can be to do.
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

/// The guardrails with each look at a field done several times, for our namespace, which does not allow what they ask for.
fn costlier() -> Vec<Value> {
    let text = Value::Array(policies()).to_string();
    let text = text.replace(ANNOTATION, "room.example.com/experimental");
    let text = text.replace("\"guardrails.gateway.networking.k8s.io\"", "\"guardrails.room.example.com\"");
    let mut policies: Vec<Value> = serde_json::from_str(&text).expect("it is JSON as before");
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
    // A selector of namespaces lets everything cluster-wide in; other tests ask about that.
    let routes = json!([{
        "apiGroups": ["gateway.networking.k8s.io"],
        "apiVersions": ["*"],
        "operations": ["*"],
        "resources": ["httproutes"],
    }]);
    policies[1]["spec"]["matchResources"] = json!({"namespaceSelector": selector, "resourceRules": routes});
    policies
}
