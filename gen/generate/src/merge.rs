//! Merging of two schemas of one node, as controller-gen flattens `allOf`.
//!
//! Invariants (observed in controller-gen, `effects.jsonl`): a keyword of one side is kept; equal words and
//! flags are merged; properties are merged one by one, and `required` is the union; CEL rules of the outer layer come before those
//! of the inner; the outer keywords of merging and preserve-unknown-fields win; any other keyword of both sides moves
//! into `allOf`, the inner side first, even if both are equal, except equal bounds of properties in v0.23. Title, description, example
//! and external docs are not merged here.

use crd_model::schema::{AdditionalProperties, Schema};

use crate::settings::ControllerGen;

/// Merges `outer` into `inner`.
pub(crate) fn merge(inner: &mut Schema, mut outer: Schema, controller_gen: ControllerGen) {
    for embedded in std::mem::take(&mut outer.all_of) {
        merge(inner, embedded, controller_gen);
    }
    let mut inner_rest = Schema::default();
    let mut outer_rest = Schema::default();
    let mut hoisted = false;

    let empty = Schema::default();
    // Keywords of both sides move into `allOf`, those that are not words also if they are equal.
    macro_rules! keep_or_move {
        (words: $is_word:expr, $($field:ident),*) => {$(
            if outer.$field != empty.$field && !($is_word && inner.$field == outer.$field) {
                let moved = std::mem::take(&mut outer.$field);
                if inner.$field == empty.$field {
                    inner.$field = moved;
                } else {
                    inner_rest.$field = std::mem::take(&mut inner.$field);
                    outer_rest.$field = moved;
                    hoisted = true;
                }
            }
        )*};
    }
    keep_or_move!(words: true, id, format, pattern);
    keep_or_move!(words: controller_gen == ControllerGen::V23, max_properties, min_properties);
    keep_or_move!(
        words: false,
        default,
        enumeration,
        items,
        max_items,
        max_length,
        maximum,
        min_items,
        min_length,
        minimum,
        multiple_of,
        not,
        any_of,
        one_of
    );
    merge_flags(inner, &mut outer);
    merge_objects(inner, &mut outer, controller_gen);
    outer.validations.append(&mut inner.validations);
    inner.validations = std::mem::take(&mut outer.validations);
    if hoisted {
        inner.all_of.push(inner_rest);
        inner.all_of.push(outer_rest);
    }
}

fn merge_flags(inner: &mut Schema, outer: &mut Schema) {
    inner.exclusive_maximum |= outer.exclusive_maximum;
    inner.exclusive_minimum |= outer.exclusive_minimum;
    inner.unique_items |= outer.unique_items;
    inner.nullable |= outer.nullable;
    inner.embedded_resource |= outer.embedded_resource;
    inner.int_or_string |= outer.int_or_string;
    if inner.kind.is_none() {
        inner.kind = outer.kind.take();
    }
    for (inner, outer) in [(&mut inner.map_type, &mut outer.map_type), (&mut inner.list_type, &mut outer.list_type)] {
        *inner = outer.take().or(inner.take());
    }
    if !outer.list_map_keys.is_empty() {
        inner.list_map_keys = std::mem::take(&mut outer.list_map_keys);
    }
    if outer.preserve_unknown_fields.is_some() {
        inner.preserve_unknown_fields = outer.preserve_unknown_fields;
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
