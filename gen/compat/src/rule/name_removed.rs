//! `name-removed`: fields and enum values that are gone.
//!
//! A field whose new name is declared is `renamed`; an `enum` that is taken away as a whole is `loosened`.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells, Need};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "name-removed",
    row: "name-removed",
    cells: Cells::of(
        Cell::of(&[Ruling::Major]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone]),
        Cell::of(&[Ruling::Minor]).needs(&[Need::Tombstone, Need::Conversion]),
    ),
    summary: "A field or an enum value was removed.",
    explanation: "Values of a removed field stay stored, unseen, and reappear when the name returns, even with a \
        type that the new schema would refuse. So the name gets a tombstone and never returns.",
    example: "old: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }\n\
              new: {}",
    claims,
};

fn claims(difference: &Difference<'_>, _: &Context<'_>) -> Option<Claim> {
    if !difference.is_removal() {
        return None;
    }
    let kept = difference.place.new_node().is_some_and(|node| node.preserve_unknown_fields == Some(true));
    let claim = match difference.subject {
        Subject::Field if kept => {
            Claim::new("the field was removed: stored values stay readable, as the node preserves unknown fields")
                .directed(Direction::Loosened)
        }
        Subject::Field => {
            Claim::new("the field was removed: stored values become unreadable, and the next write erases them")
        }
        Subject::EnumValue => Claim::new(
            "the value was removed: objects that have it are refused when they are created or it is set again",
        )
        .directed(Direction::Tightened),
        _ => return None,
    };
    Some(match super::renamed::likely(difference) {
        Some(name) => claim.fix(format!(
            "If it was renamed to `{name}`, which has the same schema, say so: `replacement={name}` in its tombstone."
        )),
        None => claim,
    })
}
