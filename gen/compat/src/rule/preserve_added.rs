//! `preserve-added`: nodes that preserve unknown fields now.
//!
//! Shares its row with `embedded-resource-added`; the reverse is `preserve-removed`.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "preserve-added",
    row: "preserve-added",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])).addition(),
    one: "node open to unknown fields now",
    many: "nodes open to unknown fields now",
    section: Section::Loosened,
    summary: "A node preserves unknown fields now.",
    explanation: "\
        Fields that were dropped are kept, with any value. A node without a type accepts any value: every \
        old value, and values that readers of the old type cannot read. Standard cannot revert this in a \
        minor bundle.",
    example: "\
        old: { field: { type: object } }\n\
        new: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }",
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "unknown fields are kept now, where they were dropped").directed(Direction::Loosened)
}

/// A node without a type, in the place of one with a type.
pub(crate) fn of_type() -> Assessment {
    let message =
        "any value is accepted and kept now: all objects stay valid, and readers must handle values of other types";
    Assessment::new(&RULE, message).directed(Direction::Loosened)
}
