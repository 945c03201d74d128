//! `validation-text`: the texts of a CEL rule are there where they must be and in one line where they must be.
//!
//! The rule is not empty. A message, where there is one, is not blank and has no line break, and there is one where the
//! rule has a line break. A message expression is not blank. A reason is one of four. There is no limit to the length
//! of a message.

use super::{Node, NodeReport};
use crd_model::schema::Validation;

const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    for (index, validation) in node.schema.validations.iter().enumerate() {
        for problem in problems(validation) {
            report.here(format!("{}: {problem}", name(index, validation)));
        }
    }
}

/// What a rule is called in a message.
pub(super) fn name(index: usize, validation: &Validation) -> String {
    format!("CEL rule {} `{}`", index + 1, validation.rule.trim())
}

pub(super) fn has_line_break(text: &str) -> bool {
    text.contains('\n') || text.contains('\r')
}

fn problems(validation: &Validation) -> Vec<String> {
    let mut problems = Vec::new();
    let rule = validation.rule.trim();
    let message = validation.message.as_deref().unwrap_or_default();
    // The server stops at the first of these.
    if rule.is_empty() {
        problems.push("the rule is empty".to_owned());
    } else if !message.is_empty() && message.trim().is_empty() {
        problems.push("the message is blank; without it the server reports that the rule failed".to_owned());
    } else if has_line_break(message.trim()) {
        problems.push("the message has a line break; write it in one line".to_owned());
    } else if has_line_break(rule) && message.is_empty() {
        problems.push(
            "a rule with a line break must have a message, because the server cannot print it in an error".to_owned(),
        );
    }
    if validation
        .message_expression
        .as_deref()
        .is_some_and(|expression| !expression.is_empty() && expression.trim().is_empty())
    {
        problems.push("the message expression is blank".to_owned());
    }
    if let Some(reason) = validation.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
        problems.push(format!("{reason:?} is not a reason; the reasons are {}", REASONS.join(", ")));
    }
    problems
}
