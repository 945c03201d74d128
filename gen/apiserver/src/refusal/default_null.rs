//! `default-null`: no default is null.
//!
//! Ours. The server drops `default: null` when it reads the document, whether the node is nullable or not, so that
//! there is no default.

use super::{Authority, Check, Node, NodeReport, Rule};

pub(super) const RULE: Rule = Rule {
    id: "default-null",
    authority: Authority::House,
    refused: &[
        r#"{"field": {"type": "string", "default": null}}"#,
        r#"{"field": {"type": "string", "nullable": true, "default": null}}"#,
    ],
    accepted: &[r#"{"field": {"type": "object", "nullable": true, "default": {}}}"#],
    check: Check::Node(check),
};

fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    if node.schema.default.as_ref().is_some_and(serde_json::Value::is_null) {
        report.here("the default is null, which the server silently drops; leave it out or write a real default");
    }
}
