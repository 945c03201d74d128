//! `version-name-twice`: no two versions have the same name.

use std::collections::HashSet;

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let mut seen = HashSet::new();
    for version in &examined.versions {
        let name = &version.version.name;
        if !seen.insert(name) {
            report.document(
                format!("spec.versions[{}].name", version.index),
                format!("there is a version {name} already"),
            );
        }
    }
}
