//! `kind-or-scope`: the kind of a resource and the scope of its objects.
//!
//! Singular and list kind follow the kind unless they are written out; then they are `singular-or-list-kind`.

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "kind-or-scope",
    row: "kind-or-scope",
    cells: Cells::everywhere(&[RequiredBump::NotAllowed]),
    one: "kind or scope changed",
    many: "kinds or scopes changed",
    section: Section::Changed,
    summary: "The kind or the scope of a resource was changed.",
    explanation: "\
        Stored objects have the old kind, and every client contains it. A server refuses to change the scope \
        of an installed CRD.",
    example: "\
        old: { crd: { scope: Namespaced } }\n\
        new: { crd: { scope: Cluster } }",
};

fn assess(message: &str) -> Assessment {
    Assessment::new(&RULE, message).fix("Make it a new resource with another plural, and give the old one a tombstone.")
}

pub(crate) fn kind() -> Assessment {
    assess("the kind was changed: stored objects have the old kind")
}

pub(crate) fn scope() -> Assessment {
    assess("the scope was changed, which servers refuse for an installed CRD")
}
