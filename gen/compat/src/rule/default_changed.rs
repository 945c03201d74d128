//! `default-changed`: changed or removed defaults.
//!
//! Except changed conditions in the status, which are `condition-list-default`.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "default-changed",
    row: "default-changed",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "default changed",
    many: "defaults changed",
    section: Section::Changed,
    summary: "The default of a field was changed or removed.",
    explanation: "Stored objects keep the default that was filled in when they were written. Objects that omit the field \
        from now on have another meaning, with the same manifest.",
    example: "old: { field: { type: string, default: Auto } }\n\
              new: { field: { type: string, default: Manual } }",
};

pub(crate) fn removed() -> Assessment {
    Assessment::new(&RULE, "the default was removed: new objects without this field have no value here")
}

pub(crate) fn replaced() -> Assessment {
    Assessment::new(&RULE, "the default was changed: new objects without this field have another meaning")
}
