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
    explanation: "Fields that were dropped are kept, with any value. Standard cannot revert this in a minor bundle.",
    example: "old: { field: { type: object } }\n\
              new: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }",
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "unknown fields are kept now, where they were dropped").directed(Direction::Loosened)
}
