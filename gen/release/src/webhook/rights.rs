//! The rights of the webhook: two service accounts, and what each may do.
//!
//! Invariants: the server reads, and writes nothing; the jobs write one Secret and one configuration. A right that Kubernetes can limit to an
//! object by its name is limited.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{CERTIFICATES, Names, SECRET, SERVER};

const GROUP: &str = "rbac.authorization.k8s.io";

/// The service accounts, the roles and their bindings.
pub(super) fn objects(names: &Names<'_>) -> Vec<Value> {
    let mut objects = vec![service_account(names, SERVER), service_account(names, CERTIFICATES)];
    // Names of cluster roles are shared with all of the cluster.
    let server = names.of_cluster(&names.namespace());
    objects.extend(granted(names, "ClusterRole", &server, server_rules(names), SERVER));
    let configuration = rule("admissionregistration.k8s.io", &["validatingwebhookconfigurations"], &CHANGED);
    let configuration = named(configuration, &names.configuration());
    let certificates = names.of_cluster(&format!("{}-certs", names.namespace()));
    objects.extend(granted(names, "ClusterRole", &certificates, vec![configuration], CERTIFICATES));
    // A request that creates an object has no name that a rule could compare.
    let secrets = vec![named(rule("", &["secrets"], &CHANGED), SECRET), rule("", &["secrets"], &["create"])];
    objects.extend(granted(names, "Role", &names.of_namespace(CERTIFICATES), secrets, CERTIFICATES));
    objects
}

/// What is done to an existing object.
const CHANGED: [&str; 2] = ["get", "patch"];

/// Pods state for themselves whether they get a token.
fn service_account(names: &Names<'_>, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": names.of_namespace(name),
        "automountServiceAccountToken": false,
    })
}

/// The CRDs, whose versions are compared, and what the rules of the webhook read.
fn server_rules(names: &Names<'_>) -> Vec<Value> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for resource in names.webhook.resources() {
        groups.entry(&resource.group).or_default().push(&resource.plural);
    }
    groups.entry("apiextensions.k8s.io").or_default().push("customresourcedefinitions");
    groups.iter().map(|(group, plurals)| rule(group, plurals, &["list", "watch"])).collect()
}

fn rule(group: &str, plurals: &[&str], verbs: &[&str]) -> Value {
    json!({ "apiGroups": [group], "resources": plurals, "verbs": verbs })
}

/// The rule for one object.
fn named(mut rule: Value, name: &str) -> Value {
    rule["resourceNames"] = json!([name]);
    rule
}

/// A role, and its binding of the same name to a service account.
fn granted(names: &Names<'_>, kind: &str, metadata: &Value, rules: Vec<Value>, account: &str) -> [Value; 2] {
    let api_version = format!("{GROUP}/v1");
    let role = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "rules": rules });
    let binding = json!({
        "apiVersion": api_version,
        "kind": format!("{kind}Binding"),
        "metadata": metadata,
        "roleRef": { "apiGroup": GROUP, "kind": kind, "name": metadata["name"] },
        "subjects": [{ "kind": "ServiceAccount", "name": account, "namespace": names.namespace() }],
    });
    [role, binding]
}
