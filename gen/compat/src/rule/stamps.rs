//! `stamps`: the annotations with the bundle's version and channel.
//!
//! All other annotations are `labels-and-annotations`.

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "stamps",
    row: "words",
    cells: Cells::everywhere(&[RequiredBump::None]),
    one: "stamp changed",
    many: "stamps changed",
    section: Section::Stamps,
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "the stamp has another value")
}
