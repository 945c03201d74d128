//! `validation-field-path`: the `fieldPath` of a CEL rule leads from its node to a field that the schema declares.

use super::validation_text::{has_line_break, name};
use super::{Node, NodeReport};
use crate::field_path::resolve;

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    for (index, validation) in node.schema.validations.iter().enumerate() {
        let Some(path) = validation.field_path.as_deref().filter(|path| !path.is_empty()) else { continue };
        let problem = if path.trim().is_empty() {
            "it is blank".to_owned()
        } else if has_line_break(path) {
            "it has a line break".to_owned()
        } else if let Err(problem) = resolve(node.schema, path, true) {
            problem
        } else {
            continue;
        };
        report.here(format!("{}: the fieldPath {path:?} leads to no field: {problem}", name(index, validation)));
    }
}
