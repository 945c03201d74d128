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
    summary: "A node no longer preserves unknown fields, or is no longer an embedded resource.",
    explanation: "\
        Unknown fields that are stored are hidden, and the next write erases them without a message. The \
        API-versioning guide forbids this.",
    example: "\
        old: { field: { type: object, x-kubernetes-preserve-unknown-fields: true } }\n\
        new: { field: { type: object } }",
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
