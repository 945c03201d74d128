//! The ValidatingWebhookConfiguration: which requests the API server sends to the webhook.
//!
//! What is decided, and why:
//! * **All served versions are listed**, as in the guardrails. The webhook has the schema of each, so an object arrives as it was written and is checked
//!   by the version of the request; a server converts nothing for it, and `kind` is the version in which the user wrote. With the
//!   storage version alone, the server would convert every other request first, and paths in messages could be those of another version.
//!   `matchPolicy: Equivalent` is for versions that a newer bundle adds.
//! * **`failurePolicy: Ignore`** (GEP-922): the webhook gives good feedback and is not a security mechanism. While it is down, or not ready because the
//!   CRDs are newer, objects are written without it.
//! * **Deletions, and updates that leave `spec` as it is, are not sent.** So finalizers, labels and status are never blocked, even with
//!   `failurePolicy: Fail`. Subresources are not matched.
//! * **Its own namespace is not matched**, so that nothing in it depends on the webhook.
//! * **No `caBundle`.** The jobs fill it in. It stays when the file is applied again: `kubectl apply` removes only what an earlier apply had
//!   written and the new file does not have, and lists of webhooks are merged by name; with `--server-side`, the field belongs to the
//!   jobs. Until it is filled in, calls fail, which `Ignore` permits.

use serde_json::{Value, json};

use super::{Names, SERVER};
use crd_bundle::admission::{match_conditions, resource_rule};

/// The path of reviews.
const PATH: &str = "/validate";

pub(super) fn object(names: &Names<'_>) -> Value {
    let name = names.configuration();
    let mut metadata = names.of_cluster(&name);
    metadata["annotations"] = names.stamps();
    let crds = names.release.channel(names.channel).iter();
    let rules = crds.map(|file| resource_rule(&file.crd, &["CREATE", "UPDATE"]));
    let webhook = json!({
        "name": name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": {
            "service": { "namespace": names.namespace(), "name": SERVER, "path": PATH, "port": 443 },
        },
        "rules": rules.collect::<Vec<_>>(),
        "matchPolicy": "Equivalent",
        "namespaceSelector": {
            "matchExpressions": [{
                "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [names.namespace()],
            }],
        },
        // As the server would fill it in: left to it, kubectl sees a change in every apply.
        "objectSelector": {},
        "matchConditions": match_conditions(),
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "timeoutSeconds": 5,
    });
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": metadata,
        "webhooks": [webhook],
    })
}
