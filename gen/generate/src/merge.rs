//! Merging of two schemas of one node, as controller-gen flattens `allOf`.
//!
//! Invariants (observed in controller-gen, `effects.jsonl`): a keyword of one side is kept; equal words and
//! flags are merged; properties are merged one by one, and `required` is the union; CEL rules of the outer layer come before those
//! of the inner; the outer keywords of merging and preserve-unknown-fields win; any other keyword of both sides moves
//! into `allOf`, the inner side first, even if both are equal, except equal bounds of properties in v0.23. Title, description, example
//! and external docs are not merged here.

use crd_model::schema::{AdditionalProperties, Keyword, Schema};

use crate::settings::ControllerGen;

/// Merges `outer` into `inner`.
pub(crate) fn merge(inner: &mut Schema, mut outer: Schema, controller_gen: ControllerGen) {
    for embedded in std::mem::take(&mut outer.all_of) {
        merge(inner, embedded, controller_gen);
    }
    let mut inner_rest = Schema::default();
    let mut outer_rest = Schema::default();
    let mut hoisted = false;

    for keyword in Keyword::ALL.iter().copied() {
        if !outer.has(keyword) {
            continue;
        }
        let is_equal = inner.is_equal_in(&outer, keyword);
        match way(keyword, controller_gen) {
            Way::Elsewhere => {}
            Way::KeepOrMoveWord if is_equal => {}
            Way::KeepOrMove | Way::KeepOrMoveWord if inner.has(keyword) => {
                hoisted = true;
                inner_rest.swap(inner, keyword);
                outer_rest.swap(&mut outer, keyword);
            }
            Way::Inner if inner.has(keyword) => {}
            Way::KeepOrMove | Way::KeepOrMoveWord | Way::Inner | Way::Outer => inner.swap(&mut outer, keyword),
        }
    }
    merge_objects(inner, &mut outer, controller_gen);
    outer.validations.append(&mut inner.validations);
    inner.validations = std::mem::take(&mut outer.validations);
    if hoisted {
        inner.all_of.push(inner_rest);
        inner.all_of.push(outer_rest);
    }
}

/// What happens to a keyword that the outer side has.
enum Way {
    /// It moves into `allOf` if both sides have it.
    KeepOrMove,
    /// The same, except where both are equal.
    KeepOrMoveWord,
    /// That of the inner side counts.
    Inner,
    /// That of the outer side counts.
    Outer,
    /// It is merged by its own function, or not here.
    Elsewhere,
}

fn way(keyword: Keyword, controller_gen: ControllerGen) -> Way {
    match keyword {
        Keyword::Id | Keyword::Format | Keyword::Pattern => Way::KeepOrMoveWord,
        Keyword::MaxProperties | Keyword::MinProperties if controller_gen == ControllerGen::V23 => Way::KeepOrMoveWord,
        Keyword::MaxProperties
        | Keyword::MinProperties
        | Keyword::Default
        | Keyword::Enum
        | Keyword::Items
        | Keyword::MaxItems
        | Keyword::MaxLength
        | Keyword::Maximum
        | Keyword::MinItems
        | Keyword::MinLength
        | Keyword::Minimum
        | Keyword::MultipleOf
        | Keyword::Not
        | Keyword::AnyOf
        | Keyword::OneOf => Way::KeepOrMove,
        Keyword::Type => Way::Inner,
        Keyword::ExclusiveMaximum
        | Keyword::ExclusiveMinimum
        | Keyword::UniqueItems
        | Keyword::Nullable
        | Keyword::EmbeddedResource
        | Keyword::IntOrString
        | Keyword::MapType
        | Keyword::ListType
        | Keyword::ListMapKeys
        | Keyword::PreserveUnknownFields => Way::Outer,
        Keyword::Properties
        | Keyword::Required
        | Keyword::AdditionalProperties
        | Keyword::AllOf
        | Keyword::Validations
        | Keyword::Title
        | Keyword::Description
        | Keyword::Example
        | Keyword::ExternalDocs => Way::Elsewhere,
    }
}

fn merge_objects(inner: &mut Schema, outer: &mut Schema, controller_gen: ControllerGen) {
    for (name, property) in std::mem::take(&mut outer.properties) {
        match inner.properties.get_mut(&name) {
            Some(known) => merge(known, property, controller_gen),
            None => {
                inner.properties.insert(name, property);
            }
        }
    }
    if !outer.required.is_empty() {
        inner.required.append(&mut outer.required);
        inner.required.sort();
        inner.required.dedup();
    }
    match (&mut inner.additional_properties, outer.additional_properties.take()) {
        (Some(AdditionalProperties::Values(known)), Some(AdditionalProperties::Values(values))) => {
            merge(known, *values, controller_gen)
        }
        (known @ None, Some(values)) => *known = Some(values),
        _ => {}
    }
}
