//! A toy API with constructs that Gateway API does not use: maps, lists of lists, defaults, nulls, odd names, versions that differ, fields of
//! cluster-scoped objects.
//!
//! Invariants: the expected refusals are written by hand.

use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_release::admission::guardrails;
use kube::Client;
use serde_json::{Value, json};

use crate::requests::{send, wait_for};

use super::policies::{self, OPEN, PLAIN, Verdict, release_of};

pub(super) const ANNOTATION: &str = "toy.example.com/experimental";

fn text() -> Value {
    json!({"type": "string"})
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn one_of(values: Value) -> Value {
    json!({"type": "string", "enum": values})
}

fn and(mut schema: Value, more: Value) -> Value {
    let entries = more.as_object().expect("an object").clone();
    schema.as_object_mut().expect("an object").extend(entries);
    schema
}

/// The schema of `spec`, with or without experimental fields and values.
fn spec(experimental: bool, with_late: bool) -> Value {
    let fresh = |standard: Value| {
        let mut standard = standard;
        if experimental {
            standard["fresh"] = text();
        }
        object(standard)
    };
    let named = || fresh(json!({"name": text()}));
    let mut properties = json!({
        "name": text(),
        "mode": and(one_of(if experimental { json!(["a", "b", "it's"]) } else { json!(["a", "b"]) }), json!({"default": "a"})),
        "turned": and(
            one_of(if experimental { json!(["a", "b", "c"]) } else { json!(["a"]) }),
            json!({"default": if experimental { "c" } else { "a" }}),
        ),
        "level": {"type": "integer", "enum": if experimental { json!([1, 2, 3]) } else { json!([1, 2]) }},
        "any": if experimental { text() } else { one_of(json!(["x", "y"])) },
        "tags": list(one_of(if experimental { json!(["red", "blue"]) } else { json!(["red"]) })),
        "groups": list(object(json!({"members": list(named())}))),
        "grid": list(list(named())),
        "map": {"type": "object", "additionalProperties": named()},
        "holder": and(named(), json!({"nullable": true})),
        "holders": list(and(named(), json!({"nullable": true}))),
        "open": and(
            object(if experimental { json!({"kept": text()}) } else { json!({}) }),
            json!({"x-kubernetes-preserve-unknown-fields": true}),
        ),
        "parent": object(json!({"name": text()})),
    });
    if with_late || experimental {
        properties["late"] = text();
    }
    if experimental {
        properties["parent"] = object(json!({"name": text(), "extra": {"type": "integer"}}));
        properties["parent"]["default"] = json!({"name": "n", "extra": 5});
        properties["hollow"] = and(text(), json!({"nullable": true}));
        properties["given"] = and(text(), json!({"default": "g"}));
        properties["switch"] = json!({"type": "boolean", "default": false});
        properties["filled"] = object(json!({
            "depth": {"type": "number", "default": 1.5},
            "name": text(),
            "lists": list(list(json!({"type": "boolean"}))),
            "note": text(),
        }));
        properties["filled"]["default"] = json!({"name": "it's", "lists": [[true], []]});
        for odd in ["in", "odd-name", "it's", "namespace", "\\", "$"] {
            properties[odd] = text();
        }
    }
    object(properties)
}

fn crd(channel: Channel, plural: &str, kind: &str, scope: &str, versions: &[&str]) -> CustomResourceDefinition {
    let experimental = channel == Channel::Experimental;
    let version = |name: &&str| {
        let more = if experimental { json!({"fresh": text()}) } else { json!({}) };
        let schema = object(json!({
            "spec": spec(experimental, *name == "v1beta1"),
            "status": object(more.clone()),
            "outside": object(more),
        }));
        json!({"name": name, "served": true, "storage": *name == "v1", "schema": {"openAPIV3Schema": schema}})
    };
    let versions: Vec<Value> = versions.iter().map(version).collect();
    let document = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.toy.example.com")},
        "spec": {
            "group": "toy.example.com",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "scope": scope,
            "versions": versions,
        },
    });
    CustomResourceDefinition::from_value(&document).expect("a CRD")
}

fn crds(channel: Channel) -> Vec<CustomResourceDefinition> {
    // Only experimental has v2.
    let versions: &[&str] =
        if channel == Channel::Experimental { &["v1", "v1beta1", "v2"] } else { &["v1", "v1beta1"] };
    vec![crd(channel, "things", "Thing", "Namespaced", versions), crd(channel, "globes", "Globe", "Cluster", &["v1"])]
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

/// New objects: version, content, and experimental fields.
fn new_things() -> Vec<(&'static str, Value, &'static [&'static str])> {
    vec![
        ("v1", json!({}), &[]),
        ("v1", json!({"name": "a", "mode": "b", "level": 2, "any": "x", "tags": ["red", "red"]}), &[]),
        ("v1", json!({"mode": "it's"}), &["spec.mode=it's"]),
        ("v1", json!({"turned": "c"}), &[]),
        ("v1", json!({"turned": "b"}), &["spec.turned=b"]),
        ("v1", json!({"level": 3}), &["spec.level=3"]),
        ("v1", json!({"any": "z"}), &["spec.any (other than x and y)"]),
        ("v1", json!({"tags": ["red", "blue"]}), &["spec.tags[*]=blue"]),
        ("v1", json!({"tags": []}), &[]),
        ("v1", json!({"groups": [{}, {"members": []}, {"members": [{"name": "a"}]}]}), &[]),
        (
            "v1",
            json!({"groups": [{}, {"members": [{"name": "a"}, {"fresh": ""}]}]}),
            &["spec.groups[*].members[*].fresh"],
        ),
        ("v1", json!({"grid": [[], [{"name": "a"}]]}), &[]),
        ("v1", json!({"grid": [[], [{"name": "a"}, {"fresh": "a"}]]}), &["spec.grid[*][*].fresh"]),
        ("v1", json!({"map": {"a": {"name": "a"}, "it's": {}}}), &[]),
        ("v1", json!({"map": {"a": {"name": "a"}, "it's": {"fresh": "a"}}}), &["spec.map[*].fresh"]),
        ("v1", json!({"holder": null}), &[]),
        ("v1", json!({"holder": {"name": "a"}}), &[]),
        ("v1", json!({"holder": {"fresh": "a"}}), &["spec.holder.fresh"]),
        ("v1", json!({"holders": [null, {"name": "a"}]}), &[]),
        ("v1", json!({"holders": [null, {"fresh": "a"}]}), &["spec.holders[*].fresh"]),
        ("v1", json!({"open": {"kept": "a", "whatever": 1}}), &[]),
        ("v1", json!({"parent": {"name": "n", "extra": 5}}), &[]),
        ("v1", json!({"parent": {"name": "n"}}), &[]),
        ("v1", json!({"parent": {"name": "n", "extra": 6}}), &["spec.parent.extra"]),
        ("v1", json!({"hollow": null}), &[]),
        ("v1", json!({"hollow": ""}), &["spec.hollow"]),
        ("v1", json!({"given": "g"}), &[]),
        ("v1", json!({"given": "h"}), &["spec.given"]),
        ("v1", json!({"switch": false}), &[]),
        ("v1", json!({"switch": true}), &["spec.switch"]),
        ("v1", json!({"filled": {"name": "it's", "lists": [[true], []]}}), &[]),
        ("v1", json!({"filled": {"name": "it's", "lists": [[true], []], "depth": 1.5}}), &[]),
        ("v1", json!({"filled": {"name": "it's", "lists": [[false], []]}}), &["spec.filled"]),
        ("v1", json!({"filled": {"name": "it's", "lists": [[true], []], "depth": 2}}), &["spec.filled"]),
        ("v1", json!({"filled": {}}), &["spec.filled"]),
        ("v1", json!({"in": "a"}), &["spec.in"]),
        ("v1", json!({"odd-name": "a"}), &["spec.odd-name"]),
        ("v1", json!({"it's": "a"}), &["spec.it's"]),
        ("v1", json!({"namespace": "a"}), &["spec.namespace"]),
        ("v1", json!({"\\": "a"}), &["spec.\\"]),
        ("v1", json!({"$": "a"}), &["spec.$"]),
        ("v1", json!({"$": "a", "in": "a", "level": 3}), &["spec.$", "spec.in", "spec.level=3"]),
        // Standard has this field only in v1beta1. It does not have v2, and stores v1.
        ("v1", json!({"late": "a"}), &["spec.late"]),
        ("v1beta1", json!({"late": "a"}), &[]),
        ("v1beta1", json!({"late": "a", "in": "a"}), &["spec.in"]),
        ("v2", json!({"late": "a"}), &["spec.late"]),
        ("v2", json!({"name": "a"}), &[]),
    ]
}

/// Every case.
pub(super) async fn cases(client: &Client) -> Vec<Case> {
    let verdict = |names: &[&str]| if names.is_empty() { Verdict::Passes } else { Verdict::refused(names) };
    let mut cases = Vec::new();
    let dry = |path: &str| format!("{path}?dryRun=All&fieldValidation=Strict");
    for (version, spec, names) in new_things() {
        for (namespace, expected) in [(PLAIN, verdict(names)), (OPEN, Verdict::Passes)] {
            let path = dry(&things(version, namespace));
            let answer = send(client, "POST", &path, Some(&thing(version, namespace, "new", &spec))).await;
            let what = format!("new {version} in {namespace}: {spec}");
            cases.push(Case { what, expected, found: Verdict::of(&answer) });
        }
    }
    // Only `spec` counts.
    let mut outside = thing("v1", PLAIN, "outside", &json!({}));
    outside["outside"] = json!({"fresh": "a"});
    outside["status"] = json!({"fresh": "a"});
    let mut without_spec = thing("v1", PLAIN, "without", &json!({}));
    without_spec.as_object_mut().expect("an object").remove("spec");
    for (what, object) in [("outside spec", outside), ("without a spec", without_spec)] {
        let answer = send(client, "POST", &dry(&things("v1", PLAIN)), Some(&object)).await;
        cases.push(Case { what: what.to_owned(), expected: Verdict::Passes, found: Verdict::of(&answer) });
    }
    // Updates of the existing object.
    let path = format!("{}/kept", things("v1", PLAIN));
    let kept = send(client, "GET", &path, None).await.expect("it exists");
    for (spec, names) in [
        (json!({"groups": [{"members": [{"fresh": "b"}, {"fresh": "c"}]}], "tags": ["blue", "blue"]}), &[][..]),
        (json!({"name": "a"}), &[]),
        (json!({"tags": ["blue"], "grid": [[{"fresh": "a"}]]}), &["spec.grid[*][*].fresh"]),
        (json!({"tags": ["blue"], "map": {"a": {"fresh": "a"}}, "level": 3}), &["spec.level=3", "spec.map[*].fresh"]),
        (json!({"given": "h"}), &["spec.given"]),
        (json!({"any": "z"}), &["spec.any (other than x and y)"]),
    ] {
        let mut object = kept.clone();
        object["spec"] = spec.clone();
        let answer = send(client, "PUT", &dry(&path), Some(&object)).await;
        let what = format!("update to {spec}");
        cases.push(Case { what, expected: verdict(names), found: Verdict::of(&answer) });
    }
    // Cluster-scoped objects allow themselves.
    let (allowed, silent) = (json!({ANNOTATION: "allowed"}), Value::Null);
    let of_gateways = json!({policies::ANNOTATION: "allowed"});
    for (annotations, spec, names) in [
        (&silent, json!({"name": "a"}), &[][..]),
        (&silent, json!({"in": "a"}), &["spec.in"]),
        (&of_gateways, json!({"in": "a"}), &["spec.in"]),
        (&allowed, json!({"in": "a"}), &[]),
    ] {
        let answer = send(client, "POST", &dry(GLOBES), Some(&globe("new", annotations, &spec))).await;
        let what = format!("new globe, {annotations}: {spec}");
        cases.push(Case { what, expected: verdict(names), found: Verdict::of(&answer) });
    }
    let path = format!("{GLOBES}/kept");
    let kept = send(client, "GET", &path, None).await.expect("it exists");
    for (annotations, spec, names) in [
        (&silent, json!({"name": "a", "holder": {"fresh": "b"}}), &[][..]),
        (&silent, json!({"holder": {"fresh": "a"}, "in": "a"}), &["spec.in"]),
        (&allowed, json!({"holder": {"fresh": "a"}, "in": "a"}), &[]),
    ] {
        let mut object = kept.clone();
        object["spec"] = spec.clone();
        object["metadata"]["annotations"] = annotations.clone();
        let answer = send(client, "PUT", &dry(&path), Some(&object)).await;
        let what = format!("update of a globe, {annotations}: {spec}");
        cases.push(Case { what, expected: verdict(names), found: Verdict::of(&answer) });
    }
    cases
}
