//! Branches: whether a change below `allOf`, `anyOf`, `oneOf` or `not` lets more or fewer values through.
//!
//! Fed with the branches of both nodes by [`crate::direction`], and read there.
//!
//! Invariants: *loosened* and *tightened* are proven: branches that both sides have are left out, and what remains is held together one by
//! one with the same walk and the same directions as everything else. Where that proves nothing the answer is *neither*.

use crd_model::Schema;
use crd_model::channel::Channel;

use crate::difference::{Difference, Subject};
use crate::finding::Direction::{self, Loosened, Neither, Tightened};
use crate::walk::{Renames, differences_of_nodes};

/// `allOf`: each branch that comes lets less through.
pub(crate) fn conjunction(old: &[Schema], new: &[Schema]) -> Option<Direction> {
    joined(old, new, Tightened)
}

/// `anyOf`: each branch that comes lets more through, but for the first, which constrains where nothing did.
pub(crate) fn disjunction(old: &[Schema], new: &[Schema]) -> Option<Direction> {
    match (old, new) {
        ([], [_, ..]) => Some(Tightened),
        ([_, ..], []) => Some(Loosened),
        _ => joined(old, new, Loosened),
    }
}

/// `oneOf`: a value that fits a second branch is refused, so of several branches nothing is proven.
pub(crate) fn exclusive(old: &[Schema], new: &[Schema]) -> Option<Direction> {
    match (old, new) {
        ([], [_, ..]) => Some(Tightened),
        ([_, ..], []) => Some(Loosened),
        ([old], [new]) => branch(old, new),
        _ => Some(Neither),
    }
}

/// Two lists of branches, of which each alone can only widen or narrow the whole as it is widened or narrowed itself. `more` is what one
/// more branch does.
fn joined(old: &[Schema], new: &[Schema], more: Direction) -> Option<Direction> {
    let gone = old.iter().filter(|branch| !new.contains(branch)).collect::<Vec<_>>();
    let come = new.iter().filter(|branch| !old.contains(branch)).collect::<Vec<_>>();
    let pairs = gone.iter().zip(&come).map(|(old, new)| branch(old, new));
    let beyond = match gone.len().cmp(&come.len()) {
        std::cmp::Ordering::Less => Some(more),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(more.mirrored()),
    };
    together(pairs.chain([beyond]))
}

/// One branch against another.
pub(crate) fn branch(old: &Schema, new: &Schema) -> Option<Direction> {
    let renames = Renames::default();
    // The channel says nothing here.
    together(differences_of_nodes(Channel::Standard, old, new, &renames).iter().map(inside))
}

/// What a difference inside a branch does. Nothing is dropped or filled in there: a branch only says what is accepted.
fn inside(difference: &Difference<'_>) -> Option<Direction> {
    match difference.subject {
        Subject::Description | Subject::Title | Subject::Example | Subject::ExternalDocs | Subject::Id => None,
        Subject::Order => None,
        Subject::Field if difference.is_addition() => Some(Tightened),
        Subject::Field => Some(Loosened),
        // Servers refuse these inside branches, so what they would mean there is nobody's knowledge.
        Subject::AdditionalProperties | Subject::Nullable => Some(Neither),
        Subject::Rule | Subject::RuleWords | Subject::OptionalOldSelf => Some(Neither),
        Subject::Pattern | Subject::Format | Subject::Maximum | Subject::Minimum => difference.direction(),
        Subject::AllOf | Subject::AnyOf | Subject::OneOf | Subject::Not => difference.direction(),
        _ => Some(difference.direction().unwrap_or(Neither)),
    }
}

/// All of these at once: none that does nothing counts, and those that pull apart prove nothing.
fn together(directions: impl Iterator<Item = Option<Direction>>) -> Option<Direction> {
    directions.flatten().reduce(|one, other| if one == other { one } else { Neither })
}
