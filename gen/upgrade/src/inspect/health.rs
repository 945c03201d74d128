//! The state that the server reports of a CRD.

use crd_cluster::InstalledCrd;
use crd_diagnostics::{Code, Diagnostic};
use crd_model::crd::ANNOTATIONS_LIMIT;
use serde_json::Value;

use crate::inspect::codes;

/// The part of the limit from which the size of annotations is a finding, in percent.
const NEAR: usize = 90;

/// Conditions, and the status that is wrong.
const CONDITIONS: [(&str, &str, &Code); 5] = [
    ("Established", "False", &codes::NOT_ESTABLISHED),
    ("NamesAccepted", "False", &codes::NAMES),
    ("NonStructuralSchema", "True", &codes::NON_STRUCTURAL),
    // The server cannot read the schema, and does not serve the CRD.
    ("NonStructuralSchema", "Unknown", &codes::NON_STRUCTURAL),
    ("KubernetesAPIApprovalPolicyConformant", "False", &codes::NOT_APPROVED),
];

/// What is wrong with the state of a CRD.
pub(crate) fn findings(installed: &InstalledCrd) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (kind, wrong, code) in CONDITIONS {
        let Some(condition) = installed.condition(kind).filter(|condition| condition.status == wrong) else { continue };
        // Names that are not accepted are the reason why a new CRD is not established.
        let is_explained = |kind: &str| installed.condition(kind).is_some_and(|condition| condition.status == "False");
        if kind == "Established" && is_explained("NamesAccepted") {
            continue;
        }
        findings.push(
            code.finding(format!("the condition {kind} is {wrong} ({}): {}", condition.reason, condition.message)),
        );
    }
    if let Some(since) = &installed.metadata.deletion_timestamp {
        let waits = match &*installed.metadata.finalizers {
            [] => String::new(),
            finalizers => format!("; it waits for the finalizer {}", finalizers.join(", ")),
        };
        findings.push(codes::TERMINATING.finding(format!("it is being deleted since {since}{waits}")));
    }
    if let Ok(crd) = &installed.crd
        && let Some(conversion) = &crd.conversion
        && crd.has_conversion_webhook()
    {
        let client = conversion.pointer("/webhook/clientConfig");
        let text = |pointer: &str| client.and_then(|client| client.pointer(pointer)).and_then(Value::as_str);
        let who = match (text("/service/namespace"), text("/service/name"), text("/url")) {
            (Some(namespace), Some(name), _) => format!("the service {namespace}/{name}"),
            (_, _, Some(url)) => url.to_owned(),
            _ => "a webhook".to_owned(),
        };
        findings.push(codes::WEBHOOK.finding(format!("its versions are converted by {who}")));
    }
    let bytes = installed.annotation_bytes;
    if bytes * 100 >= ANNOTATIONS_LIMIT * NEAR {
        let message = format!("its annotations have {bytes} of {ANNOTATIONS_LIMIT} bytes");
        findings.push(
            codes::SIZE
                .finding(message)
                .help("use `kubectl apply --server-side`, and remove the annotation with the copy"),
        );
    }
    findings
}
