//! `incomparable`: constraints that cannot be compared.
//!
//! What [`super::tightened::constraint`] lists, where [`direction`] proves neither that all objects stay valid nor that they are fewer.

use crate::difference::{Difference, Subject};
use crate::direction::direction;
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "incomparable",
    row: "incomparable",
    cells: Cells::of(Cell::of(&[Ruling::Major]), Cell::of(&[Ruling::Minor]), Cell::of(&[Ruling::Minor])),
    summary: "A constraint was changed, and it cannot be shown that it lets only more, or only less, through.",
    explanation: "Nobody can tell what one CEL expression refuses beside another, nor one format beside another. Two \
        patterns are compared as sets of texts, and are found here if each matches what the other refuses, or if \
        they are too large. `allOf`, `anyOf`, `oneOf` and `not` are found here unless inclusion is proven branch by \
        branch. What cannot be shown to be harmless counts like a tightening.",
    example: "old: { field: { type: string, pattern: \"^[a-z]+$\" } }\n\
              new: { field: { type: string, pattern: \"^[0-9]+$\" } }",
    claims,
};

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let what = super::tightened::constraint(difference, context)?;
    if super::tightened::is_about_updates(difference) || direction(difference)? != Direction::Neither {
        return None;
    }
    let what = match difference.subject {
        Subject::Rule => "a CEL rule says something else".to_owned(),
        _ => format!("{what} was changed, and not only made wider"),
    };
    let message = format!("{what}: objects that were accepted may be refused when they are created or changed");
    Some(Claim::new(message).directed(Direction::Neither))
}
