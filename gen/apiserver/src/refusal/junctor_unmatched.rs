//! `junctor-unmatched`: a junctor at the root only has conditions on properties that are declared outside it.
//!
//! The Kubernetes documentation demands this of every junctor, but servers only look at those of the root; see
//! [`super::junctor_unmatched_below`] for junctors below the root.

use std::collections::HashSet;

use super::walk::junctors;
use super::{ExaminedVersion, Node, Report};
use crd_model::path;
use crd_model::schema::Schema;

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    refuse_unmatched(version, &version.nodes[0], "the server refuses that", report);
}

/// Reports everything that the junctors of a structural node are about and that the node does not declare.
pub(super) fn refuse_unmatched(version: &ExaminedVersion<'_>, node: &Node<'_>, consequence: &str, report: &mut Report) {
    let mut found = Vec::new();
    in_junctors(node.schema, node.schema, &node.path, &mut found);
    let mut seen = HashSet::new();
    // Several alternatives may be about the same place.
    for place in found.iter().filter(|place| seen.insert(*place)) {
        let message = format!(
            "a condition in allOf, anyOf, oneOf or not is about this place, but it is not declared outside; {consequence}"
        );
        report.schema(version, place.clone(), message);
    }
}

fn in_junctors(conditions: &Schema, declared: &Schema, path: &str, found: &mut Vec<String>) {
    for (_, alternatives) in junctors(conditions) {
        for alternative in alternatives {
            in_condition(alternative, declared, path, found);
        }
    }
}

fn in_condition(condition: &Schema, declared: &Schema, path: &str, found: &mut Vec<String>) {
    in_junctors(condition, declared, path, found);
    if let Some(items) = &condition.items {
        let path = format!("{path}[*]");
        match &declared.items {
            Some(declared) => in_condition(items, declared, &path, found),
            None => found.push(path),
        }
    }
    for (name, property) in &condition.properties {
        let path = path::field(path, name);
        match declared.properties.get(name) {
            Some(declared) => in_condition(property, declared, &path, found),
            None => found.push(path),
        }
    }
}
