//! `api-approved-lost`: the approval of a protected group.
//!
//! Only the loss of a valid approval; every other change of annotations is `labels-and-annotations`.

use serde_json::Value;

use crate::difference::{Difference, Subject};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "api-approved-lost",
    row: "api-approved-lost",
    cells: Cells::everywhere(&[Ruling::Refused]),
    summary: "The annotation `api-approved.kubernetes.io` of a protected group is gone, or is no approval any more.",
    explanation: "Groups below k8s.io and kubernetes.io are protected: a server refuses a CRD of them that does not \
        link to its approval, or say `unapproved` and why. So nobody could install this bundle.",
    example: "old: { crd: { group: example.k8s.io }, metadata: { annotations: { api-approved.kubernetes.io: https://example.com/1 } } }\n\
              new: { crd: { group: example.k8s.io } }",
    claims,
};

const ANNOTATION: &str = "api-approved.kubernetes.io";

/// True if this is the loss that a server refuses.
pub(super) fn is_lost(difference: &Difference<'_>) -> bool {
    let group = difference.place.new_crd.map_or("", |crd| &crd.group);
    let protected =
        ["k8s.io", "kubernetes.io"].iter().any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let approves = |value: &Option<Value>| {
        let text = value.as_ref().and_then(|value| value.get(ANNOTATION)).and_then(Value::as_str);
        text.is_some_and(is_approval)
    };
    difference.subject == Subject::Annotation
        && protected
        && approves(&difference.before)
        && !approves(&difference.after)
}

/// As servers read it: a link to the approval, or the word that there is none and why.
fn is_approval(text: &str) -> bool {
    let link = text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    link || text.starts_with("unapproved")
}

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    is_lost(difference).then(|| {
        Claim::new(format!("`{ANNOTATION}` is no longer there: servers refuse a CRD of a protected group without it"))
            .fix("Put the annotation back: in the catalogue, or as `+kubebuilder:metadata:annotations` on the type.")
    })
}
