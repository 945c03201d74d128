//! `properties-and-values`: an object is a struct (`properties`) or a map (`additionalProperties`), not both.
//!
//! `additionalProperties: true` next to properties is accepted, and so is `additionalProperties: false` on its own.

use super::{Node, NodeReport};
use crd_model::schema::AdditionalProperties;

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let additional = &node.schema.additional_properties;
    if !node.schema.properties.is_empty() && !matches!(additional, None | Some(AdditionalProperties::Allowed(true))) {
        let message =
            "`properties` and `additionalProperties` exclude each other: an object has named fields or is a map";
        report.here(message);
    }
}
