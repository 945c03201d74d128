//! `version-differs`: CRDs are stamped with another version than the named version.
//!
//! It happens in released bundles: Gateway API v0.8.1 is stamped v0.8.0.

use crd_diagnostics::layout::are;
use crd_diagnostics::{Diagnostic, Severity};

use super::{Expected, ImportRule, VERSION_STAMP, diagnostic};
use crate::BundleStamp;
use crate::published::Published;

pub(super) const RULE: ImportRule =
    ImportRule { id: "version-differs", summary: "CRDs stamped with another bundle version than is asked for", check };

fn check(published: &Published, expected: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    let Some(version) = expected.version else { return };
    for (text, crds) in VERSION_STAMP.groups(published) {
        let stamped = BundleStamp::of(text);
        let help = match stamped {
            BundleStamp::Version(stamped) if stamped == version => continue,
            BundleStamp::Version(stamped) => format!("Ask for {stamped}, or correct the stamps"),
            BundleStamp::Month(_) => "A month is never a baseline: import a release, or compare with `diff`".to_owned(),
            // `unreadable-stamp` reports it.
            BundleStamp::Unreadable => continue,
        };
        let message = format!("{} stamped {stamped}, and {version} is asked for", are(crds.len(), "CRD"));
        found.push(diagnostic(RULE.id, Severity::Error, &message, &help, VERSION_STAMP.locations(&crds)));
    }
}
