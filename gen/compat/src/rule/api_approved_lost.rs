//! `api-approved-lost`: the approval of a protected group.
//!
//! Only the loss of a valid approval. Every other change of annotations is `labels-and-annotations`.

use crd_inclusion::Edit;

use crate::change::{Change, LocatedChange};
use crate::context::Context;
use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "api-approved-lost",
    row: "api-approved-lost",
    cells: Cells::everywhere(&[RequiredBump::NotAllowed]),
    one: "resource no longer approved",
    many: "resources no longer approved",
    section: Section::Changed,
    summary: "The annotation `api-approved.kubernetes.io` of a protected group was removed, or is no longer valid.",
    explanation: "\
        Groups below k8s.io and kubernetes.io are protected: a server refuses a CRD of such a group that \
        does not link to its approval, or does not state `unapproved` with a reason. This bundle cannot be \
        installed.",
    example: "\
        old: { crd: { group: example.k8s.io }, metadata: { annotations: { api-approved.kubernetes.io: https://example.com/1 } } }\n\
        new: { crd: { group: example.k8s.io } }",
};

const ANNOTATION: &str = "api-approved.kubernetes.io";

pub(crate) fn claim(located: &LocatedChange<'_>, _: &Context<'_>) -> Option<Assessment> {
    let Change::Annotation { key, value } = &located.change else { return None };
    let group = located.location.new_crd.map_or("", |crd| &crd.group);
    applies(group, key, value).then(assess)
}

/// True if a valid approval of a protected group was lost.
fn applies(group: &str, key: &str, value: &Edit<&str>) -> bool {
    let is_protected =
        ["k8s.io", "kubernetes.io"].iter().any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let approves = |text: Option<&&str>| text.is_some_and(|text| is_approval(text));
    key == ANNOTATION && is_protected && approves(value.before()) && !approves(value.after())
}

/// As servers read it: a link to the approval, or `unapproved` and the reason.
fn is_approval(text: &str) -> bool {
    let link = text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    link || text.starts_with("unapproved")
}

fn assess() -> Assessment {
    Assessment::new(&RULE, format!("`{ANNOTATION}` was removed: servers refuse a CRD of a protected group without it"))
        .fix("Add the annotation again: in `crd-channels.yaml`, or as `+kubebuilder:metadata:annotations` on the type.")
}
