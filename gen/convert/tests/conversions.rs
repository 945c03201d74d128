//! Whole objects through all lenses: current, converted, newer and unrecognised, and back to older bundles.

use crd_convert::{Bundle, Canonical, CurrentForm, Known};
use serde_json::{Value, json};

use super::conversions;

/// BackendTLSPolicy from v1alpha2 to v1, in short; and a resource that replaced another.
fn lenses() -> Value {
    json!({"schemaVersion": 1, "generator": "test", "prefix": "example.com", "lenses": [
        {
            "name": "v1", "resource": "policies.example.com", "kind": "Policy", "since": "v1.4.0",
            "from": {"apiVersion": "example.com/v1alpha3", "kind": "Policy"}, "to": {"apiVersion": "example.com/v1", "kind": "Policy"},
            "steps": []
        },
        {
            "name": "validation", "resource": "policies.example.com", "kind": "Policy", "since": "v1.1.0",
            "from": {"apiVersion": "example.com/v1alpha2", "kind": "Policy"}, "to": {"apiVersion": "example.com/v1alpha3", "kind": "Policy"},
            "steps": [
                {"operation": "rename", "from": "spec.tls", "to": "spec.validation"},
                {"operation": "wrapInList", "from": "spec.targetRef", "to": "spec.targetRefs"},
            ]
        },
        {
            "name": "replaced", "resource": "xnews.x.example.com", "kind": "XNew", "since": "v1.3.0",
            "from": {"apiVersion": "example.com/v1alpha2", "kind": "Old"}, "to": {"apiVersion": "x.example.com/v1alpha1", "kind": "XNew"},
            "steps": [{"operation": "rename", "from": "spec.a", "to": "spec.b"}]
        },
    ]})
}

/// The current form: `spec.validation`, `spec.targetRefs` and `spec.mode: A`.
struct Current;

impl CurrentForm for Current {
    fn has_version(&self, api_version: &str, kind: &str) -> bool {
        [("example.com/v1", "Policy"), ("x.example.com/v1alpha1", "XNew")].contains(&(api_version, kind))
    }

    fn find(&self, kind: &str, place: &[&str], value: &Value) -> Known {
        match (kind, place) {
            (_, ["spec"] | ["spec", "targetRefs"]) => Known::Yes,
            (_, ["status"]) => Known::WithAllBelow,
            ("Policy", ["spec", "validation"] | ["spec", "targetRefs", "[*]"]) => Known::WithAllBelow,
            ("Policy", ["spec", "mode"]) if value == "A" => Known::Yes,
            ("Policy", ["spec", "mode"]) => Known::UnknownValue,
            ("XNew", ["spec", "b"]) => Known::Yes,
            _ => Known::UnknownField,
        }
    }
}

fn policy(version: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("example.com/{version}"), "kind": "Policy", "metadata": {"name": "a", "x": 1}, "spec": spec, "status": {"x": 1}})
}

#[track_caller]
fn unrecognised(object: &Value, why: &str) {
    let conversions = conversions(&lenses());
    assert_eq!(conversions.canonicalize(object, &Current, None), Canonical::Unrecognised { why: why.to_owned() });
}

#[test]
fn an_old_object_becomes_current_through_all_lenses_in_the_order_of_bundles() {
    let conversions = conversions(&lenses());
    let old = policy("v1alpha2", json!({"tls": {"hostname": "a"}, "targetRef": {"name": "b"}}));
    let new = policy("v1", json!({"validation": {"hostname": "a"}, "targetRefs": [{"name": "b"}]}));
    assert_eq!(
        conversions.canonicalize(&old, &Current, None),
        Canonical::Converted { object: new.clone(), applied: vec!["validation", "v1"] }
    );
    assert_eq!(conversions.canonicalize(&new, &Current, None), Canonical::Current);
    let back = |to: &str| conversions.convert_back(&new, to.parse().unwrap()).unwrap();
    assert_eq!((back("v1.0.0").object, back("v1.0.0").applied), (old, vec!["v1", "validation"]));
    assert_eq!(back("v1.3.5").object["apiVersion"], "example.com/v1alpha3");
    assert_eq!((back("v1.4.0").object, back("v1.4.0").applied), (new.clone(), vec![]));
}

#[test]
fn old_fields_are_recognised_under_any_served_version() {
    let conversions = conversions(&lenses());
    let Canonical::Converted { object, applied } =
        conversions.canonicalize(&policy("v1", json!({"tls": 1})), &Current, None)
    else {
        panic!("not converted")
    };
    assert_eq!((object, applied), (policy("v1", json!({"validation": 1})), vec!["validation"]));
}

#[test]
fn a_resource_that_replaced_another_is_converted() {
    let conversions = conversions(&lenses());
    let old = json!({"apiVersion": "example.com/v1alpha2", "kind": "Old", "spec": {"a": 1}});
    let new = json!({"apiVersion": "x.example.com/v1alpha1", "kind": "XNew", "spec": {"b": 1}});
    assert_eq!(
        conversions.canonicalize(&old, &Current, None),
        Canonical::Converted { object: new.clone(), applied: vec!["replaced"] }
    );
    assert_eq!(conversions.convert_back(&new, "v1.2.0".parse().unwrap()).unwrap().object, old);
}

#[test]
fn unknown_parts_are_newer_if_the_installed_crds_are() {
    let object = policy("v1", json!({"mode": "B"}));
    unrecognised(&object, "the value \"B\" of `spec.mode` is not in the current form");
    let newer: Bundle = "v1.9.0".parse().unwrap();
    assert_eq!(
        conversions(&lenses()).canonicalize(&object, &Current, Some(newer)),
        Canonical::Newer {
            why: "the value \"B\" of `spec.mode` is not in the current form; the installed CRDs have the bundle version v1.9.0".to_owned()
        }
    );
}

#[test]
fn what_is_not_recognised_has_a_reason() {
    unrecognised(&policy("v2", json!({})), "`example.com/v2` Policy is not in the current form");
    unrecognised(&policy("v1", json!({"x": 1})), "the field `spec.x` is not in the current form");
    unrecognised(&json!({"apiVersion": "v1", "kind": "Service"}), "`v1` Service is not in the current form");
    unrecognised(&json!([]), "`apiVersion`: it must be a string");
    unrecognised(
        &policy("v1", json!({"tls": 1, "validation": 2})),
        "`spec.tls`: the old form `spec.tls` and the new form `spec.validation` are both present; remove one of them (lens `validation`)",
    );
}

#[test]
fn a_kind_of_another_group_is_left_alone() {
    let conversions = conversions(&lenses());
    let mut object = json!({"apiVersion": "other.com/v1", "kind": "Policy", "spec": {"tls": 1}});
    let before = object.clone();
    assert_eq!(conversions.forward(&mut object).unwrap(), [] as [&str; 0]);
    assert_eq!(object, before);
}

#[test]
fn bundle_versions_are_ordered_by_their_numbers() {
    let version = |text: &str| text.parse::<Bundle>().unwrap();
    assert!(version("v1.10.0") > version("v1.9.9"));
    assert_eq!(version("v1.10.0").to_string(), "v1.10.0");
    for text in
        ["", "1.2.3", "v1.2", "v1.2.3.4", "v1.2.3-rc.1", "v01.2.3", "v1.2.+3", "v1..3", "v99999999999999999999.0.0"]
    {
        assert!(text.parse::<Bundle>().is_err(), "{text}");
    }
}
