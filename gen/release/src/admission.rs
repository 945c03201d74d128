//! Admission policies that come with a bundle: generated, never edited.
//!
//! Invariants: plain CEL that compiles on every supported Kubernetes minor (`semver()` does not exist on 1.32 and 1.33); objects are values, so that
//! YAML and JSON of them are the same.

pub mod declared;
pub mod guardrails;
pub mod safe_upgrades;
pub mod unsupported;

use crd_bundle::BUNDLE_VERSION;
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::Release;

/// Requests that are accepted before any check, so that finalizers, labels and status are never blocked: about objects that are being deleted,
/// and updates that leave `spec` as it is.
pub(crate) fn match_conditions() -> Value {
    json!([
        { "name": "is-not-being-deleted", "expression": "!has(object.metadata.deletionTimestamp)" },
        {
            "name": "is-new-or-changes-its-spec",
            "expression": "oldObject == null || !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec",
        },
    ])
}

/// Which requests about objects of a CRD are checked. All served versions are named, so that each object is seen as it was written.
pub(crate) fn resource_rule(crd: &CustomResourceDefinition, operations: &[&str]) -> Value {
    let served = crd.versions.iter().filter(|version| version.served).map(|version| &*version.name);
    json!({
        "apiGroups": [crd.group],
        "apiVersions": served.collect::<Vec<_>>(),
        "operations": operations,
        "resources": [crd.names.plural],
        "scope": crd.scope.as_str(),
    })
}

/// What a policy matches. Selectors are as the server would fill them in: left to it, kubectl sees a change in every apply.
fn match_constraints(rules: Vec<Value>) -> Value {
    json!({ "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}, "resourceRules": rules })
}

/// A policy with the version of the bundle as an annotation, and its binding, which refuses what it finds.
fn policy_and_binding(release: &Release, name: &str, spec: Value) -> Vec<Value> {
    let annotations = json!({ format!("{}/{BUNDLE_VERSION}", release.prefix): release.version.to_string() });
    bound(&json!({ "name": name, "annotations": annotations }), name, spec, "Deny")
}

/// A policy and its binding with this action.
fn bound(metadata: &Value, name: &str, spec: Value, action: &str) -> Vec<Value> {
    let object = |kind: &str, spec: Value| json!({ "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec });
    vec![
        object("ValidatingAdmissionPolicy", spec),
        object("ValidatingAdmissionPolicyBinding", json!({ "policyName": name, "validationActions": [action] })),
    ]
}
