//! `group`: the API group is a DNS subdomain with at least one dot.

use super::{Examined, Report};
use crate::names::dns_1123_subdomain_problem;

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
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
