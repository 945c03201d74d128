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
};

pub(crate) fn assess() -> Assessment {
    Assessment::new(
        &RULE,
        "the field is required now and has a default: objects without it stay valid and show the default",
    )
}
