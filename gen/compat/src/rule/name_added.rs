//! `name-added`: names that come without having been in experimental.
//!
//! The counterpart of `graduated`. A field of a node that kept unknown fields is `name-below-preserved`; a value where nobody can ask
//! experimental is `loosened`; what comes with a new API version is `version-added`.

use crate::difference::{Difference, Subject};
use crate::finding::Direction;
use crate::policy::{Cell, Cells, Column};
use crate::rule::{Claim, Context, Rule};
use crate::ruling::Ruling;

pub(super) const RULE: Rule = Rule {
    id: "name-added",
    row: "name-added",
    cells: Cells::of(
        Cell::of(&[Ruling::Finding, Ruling::Minor]),
        Cell::of(&[Ruling::Minor]),
        Cell::of(&[Ruling::Patch]),
    ),
    summary: "A field, a value or a resource was added.",
    explanation: "In standard this is only permitted for what the baseline's experimental channel has (see \
        `graduated`): everything starts in experimental, where it can still be changed. Where the baseline has no \
        experimental channel there is nobody to ask, and a minor bundle will do.",
    example: "old: {}\n\
              new: { spec: { type: object, properties: { field: { type: string }, mode: { type: string } } } }\n\
              experimental: {}",
    claims,
};

/// What was added, if it is a name that must have started somewhere.
pub(super) fn what(difference: &Difference<'_>) -> Option<&'static str> {
    match difference.subject {
        _ if !difference.is_addition() => None,
        Subject::Field if !super::name_below_preserved::is_preserved(difference) => Some("field"),
        Subject::EnumValue => Some("value"),
        Subject::Resource => Some("resource"),
        _ => None,
    }
}

fn claims(difference: &Difference<'_>, context: &Context<'_>) -> Option<Claim> {
    let what = what(difference)?;
    let claim = match super::graduated::started(difference, context) {
        Some(true) => return None,
        // One more value that the field takes: `loosened`.
        None if difference.subject == Subject::EnumValue => return None,
        Some(false) if context.column == Column::Standard => {
            Claim::new(format!("the {what} was added, and experimental never had it: everything starts there"))
                .fix("Mark it `+experimental` first, and take the marker away in a later minor bundle.")
        }
        None if context.column == Column::Standard => Claim::new(format!("the {what} was added")).ruled(Ruling::Minor),
        _ => Claim::new(format!("the {what} was added")),
    };
    Some(match difference.subject {
        Subject::EnumValue => claim.directed(Direction::Loosened),
        _ => claim,
    })
}
