//! The policy *unique-names* of the catalogue: what it refuses, what it accepts, and what it costs for the largest routes.
//!
//! Invariants: the largest routes have every list at the limit of the CRD, names of the greatest length that differ only in their last
//! characters, and as many bytes as etcd stores.

use std::collections::BTreeMap;

use crd_bundle::admission::declared;
use crd_cel::{CALL_BUDGET, Environment, Expression, OBJECT_BUDGET, Program, Value as CelValue};
use crd_channels::Channel;
use crd_model::Schema;
use kube::Client;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::documents::crds;
use crate::guardrails::policies::{annotated_namespace, install, wait_until_refused};
use crate::requests::{Answer, send};
use crate::server::{Crds, start};
use crate::tables::table;

use super::release;

const NAMESPACE: &str = "unique-names";

/// The largest object that etcd stores by default, in bytes, minus what the server adds.
const LARGEST: usize = 1_572_864 - 20_000;

/// The minors that the policy is for.
const MINORS: std::ops::RangeInclusive<u32> = 32..=37;

/// The policy and its binding.
fn policies() -> Vec<Value> {
    declared::policies(&release("v1.6.1"))
}

fn collection(kind: &str) -> String {
    format!("/apis/gateway.networking.k8s.io/v1/namespaces/{NAMESPACE}/{}s", kind.to_lowercase())
}

fn route(kind: &str, rules: Value) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "route", "namespace": NAMESPACE},
        "spec": {"rules": rules},
    })
}

/// Headers or query parameters with these names.
fn named(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name, "value": "v"})).collect()
}

fn modifier(set: &[&str], add: &[&str], remove: &[&str]) -> Value {
    json!([{
        "type": "RequestHeaderModifier",
        "requestHeaderModifier": {"set": named(set), "add": named(add), "remove": remove},
    }])
}

fn backend(filters: Value) -> Value {
    json!({"name": "shop", "port": 80, "filters": filters})
}

/// What the policy answers: nothing, or why it refuses the object.
fn refused(answer: &Answer) -> Option<&str> {
    if answer.is_success() {
        return None;
    }
    let message = answer.message();
    let is_policy = message.contains("ValidatingAdmissionPolicy 'unique-names.gateway.networking.k8s.io'");
    assert!(answer.code == 422 && is_policy, "{} {message}", answer.code);
    Some(message.split_once(" denied request: ").map(|(_, why)| why).unwrap_or_else(|| panic!("{message}")))
}

async fn rehearse(client: &Client, object: &Value) -> Answer {
    let kind = object["kind"].as_str().expect("a kind");
    send(client, "POST", &format!("{}?dryRun=All", collection(kind)), Some(object)).await
}

/// The rows of `policy.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Rows {
    objects: Vec<Row>,
    changes: Vec<Row>,
}

/// Rules of a route, and why they are refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default = "http_route")]
    kind: &'static str,
    /// The change that led to these rules.
    #[serde(default)]
    change: &'static str,
    rules: Value,
    refused: Option<&'static str>,
}

fn http_route() -> &'static str {
    "HTTPRoute"
}

/// Names of 256 characters, the greatest length.
fn long(prefix: char, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{}{index:02}", prefix.to_string().repeat(254))).collect()
}

fn long_named(count: usize) -> Value {
    let names = long('X', count);
    named(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// All matches that a route may have, with all of their names.
fn largest_of_matches(kind: &str) -> Value {
    let of_match = || match kind {
        "HTTPRoute" => json!({"headers": long_named(16), "queryParams": long_named(16)}),
        _ => json!({"headers": long_named(16)}),
    };
    let rule = || json!({"matches": (0..8).map(|_| of_match()).collect::<Vec<_>>()});
    route(kind, (0..16).map(|_| rule()).collect())
}

/// As many modifiers as fit into an object, with all of their names: rules that have all of their lists, and one that has some.
fn largest_of_filters(kind: &str) -> Value {
    let text = |names: &[String]| named(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let modifier = || json!({"set": text(&long('s', 16)), "add": text(&long('A', 16)), "remove": long('R', 16)});
    let filters = || {
        json!([
            {"type": "RequestHeaderModifier", "requestHeaderModifier": modifier()},
            {"type": "ResponseHeaderModifier", "responseHeaderModifier": modifier()},
        ])
    };
    let bytes = filters().to_string().len();
    let mut left = LARGEST;
    let mut rules = Vec::new();
    while left > 2 * bytes {
        let backends = (left / bytes - 1).min(16);
        let backends = (0..backends).map(|_| backend(filters())).collect::<Vec<_>>();
        let rule = json!({"filters": filters(), "backendRefs": backends});
        left = left.saturating_sub(rule.to_string().len() + 1);
        rules.push(rule);
    }
    route(kind, rules.into())
}

/// All lists of a route with short names: as many lists as possible.
fn largest_of_lists() -> Value {
    let mut route = crate::guardrails::largest::route(NAMESPACE, "route", false);
    route["spec"].as_object_mut().expect("a spec").remove("hostnames");
    route
}

fn largest() -> Vec<(&'static str, Value)> {
    vec![
        ("all matches", largest_of_matches("HTTPRoute")),
        ("all matches of gRPC", largest_of_matches("GRPCRoute")),
        ("modifiers with the longest names", largest_of_filters("HTTPRoute")),
        ("modifiers of gRPC with the longest names", largest_of_filters("GRPCRoute")),
        ("all lists", largest_of_lists()),
    ]
}

/// What an expression may call. The names of `self` and `oldSelf` come first.
const INPUTS: [&str; 3] = ["object", "oldObject", "variables"];

#[test]
fn the_policy_compiles_on_every_minor() {
    let policies = policies();
    let spec = &policies[0]["spec"];
    let texts = |list: &str, key: &str| {
        let texts =
            spec[list].as_array().expect("a list").iter().filter_map(|part| part[key].as_str().map(str::to_owned));
        texts.collect::<Vec<_>>()
    };
    let expressions = texts("variables", "expression");
    for minor in MINORS {
        let environment = Environment::dynamic(&INPUTS).kubernetes(minor);
        for expression in &expressions {
            let compiled = Program::compile(expression, environment);
            assert!(compiled.is_ok(), "1.{minor}: {expression}: {}", compiled.expect_err("problems")[0]);
        }
        for (list, key, kind) in [
            ("validations", "expression", Expression::Rule),
            ("validations", "messageExpression", Expression::Message),
            ("matchConditions", "expression", Expression::Rule),
        ] {
            for expression in texts(list, key) {
                let compiled = Program::compile(&expression, environment.expression(kind));
                assert!(compiled.is_ok(), "1.{minor}: {expression}: {}", compiled.expect_err("problems")[0]);
            }
        }
    }
    println!("{} variables compile on 1.{} to 1.{}", expressions.len(), MINORS.start(), MINORS.end());
}

/// What expressions cost by our evaluator: the most expensive one, and all together. A server evaluates the variables of messages again.
fn costs(object: &Value) -> (u64, u64) {
    let policies = policies();
    let spec = &policies[0]["spec"];
    let list = |key: &str| spec[key].as_array().expect("a list").clone();
    let text = |part: &Value, key: &str| part[key].as_str().expect("a text").to_owned();
    let variables = list("variables");
    let variables =
        variables.iter().map(|variable| (text(variable, "name"), text(variable, "expression"))).collect::<Vec<_>>();
    let (lists, of_matches) = variables.split_at(variables.len() - 2);
    let of = |source: &str| {
        // What it reads is bound around it, from the last variable to the first one.
        let bind = |source: String, (name, expression): &(String, String)| {
            format!("[dyn({expression})].map(v_{name}, {source})[0]")
                .replace(&format!("variables.{name}"), &format!("v_{name}"))
        };
        let source = lists.iter().rev().fold(source.to_owned(), bind);
        let program = Program::compile(&source, Environment::dynamic(&INPUTS).kubernetes(*MINORS.start()));
        let program = program.unwrap_or_else(|problems| panic!("{source}: {}", problems[0]));
        // `self` and `oldSelf` come first.
        let (object, none) = (CelValue::from_plain_json(object), Value::Null);
        let none = || CelValue::from_plain_json(&none);
        let evaluation = program.evaluate(&[none(), none(), object, none(), none()], u64::MAX);
        assert!(evaluation.value.is_ok(), "{:?}", evaluation.value.err());
        evaluation.cost
    };
    let bindings = of("dyn(true)");
    let cost = |source: &str| of(source) - bindings;
    let matches = of_matches.iter().map(|(_, expression)| cost(expression)).collect::<Vec<_>>();
    let filters =
        list("validations").iter().skip(2).map(|validation| cost(&text(validation, "expression"))).collect::<Vec<_>>();
    let most = matches.iter().chain(&filters).max().copied().unwrap_or_default();
    (most, 2 * (bindings + matches.iter().sum::<u64>()) + filters.iter().sum::<u64>())
}

#[test]
fn the_largest_routes_cost_less_than_the_limits() {
    for (what, object) in largest() {
        let (most, all) = costs(&object);
        println!("{what}: {} bytes, {most} for the most expensive expression, {all} for all", object.to_string().len());
        assert!(most < CALL_BUDGET && all < OBJECT_BUDGET, "{what}");
    }
}

/// The limits that the numbers of variables come from.
#[test]
fn the_lists_of_routes_are_not_longer_than_the_policy_expects() {
    for channel in Channel::ALL {
        for plural in ["httproutes", "grpcroutes"] {
            let crd = crds(channel).iter().find(|crd| *crd.names.plural == *plural).expect("it exists");
            for version in &crd.versions {
                let mut found = BTreeMap::new();
                limits(&version.schema, "", &mut found);
                for (list, limit) in [
                    ("spec.rules", 16),
                    ("spec.rules.backendRefs", 16),
                    ("spec.rules.matches", 64),
                    ("spec.rules.matches.headers", 16),
                ] {
                    assert_eq!(found.get(list), Some(&limit), "{plural} {list}");
                }
            }
        }
    }
}

fn limits(schema: &Schema, path: &str, found: &mut BTreeMap<String, i64>) {
    found.extend(schema.max_items.map(|limit| (path.to_owned(), limit)));
    if let Some(items) = &schema.items {
        limits(items, path, found);
    }
    for (name, below) in schema.properties.iter() {
        limits(below, &[path, name].join(if path.is_empty() { "" } else { "." }), found);
    }
}

#[test]
fn repeated_names_are_refused_and_others_are_not() {
    let Some(server) = start(Crds::Standard) else { return };
    let (client, rows) = (server.client(), table::<Rows>(include_str!("policy.yaml")));
    server.block_on(async {
        annotated_namespace(&client, NAMESPACE, &json!({})).await;
        let old = json!([{"matches": [{"headers": named(&["a", "A"])}], "filters": modifier(&["b", "B"], &[], &[])}]);
        let stored = send(&client, "POST", &collection("HTTPRoute"), Some(&route("HTTPRoute", old)))
            .await
            .expect("it is stored");
        install(&client, &policies()).await;
        let probe = route("GRPCRoute", json!([{"matches": [{"headers": named(&["p", "P"])}]}]));
        let mut wrong = probe.clone();
        wrong["metadata"]["name"] = json!("probe");
        wait_until_refused(&client, &collection("GRPCRoute"), &wrong).await;
        for Row { kind, rules, refused: expected, .. } in &rows.objects {
            let mut object = route(kind, rules.clone());
            object["metadata"]["name"] = json!("new");
            let answer = rehearse(&client, &object).await;
            assert_eq!(refused(&answer), *expected, "{kind} {rules}");
        }
        let path = format!("{}/route", collection("HTTPRoute"));
        for Row { change, rules, refused: expected, .. } in &rows.changes {
            let mut object = stored.clone();
            object["spec"]["rules"] = rules.clone();
            let answer = send(&client, "PUT", &format!("{path}?dryRun=All"), Some(&object)).await;
            assert_eq!(refused(&answer), *expected, "{change}");
        }
        let mut labelled = stored.clone();
        labelled["metadata"]["labels"] = json!({"changed": "true"});
        send(&client, "PUT", &path, Some(&labelled)).await.expect("a label");
    });
    println!("{} new objects and {} changes", rows.objects.len(), rows.changes.len());
}

/// A server takes seconds for each of these routes.
#[test]
fn the_largest_routes_are_checked_within_the_limits_of_cel() {
    // The estimates of the test above are those of servers, as the proof of estimates shows.
    if !crd_testdata::is_proof() {
        println!("skipped: `cargo xtask prove webhook-policy` runs it");
        return;
    }
    let Some(server) = start(Crds::Standard) else { return };
    let client = server.client();
    server.block_on(async {
        annotated_namespace(&client, NAMESPACE, &json!({})).await;
        install(&client, &policies()).await;
        let mut probe = route("GRPCRoute", json!([{"matches": [{"headers": named(&["p", "P"])}]}]));
        probe["metadata"]["name"] = json!("probe");
        wait_until_refused(&client, &collection("GRPCRoute"), &probe).await;
        for (what, object) in largest() {
            let kind = object["kind"].as_str().expect("a kind");
            let path = format!("{}/route", collection(kind));
            let stored = send(&client, "POST", &collection(kind), Some(&object)).await.expect(what);
            // An update reads both objects.
            let mut changed = stored.clone();
            changed["spec"]["hostnames"] = json!(["another.example"]);
            let changed = send(&client, "PUT", &path, Some(&changed)).await.expect(what);
            // The last list gets a repeated name.
            let mut wrong = changed;
            let expected = repeat_last(&mut wrong["spec"]);
            let answer = send(&client, "PUT", &path, Some(&wrong)).await;
            assert_eq!(answer.code, 422, "{what}: {}", answer.message());
            assert!(answer.message().contains(&expected), "{what}: {}", answer.message());
            send(&client, "DELETE", &path, None).await.expect("it is deleted");
        }
    });
}

/// Repeats the first name of the last list of filters, or of headers, in the other case. Returns a part of the message.
fn repeat_last(spec: &mut Value) -> String {
    let rules = spec["rules"].as_array_mut().expect("rules");
    let last = rules.len() - 1;
    let rule = &mut rules[last];
    let swapped = |name: &Value| {
        let name = name.as_str().expect("a name");
        let upper = name.to_ascii_uppercase();
        json!(if upper == name { name.to_ascii_lowercase() } else { upper })
    };
    match rule["backendRefs"].as_array_mut().filter(|backends| !backends.is_empty()) {
        Some(backends) => {
            let index = backends.len() - 1;
            let filters = backends[index]["filters"].as_array_mut().expect("filters");
            let is_modifier = |filter: &&mut Value| filter["type"] == "ResponseHeaderModifier";
            let set = &mut filters.iter_mut().find(is_modifier).expect("a modifier")["responseHeaderModifier"]["set"];
            set[15]["name"] = swapped(&set[0]["name"]);
            format!("spec.rules[{last}]: a filter has one action")
        }
        None => {
            let headers = &mut rule["matches"][7]["headers"];
            headers[15]["name"] = swapped(&headers[0]["name"]);
            format!(
                "matches[*].headers: names must be unique regardless of case: {}",
                headers[0]["name"].as_str().expect("a name")
            )
        }
    }
}
