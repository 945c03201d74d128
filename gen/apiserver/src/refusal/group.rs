//! `group`: the API group is a DNS subdomain with at least one dot.

use super::{Authority, Check, Examined, Report, Rule};
use crate::names::dns_1123_subdomain_problem;

pub(super) const RULE: Rule = Rule {
    id: "group",
    authority: Authority::Server,
    refused: &[
        r#"{"document": {"metadata": {"name": "things.example"}, "spec": {"group": "example"}}}"#,
        r#"{"document": {"metadata": {"name": "things.Example.com"}, "spec": {"group": "Example.com"}}}"#,
        r#"{"document": {"metadata": {"name": "things."}, "spec": {"group": ""}}}"#,
    ],
    accepted: &[r#"{"document": {"metadata": {"name": "things.1.b"}, "spec": {"group": "1.b"}}}"#],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    let group = examined.crd.group.as_ref();
    if group.is_empty() {
        report.document("spec.group", "the group is empty; write the DNS domain that owns the API");
    } else if let Some(problem) = dns_1123_subdomain_problem(group) {
        report.document("spec.group", format!("{group:?} is not an API group: {problem}"));
    } else if !group.contains('.') {
        report.document(
            "spec.group",
            format!("{group:?} is not an API group: it must have a dot, as in `{group}.example.com`"),
        );
    }
}
