//! What reading one input finds: CRDs, skipped documents and errors.
//!
//! Invariants: at most [`MOST_ERRORS`] errors of one input, and a note that there are more; texts of inputs are shortened before they are
//! part of a message.

use crd_diagnostics::{Diagnostic, Severity, printable};
use crd_model::yaml::{Section, TextPosition, locate};
use serde_json::{Map, Value};

use super::choice::Choice;
use super::limits::{LONGEST_NAME, MOST_ERRORS, MOST_PASSED_OVER};
use super::{Part, PassedOver, Source, Unreadable, Written, codes};

/// The message about a template of CRDs, and its fix.
pub(super) const TEMPLATE: (&str, &str) = (
    "this is a template of a CustomResourceDefinition, and no YAML before Helm has made it",
    "Let Helm make it, and read what it prints: `helm template --include-crds CHART > crds.yaml`",
);

/// Where an error or a warning is in the document that is being read.
#[derive(Debug)]
pub(super) enum Place {
    Path(String),
    At(TextPosition),
}

impl From<String> for Place {
    fn from(path: String) -> Self {
        Place::Path(path)
    }
}

/// What reading one input has found so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    input: String,
    pub(super) choice: Choice,
    pub(super) part: Part,
    /// How many maps the CRDs have.
    pub(super) maps: usize,
    /// Whether they are too many to go on.
    pub(super) is_over: bool,
    more_warnings: usize,
    /// The CRD that is being read, if its name is known.
    crd: Option<Unreadable>,
    /// Errors and warnings of the document that is being read. Their lines are looked up together.
    pending: Vec<(Diagnostic, Place)>,
}

impl Reading {
    pub(super) fn new(input: &str, choice: &Choice) -> Self {
        Self { input: input.to_owned(), choice: choice.clone(), ..Self::default() }
    }

    /// Whether a file is left out by name, which is recorded.
    pub(super) fn leaves_out(&mut self, file: &str) -> bool {
        let left_out = self.choice.left_out(file);
        let is_left_out = left_out.is_some();
        self.part.left_out.extend(left_out);
        is_left_out
    }

    /// Begins a CRD, unless it is left out by name, which is recorded. Until it ends, errors in the document are its errors.
    pub(super) fn begin_crd(&mut self, document: &Map<String, Value>, written: &Written) -> bool {
        self.crd = Unreadable::of(document);
        let left_out = self.crd.as_ref().and_then(|crd| self.choice.left_out_crd(&crd.name, written));
        let is_left_out = left_out.is_some();
        self.part.left_out.extend(left_out);
        !is_left_out
    }

    pub(super) fn end_crd(&mut self) {
        self.crd = None;
    }

    /// Whether the rest of the input need not be read.
    pub(super) fn is_done(&self) -> bool {
        self.is_over || self.is_full()
    }

    fn is_full(&self) -> bool {
        let pending = self.pending.iter().filter(|(pending, _)| pending.severity == Severity::Error).count();
        self.part.errors.len() + pending >= MOST_ERRORS
    }

    pub(super) fn push(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.part.errors.push(error);
        }
    }

    /// Adds an error at a path of the document that is being read.
    pub(super) fn push_in_document(
        &mut self,
        code: &'static str,
        place: impl Into<Place>,
        message: String,
        help: String,
    ) {
        if self.is_full() {
            return;
        }
        let mut error = error(code, "", None, None, message, help);
        if let Some(crd) = &self.crd {
            error = error.of_crd(printable(&crd.name), None, "");
            if self.part.unreadable.last() != Some(crd) {
                self.part.unreadable.push(crd.clone());
            }
        }
        self.pending.push((error, place.into()));
    }

    /// Adds a warning at a path of the document that is being read.
    pub(super) fn warn_in_document(&mut self, code: &'static str, place: Place, message: String, help: String) {
        if self.part.warnings.len() + self.pending.len() >= MOST_ERRORS {
            self.more_warnings += 1;
        } else {
            let warning = error(code, "", None, None, message, help);
            self.pending.push((Diagnostic { severity: Severity::Warning, ..warning }, place));
        }
    }

    /// Ends the document: looks up the lines of its errors and warnings.
    pub(super) fn end_document(&mut self, source: &Source, section: Section) {
        if self.pending.is_empty() {
            return;
        }
        let (errors, places): (Vec<Diagnostic>, Vec<Place>) = std::mem::take(&mut self.pending).into_iter().unzip();
        let paths = places.iter().map(|place| if let Place::Path(path) = place { &**path } else { "" });
        let looked_up = locate(&source.text, section, &paths.collect::<Vec<_>>());
        let places = places.into_iter().zip(looked_up);
        let places =
            places.map(|(place, looked_up)| if let Place::At(position) = place { position } else { looked_up });
        let located = errors.into_iter().zip(places);
        let located = located.map(|(error, place)| error.at_position(&source.name, place.line, place.column));
        let mut located = located.collect::<Vec<_>>();
        located.sort_by_key(|error| (error.location.line, error.location.column));
        let (errors, warnings): (Vec<_>, Vec<_>) =
            located.into_iter().partition(|located| located.severity == Severity::Error);
        self.part.errors.extend(errors);
        self.part.warnings.extend(warnings);
    }

    pub(super) fn pass_over(&mut self, document: PassedOver) {
        if self.part.passed_over.len() < MOST_PASSED_OVER {
            let PassedOver { kind, name, file, line } = document;
            let name = name.map(|name| printable(&name));
            self.part.passed_over.push(PassedOver { kind: printable(&kind), name, file, line });
        } else {
            self.part.more_passed_over += 1;
        }
    }

    pub(super) fn finish(mut self) -> Part {
        if self.is_full() {
            let code = self.part.errors.last().map_or(codes::YAML, |error| error.code);
            let message = format!("these are the first {MOST_ERRORS} errors of this input");
            let help = "Fix them and run the command again to see the rest";
            self.part.errors.push(error(code, &self.input, None, None, message, help));
        }
        if self.more_warnings > 0 {
            let message = format!("this input has {} more warnings", self.more_warnings);
            let more = error(
                codes::CRD_IGNORED,
                &self.input,
                None,
                None,
                message,
                "Fix the first ones, and run the command again",
            );
            self.part.warnings.push(Diagnostic { severity: Severity::Warning, ..more });
        }
        self.part
    }
}

/// An error of an input. Its texts may contain words of the input.
pub(crate) fn error(
    code: &'static str,
    file: &str,
    line: impl Into<Option<usize>>,
    column: impl Into<Option<usize>>,
    message: impl AsRef<str>,
    help: impl AsRef<str>,
) -> Diagnostic {
    Diagnostic::error(code, printable(message.as_ref())).at_position(file, line, column).help(printable(help.as_ref()))
}

/// Whether a file is in such a folder: Helm renders `templates`, and kubebuilder has partial CRDs in `patches`.
pub(super) fn is_in(folder: &str, name: &str) -> bool {
    name.split(['/', '\\', '!']).any(|part| part == folder)
}

/// A word of the input, for a message.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
