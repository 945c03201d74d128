//! `required-with-default`: fields that became required and that servers fill in.
//!
//! Without a default the field is `tightened` or `required-at-root`.

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::Minor;
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "required-with-default",
    row: "required-with-default",
    cells: Cells::of(Cell::of(&[Minor]).warned(), Cell::of(&[Minor]), Cell::of(&[Minor])),
    one: "field required that has a default",
    many: "fields required that have a default",
    section: Section::Changed,
    summary: "A field became required and has a default, which the server fills in.",
    explanation: "\
        Objects without the field are accepted as before, with the default. Programs can rely on the field. \
        It counts like an added default.",
    example: "\
        old: { spec: { type: object, properties: { mode: { type: string, default: Auto } } } }\n\
        new: { spec: { type: object, required: [mode], properties: { mode: { type: string, default: Auto } } } }",
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(
        &RULE,
        "the field is required now and has a default: objects without it stay valid and show the default",
    )
}
