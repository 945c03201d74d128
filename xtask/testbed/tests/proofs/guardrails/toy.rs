//! A toy API with constructs that Gateway API does not use: maps, lists of lists, defaults, nulls, odd names, versions that differ, fields of
//! cluster-scoped objects.
//!
//! Invariants: the expected refusals are written by hand.

use std::collections::BTreeMap;

use crd_bundle::admission::guardrails;
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use kube::Client;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::facts::group::{crd, object, served, storage, text};
use crate::requests::{send, wait_for};
use crate::tables::table;

use super::policies::{self, OPEN, PLAIN, Verdict, release_of};

pub(super) const ANNOTATION: &str = "toy.example.com/experimental";

/// The schema of `spec`. In standard, only `v1beta1` has the field `late`.
fn spec(channel: Channel, version: &str) -> Value {
    let mut properties = table::<BTreeMap<&str, Value>>(include_str!("toy-spec.yaml"))[channel.name()].clone();
    if version == "v1beta1" {
        properties["late"] = text();
    }
    object(properties)
}

fn read(channel: Channel, kind: &str, scope: &str, versions: &[&str]) -> CustomResourceDefinition {
    let version = |name: &&str| {
        let more = if channel == Channel::Experimental { json!({"fresh": text()}) } else { json!({}) };
        let schema = object(json!({
            "spec": spec(channel, name),
            "status": object(more.clone()),
            "outside": object(more),
        }));
        if *name == "v1" { storage(name, schema) } else { served(name, schema) }
    };
    let versions: Vec<Value> = versions.iter().map(version).collect();
    CustomResourceDefinition::from_value(&crd("toy.example.com", kind, scope, &versions)).expect("a CRD")
}

fn crds(channel: Channel) -> Vec<CustomResourceDefinition> {
    // Only experimental has v2.
    let versions: &[&str] =
        if channel == Channel::Experimental { &["v1", "v1beta1", "v2"] } else { &["v1", "v1beta1"] };
    vec![read(channel, "Thing", "Namespaced", versions), read(channel, "Globe", "Cluster", &["v1"])]
}

pub(super) fn policies() -> Vec<Value> {
    guardrails::policies(&release_of("toy", "toy.example.com", crds))
}

/// Creates the CRDs of experimental.
pub(super) async fn install(client: &Client) {
    for crd in crds(Channel::Experimental) {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict";
        send(client, "POST", path, Some(&crd.to_value())).await.expect(&crd.name);
    }
    let served = ["v1", "v1beta1", "v2"].map(|version| things(version, PLAIN));
    wait_for(client, &served).await;
    wait_for(client, &[GLOBES.to_owned()]).await;
}

fn thing(version: &str, namespace: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("toy.example.com/{version}"),
        "kind": "Thing",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    })
}

fn things(version: &str, namespace: &str) -> String {
    format!("/apis/toy.example.com/{version}/namespaces/{namespace}/things")
}

const GLOBES: &str = "/apis/toy.example.com/v1/globes";

fn globe(name: &str, annotations: &Value, spec: &Value) -> Value {
    json!({
        "apiVersion": "toy.example.com/v1",
        "kind": "Globe",
        "metadata": {"name": name, "annotations": annotations},
        "spec": spec,
    })
}

/// Creates the objects that exist before the guardrails.
pub(super) async fn make_kept(client: &Client) {
    let path = format!("{}?fieldValidation=Strict", things("v1", PLAIN));
    let spec = json!({"groups": [{}, {"members": [{"fresh": "a"}]}], "tags": ["blue"]});
    send(client, "POST", &path, Some(&thing("v1", PLAIN, "kept", &spec))).await.expect("a thing");
    let globe = globe("kept", &Value::Null, &json!({"holder": {"fresh": "a"}}));
    send(client, "POST", GLOBES, Some(&globe)).await.expect("a globe");
}

pub(super) async fn wait_until_refused(client: &Client) {
    let probe = thing("v1", PLAIN, "probe", &json!({"level": 3}));
    policies::wait_until_refused(client, &things("v1", PLAIN), &probe).await;
}

/// A request, the expected answer, and the answer.
pub(super) struct Case {
    pub(super) what: String,
    pub(super) expected: Verdict,
    pub(super) found: Verdict,
}

/// The requests of `toy.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", bound(deserialize = "'de: 'static"))]
struct Requests {
    things: Vec<Row>,
    updates: Vec<Row>,
    globes: Vec<Row>,
    globe_updates: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default = "v1")]
    version: &'static str,
    #[serde(default)]
    annotations: Value,
    spec: Value,
    #[serde(default)]
    refused: Vec<&'static str>,
}

fn v1() -> &'static str {
    "v1"
}

impl Row {
    fn verdict(&self) -> Verdict {
        if self.refused.is_empty() { Verdict::Passes } else { Verdict::refused(&self.refused) }
    }
}

/// Every case.
pub(super) async fn cases(client: &Client) -> Vec<Case> {
    let rows: Requests = table(include_str!("toy.yaml"));
    let dry = |path: &str| format!("{path}?dryRun=All&fieldValidation=Strict");
    let mut cases = Vec::new();
    let mut ask = async |what: String, expected: Verdict, method: &str, path: &str, object: &Value| {
        let answer = send(client, method, &dry(path), Some(object)).await;
        cases.push(Case { what, expected, found: Verdict::of(&answer) });
    };
    for row @ Row { version, spec, .. } in &rows.things {
        for (namespace, expected) in [(PLAIN, row.verdict()), (OPEN, Verdict::Passes)] {
            let what = format!("new {version} in {namespace}: {spec}");
            let new = thing(version, namespace, "new", spec);
            ask(what, expected, "POST", &things(version, namespace), &new).await;
        }
    }
    // Only `spec` counts.
    let mut outside = thing("v1", PLAIN, "outside", &json!({}));
    outside["outside"] = json!({"fresh": "a"});
    outside["status"] = json!({"fresh": "a"});
    let mut without_spec = thing("v1", PLAIN, "without", &json!({}));
    without_spec.as_object_mut().expect("an object").remove("spec");
    for (what, object) in [("outside spec", outside), ("without a spec", without_spec)] {
        ask(what.to_owned(), Verdict::Passes, "POST", &things("v1", PLAIN), &object).await;
    }
    for row @ Row { annotations, spec, .. } in &rows.globes {
        let what = format!("new globe, {annotations}: {spec}");
        ask(what, row.verdict(), "POST", GLOBES, &globe("new", annotations, spec)).await;
    }
    for (collection, rows) in [(things("v1", PLAIN), &rows.updates), (GLOBES.to_owned(), &rows.globe_updates)] {
        let path = format!("{collection}/kept");
        let kept = send(client, "GET", &path, None).await.expect("it exists");
        for row @ Row { annotations, spec, .. } in rows {
            let mut object = kept.clone();
            object["spec"] = spec.clone();
            object["metadata"]["annotations"] = annotations.clone();
            ask(format!("update of {path}, {annotations}: {spec}"), row.verdict(), "PUT", &path, &object).await;
        }
    }
    cases
}
