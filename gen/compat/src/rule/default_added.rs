//! `default-added`: new defaults.
//!
//! Of any field, also of condition lists in the status. A changed or removed default is `default-changed` or `condition-list-default`.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::Minor;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "default-added",
    row: "default-added",
    cells: Cells::of(Cell::of(&[Minor]).warned(), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "default added",
    many: "defaults added",
    section: Section::Changed,
    summary: "A field got a default.",
    explanation: "\
        The server fills it in when objects are written and when stored objects are read. Objects without \
        the field now seem to have set it, for all readers.",
    example: "\
        old: { field: { type: string } }\n\
        new: { field: { type: string, default: Auto } }",
};

/// The default of an object names what the defaults of its new fields fill in.
pub(crate) fn filled() -> Assessment {
    Assessment::new(
        &RULE,
        "the default names values that the defaults of its fields fill in: stored objects read with them",
    )
}

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "a default was added: stored objects without this field read as if a user had set it")
}
