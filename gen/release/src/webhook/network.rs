//! The NetworkPolicies of the webhook: who may connect to its pods.
//!
//! What is decided, and why:
//! * **Reviews are open to every address.** API servers have no labels, most of them run outside of the network of pods, and their addresses are not known
//!   here. A user who has them adds `from` with an `ipBlock` to the rule, or requires a client certificate (`serve --client-ca`).
//! * **Probes are for the node of the pod, which a NetworkPolicy always permits, and for namespaces with the label `metrics: enabled`.**
//! * **No client connects to the jobs.**
//! * **Connections of the pods are not restricted**: they need the API server and DNS, whose addresses and ports are not known here either.
//!
//! A network without support of NetworkPolicies ignores them. So the server does not rely on them.

use serde_json::{Value, json};

use super::workloads::{PROBES, REVIEWS};
use super::{CERTIFICATES, Names, SERVER};

/// The policies of the servers and of the jobs.
pub(super) fn objects(names: &Names<'_>) -> Vec<Value> {
    let port = |port: u16| json!([{ "protocol": "TCP", "port": port }]);
    let metrics = json!([{ "namespaceSelector": { "matchLabels": { "metrics": "enabled" } } }]);
    let mut policies = [(SERVER, SERVER), (CERTIFICATES, "certs")].map(|(name, component)| {
        json!({
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": names.of_namespace(name),
            "spec": { "podSelector": { "matchLabels": names.selector(component) }, "policyTypes": ["Ingress"] },
        })
    });
    policies[0]["spec"]["ingress"] = json!([{ "ports": port(REVIEWS) }, { "ports": port(PROBES), "from": metrics }]);
    policies.into()
}
