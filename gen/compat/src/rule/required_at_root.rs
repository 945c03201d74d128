//! `required-at-root`: fields of the object itself that became required.
//!
//! Below the root this is `tightened`; with a default, `required-with-default`.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "required-at-root",
    row: "required-at-root",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]).warned(), Cell::of(&[Ruling::Minor])),
    summary: "A field of the object itself, such as `spec`, became required.",
    explanation: "Ratcheting does not forgive the absence of a required field at the root: every update of an object \
        without it is refused, even the patch that removes a finalizer, so the object can no longer be deleted.",
    example: "old: {}\n\
              new: { root: { required: [spec] } }",
    claims,
};

/// True if something is required at the root that was not before, and that nobody fills in.
pub(super) fn is_new(difference: &Difference<'_>) -> bool {
    difference.subject == Subject::Required
        && difference.is_addition()
        && difference.place.path.is_empty()
        && !super::required_with_default::is_filled_in(difference)
}

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    is_new(difference).then(|| {
        let what = "the field is required at the root now: stored objects without it can no longer be changed, not even \
                    to remove a finalizer";
        Claim::new(what).directed(Direction::Tightened).fix("Leave it optional, or give it a default.")
    })
}
