//! The words for constraints, which the rules `loosened`, `tightened`, `incomparable` and `words` share.

use crd_inclusion::Difference;

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
