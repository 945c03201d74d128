//! `version-name`: the name of a version is a DNS-1035 label, because it is part of URLs.

use super::{Authority, Check, ExaminedVersion, Report, Rule};
use crate::names::dns_1035_label_problem;

pub(super) const RULE: Rule = Rule {
    id: "version-name",
    authority: Authority::Server,
    refused: &[r#"{"version": {"name": "1"}}"#, r#"{"version": {"name": "v1.2"}}"#, r#"{"version": {"name": ""}}"#],
    accepted: &[r#"{"version": {"name": "strange-name-3"}}"#],
    check: Check::Version(check),
};

fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    if let Some(problem) = dns_1035_label_problem(&version.version.name) {
        let message = format!("{:?} is not a version name: {problem}", version.version.name);
        report.document(format!("spec.versions[{}].name", version.index), message);
    }
}
