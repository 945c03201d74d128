//! `version-differs`: CRDs are stamped with another version than the named version.
//!
//! It happens in released bundles: Gateway API v0.8.1 is stamped v0.8.0.

use super::{Expected, ImportFinding, ImportRule, ImportSeverity, crds_are, groups, version_places, version_text};
use crate::published::Published;
use crate::version::BundleVersion;

pub(super) const RULE: ImportRule =
    ImportRule { id: "version-differs", summary: "CRDs stamped with another bundle version than is asked for", check };

fn check(published: &Published, expected: &Expected<'_>, findings: &mut Vec<ImportFinding>) {
    let Some(version) = expected.version else { return };
    for (text, crds) in groups(published, version_text) {
        // `unreadable-stamp` reports texts that are not versions.
        let Ok(stamped) = text.parse::<BundleVersion>() else { continue };
        if stamped != version {
            findings.push(ImportFinding {
                rule: RULE.id.to_owned(),
                severity: ImportSeverity::Error,
                message: format!("{} stamped {stamped}, and {version} is asked for", crds_are(crds.len())),
                fix: format!("Ask for {stamped}, or correct the stamps"),
                places: version_places(&crds),
            });
        }
    }
}
