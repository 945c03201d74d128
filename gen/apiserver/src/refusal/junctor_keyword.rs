//! `junctor-keyword`: inside `allOf`, `anyOf`, `oneOf` and `not` stand conditions only.
//!
//! What describes or shapes a value (type, default, title, description, nullable, maps, every `x-kubernetes-` keyword)
//! is outside, where the server reads it to prune and to fill in defaults. The exception is `anyOf: [{type: integer},
//! {type: string}]`, exactly so, in a node or in the first `allOf` of a node. `additionalProperties: false`, `example`
//! and `externalDocs` are accepted.

use super::walk::Edge;
use super::{Examined, ExaminedVersion, Node, Report};
use crd_model::schema::{AdditionalProperties, Step};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        if node.is_structural || node.is_int_or_string_alternative {
            continue;
        }
        let schema = node.schema;
        let has = |text: &Option<crd_model::schema::Text>| text.as_ref().is_some_and(|text| !text.is_empty());
        let has_values = !matches!(schema.additional_properties, None | Some(AdditionalProperties::Allowed(false)));
        let forbidden = [
            ("additionalProperties", has_values),
            ("default", node.default().is_some()),
            ("description", has(&schema.description)),
            ("nullable", schema.nullable),
            ("title", has(&schema.title)),
            ("type", !node.kind().is_empty()),
            ("x-kubernetes-embedded-resource", schema.embedded_resource),
            ("x-kubernetes-int-or-string", schema.int_or_string),
            ("x-kubernetes-list-map-keys", !schema.list_map_keys.is_empty()),
            ("x-kubernetes-list-type", schema.list_type.is_some()),
            ("x-kubernetes-map-type", schema.map_type.is_some()),
            ("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown_fields == Some(true)),
            ("x-kubernetes-validations", !schema.validations.is_empty()),
        ];
        // What the values of a forbidden map say is of no interest.
        if is_below_values(version, node) {
            continue;
        }
        for (keyword, _) in forbidden.iter().filter(|(_, is_there)| *is_there) {
            let message = format!(
                "`{keyword}` is not allowed inside allOf, anyOf, oneOf or not, which contain conditions only; move it outside, for the whole node"
            );
            report.node(version, node, message);
        }
    }
}

fn is_below_values(version: &ExaminedVersion<'_>, node: &Node<'_>) -> bool {
    let mut at = Some(node);
    while let Some(node) = at.filter(|node| !node.is_structural) {
        if node.edge == Edge::Below(Step::Value) {
            return true;
        }
        at = node.parent.map(|parent| &version.nodes[parent]);
    }
    false
}
