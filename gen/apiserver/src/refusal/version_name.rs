//! `version-name`: the name of a version is a DNS-1035 label, because it is part of URLs.

use super::{ExaminedVersion, Report};
use crate::names::dns_1035_label_problem;

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    if let Some(problem) = dns_1035_label_problem(&version.version.name) {
        let message = format!("{:?} is not a version name: {problem}", version.version.name);
        report.document(format!("spec.versions[{}].name", version.index), message);
    }
}
