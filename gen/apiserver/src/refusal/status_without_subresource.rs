//! `status-without-subresource`: a version whose schema has `status` has the status subresource.
//!
//! Advice. The server accepts both, and some APIs want users to write `status`. Without the subresource, each write of `spec` can overwrite
//! `status`, writes of `status` count as new generations, and `UpdateStatus` of clients fails.

use super::{ExaminedVersion, Report};

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let has_status = version.version.schema.properties.get("status").is_some();
    let has_subresource = version.version.subresources.as_ref().is_some_and(|subresources| subresources.status);
    if has_status && !has_subresource {
        report.schema(
            version,
            "status",
            "`status` exists without the status subresource, so a write of `spec` can overwrite it; write \
             `+kubebuilder:subresource:status` on the resource",
        );
    }
}
