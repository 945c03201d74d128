//! `root-keyword`: keywords that the root of a schema cannot have.
//!
//! No root is nullable or a map. With the status subresource, the server checks `status` on its own with the schema of
//! that property, so everything that would tie the properties of the root together is refused: junctors, `enum`, a
//! default, counts of properties and the like.

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes().filter(|(_, node)| node.is_root()) {
        let schema = node.schema;
        if schema.nullable {
            report.node(version, node, "the root of a schema cannot be nullable: there is always an object");
        }
        if schema.additional_properties.is_some() {
            report.node(version, node, "the root of a schema cannot have additionalProperties: name its properties");
        }
        if !version.has_status {
            continue;
        }
        let forbidden = [
            ("allOf", !schema.all_of.is_empty()),
            ("anyOf", !schema.any_of.is_empty()),
            ("default", node.default().is_some()),
            ("enum", schema.enumeration.is_some()),
            ("maxProperties", schema.max_properties.is_some()),
            ("minProperties", schema.min_properties.is_some()),
            ("not", schema.not.is_some()),
            ("oneOf", !schema.one_of.is_empty()),
            ("x-kubernetes-embedded-resource", schema.embedded_resource),
            ("x-kubernetes-int-or-string", schema.int_or_string),
            ("x-kubernetes-list-map-keys", !schema.list_map_keys.is_empty()),
            ("x-kubernetes-list-type", schema.list_type.is_some()),
            ("x-kubernetes-map-type", schema.map_type.is_some()),
        ];
        for (keyword, _) in forbidden.iter().filter(|(_, is_there)| *is_there) {
            let message = format!(
                "the root has `{keyword}`; with the status subresource the server checks status apart from the rest, so the root cannot \
                 have it. Move it to `spec` or say it in a CEL rule"
            );
            report.node(version, node, message);
        }
    }
}
