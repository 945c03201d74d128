//! `version-name-twice`: no two versions have the same name.

use std::collections::HashSet;

use super::{Authority, Check, Examined, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "version-name-twice",
    authority: Authority::Server,
    refused: &[r#"{"document": {"spec": {"versions": [
        {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}}"#],
    accepted: &[r#"{"document": {"spec": {"versions": [
        {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}}"#],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
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
