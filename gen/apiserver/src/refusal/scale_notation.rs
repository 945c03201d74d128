//! `scale-notation`: the paths of the scale subresource are names separated by dots.
//!
//! Ours. The server accepts brackets and empty names here, but then splits the path at its dots and looks for a field
//! called `a[0]`, so that scaling never works.

use super::{ExaminedVersion, Report};

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let Some(scale) = version.version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref()) else {
        return;
    };
    let paths = [
        ("specReplicasPath", Some(&scale.spec_replicas_path)),
        ("statusReplicasPath", Some(&scale.status_replicas_path)),
        ("labelSelectorPath", scale.label_selector_path.as_ref()),
    ];
    for (field, path) in paths {
        let Some(names) = path.and_then(|path| path.strip_prefix('.')) else { continue };
        if names.contains(['[', ']', '\'', '"']) || names.split('.').any(str::is_empty) {
            let message = format!(
                ".{names} is not made of names and dots alone; the server would accept it and never find the field"
            );
            report.version(version, format!("subresources.scale.{field}"), message);
        }
    }
}
