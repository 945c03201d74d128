//! `required-at-root`: fields of the object itself that became required.
//!
//! Below the root this is `tightened`; with a default, `required-with-default`. What every object has is `words`.

use crd_inclusion::Direction;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor};
use crate::rule::{Assessment, Rule, Section};

pub(crate) const RULE: Rule = Rule {
    id: "required-at-root",
    row: "required-at-root",
    cells: Cells::of(Cell::of(&[Major]), Cell::of(&[Minor]).warned(), Cell::of(&[Minor])),
    one: "field required at the root",
    many: "fields required at the root",
    section: Section::Changed,
    summary: "A field of the object itself, such as `spec`, became required.",
    explanation: "\
        Ratcheting does not accept the absence of a required field at the root. A server refuses every \
        update of an object without it, also the patch that removes a finalizer, so the object cannot be \
        deleted.",
    example: "\
        old: {}\n\
        new: { root: { required: [spec] } }",
};

pub(crate) fn assess() -> Assessment {
    let message = "the field is required at the root now: servers refuse every update of stored objects without it, even the \
                   removal of a finalizer";
    Assessment::new(&RULE, message).directed(Direction::Tightened).fix("Keep it optional, or give it a default.")
}
