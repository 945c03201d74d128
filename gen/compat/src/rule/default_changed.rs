//! `default-changed`: changed or removed defaults.
//!
//! Except changed conditions in the status, which are `condition-list-default`.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "default-changed",
    row: "default-changed",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "default changed",
    many: "defaults changed",
    section: Section::Changed,
};

pub(crate) fn removed() -> Assessment {
    Assessment::new(&RULE, "the default was removed: new objects without this field have no value here")
}

/// A constraint around the field sees whether it has a value.
pub(crate) fn missed() -> Assessment {
    let message = "the default was removed: a constraint around it may refuse new objects without this field, which have no value here";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

pub(crate) fn replaced() -> Assessment {
    Assessment::new(&RULE, "the default was changed: new objects without this field have another meaning")
}
