//! Branches: whether a difference below `allOf`, `anyOf`, `oneOf` or `not` accepts more or fewer values.
//!
//! Invariants: *loosened* and *tightened* are proven. Branches that both sides have are left out, and the remaining branches are compared
//! pairwise like all other schemas. Where that proves nothing the answer is *neither*.

use std::cmp::Ordering;

use crd_model::Schema;

use super::Direction::{self, Loosened, Neither, Tightened};
use crate::difference::Difference;
use crate::walk::{LocatedDifference, differences};

/// `allOf`: one more branch accepts less.
pub(super) fn conjunction(old: &[Schema], new: &[Schema]) -> Option<Direction> {
    joined(old, new, Tightened)
}

/// `anyOf`: one more branch accepts more, except for the first, which adds a constraint.
pub(super) fn disjunction(old: &[Schema], new: &[Schema]) -> Option<Direction> {
    match (old, new) {
        ([], [_, ..]) => Some(Tightened),
        ([_, ..], []) => Some(Loosened),
        _ => joined(old, new, Loosened),
    }
}

/// `oneOf`: a value that matches a second branch is refused, so nothing is proven for several branches.
pub(super) fn exclusive(old: &[Schema], new: &[Schema]) -> Option<Direction> {
    match (old, new) {
        ([], [_, ..]) => Some(Tightened),
        ([_, ..], []) => Some(Loosened),
        ([old], [new]) => compare(old, new),
        _ => Some(Neither),
    }
}

/// Two lists of branches, where a wider or narrower branch makes the whole wider or narrower. `more` is the effect of one more branch.
fn joined(old: &[Schema], new: &[Schema], more: Direction) -> Option<Direction> {
    let removed = old.iter().filter(|branch| !new.contains(branch)).collect::<Vec<_>>();
    let added = new.iter().filter(|branch| !old.contains(branch)).collect::<Vec<_>>();
    let pairs = removed.iter().zip(&added).map(|(old, new)| compare(old, new));
    let beyond = match removed.len().cmp(&added.len()) {
        Ordering::Less => Some(more),
        Ordering::Equal => None,
        Ordering::Greater => Some(more.mirrored()),
    };
    together(pairs.chain([beyond]))
}

/// One schema compared with another.
pub(super) fn compare(old: &Schema, new: &Schema) -> Option<Direction> {
    together(differences(old, new, &|_, _| None).iter().map(inside))
}

/// The effect of a difference inside a branch, where nothing is dropped or filled in: a branch only accepts or refuses.
fn inside(located: &LocatedDifference<'_>) -> Option<Direction> {
    let direction = located.difference.direction_in_branch(&located.position);
    match &located.difference {
        Difference::Text(..) | Difference::Order { .. } => None,
        Difference::Field(field) => Some(if field.is_addition() { Tightened } else { Loosened }),
        // Servers refuse these inside branches, so their effect is undefined.
        Difference::AdditionalProperties(_)
        | Difference::Nullable(_)
        | Difference::Rule(_)
        | Difference::RuleMessage(_)
        | Difference::OptionalOldSelf(_) => Some(Neither),
        Difference::Pattern(_)
        | Difference::Format(_)
        | Difference::Maximum(_)
        | Difference::Minimum(_)
        | Difference::AllOf(_)
        | Difference::AnyOf(_)
        | Difference::OneOf(_)
        | Difference::Not(_) => direction,
        _ => Some(direction.unwrap_or(Neither)),
    }
}

/// The effect of all of these. Opposite effects prove nothing.
pub(super) fn together(directions: impl Iterator<Item = Option<Direction>>) -> Option<Direction> {
    directions.flatten().reduce(|one, other| if one == other { one } else { Neither })
}
