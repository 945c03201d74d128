//! `loosened`: constraints that let more through.
//!
//! One of three rules that share [`super::tightened::constraint`] and split its differences by direction; `tightened` and `incomparable` are the
//! others.

use crate::difference::{Difference, Subject};
use crate::direction::direction;
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "loosened",
    row: "loosened",
    cells: Cells::of(Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Patch])),
    summary: "A constraint lets more through: every object that was accepted still is.",
    explanation: "Bounds are compared as numbers, patterns as sets of texts, enums as sets of values, `allOf` and \
        `anyOf` branch by branch. Objects stay valid; whoever reads them must be ready for values that were \
        impossible before. GEP-922 permits this in a minor bundle.",
    example: "old: { field: { type: string, maxLength: 63 } }\n\
              new: { field: { type: string, maxLength: 253 } }",
    claims,
};

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let what = super::tightened::constraint(difference, context)?;
    if direction(difference)? != Direction::Loosened {
        return None;
    }
    let what = match difference.subject {
        Subject::Rule => "a CEL rule was removed".to_owned(),
        Subject::Required => "the field need not be given any more".to_owned(),
        Subject::Nullable if difference.is_addition() => "null is allowed now".to_owned(),
        Subject::Nullable => "null is dropped now, where the list of values refused it".to_owned(),
        Subject::EnumValue => "one more value is allowed".to_owned(),
        _ => format!("{what} was loosened"),
    };
    let message = format!("{what}: all objects stay valid, and readers must be ready for what was impossible before");
    Some(Claim::new(message).directed(Direction::Loosened))
}
