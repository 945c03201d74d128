//! `default-forbidden`: `apiVersion`, `kind` and `metadata` of the resource have no defaults, nor have maps in the
//! metadata of an embedded one.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.default().is_none() {
        return;
    }
    if node.is_in_root_metadata {
        report.here("what is in apiVersion, kind and metadata of the resource cannot have a default");
    } else if node.is_in_map_of_metadata {
        report.here("the values of a map in metadata cannot have a default");
    }
}
