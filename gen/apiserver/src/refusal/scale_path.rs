//! `scale-path`: the scale subresource reads its replicas from below `.spec` and `.status`, and its selector from below
//! either.

use super::{ExaminedVersion, Report};

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let Some(scale) = version.version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref()) else {
        return;
    };
    let selector = scale.label_selector_path.as_deref().filter(|path| !path.is_empty());
    let paths: [(&str, Option<&str>, &[&str]); 3] = [
        ("specReplicasPath", Some(&scale.spec_replicas_path), &[".spec."]),
        ("statusReplicasPath", Some(&scale.status_replicas_path), &[".status."]),
        ("labelSelectorPath", selector, &[".spec.", ".status."]),
    ];
    for (field, path, starts) in paths {
        let Some(path) = path else { continue };
        if !starts.iter().any(|start| path.starts_with(start)) {
            let message = format!("{path:?} must be a path that starts with `{}`", starts.join("` or `"));
            report.version(version, format!("subresources.scale.{field}"), message);
        }
    }
}
