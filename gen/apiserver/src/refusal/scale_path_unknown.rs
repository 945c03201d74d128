//! `scale-path-unknown`: the paths of the scale subresource lead to fields of the schema, replicas to integers and the selector to a string.
//!
//! Ours. The server accepts any path, and reads zero replicas and no selector from it.

use super::{ExaminedVersion, Report};
use crate::json_path::resolve;

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let Some(scale) = version.version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref()) else {
        return;
    };
    let selector = scale.label_selector_path.as_deref().filter(|path| !path.is_empty());
    let paths = [
        ("specReplicasPath", Some(&*scale.spec_replicas_path), "integer"),
        ("statusReplicasPath", Some(&*scale.status_replicas_path), "integer"),
        ("labelSelectorPath", selector, "string"),
    ];
    for (field, path, kind) in paths {
        let Some(path) = path.filter(|path| path.starts_with('.')) else { continue };
        let problem = match resolve(&version.version.schema, path, true) {
            Ok(Some(found)) => {
                let found = found.kind.as_deref().filter(|found| *found != kind);
                found.map(|found| format!("it has the type {found}, and the server reads a value of type {kind}"))
            }
            Ok(None) => None,
            Err(missing) => Some(missing.to_string()),
        };
        if let Some(problem) = problem {
            let message = format!("the scale subresource cannot use {path}: {problem}");
            report.version(version, format!("subresources.scale.{field}"), message);
            report.about(path);
        }
    }
}
