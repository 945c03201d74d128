//! `name-below-preserved`: new fields where unknown fields were kept.
//!
//! The exception from `graduated` and `name-added`: objects may already have a value of this name.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "name-below-preserved",
    row: "name-below-preserved",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "field added where unknown ones are preserved",
    many: "fields added where unknown ones are preserved",
    section: Section::Changed,
};

pub(crate) fn assess() -> Assessment {
    let message = "the field was added where unknown fields were kept: stored values of this name may be refused now";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}
