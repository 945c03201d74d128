//! `metadata-name`: the document is called `<plural>.<group>`, and that is a DNS subdomain.
//!
//! The server finds the definition of a resource by this name, so it allows no other.

use super::{Examined, Report};
use crate::names::dns_1123_subdomain_problem;

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
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
