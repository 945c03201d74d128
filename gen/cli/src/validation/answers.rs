//! The answers of all requested minors to one request, merged.
//!
//! Invariants: an error that several minors report is one error, in the order and with the text of the newest of them. Unknown fields are
//! asked for as warnings, because a server that refuses them reports nothing else: here they are reported with all other errors.

use crd_apiserver::objects::{Answer, ErrorKind, FieldError, FieldValidation, Request, Resource, Step};
use crd_diagnostics::{Diagnostic, Severity};
use crd_model::yaml::{RepeatedKey, TextPosition, push_key};
use serde_json::Value;

use super::Finding;

/// A finding before it has a location.
pub(super) struct Unlocated {
    pub(super) finding: Finding,
    /// The path to the value in the object, as [`crd_model::yaml::locate`] reads it.
    pub(super) path: String,
    /// The position, if it is known without the path.
    pub(super) position: Option<TextPosition>,
}

/// What the minors answer.
pub(super) struct Merged {
    pub(super) findings: Vec<Unlocated>,
    /// The object as the newest minor stores it.
    pub(super) stored: Option<Value>,
}

/// The beginnings of a server's texts about fields that it drops.
const UNKNOWN: &str = "unknown field \"";
const DUPLICATE: &str = "duplicate field \"";

/// A server's text if errors hide rules.
const RULES_NOT_CHECKED: &str = "some validation rules were not checked because the object was invalid";

/// Asks all minors, the newest first.
pub(super) fn merged(
    resources: &[(u32, Resource)],
    object: Value,
    old: Option<&Value>,
    is_status: bool,
    fields: FieldValidation,
    repeated: &[RepeatedKey],
) -> Merged {
    let mut findings: Vec<Unlocated> = Vec::new();
    let mut stored = None;
    let mut object = Some(object);
    for (index, (minor, resource)) in resources.iter().rev().enumerate() {
        let is_last = index + 1 == resources.len();
        let object = if is_last { object.take() } else { object.clone() }.unwrap_or_default();
        let duplicates = repeated.iter().map(|key| key.path.clone()).collect();
        let request = Request { object, old, is_status, fields: FieldValidation::Warn, duplicates };
        let answer = resource.answer(request);
        if index == 0 {
            stored.clone_from(&answer.stored);
        }
        merge(&mut findings, of_answer(answer, fields, repeated), *minor, index > 0);
    }
    for Unlocated { finding, .. } in &mut findings {
        finding.minors.reverse();
    }
    Merged { findings, stored }
}

/// Adds the findings of an older minor.
fn merge(findings: &mut Vec<Unlocated>, of_minor: Vec<Unlocated>, minor: u32, is_older: bool) {
    let mut rest = Vec::new();
    for found in of_minor {
        let same = findings.iter_mut().find(|known| {
            is_older && known.lacks(minor) && known.is_about(&found) && known.message() == found.message()
        });
        match same {
            Some(known) => known.finding.minors.push(minor),
            None => rest.push(found),
        }
    }
    for mut found in rest {
        let similar = findings
            .iter_mut()
            .find(|known| is_older && known.lacks(minor) && known.is_about(&found) && known.is_similar(&found));
        match similar {
            Some(known) => known.finding.minors.push(minor),
            None => {
                found.finding.minors.push(minor);
                findings.push(found);
            }
        }
    }
}

fn last_part(message: &str) -> &str {
    message.rsplit_once(": ").map_or(message, |(_, last)| last)
}

impl Unlocated {
    fn lacks(&self, minor: u32) -> bool {
        self.finding.minors.last() != Some(&minor)
    }

    fn is_about(&self, other: &Self) -> bool {
        let key = |found: &Self| (found.finding.diagnostic.code, found.finding.diagnostic.severity);
        key(self) == key(other) && self.path == other.path && self.finding.field == other.finding.field
    }

    fn message(&self) -> &str {
        &self.finding.diagnostic.message
    }

    /// Older servers show some values in another way: then the end of the text is the same, or the text is the value alone.
    fn is_similar(&self, other: &Self) -> bool {
        last_part(self.message()) == last_part(other.message()) || self.finding.diagnostic.code == "object::duplicate"
    }
}

fn of_answer(answer: Answer, fields: FieldValidation, repeated: &[RepeatedKey]) -> Vec<Unlocated> {
    let warnings = answer.warnings.into_iter().filter_map(|text| of_warning(text, fields, repeated));
    let undecided = answer.undecided.into_iter().map(|error| {
        let message = format!("{error}\nthis program cannot decide whether a server accepts the value");
        let mut found = of_error(error, Some("object::undecided"));
        found.finding.diagnostic.message = message;
        found
    });
    warnings.chain(answer.errors.into_iter().map(|error| of_error(error, None))).chain(undecided).collect()
}

fn of_error(error: FieldError, code: Option<&'static str>) -> Unlocated {
    let path = match (error.kind, &*error.steps) {
        // The text begins with the path.
        (ErrorKind::Malformed, []) => {
            error.message.split_once(": ").map(|(path, _)| path.to_owned()).unwrap_or_default()
        }
        (_, steps) => path(steps),
    };
    // The server adds it to the other errors. It is not one more thing to fix.
    let is_about_rules = error.steps.is_empty() && error.message.contains(RULES_NOT_CHECKED);
    let diagnostic = match is_about_rules {
        true => Diagnostic::new("object::rules-not-checked", Severity::Note, error.to_string()),
        false => Diagnostic::error(code.unwrap_or(code_of(error.kind)), error.to_string()),
    };
    let field = Some(error.field).filter(|field| !field.is_empty());
    let finding = Finding { diagnostic, reason: Some(error.kind.as_str()), field, minors: Vec::new() };
    Unlocated { finding, path, position: None }
}

/// A warning, or a field that the server drops.
fn of_warning(text: String, fields: FieldValidation, repeated: &[RepeatedKey]) -> Option<Unlocated> {
    let severity = match fields {
        FieldValidation::Strict => Severity::Error,
        FieldValidation::Warn => Severity::Warning,
        FieldValidation::Ignore => Severity::Note,
    };
    for (beginning, code) in [(UNKNOWN, "object::unknown-field"), (DUPLICATE, "object::duplicate-field")] {
        let path = text.strip_prefix(beginning).and_then(|rest| rest.strip_suffix('"')).map(str::to_owned);
        if let Some(path) = path {
            let reason = (severity == Severity::Error).then(|| ErrorKind::Malformed.as_str());
            let diagnostic = Diagnostic::new(code, severity, text);
            let finding = Finding { diagnostic, reason, field: Some(path.clone()), minors: Vec::new() };
            let is_duplicate = code == "object::duplicate-field";
            let position = repeated.iter().find(|key| is_duplicate && key.path == path).map(|key| key.position);
            return (fields != FieldValidation::Ignore).then_some(Unlocated { finding, path, position });
        }
    }
    let path = text.split_once(": ").map(|(path, _)| path.to_owned()).unwrap_or_default();
    let diagnostic = Diagnostic::warning("object::warning", text);
    Some(Unlocated {
        finding: Finding { diagnostic, reason: None, field: None, minors: Vec::new() },
        path,
        position: None,
    })
}

fn code_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Required => "object::required",
        ErrorKind::Invalid => "object::invalid",
        ErrorKind::TypeInvalid => "object::type",
        ErrorKind::NotSupported => "object::unsupported",
        ErrorKind::Duplicate => "object::duplicate",
        ErrorKind::Forbidden => "object::forbidden",
        ErrorKind::TooLong => "object::too-long",
        ErrorKind::TooMany => "object::too-many",
        ErrorKind::Malformed => "object::malformed",
    }
}

fn path(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Field(name) => push_key(&mut path, name),
            Step::Item(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}
