//! `kind-or-scope`: what a resource is and where its objects live.
//!
//! Singular and list kind move with the kind if nobody wrote them down; otherwise they are `singular-or-list-kind`.

use crate::difference::{Difference, Subject};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "kind-or-scope",
    row: "kind-or-scope",
    cells: Cells::everywhere(&[Ruling::Refused]),
    summary: "The kind or the scope of a resource was changed.",
    explanation: "Stored objects have the old kind, and every client has it written down. A server refuses to change \
        the scope of an installed CRD.",
    example: "old: { crd: { scope: Namespaced } }\n\
              new: { crd: { scope: Cluster } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    let what = match difference.subject {
        Subject::Kind => "the kind was changed: stored objects have the old one",
        Subject::Scope => "the scope was changed, which servers refuse for an installed CRD",
        _ => return None,
    };
    Some(Claim::new(what).fix("Make it a new resource with another plural, and give the old one a tombstone."))
}
