//! `selectable-field`: a selectable field is reached by names alone, is a string, integer or boolean outside
//! `metadata`, and is named once; a version has at most eight.

use std::collections::HashSet;

use super::{ExaminedVersion, Report};
use crate::field_path::{Field, resolve};

const MOST: usize = 8;

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let mut seen = HashSet::new();
    for (index, path) in version.version.selectable_fields.iter().enumerate() {
        let mut refuse = |message: String| {
            report.version(version, format!("selectableFields[{index}].jsonPath"), message);
            report.about(path.as_ref());
        };
        if path.is_empty() {
            refuse("the path is empty; write one like `.spec.color`".to_owned());
            continue;
        }
        let Field { shown, names, node } = match resolve(&version.version.schema, path, false) {
            Ok(found) => found,
            Err(problem) => {
                refuse(format!("{path} is not the path of a selectable field: {problem}"));
                continue;
            }
        };
        if names.first().is_some_and(|name| name == "metadata") && !shown.starts_with('[') {
            refuse(format!("{path} is in metadata, which has selectable fields of its own"));
        }
        let kind = node.and_then(|node| node.kind.as_deref()).unwrap_or_default();
        if !matches!(kind, "string" | "integer" | "boolean") {
            refuse(format!("{path} has the type {kind:?}; only strings, integers and booleans can be selected"));
        }
        if !seen.insert(names) {
            refuse(format!("{path} is in the list already"));
        }
    }
    if seen.len() > MOST {
        let message = format!("there are {} selectable fields; a version may have {MOST}", seen.len());
        report.version(version, "selectableFields", message);
    }
}
