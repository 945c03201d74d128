//! `cel-words`: the messages of CEL rules.
//!
//! The rule has the same tokens before and after. A changed expression is `loosened`, `tightened` or `incomparable`.

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "cel-words",
    row: "cel-words",
    cells: Cells::everywhere(&[RequiredBump::Patch]),
    one: "message of a CEL rule changed",
    many: "messages of CEL rules changed",
    section: Section::Documentation,
    summary: "The message of a CEL rule was changed; its expression is the same.",
    explanation: "\
        Message, message expression, reason and field path are what users read. The rule refuses the same \
        objects as before. A copy of a rule at the same node counts here too, because it adds no constraint.",
    example: "\
        old: { field: { type: string, x-kubernetes-validations: [{ rule: self != '', message: wrong }] } }\n\
        new: { field: { type: string, x-kubernetes-validations: [{ rule: self != '', message: must not be empty }] } }",
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "the same CEL rule prints another message when it refuses an object")
}
