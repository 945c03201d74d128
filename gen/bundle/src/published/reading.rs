//! What reading one input finds: CRDs, skipped documents and errors.
//!
//! Invariants: at most [`MOST_ERRORS`] errors of one input, and a note that there are more; texts of inputs are shortened before they are
//! part of a message.

use crd_diagnostics::{Diagnostic, printable};
use crd_model::yaml::{Section, locate};

use super::limits::{LONGEST_NAME, MOST_ERRORS, MOST_PASSED_OVER};
use super::{Part, PassedOver, PublishedCrd, Source, codes};

/// What reading one input has found so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    input: String,
    pub(super) crds: Vec<PublishedCrd>,
    /// How many maps the CRDs have.
    pub(super) maps: usize,
    /// Whether they are too many to go on.
    pub(super) is_over: bool,
    errors: Vec<Diagnostic>,
    /// Errors of the document that is being read, with their paths. Their lines are looked up together.
    pending: Vec<(Diagnostic, String)>,
    passed_over: Vec<PassedOver>,
    more_passed_over: usize,
}

impl Reading {
    pub(super) fn new(input: &str) -> Self {
        Self { input: input.to_owned(), ..Self::default() }
    }

    /// Whether the rest of the input need not be read.
    pub(super) fn is_done(&self) -> bool {
        self.is_over || self.is_full()
    }

    fn is_full(&self) -> bool {
        self.errors.len() + self.pending.len() >= MOST_ERRORS
    }

    pub(super) fn push(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    /// Adds an error at a path of the document that is being read.
    pub(super) fn push_in_document(&mut self, code: &'static str, path: String, message: String, help: String) {
        if !self.is_full() {
            self.pending.push((error(code, "", None, None, message, help), path));
        }
    }

    /// Ends the document: looks up the lines of its errors.
    pub(super) fn end_document(&mut self, source: &Source, section: Section) {
        if self.pending.is_empty() {
            return;
        }
        let (errors, paths): (Vec<Diagnostic>, Vec<String>) = std::mem::take(&mut self.pending).into_iter().unzip();
        let places = locate(&source.text, section, &paths);
        let located = errors.into_iter().zip(places);
        let located = located.map(|(error, place)| error.at_position(&source.name, place.line, place.column));
        let mut located = located.collect::<Vec<_>>();
        located.sort_by_key(|error| (error.location.line, error.location.column));
        self.errors.extend(located);
    }

    pub(super) fn pass_over(&mut self, document: PassedOver) {
        if self.passed_over.len() < MOST_PASSED_OVER {
            let PassedOver { kind, name, file, line } = document;
            let name = name.map(|name| printable(&name));
            self.passed_over.push(PassedOver { kind: printable(&kind), name, file, line });
        } else {
            self.more_passed_over += 1;
        }
    }

    pub(super) fn finish(mut self) -> Part {
        if self.is_full() {
            let code = self.errors.last().map_or(codes::YAML, |error| error.code);
            let message = format!("these are the first {MOST_ERRORS} errors of this input");
            let help = "Fix them and run the command again to see the rest";
            self.errors.push(error(code, &self.input, None, None, message, help));
        }
        let Self { crds, errors, passed_over, more_passed_over, .. } = self;
        Part { crds, passed_over, more_passed_over, errors }
    }
}

/// An error of an input. Its texts may contain words of the input.
pub(super) fn error(
    code: &'static str,
    file: &str,
    line: impl Into<Option<usize>>,
    column: impl Into<Option<usize>>,
    message: impl AsRef<str>,
    help: impl AsRef<str>,
) -> Diagnostic {
    Diagnostic::error(code, printable(message.as_ref())).at_position(file, line, column).help(printable(help.as_ref()))
}

/// Whether this is a file that Helm renders, and would change.
pub(super) fn is_in_templates(name: &str) -> bool {
    name.split(['/', '\\', '!']).any(|folder| folder == "templates")
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
