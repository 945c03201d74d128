//! Admission policies that come with a bundle: generated, never edited.
//!
//! Invariants: plain CEL that compiles on every supported Kubernetes minor (`semver()` does not exist on 1.32 and 1.33); objects are values, so that
//! YAML and JSON of them are the same.

pub mod declared;
pub mod guardrails;
pub mod safe_upgrades;
pub mod unsupported;

use crd_model::CustomResourceDefinition;
use crd_model::policy::Policy;
use serde_json::{Value, json};

use crate::{BUNDLE_VERSION, BundleFile, BundleVersion, Channel};

/// A bundle, as far as its policies depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'b> {
    /// What the API is called: `gateway-api`.
    pub name: &'b str,
    /// The prefix of its stamps: `gateway.networking.k8s.io`.
    pub prefix: &'b str,
    pub version: &'b BundleVersion,
    /// Its CRDs by channel, from the most stable channel to the least.
    pub channels: &'b [ReleasedChannel],
    /// The policies that its catalogue declares.
    pub policies: &'b [Policy],
}

/// A channel of a bundle.
#[derive(Clone, Debug)]
pub struct ReleasedChannel {
    pub channel: Channel,
    /// One file a CRD, sorted by name.
    pub files: Vec<BundleFile>,
}

impl<'b> Bundle<'b> {
    /// The CRDs of a channel; none if the bundle has no such channel.
    fn channel(self, channel: Channel) -> impl Iterator<Item = &'b CustomResourceDefinition> + Clone {
        let released = self.channels.iter().filter(move |released| released.channel == channel).take(1);
        released.flat_map(|released| &released.files).map(|file| &*file.crd)
    }
}

/// Requests that are accepted before any check, so that finalizers, labels and status are never blocked: about objects that are being deleted,
/// and updates that leave `spec` as it is.
pub fn match_conditions() -> Value {
    json!([
        { "name": "is-not-being-deleted", "expression": "!has(object.metadata.deletionTimestamp)" },
        {
            "name": "is-new-or-changes-its-spec",
            "expression": "oldObject == null || !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec",
        },
    ])
}

/// Which requests about objects of a CRD are checked. All served versions are named, so that each object is seen as it was written.
pub fn resource_rule(crd: &CustomResourceDefinition, operations: &[&str]) -> Value {
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
fn policy_and_binding(bundle: Bundle<'_>, name: &str, spec: Value) -> Vec<Value> {
    let annotations = json!({ format!("{}/{BUNDLE_VERSION}", bundle.prefix): bundle.version.to_string() });
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
