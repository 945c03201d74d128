//! `default-null`: no default is null.
//!
//! Ours. The server drops `default: null` when it reads the document, whether the node is nullable or not, so that
//! there is no default.

use super::{Node, NodeReport};

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.default.as_ref().is_some_and(serde_json::Value::is_null) {
        report.here("the default is null, which the server silently drops; leave it out or write a real default");
    }
}
