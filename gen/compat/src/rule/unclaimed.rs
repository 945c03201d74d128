//! `unclaimed`: changes that the policy does not cover.
//!
//! Such a change needs a waiver, so that it is never accepted by accident.

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

/// The rule for what no other rule covers. It is not one of [`super::RULES`].
pub const UNCLAIMED: Rule = Rule {
    id: "unclaimed",
    row: "unclaimed",
    cells: Cells::everywhere(&[RequiredBump::Waiver]),
    one: "change that no rule covers",
    many: "changes that no rule covers",
    section: Section::Changed,
    summary: "A change that no rule covers.",
    explanation: "\
        The policy does not define which bundle permits it. Servers refuse most CRDs with such a change; \
        otherwise please report it. Until a rule covers it, a waiver can accept it.",
    example: "\
        old: {}\n\
        new: { crd: { conversion: { strategy: Script } } }",
};

pub(crate) fn assess(what: &str) -> Assessment {
    Assessment::new(&UNCLAIMED, format!("{what} was changed, and no rule of the policy covers this change: review it"))
        .fix("Revert it, or add a waiver with the reason.")
}
