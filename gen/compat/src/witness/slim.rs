//! A schema without what an object need not have on its way to a place: small objects come out of small schemas, and quickly.
//!
//! Fed with a schema and a place, and with another schema whose demands are met too. Read by [`super`], which holds what comes out against the whole schema.
//!
//! Invariants: what every object must have is there, and what is at the place; where branches or counts may ask for more, all names are.

use crd_apiserver::boundary::{Place, Step};
use crd_model::Schema;
use crd_model::schema::AdditionalProperties;

/// The schema without the optional fields that do not lead to the place. What the other one requires is required.
pub(super) fn slim(schema: &Schema, way: &Place, other: Option<&Schema>) -> Schema {
    let mut slim = schema.clone();
    prune(&mut slim, Some(way.steps()), other);
    slim
}

/// `way` is what is left of the way to the place; none beside it. `other` is the same node of the other schema.
fn prune(node: &mut Schema, way: Option<&[Step]>, other: Option<&Schema>) {
    node.validations.clear();
    // It may name fields that are not here; whoever takes the object fills it in.
    node.default = None;
    for name in other.iter().flat_map(|other| &other.required) {
        if node.properties.contains_key(name) && !node.required.contains(name) {
            node.required.push(name.clone());
        }
    }
    let asks_for_more = !node.all_of.is_empty()
        || !node.any_of.is_empty()
        || !node.one_of.is_empty()
        || node.not.is_some()
        || node.min_properties.is_some_and(|least| least > 0);
    let is_goal = way.is_some_and(<[Step]>::is_empty);
    let next = way.and_then(<[Step]>::split_first);
    if !asks_for_more && !is_goal {
        let required = std::mem::take(&mut node.required);
        node.properties.retain(|name, _| {
            let leads = matches!(next, Some((Step::Field(field), _)) if **name == **field);
            leads || required.contains(name)
        });
        node.required = required;
    }
    let names = node.properties.keys().cloned().collect::<Vec<_>>();
    for name in names {
        let rest = match next {
            Some((Step::Field(field), rest)) if *name == **field => Some(rest),
            _ => None,
        };
        if let Some(property) = node.properties.get_mut(&name) {
            prune(property, rest, other.and_then(|other| other.properties.get(&name)));
        }
    }
    if let Some(items) = node.items.as_deref_mut() {
        let rest = next.filter(|(step, _)| **step == Step::Item).map(|(_, rest)| rest);
        prune(items, rest, other.and_then(|other| other.items.as_deref()));
    }
    if let Some(AdditionalProperties::Values(values)) = &mut node.additional_properties {
        let rest = next.filter(|(step, _)| **step == Step::Value).map(|(_, rest)| rest);
        let other = other.and_then(|other| match &other.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(&**values),
            _ => None,
        });
        prune(values, rest, other);
    }
}
