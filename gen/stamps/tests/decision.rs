//! What controllers decide: each decision with its message, written by hand.

use std::sync::Arc;

use crd_model::CustomResourceDefinition;
use crd_stamps::skew::decision::{Decision, decide};
use crd_stamps::skew::{Client, ClientKind, Offer};
use serde_json::json;

fn kind(name: &str, versions: &[&str], is_optional: bool) -> ClientKind {
    let versions = versions.iter().map(|version| (*version).to_owned()).collect();
    ClientKind { group: "example.com".into(), kind: name.into(), versions, is_optional, fields: None }
}

#[track_caller]
fn check(kind: ClientKind, offer: &Offer, decision: &Decision, is_blocking: bool, message: &str) {
    let client = Client { name: "c".into(), built_for: None, kinds: vec![kind] };
    let decided = decide(&client, offer);
    let [decided] = &*decided else { panic!("{decided:?}") };
    assert_eq!((&decided.decision, decided.is_blocking(), &*decided.message), (decision, is_blocking, message));
    assert_eq!(decided.version().is_some(), matches!(decision, Decision::Watch { .. }));
}

#[test]
fn the_preferred_version_that_is_served_is_watched() {
    let offer = Offer::of_discovery([("example.com", "Route", "v1"), ("example.com", "Route", "v1beta1")]);
    let watch = |version: &str| Decision::Watch { version: version.into(), without: Vec::new() };
    check(kind("Route", &["v1", "v1beta1"], false), &offer, &watch("v1"), false, "Route is read in v1");
    check(kind("Route", &["v2", "v1beta1"], false), &offer, &watch("v1beta1"), false, "Route is read in v1beta1");
}

#[test]
fn an_absent_kind_is_waited_for() {
    // Another group.
    let offer = Offer::of_discovery([("other.example.com", "Route", "v1")]);
    let message = "Route is not installed; install its CRD: the kind is skipped until then";
    check(kind("Route", &["v1"], true), &offer, &Decision::Absent, false, message);
    let message = "Route is not installed; install its CRD: the controller needs the kind";
    check(kind("Route", &["v1"], false), &offer, &Decision::Absent, true, message);
}

#[test]
fn versions_that_are_not_known_are_refused() {
    let offer = Offer::of_discovery([("example.com", "Route", "v1"), ("example.com", "Old", "v1alpha2")]);
    let refuse = |version: &str, is_newer| Decision::Refuse { served: vec![version.into()], is_newer };
    let message =
        "Route v1alpha3 or v1alpha2 is not served; served: v1; update this controller: the controller needs the kind";
    check(kind("Route", &["v1alpha3", "v1alpha2"], false), &offer, &refuse("v1", true), true, message);
    let message = "Old v1 is not served; served: v1alpha2; update the CRDs: the kind is skipped until then";
    check(kind("Old", &["v1"], true), &offer, &refuse("v1alpha2", false), false, message);
}

#[test]
fn crds_also_state_which_fields_are_missing() {
    let properties = json!({"spec": {"type": "object", "properties": {"name": {"type": "string"}}}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": properties}});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "routes.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Route", "plural": "routes"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    });
    let offer = Offer::of_crds(&[Arc::new(CustomResourceDefinition::from_value(&crd).unwrap())]);
    let needs = |fields: &[&str]| ClientKind {
        fields: Some(fields.iter().map(|field| (*field).to_owned()).collect()),
        ..kind("Route", &["v1"], false)
    };
    let watch = |without: &[&str]| Decision::Watch {
        version: "v1".into(),
        without: without.iter().map(|field| (*field).to_owned()).collect(),
    };
    check(needs(&["spec.name"]), &offer, &watch(&[]), false, "Route is read in v1");
    let message = "spec.age of Route v1 is absent; update the CRDs to use them";
    check(needs(&["spec.name", "spec.age"]), &offer, &watch(&["spec.age"]), false, message);
}
