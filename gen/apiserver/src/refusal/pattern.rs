//! `pattern`: every pattern is an expression of RE2, as Go reads it.

use std::collections::HashSet;

use super::{Examined, Report};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    // Few patterns occur in many nodes.
    let mut valid = HashSet::new();
    for (version, node) in examined.nodes() {
        let Some(pattern) = node.schema.pattern.as_deref().filter(|pattern| !pattern.is_empty()) else { continue };
        if valid.contains(pattern) {
            continue;
        }
        if let Err(problem) = crd_regexp::recognise(pattern) {
            report.node(version, node, format!("the pattern {pattern} is not a valid RE2 expression: {problem}"));
        } else {
            valid.insert(pattern);
        }
    }
}
