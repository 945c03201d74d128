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
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "the same CEL rule prints another message when it refuses an object")
}
