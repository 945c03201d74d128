//! `default-changed`: changed or removed defaults.
//!
//! Except changed conditions in the status, which are `condition-list-default`.

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

pub(crate) fn replaced() -> Assessment {
    Assessment::new(&RULE, "the default was changed: new objects without this field have another meaning")
}
