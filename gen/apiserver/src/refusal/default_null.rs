//! `default-null`: no default is null.
//!
//! Ours. The server drops `default: null` when it reads the document, whether the node is nullable or not, so that
//! there is no default.

use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "default-null",
    authority: Authority::House,
    refused: &[
        r#"{"field": {"type": "string", "default": null}}"#,
        r#"{"field": {"type": "string", "nullable": true, "default": null}}"#,
    ],
    accepted: &[r#"{"field": {"type": "object", "nullable": true, "default": {}}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        if node.schema.default.as_ref().is_some_and(serde_json::Value::is_null) {
            report.node(
                version,
                node,
                "the default is null, which the server silently drops; leave it out or write a real default",
            );
        }
    }
}
