//! What a schema states about the size of its values.

use crd_model::schema::Schema;

/// Whether a schema has a keyword, itself or in its `allOf`, where older generators wrote what a named type states.
pub(crate) fn states(schema: &Schema, has: impl Fn(&Schema) -> bool) -> bool {
    has(schema) || schema.all_of.iter().any(has)
}

/// Whether the values of a string are few or short: those of an enum, and of formats that a server checks.
pub(crate) fn is_short(schema: &Schema) -> bool {
    const FORMATS: [&str; 8] = ["date", "date-time", "datetime", "duration", "ipv4", "ipv6", "mac", "uuid"];
    let has_format = |schema: &Schema| schema.format.as_deref().is_some_and(|format| FORMATS.contains(&format));
    states(schema, |schema| schema.enumeration.is_some() || has_format(schema))
}

/// Whether an object needs a certain field, or one of several.
pub(crate) fn requires_field(schema: &Schema) -> bool {
    // What controller-gen writes for `ExactlyOneOf` and `AtLeastOneOf`.
    let is_union = |rule: &str| rule.starts_with("[has(self.") && !rule.contains(" <= ");
    let has_branches = |branches: &[Schema]| !branches.is_empty() && branches.iter().all(requires_field);
    !schema.required.is_empty()
        || schema.validations.iter().any(|rule| is_union(&rule.rule))
        || has_branches(&schema.one_of)
        || has_branches(&schema.any_of)
}

/// Whether an object or map accepts `{}`, as far as keywords decide.
pub(crate) fn accepts_empty(schema: &Schema) -> bool {
    schema.min_properties.is_none() && !requires_field(schema)
}
