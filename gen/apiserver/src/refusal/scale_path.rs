//! `scale-path`: the scale subresource reads its replicas from below `.spec` and `.status`, and its selector from below
//! either.

use super::{Authority, Check, ExaminedVersion, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "scale-path",
    authority: Authority::Server,
    refused: &[
        r#"{"version": {"subresources": {"scale": {"specReplicasPath": "", "statusReplicasPath": ".status.replicas"}}}}"#,
        r#"{"version": {"subresources": {"scale": {"specReplicasPath": "spec.replicas", "statusReplicasPath": ".status.replicas"}}}}"#,
        r#"{"version": {"subresources": {"scale": {"specReplicasPath": ".status.replicas", "statusReplicasPath": ".status.replicas"}}}}"#,
        r#"{"version": {"subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".spec.replicas"}}}}"#,
        r#"{"version": {"subresources": {"scale": {"specReplicasPath": ".spec", "statusReplicasPath": ".status.replicas"}}}}"#,
        r#"{"version": {"subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".metadata.labels"}}}}"#,
    ],
    accepted: &[
        r#"{"root": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "version": {"subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}}}"#,
        r#"{"root": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "version": {"subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".spec.selector"}}}}"#,
        r#"{"root": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "version": {"subresources": {"scale": {"specReplicasPath": ".spec.a.b", "statusReplicasPath": ".status.a.b", "labelSelectorPath": ""}}}}"#,
    ],
    check: Check::Version(check),
};

fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
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
