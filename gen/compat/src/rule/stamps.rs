//! `stamps`: the annotations with the bundle's version and channel.
//!
//! All other annotations are `labels-and-annotations`.

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "stamps",
    row: "words",
    cells: Cells::everywhere(&[RequiredBump::None]),
    one: "stamp changed",
    many: "stamps changed",
    section: Section::Stamps,
    summary: "The annotations with the bundle's version and channel.",
    explanation: "\
        Every bundle has its own version, so its stamps always differ from those of its baseline. \
        Annotations whose names end in `/bundle-version` or `/channel` are stamps, with any prefix.",
    example: "\
        old: { metadata: { annotations: { example.com/bundle-version: v1.0.0 } } }\n\
        new: { metadata: { annotations: { example.com/bundle-version: v1.1.0 } } }",
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(&RULE, "the stamp has another value")
}
