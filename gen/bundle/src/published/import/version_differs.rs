//! `version-differs`: CRDs are stamped with another version than the named version.
//!
//! It happens in released bundles: Gateway API v0.8.1 is stamped v0.8.0.

use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity};

use super::{Expected, ImportRule, VERSION_STAMP, diagnostic};
use crate::BundleVersion;
use crate::published::Published;

pub(super) const RULE: ImportRule =
    ImportRule { id: "version-differs", summary: "CRDs stamped with another bundle version than is asked for", check };

fn check(published: &Published, expected: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    let Some(version) = expected.version else { return };
    for (text, crds) in VERSION_STAMP.groups(published) {
        // `unreadable-stamp` reports texts that are not versions.
        let Ok(stamped) = text.parse::<BundleVersion>() else { continue };
        if stamped != version {
            let message = format!("{} stamped {stamped}, and {version} is asked for", are(crds.len(), "CRD"));
            let help = format!("Ask for {stamped}, or correct the stamps");
            found.push(diagnostic(RULE.id, Severity::Error, &message, &help, VERSION_STAMP.locations(&crds)));
        }
    }
}
