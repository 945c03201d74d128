//! `metadata-name`: the document is called `<plural>.<group>`, and that is a DNS subdomain.
//!
//! The server finds the definition of a resource by this name, so it allows no other.

use super::{Authority, Check, Examined, Report, Rule};
use crate::names::dns_1123_subdomain_problem;

pub(super) const RULE: Rule = Rule {
    id: "metadata-name",
    authority: Authority::Server,
    refused: &[
        r#"{"document": {"metadata": {"name": "thing.example.com"}}}"#,
        r#"{"document": {"metadata": {"name": ""}}}"#,
    ],
    accepted: &[
        r#"{"document": {"metadata": {"name": "stuffs.example.com"}, "spec": {"names": {"plural": "stuffs"}}}}"#,
    ],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    let crd = examined.crd;
    let expected = format!("{}.{}", crd.names.plural, crd.group);
    if crd.name != expected {
        report.document(
            "metadata.name",
            format!("the name is {:?}; it must be plural and group: {expected:?}", crd.name),
        );
    } else if let Some(problem) = dns_1123_subdomain_problem(&crd.name) {
        report.document("metadata.name", format!("{:?} is not an object name: {problem}", crd.name));
    }
}
