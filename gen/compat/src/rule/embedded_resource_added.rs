//! `embedded-resource-added`: nodes that became embedded resources.
//!
//! Shares its row with `preserve-added`; the reverse is `preserve-removed`.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "embedded-resource-added",
    row: "preserve-added",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "embedded resource added",
    many: "embedded resources added",
    section: Section::Changed,
};

pub(crate) fn assess() -> Assessment {
    let message = "the object is an embedded resource now: it is refused without apiVersion, kind and a valid name";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}
