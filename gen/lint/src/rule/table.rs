//! The files of this folder. Written by `UPDATE_SNAPSHOTS=1 cargo test -p crd-lint table`; do not edit.

use super::{Convention, Problem};

#[path = "boolean_name.rs"]
mod boolean_name;
#[path = "camel_case.rs"]
mod camel_case;
#[path = "conditions.rs"]
mod conditions;
#[path = "description.rs"]
mod description;
#[path = "description_start.rs"]
mod description_start;
#[path = "durations.rs"]
mod durations;
#[path = "enum_case.rs"]
mod enum_case;
#[path = "field_words.rs"]
mod field_words;
#[path = "identifiable_items.rs"]
mod identifiable_items;
#[path = "integer_format.rs"]
mod integer_format;
#[path = "list_type.rs"]
mod list_type;
#[path = "max_length.rs"]
mod max_length;
#[path = "min_length.rs"]
mod min_length;
#[path = "no_booleans.rs"]
mod no_booleans;
#[path = "no_floats.rs"]
mod no_floats;
#[path = "no_maps.rs"]
mod no_maps;
#[path = "no_nullable.rs"]
mod no_nullable;
#[path = "no_phase.rs"]
mod no_phase;
#[path = "no_timestamp.rs"]
mod no_timestamp;
#[path = "number_bounds.rs"]
mod number_bounds;
#[path = "reference_name.rs"]
mod reference_name;
#[path = "required_default.rs"]
mod required_default;
#[path = "required_object.rs"]
mod required_object;
#[path = "rule_message.rs"]
mod rule_message;
#[path = "status_optional.rs"]
mod status_optional;
#[path = "status_subresource.rs"]
mod status_subresource;

/// Every convention, in the order of their names.
pub const RULES: &[&Convention] = &[
    &boolean_name::RULE,
    &camel_case::RULE,
    &conditions::RULE,
    &description::RULE,
    &description_start::RULE,
    &durations::RULE,
    &enum_case::RULE,
    &field_words::RULE,
    &identifiable_items::RULE,
    &integer_format::RULE,
    &list_type::RULE,
    &max_length::RULE,
    &min_length::RULE,
    &no_booleans::RULE,
    &no_floats::RULE,
    &no_maps::RULE,
    &no_nullable::RULE,
    &no_phase::RULE,
    &no_timestamp::RULE,
    &number_bounds::RULE,
    &reference_name::RULE,
    &required_default::RULE,
    &required_object::RULE,
    &rule_message::RULE,
    &status_optional::RULE,
    &status_subresource::RULE,
];
