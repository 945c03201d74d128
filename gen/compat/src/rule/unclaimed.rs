//! `unclaimed`: the net below the rules.
//!
//! Not one of [`super::RULES`]: what they leave becomes a finding of this one, so that nothing gets through because nobody thought of it.
//! Fed by [`crate::comparison`], which also puts here what two rules claim.

use crate::difference::Difference;
use crate::policy::Cells;
use crate::rule::{Claim, Rule};
use crate::ruling::Ruling;

/// The net. Not one of the rules: it claims what they leave.
pub const UNCLAIMED: Rule = Rule {
    id: "unclaimed",
    row: "unclaimed",
    cells: Cells::everywhere(&[Ruling::Finding]),
    summary: "A change that no rule claims.",
    explanation: "The policy says nothing about it, so nobody can say which bundle it fits. Most often the CRD is one that \
                  servers refuse; otherwise please report it. Until there is a rule, a waiver can let it through.",
    example: "old: { crd: { conversion: { strategy: Webhook } } }\n\
              new: {}",
    claims: |_, _| None,
};

/// What is said of such a difference.
pub(crate) fn claim(difference: &Difference<'_>) -> Claim {
    let what = difference.subject.words();
    Claim::new(format!("{what} differs, and no rule of the policy says what that means: look at it closely"))
        .fix("Undo it, or let it through with a waiver that says why.")
}
