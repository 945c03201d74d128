//! `required-with-default`: fields that became required and are filled in.
//!
//! The counterpart of `tightened` and `required-at-root` for fields whose default makes the requirement harmless.

use crate::difference::{Difference, Subject};
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "required-with-default",
    row: "required-with-default",
    cells: Cells::of(Cell::of(&[Ruling::Minor]).warned(), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A field became required, and has a default: the server fills it in.",
    explanation: "Objects without the field are accepted as before, with the default. Programs that write the type \
        find a field that is always there. It counts like a default that was added.",
    example: "old: { spec: { type: object, properties: { mode: { type: string, default: Auto } } } }\n\
              new: { spec: { type: object, required: [mode], properties: { mode: { type: string, default: Auto } } } }",
    claims,
};

/// True if the server fills in what is required now.
pub(super) fn is_filled_in(difference: &Difference<'_>) -> bool {
    let (Some(node), Some(name)) = (difference.place.new_node(), difference.name()) else { return false };
    let default = node.properties.get(name).and_then(|property| property.default.as_ref());
    difference.subject == Subject::Required && difference.is_addition() && default.is_some_and(|value| !value.is_null())
}

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    is_filled_in(difference).then(|| {
        Claim::new("the field is required now, and has a default: objects without it stay valid and show the default")
    })
}
