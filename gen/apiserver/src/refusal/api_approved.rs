//! `api-approved`: a CRD in a group of the Kubernetes community names the approval of its API.
//!
//! For the groups `k8s.io` and `kubernetes.io` and everything below them the annotation `api-approved.kubernetes.io`
//! must be an absolute URL (of the pull request that approved the API) or start with `unapproved`.

use super::{Authority, Check, Examined, Report, Rule};
use crate::url::parse_request_uri;

pub(super) const RULE: Rule = Rule {
    id: "api-approved",
    authority: Authority::Server,
    refused: &[
        r#"{"document": {"metadata": {"name": "things.example.k8s.io"}, "spec": {"group": "example.k8s.io"}}}"#,
        r#"{"document": {"metadata": {"name": "things.k8s.io"}, "spec": {"group": "k8s.io"}}}"#,
        r#"{"document": {"metadata": {"name": "things.a.kubernetes.io", "annotations": {"api-approved.kubernetes.io": "yes"}},
            "spec": {"group": "a.kubernetes.io"}}}"#,
        r#"{"document": {"metadata": {"name": "things.a.kubernetes.io", "annotations": {"api-approved.kubernetes.io": "/pull/1"}},
            "spec": {"group": "a.kubernetes.io"}}}"#,
    ],
    accepted: &[
        r#"{"document": {"metadata": {"name": "things.a.x-k8s.io"}, "spec": {"group": "a.x-k8s.io"}}}"#,
        r#"{"document": {"metadata": {"name": "things.a.k8s.io", "annotations": {"api-approved.kubernetes.io": "https://example.com/pull/1"}},
            "spec": {"group": "a.k8s.io"}}}"#,
        r#"{"document": {"metadata": {"name": "things.a.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved, experimental"}},
            "spec": {"group": "a.k8s.io"}}}"#,
    ],
    check: Check::Document(check),
};

const ANNOTATION: &str = "api-approved.kubernetes.io";

fn check(examined: &Examined<'_>, report: &mut Report) {
    let group = examined.crd.group.as_ref();
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    if !is_protected {
        return;
    }
    let value = examined.crd.annotations.get(ANNOTATION).map(AsRef::as_ref).unwrap_or_default();
    let is_url = || parse_request_uri(value).is_some_and(|url| !url.scheme.is_empty() && !url.host.is_empty());
    if value.starts_with("unapproved") || is_url() {
        return;
    }
    let found = if value.is_empty() { "is missing".to_owned() } else { format!("is {value:?}") };
    report.document(
        format!("metadata.annotations[{ANNOTATION:?}]"),
        format!(
            "the group {group} belongs to the Kubernetes community, and this annotation {found}; write the URL of the pull request \
             that approved the API, or a text that starts with `unapproved`"
        ),
    );
}
