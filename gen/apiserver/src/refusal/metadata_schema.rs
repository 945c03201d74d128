//! `metadata-schema`: the schema leaves `metadata` to Kubernetes.
//!
//! At the root it may say `type: object` and something about `name` and `generateName`, nothing else, not even a
//! description. (Servers before 1.36 let an example and external docs stand.) There and in embedded resources `metadata` is an object and `apiVersion` and `kind` are strings.

use super::walk::Edge;
use super::{Examined, Node, Report};
use crd_model::schema::{Schema, Step};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.structural_nodes() {
        let parent = node.parent.map(|parent| &version.nodes[parent]);
        let is_of_resource = |parent: &Node<'_>| parent.is_root() || parent.schema.embedded_resource;
        let (Edge::Below(Step::Field(name)), Some(parent)) =
            (node.edge, parent.filter(|parent| is_of_resource(parent)))
        else {
            continue;
        };
        let expected = match name {
            "metadata" => "object",
            "apiVersion" | "kind" => "string",
            _ => continue,
        };
        if node.kind() != expected {
            report.node(version, node, format!("`{name}` of a resource has the type {expected}"));
        }
        if name == "metadata" && parent.is_root() && says_more_than_names(node.schema) {
            let message = "the schema of metadata can only restrict `name` and `generateName`; the server defines the other fields. \
                           Leave `type: object` alone";
            report.node(version, node, message);
        }
    }
}

/// Whether there is anything but the type, and properties `name` and `generateName`. A default is another rule's.
fn says_more_than_names(metadata: &Schema) -> bool {
    if metadata.properties.keys().any(|name| !matches!(name.as_ref(), "name" | "generateName")) {
        return true;
    }
    let empty = |text: &Option<crd_model::schema::Text>| text.as_ref().filter(|text| !text.is_empty()).cloned();
    let rest = Schema {
        kind: None,
        properties: Default::default(),
        default: None,
        enumeration: metadata.enumeration.clone().filter(|values| !values.is_empty()),
        description: empty(&metadata.description),
        format: empty(&metadata.format),
        pattern: empty(&metadata.pattern),
        title: empty(&metadata.title),
        ..metadata.clone()
    };
    rest != Schema::default()
}
