//! `type-missing`: every node of the structural schema has a type.
//!
//! Only nodes with `x-kubernetes-int-or-string` or `x-kubernetes-preserve-unknown-fields` may leave it out, and
//! embedded resources may not even then.

use super::walk::Edge;
use super::{Node, NodeReport};
use crd_model::schema::Step;

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let schema = node.schema;
    let is_exempt = schema.int_or_string || schema.preserve_unknown_fields == Some(true) || schema.embedded_resource;
    if node.kind().is_empty() && !is_exempt {
        let what = match node.edge {
            Edge::Root => "the root of a schema",
            Edge::Below(Step::Item) => "the items of a list",
            Edge::Below(Step::Value) => "the values of a map",
            _ => "a property",
        };
        report.here(format!("{what} must have a type, or the server could not know what to keep of it; write `type`"));
    }
}
