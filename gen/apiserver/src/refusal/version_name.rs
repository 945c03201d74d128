//! `version-name`: the name of a version is a DNS-1035 label, because it is part of URLs.

use super::walk::Examined;
use super::{Authority, Report, Rule};
use crate::validate::names::dns_1035_label_problem;

pub(super) const RULE: Rule = Rule {
    id: "version-name",
    authority: Authority::Server,
    refused: &[r#"{"version": {"name": "1"}}"#, r#"{"version": {"name": "v1.2"}}"#, r#"{"version": {"name": ""}}"#],
    accepted: &[r#"{"version": {"name": "strange-name-3"}}"#],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for version in &examined.versions {
        if let Some(problem) = dns_1035_label_problem(&version.version.name) {
            let message = format!("{:?} is not a version name: {problem}", version.version.name);
            report.document(format!("spec.versions[{}].name", version.index), message);
        }
    }
}
