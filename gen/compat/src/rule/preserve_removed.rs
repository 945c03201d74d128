//! `preserve-removed`: nodes that keep less than before.
//!
//! The reverse of `preserve-added` and `embedded-resource-added`.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor, NotAllowed};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "preserve-removed",
    row: "preserve-removed",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[NotAllowed])),
    one: "node no longer open to unknown fields",
    many: "nodes no longer open to unknown fields",
    section: Section::Changed,
};

pub(crate) fn unknown_fields() -> Assessment {
    let message =
        "unknown fields are no longer preserved: stored ones become unreadable, and the next write erases them";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}

pub(crate) fn embedded_resource() -> Assessment {
    let message = "the object is no longer an embedded resource: parts of apiVersion, kind and metadata that its schema does not \
                   have are dropped";
    Assessment::new(&RULE, message).directed(Direction::Loosened)
}
