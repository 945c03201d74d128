//! Errors of a request, with the server's texts.
//!
//! Invariants: `field` and `message` of an error are those of a cause in the server's status. Texts differ by minor in how they show a value.

use std::fmt;

use serde_json::Value;

use super::Warning;
use crate::go_text;
use crate::path::{Branch, Path, Trail};
use crd_model::path::Step;
use crd_model::schema::Keyword;

/// The kind of an error, by the name that a server has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// `FieldValueRequired`: a field is missing.
    Required,
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueTypeInvalid`: a value of another type or format.
    TypeInvalid,
    /// `FieldValueNotSupported`: not a value of an `enum`.
    NotSupported,
    /// `FieldValueDuplicate`: an item that its list has already.
    Duplicate,
    /// `FieldValueForbidden`
    Forbidden,
    /// `FieldValueTooLong`
    TooLong,
    /// `FieldValueTooMany`
    TooMany,
    /// The server cannot read the request: it answers 400, not 422.
    Malformed,
    /// The request has more bytes than a server reads: it answers 413.
    TooLarge,
}

impl ErrorKind {
    /// The name that a server has for the kind, and the beginning of its texts.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Required => ("FieldValueRequired", "Required value"),
            Self::Invalid => ("FieldValueInvalid", "Invalid value"),
            Self::TypeInvalid => ("FieldValueTypeInvalid", "Invalid value"),
            Self::NotSupported => ("FieldValueNotSupported", "Unsupported value"),
            Self::Duplicate => ("FieldValueDuplicate", "Duplicate value"),
            Self::Forbidden => ("FieldValueForbidden", "Forbidden"),
            Self::TooLong => ("FieldValueTooLong", "Too long"),
            Self::TooMany => ("FieldValueTooMany", "Too many"),
            Self::Malformed => ("BadRequest", "Bad request"),
            Self::TooLarge => ("RequestEntityTooLarge", "Request entity too large"),
        }
    }

    /// The name that a server has for the kind (`reason` of a cause).
    pub fn as_str(self) -> &'static str {
        self.texts().0
    }
}

/// A server's text if errors hide rules.
const RULES_NOT_CHECKED: &str = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/// One reason why a server refuses an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The path as the server writes it; `<nil>` where it has none.
    pub field: String,
    /// The text without the path.
    pub message: String,
    /// The steps to the value; fewer than in `field` where the value is missing.
    pub steps: Vec<Step>,
    /// What of the schema is the reason. Where no branch holds, each keyword that alone keeps one from it is a reason too. None for what
    /// every resource has to fulfil.
    pub origins: Vec<Origin>,
}

/// What of a schema is the reason of an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The steps to the value of the node.
    pub steps: Vec<Step>,
    /// The branches that contain the node, from the outside in.
    pub branches: Vec<Branch>,
    /// What of the node.
    pub broken: Broken,
}

/// What of a node is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Broken {
    /// A keyword; that of the list type for the items of a set.
    Keyword(Keyword),
    /// A name in `required`.
    Required(String),
    /// A rule, by its index in the node.
    Rule(usize),
}

impl Origin {
    pub(super) fn at(trail: &Trail<'_>, broken: Broken) -> Self {
        Self { steps: trail.steps(), branches: trail.branches(), broken }
    }
}

impl FieldError {
    /// A request that the server cannot read.
    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Malformed,
            field: String::new(),
            message: message.into(),
            steps: Vec::new(),
            origins: Vec::new(),
        }
    }

    /// A request that the server does not read to its end.
    pub(super) fn too_large() -> Self {
        let message = format!("Request entity too large: limit is {}", super::REQUEST_LIMIT);
        Self { kind: ErrorKind::TooLarge, ..Self::malformed(message) }
    }

    /// Whether it only adds to other errors that rules were not checked. It is not one more thing to fix.
    pub fn is_about_rules(&self) -> bool {
        self.steps.is_empty() && self.message.contains(RULES_NOT_CHECKED)
    }

    pub(super) fn of_old(self) -> Self {
        Self::malformed(format!("the stored object: {}", self.message))
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.kind, ErrorKind::Malformed | ErrorKind::TooLarge) {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for FieldError {}

/// A value that the server cannot read into its field.
pub(super) struct Misread {
    field: String,
    pub(super) steps: Vec<Step>,
    pub(super) problem: String,
}

impl Misread {
    pub(super) fn new(path: &Path<'_, '_>, problem: impl Into<String>) -> Self {
        let trail = path.trail();
        Self { field: trail.bracketed(), steps: trail.steps(), problem: problem.into() }
    }
}

impl From<Misread> for FieldError {
    fn from(Misread { field, steps, problem }: Misread) -> Self {
        Self { steps, ..Self::malformed(format!("{field}: {problem}")) }
    }
}

/// What an error shows of the value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shown<'v> {
    /// Nothing.
    Omitted,
    /// A text in quotes.
    Text(&'v str),
    Value(&'v Value),
    /// A count of items.
    Count(usize),
}

impl Shown<'_> {
    fn text(self, minor: u32) -> Option<String> {
        Some(match self {
            Self::Omitted => return None,
            Self::Text(text) => go_text::quoted(text),
            Self::Count(count) => count.to_string(),
            Self::Value(Value::String(text)) => go_text::quoted(text),
            Self::Value(value @ (Value::Bool(_) | Value::Number(_))) => go_text::shown(value),
            Self::Value(Value::Null) if minor < 34 => "\"null\"".to_owned(),
            Self::Value(value) if minor < 34 => go_text::syntax(value),
            Self::Value(value) => go_text::json(value),
        })
    }
}

/// The errors of one request so far.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) minor: u32,
    /// The path of the value that structural errors are relative to.
    prefix: &'static str,
    pub(super) errors: Vec<FieldError>,
    pub(super) undecided: Vec<FieldError>,
    pub(super) warnings: Vec<Warning>,
    /// How many errors of the structure are listed.
    pub(super) most_errors: usize,
    /// The cost of the evaluated rules.
    pub(super) cost: u64,
    /// The steps that are left for searches for patterns.
    pub(super) searching: u64,
}

/// How many steps the searches for patterns in an object take together. Further ones are not decided.
const SEARCHING: u64 = 100_000_000;

impl Report {
    pub(super) fn new(minor: u32) -> Self {
        let (errors, undecided, warnings) = (Vec::new(), Vec::new(), Vec::new());
        Self { minor, prefix: "", errors, undecided, warnings, most_errors: usize::MAX, cost: 0, searching: SEARCHING }
    }

    /// The same report, for structural errors of a part.
    pub(super) fn below(&mut self, prefix: &'static str) -> &mut Self {
        self.prefix = prefix;
        self
    }

    /// An error in brackets form.
    pub(super) fn error(&mut self, kind: ErrorKind, path: &Path<'_, '_>, shown: Shown<'_>, detail: &str) {
        let error = self.make(kind, path, shown, detail);
        self.errors.push(error);
    }

    pub(super) fn invalid(&mut self, path: &Path<'_, '_>, shown: Shown<'_>, detail: &str) {
        self.error(ErrorKind::Invalid, path, shown, detail);
    }

    pub(super) fn make(&self, kind: ErrorKind, path: &Path<'_, '_>, shown: Shown<'_>, detail: &str) -> FieldError {
        let trail = path.trail();
        let field = if path.is_root() { "<nil>".to_owned() } else { trail.bracketed() };
        self.with_field(kind, field, trail.steps(), shown, detail)
    }

    pub(super) fn with_field(
        &self,
        kind: ErrorKind,
        field: String,
        steps: Vec<Step>,
        shown: Shown<'_>,
        detail: &str,
    ) -> FieldError {
        let shown = match kind {
            ErrorKind::Required | ErrorKind::Forbidden | ErrorKind::TooLong => None,
            _ => shown.text(self.minor),
        };
        let mut message = kind.texts().1.to_owned();
        for part in shown.as_deref().into_iter().chain(Some(detail).filter(|detail| !detail.is_empty())) {
            message.push_str(": ");
            message.push_str(part);
        }
        FieldError { kind, field, message, steps, origins: Vec::new() }
    }

    /// A structural error. `name` is the path in dots; empty for the whole value.
    pub(super) fn structural(
        &mut self,
        kind: ErrorKind,
        name: &str,
        steps: Vec<Step>,
        mut origins: Vec<Origin>,
        shown: Shown<'_>,
        detail: &str,
    ) {
        let name = if name == "." { "" } else { name.strip_prefix('.').unwrap_or(name) };
        let field = match (self.prefix, name) {
            ("", "") => "<nil>".to_owned(),
            (prefix, "") => prefix.to_owned(),
            ("", name) => name.to_owned(),
            (prefix, name) => format!("{prefix}.{name}"),
        };
        for origin in &mut origins {
            let depth = origin.steps.len();
            origin.steps = self.prefixed(std::mem::take(&mut origin.steps));
            let above = origin.steps.len() - depth;
            origin.branches.iter_mut().for_each(|branch| branch.depth += above);
        }
        let steps = self.prefixed(steps);
        let error = self.with_field(kind, field, steps, shown, detail);
        self.errors.push(FieldError { origins, ..error });
    }

    pub(super) fn prefixed(&self, steps: Vec<Step>) -> Vec<Step> {
        if self.prefix.is_empty() {
            return steps;
        }
        std::iter::once(Step::Field(self.prefix.to_owned())).chain(steps).collect()
    }

    /// Whether an error makes a value unusable for rules.
    pub(super) fn has_blocking_error(&self) -> bool {
        let blocks = |error: &FieldError| {
            matches!(
                error.kind,
                ErrorKind::NotSupported
                    | ErrorKind::Required
                    | ErrorKind::TooLong
                    | ErrorKind::TooMany
                    | ErrorKind::TypeInvalid
            )
        };
        self.errors.iter().any(blocks)
    }

    pub(super) fn rules_not_checked(&mut self) {
        self.invalid(&Path::ROOT, Shown::Value(&Value::Null), RULES_NOT_CHECKED);
    }
}
