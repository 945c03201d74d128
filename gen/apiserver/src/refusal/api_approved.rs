//! `api-approved`: a CRD in a group of the Kubernetes community names the approval of its API.
//!
//! For the groups `k8s.io` and `kubernetes.io` and everything below them the annotation `api-approved.kubernetes.io`
//! must be an absolute URL (of the pull request that approved the API) or start with `unapproved`.

use super::{Examined, Report};
use crd_cel::Location;

const ANNOTATION: &str = "api-approved.kubernetes.io";

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let group = examined.crd.group.as_ref();
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    if !is_protected {
        return;
    }
    let value = examined.crd.annotations.get(ANNOTATION).map(AsRef::as_ref).unwrap_or_default();
    let is_url = || Location::request(value).is_some_and(|url| !url.scheme.is_empty() && !url.host.is_empty());
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
