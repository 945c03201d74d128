//! `preserve-unknown-fields`: `x-kubernetes-preserve-unknown-fields` is true or absent.

use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "preserve-unknown-fields",
    authority: Authority::Server,
    refused: &[r#"{"field": {"type": "object", "x-kubernetes-preserve-unknown-fields": false}}"#],
    accepted: &[r#"{"field": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.nodes() {
        if node.schema.preserve_unknown_fields == Some(false) {
            report.node(version, node, "`x-kubernetes-preserve-unknown-fields` cannot be false; leave it out");
        }
    }
}
