//! `cel-words`: what CEL rules say when they refuse something.
//!
//! The rule has the same tokens before and after; one whose expression was changed is `loosened`, `tightened` or `incomparable`.

use crate::difference::{Difference, Subject};
use crate::policy::Cells;
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "cel-words",
    row: "cel-words",
    cells: Cells::everywhere(&[Ruling::Patch]),
    summary: "What a CEL rule says when it refuses something; the rule itself is the same.",
    explanation: "Message, message expression, reason and field path are what a user is told. The same objects are \
        refused as before. A rule that stands at its node twice, or no longer does, counts here too: it asks nothing \
        more than once.",
    example: "old: { field: { type: string, x-kubernetes-validations: [{ rule: self != '', message: wrong }] } }\n\
              new: { field: { type: string, x-kubernetes-validations: [{ rule: self != '', message: must not be empty }] } }",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    (difference.subject == Subject::RuleWords)
        .then(|| Claim::new("the same CEL rule says something else when it refuses an object"))
}
