//! `junctor-metadata`: no condition inside a junctor is about a property with the name `metadata`, at any depth.

use super::walk::Edge;
use super::{Node, NodeReport};
use crd_model::schema::Step;

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if !node.is_structural && node.edge == Edge::Below(Step::Field("metadata")) {
        report.here("a junctor cannot say anything about a property called `metadata`; use a CEL rule");
    }
}
