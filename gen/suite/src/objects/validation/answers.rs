//! The answers of all requested minors to one request, merged.
//!
//! Invariants: an error that several minors report is one error, in the order and with the text of the newest of them. Unknown fields are
//! asked for as warnings, because a server that refuses them reports nothing else: here they are reported with all other errors.

use crate::codes;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use crd_apiserver::objects::{Answer, ErrorKind, FieldError, FieldValidation, Request, Resource, Step, Warning};
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

/// How many warnings, errors and undecided values of an object are listed.
const MOST_FINDINGS: usize = 10_000;

/// What a server adds to errors that hide rules, in our words.
const RULES_NOT_CHECKED: &str = "some CEL rules were not checked, because the object has other errors";

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
        let (fields_here, most_errors) = (FieldValidation::Warn, MOST_FINDINGS + 1);
        let request =
            Request { old, is_status, fields: fields_here, duplicates, most_errors, ..Request::create(object) };
        let answer = resource.answer(request);
        if index == 0 {
            stored.clone_from(&answer.stored);
        }
        merge(&mut findings, of_answer(answer, fields, repeated), *minor);
    }
    for Unlocated { finding, .. } in &mut findings {
        finding.minors.reverse();
    }
    Merged { findings, stored }
}

/// What is equal if two minors report the same error.
type Sameness<'f> = (&'static str, &'f str, Option<&'f str>, Cow<'f, str>);

/// Adds the findings of a minor to those of newer ones.
fn merge(findings: &mut Vec<Unlocated>, of_minor: Vec<Unlocated>, minor: u32) {
    let rest = pair(findings, of_minor, minor, |found| found.message().into());
    // Older servers show some values in another way: then the end of the text is the same, or the text is the value alone.
    let rest = pair(findings, rest, minor, |found| match found.finding.diagnostic.code {
        codes::DUPLICATE => "".into(),
        _ => found.message().rsplit_once(": ").map_or(found.message(), |(_, last)| last).into(),
    });
    // Some write `1 items`.
    let rest = pair(findings, rest, minor, |found| found.message().replace("items", "item").into());
    findings.extend(rest.into_iter().map(|mut found| {
        found.finding.minors.push(minor);
        found
    }));
}

/// Adds the minor to the findings that it has too. Returns the remaining ones.
fn pair(
    findings: &mut [Unlocated],
    of_minor: Vec<Unlocated>,
    minor: u32,
    text: impl Fn(&Unlocated) -> Cow<'_, str>,
) -> Vec<Unlocated> {
    let mut known: HashMap<Sameness<'_>, VecDeque<usize>> = HashMap::new();
    for (index, found) in findings.iter().enumerate() {
        if found.finding.minors.last() != Some(&minor) {
            known.entry(found.sameness(text(found))).or_default().push_back(index);
        }
    }
    let same = of_minor.iter().map(|found| known.get_mut(&found.sameness(text(found))).and_then(VecDeque::pop_front));
    let same = same.collect::<Vec<_>>();
    let mut rest = Vec::new();
    for (found, same) in of_minor.into_iter().zip(same) {
        match same.and_then(|index| findings.get_mut(index)) {
            Some(same) => same.finding.minors.push(minor),
            None => rest.push(found),
        }
    }
    rest
}

impl Unlocated {
    fn sameness<'f>(&'f self, text: Cow<'f, str>) -> Sameness<'f> {
        (self.finding.diagnostic.code, &self.path, self.finding.field.as_deref(), text)
    }

    fn message(&self) -> &str {
        &self.finding.diagnostic.message
    }
}

fn of_answer(answer: Answer, fields: FieldValidation, repeated: &[RepeatedKey]) -> Vec<Unlocated> {
    let lengths = [answer.warnings.len(), answer.errors.len(), answer.undecided.len()];
    let more = lengths.into_iter().any(|length| length > MOST_FINDINGS).then(|| {
        let message = format!("only the first {MOST_FINDINGS} findings of a kind are listed for this object");
        let diagnostic = Diagnostic::new("object::more", Severity::Note, message);
        let finding = Finding { diagnostic, reason: None, field: None, minors: Vec::new() };
        Unlocated { finding, path: String::new(), position: None }
    });
    let warnings = answer.warnings.into_iter().take(MOST_FINDINGS);
    let warnings = warnings.filter_map(|warning| of_warning(&warning, fields, repeated));
    let errors = answer.errors.into_iter().take(MOST_FINDINGS).map(|error| of_error(error, None));
    let undecided = answer.undecided.into_iter().take(MOST_FINDINGS).map(|error| {
        let message = format!("{error}\nthis program cannot decide whether a server accepts the value");
        let mut found = of_error(error, Some("object::undecided"));
        found.finding.diagnostic.message = message;
        found
    });
    warnings.chain(errors).chain(undecided).chain(more).collect()
}

fn of_error(error: FieldError, code: Option<&'static str>) -> Unlocated {
    let path = path(&error.steps);
    let diagnostic = match error.is_about_rules() {
        true => Diagnostic::new(codes::RULES_NOT_CHECKED, Severity::Note, RULES_NOT_CHECKED),
        false => Diagnostic::error(code.unwrap_or(code_of(error.kind)), error.to_string()),
    };
    let field = Some(error.field).filter(|field| !field.is_empty());
    let finding = Finding { diagnostic, reason: Some(error.kind.as_str()), field, minors: Vec::new() };
    Unlocated { finding, path, position: None }
}

/// A warning, or a field that the server drops.
fn of_warning(warning: &Warning, fields: FieldValidation, repeated: &[RepeatedKey]) -> Option<Unlocated> {
    let found = |diagnostic, path, field, position| {
        let reason =
            matches!(diagnostic, Diagnostic { severity: Severity::Error, .. }).then(|| ErrorKind::Malformed.as_str());
        Some(Unlocated { finding: Finding { diagnostic, reason, field, minors: Vec::new() }, path, position })
    };
    let text = warning.to_string();
    let (code, dropped) = match warning {
        Warning::UnknownField(dropped) => (codes::UNKNOWN_FIELD, dropped),
        Warning::DuplicateField(dropped) => ("object::duplicate-field", dropped),
        Warning::Finalizer { .. } => {
            return found(Diagnostic::warning("object::warning", text), "metadata.finalizers".to_owned(), None, None);
        }
        Warning::Rule(error) => {
            return found(Diagnostic::warning("object::warning", text), path(&error.steps), None, None);
        }
    };
    let severity = match fields {
        FieldValidation::Strict => Severity::Error,
        FieldValidation::Warn => Severity::Warning,
        FieldValidation::Ignore => return None,
    };
    let is_duplicate = matches!(warning, Warning::DuplicateField(_));
    let position = repeated.iter().find(|key| is_duplicate && key.path == *dropped).map(|key| key.position);
    found(Diagnostic::new(code, severity, text), dropped.clone(), Some(dropped.clone()), position)
}

fn code_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Required => "object::required",
        ErrorKind::Invalid => "object::invalid",
        ErrorKind::TypeInvalid => "object::type",
        ErrorKind::NotSupported => codes::UNSUPPORTED,
        ErrorKind::Duplicate => codes::DUPLICATE,
        ErrorKind::Forbidden => "object::forbidden",
        ErrorKind::TooLong => "object::too-long",
        ErrorKind::TooMany => "object::too-many",
        ErrorKind::Malformed => "object::malformed",
        ErrorKind::TooLarge => "object::too-large",
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
