//! `list-type`: how lists and maps are merged.
//!
//! List type, list-map keys, and the map type of maps and structs. Writing out what a server fills in is not a change.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "list-type",
    row: "list-type",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "list or map merged differently",
    many: "lists or maps merged differently",
    section: Section::Changed,
};

fn assess(message: &str) -> Assessment {
    Assessment::new(&RULE, message).directed(Direction::Neither)
}

pub(crate) fn list_type() -> Assessment {
    assess(
        "the list type was changed: this changes how server-side apply merges the list and which duplicates are rejected",
    )
}

pub(crate) fn list_map_keys() -> Assessment {
    assess("the keys of the list were changed: server-side apply identifies entries differently")
}

pub(crate) fn map_type() -> Assessment {
    assess("the map type was changed: this changes how server-side apply merges the map")
}
