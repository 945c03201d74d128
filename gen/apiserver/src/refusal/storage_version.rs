//! `storage-version`: exactly one version is the one in which objects are stored. So there is at least one version.

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let stored: Vec<&str> = examined
        .versions
        .iter()
        .filter(|version| version.version.storage)
        .map(|version| version.version.name.as_ref())
        .collect();
    match stored.as_slice() {
        [_] => {}
        [] if examined.versions.is_empty() => {
            report.document("spec.versions", "there is no version; a resource has at least one")
        }
        [] => report.document(
            "spec.versions",
            "no version has `storage: true`; exactly one must, or objects could not be stored",
        ),
        several => {
            let message =
                format!("{} have `storage: true`; objects are stored in exactly one version", several.join(", "));
            report.document("spec.versions", message);
        }
    }
}
