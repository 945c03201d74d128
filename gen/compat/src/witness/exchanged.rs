//! The old schema with one constraint of the new one: what this one change refuses, and nothing else does.
//!
//! Fed with a difference. Read by [`super`], which asks it and searches along it.
//!
//! Invariants: only what the difference is about is exchanged; where its subject has no part of its own, as for a type, the whole node is.

use crd_apiserver::boundary::{Place, Step};
use crd_model::Schema;
use crd_model::schema::AdditionalProperties;

use crate::difference::{Difference, Subject};

/// The old schema, with what this difference is about as the new one has it.
pub(super) fn exchanged(old: &Schema, way: &Place, difference: &Difference<'_>) -> Schema {
    let mut whole = old.clone();
    let node = way.steps().iter().try_fold(&mut whole, |node, step| match step {
        Step::Field(name) => node.properties.get_mut(name),
        Step::Item => node.items.as_deref_mut(),
        Step::Value => match &mut node.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(&mut **values),
            _ => None,
        },
    });
    if let (Some(node), Some(new)) = (node, difference.place.new_node()) {
        exchange(node, new, difference);
    }
    whole
}

fn exchange(node: &mut Schema, new: &Schema, difference: &Difference<'_>) {
    match difference.subject {
        Subject::Maximum => {
            node.maximum.clone_from(&new.maximum);
            node.exclusive_maximum = new.exclusive_maximum;
        }
        Subject::Minimum => {
            node.minimum.clone_from(&new.minimum);
            node.exclusive_minimum = new.exclusive_minimum;
        }
        Subject::MultipleOf => node.multiple_of.clone_from(&new.multiple_of),
        Subject::MaxLength => node.max_length = new.max_length,
        Subject::MinLength => node.min_length = new.min_length,
        Subject::MaxItems => node.max_items = new.max_items,
        Subject::MinItems => node.min_items = new.min_items,
        Subject::MaxProperties => node.max_properties = new.max_properties,
        Subject::MinProperties => node.min_properties = new.min_properties,
        Subject::UniqueItems => node.unique_items = new.unique_items,
        Subject::Pattern => node.pattern.clone_from(&new.pattern),
        Subject::Format => node.format.clone_from(&new.format),
        Subject::Enum => node.enumeration.clone_from(&new.enumeration),
        // Each value that goes is a difference of its own.
        Subject::EnumValue => {
            if let (Some(members), Some(gone)) = (&mut node.enumeration, &difference.before) {
                members.retain(|member| member != gone);
            }
        }
        Subject::Required => {
            if let Some(name) = difference.name().filter(|name| !node.required.iter().any(|known| known == name)) {
                node.required.push(name.to_owned().into());
                node.required.sort_unstable();
                // A field that is filled in is never absent.
                let default = new.properties.get(name).and_then(|property| property.default.clone());
                if let Some(property) = node.properties.get_mut(name) {
                    property.default = default;
                }
            }
        }
        Subject::AllOf => node.all_of.clone_from(&new.all_of),
        Subject::AnyOf => node.any_of.clone_from(&new.any_of),
        Subject::OneOf => node.one_of.clone_from(&new.one_of),
        Subject::Not => node.not.clone_from(&new.not),
        Subject::AdditionalProperties => node.additional_properties.clone_from(&new.additional_properties),
        Subject::EmbeddedResource => node.embedded_resource = new.embedded_resource,
        Subject::Field => {
            if let (Some(name), Some(field)) = (difference.name(), difference.parts.field) {
                node.properties.insert(name.to_owned().into(), field.clone());
            }
        }
        _ => node.clone_from(new),
    }
}
