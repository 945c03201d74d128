//! `version-added`: API versions that are added or served again, or whose deprecation changes.
//!
//! Names inside a new version are not compared: they need not have been in experimental.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "version-added",
    row: "version-added",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])).addition(),
    one: "API version added or deprecated",
    many: "API versions added or deprecated",
    section: Section::Added,
    summary: "An API version was added, served again, deprecated, or is no longer deprecated.",
    explanation: "\
        Users do not have to do anything immediately. With a deprecated version, every answer of the server \
        contains a warning.",
    example: "\
        old: {}\n\
        new: { version: { deprecated: true } }",
};

pub(crate) fn assess(message: &str) -> Assessment {
    Assessment::new(&RULE, message)
}
