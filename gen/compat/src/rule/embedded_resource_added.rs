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
    summary: "A node became an embedded resource.",
    explanation: "\
        It needs an apiVersion, a kind and a valid name from now on. Servers refuse updates of stored \
        objects without them.",
    example: r#"old: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }
new:
  field: { type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true }"#,
};

pub(crate) fn assess() -> Assessment {
    let message = "the object is an embedded resource now: it is refused without apiVersion, kind and a valid name";
    Assessment::new(&RULE, message).directed(Direction::Tightened)
}
