//! The words for constraints, which the rules `loosened`, `tightened`, `incomparable` and `words` share.

use crd_inclusion::{Difference, Edit, Presence};

/// What happened to a constraint: one that only one side has was added or removed, and otherwise it is `edited`.
pub(crate) fn changed(difference: &Difference<'_>, edited: &str) -> String {
    let verb = match difference {
        Difference::Maximum(edit) | Difference::Minimum(edit) => verb(edit),
        Difference::MaxLength(edit)
        | Difference::MaxItems(edit)
        | Difference::MinItems(edit)
        | Difference::MaxProperties(edit)
        | Difference::MinProperties(edit)
        | Difference::MinLength(edit) => verb(edit),
        Difference::Pattern(edit) | Difference::Format(edit) => verb(edit),
        Difference::MultipleOf(edit) => verb(edit),
        Difference::Enum(Presence::Added(_)) => Some("added"),
        Difference::Enum(Presence::Removed(_)) => Some("removed"),
        _ => None,
    };
    format!("{} was {}", constraint(difference), verb.unwrap_or(edited))
}

/// What happened, if only one side has it.
fn verb<T>(edit: &Edit<T>) -> Option<&'static str> {
    match edit {
        Edit::Added(_) => Some("added"),
        Edit::Removed(_) => Some("removed"),
        Edit::Replaced { .. } => None,
    }
}

/// A constraint in words.
pub(crate) fn constraint(difference: &Difference<'_>) -> &'static str {
    match difference {
        Difference::Maximum(_) => "the maximum",
        Difference::Minimum(_) => "the minimum",
        Difference::MaxLength(_) => "the maximum length",
        Difference::MinLength(_) => "the minimum length",
        Difference::MaxItems(_) => "the maximum number of items",
        Difference::MinItems(_) => "the minimum number of items",
        Difference::MaxProperties(_) => "the maximum number of entries",
        Difference::MinProperties(_) => "the minimum number of entries",
        Difference::UniqueItems(_) => "the uniqueness of items",
        Difference::Pattern(_) => "the pattern",
        Difference::Format(_) => "the format",
        Difference::Enum(_) => "the list of allowed values",
        Difference::AdditionalProperties(_) => "the constraint on unnamed entries",
        Difference::OptionalOldSelf(_) => "whether a CEL rule about updates also checks new objects",
        _ => difference.description(),
    }
}
