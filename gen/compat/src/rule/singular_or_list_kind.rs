//! `singular-or-list-kind`: the names that servers derive from the kind.
//!
//! Only names that are written out and differ from what the server fills in.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "singular-or-list-kind",
    row: "singular-or-list-kind",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "singular or list kind changed",
    many: "singulars or list kinds changed",
    section: Section::Changed,
    summary: "The singular or the list kind was changed.",
    explanation: "\
        Clients contain these names: command lines the singular, and code that reads lists the list kind. \
        Writing out what the server fills in is not a change.",
    example: "\
        old: {}\n\
        new: { names: { singular: probe } }",
};

pub(crate) fn singular() -> Assessment {
    Assessment::new(&RULE, "the singular was changed: command lines that use the old one fail")
}

pub(crate) fn list_kind() -> Assessment {
    Assessment::new(&RULE, "the list kind was changed: programs that read lists of the old kind fail")
}
