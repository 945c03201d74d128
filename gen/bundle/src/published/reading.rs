//! What reading one input has found: its CRDs, skipped documents and errors, within limits.
//!
//! Invariant: at most [`MOST_ERRORS`] errors of one input, and a note that there are more.

use crd_diagnostics::{Diagnostic, Severity, printable};
use crd_model::yaml::{Section, locate};

use super::found::{Found, Object, Place, Problem, ReadCrd, error};
use super::limits::{MOST_ERRORS, MOST_MAPS, MOST_PASSED_OVER};
use super::skips::LeftOut;
use super::{Part, PassedOver, Source, Unreadable, codes};

/// What reading one input has found so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    input: String,
    part: Part,
    /// How many maps the CRDs have.
    maps: usize,
    /// Whether they are too many to go on.
    is_over: bool,
    more_warnings: usize,
    /// Errors and warnings of the document that is being read. Their lines are looked up together.
    pending: Vec<(Diagnostic, Place)>,
}

impl Reading {
    /// The reading of an input, with what its files have shown.
    pub(super) fn new(input: &str, part: Part) -> Self {
        Self { input: input.to_owned(), part, ..Self::default() }
    }

    /// Whether the rest of the input need not be read.
    pub(super) fn is_done(&self) -> bool {
        self.is_over || self.is_full()
    }

    fn is_full(&self) -> bool {
        let pending = self.pending.iter().filter(|(pending, _)| pending.severity == Severity::Error).count();
        self.part.errors.len() + pending >= MOST_ERRORS
    }

    /// Adds what the layout of an archive leaves out, and its errors.
    pub(super) fn add_layout(&mut self, rest: Part) {
        // The archive is unpacked without the files that an option leaves out, and a list can name them.
        self.part.left_out.retain(|left_out| !rest.left_out.contains(left_out));
        self.part.left_out.extend(rest.left_out);
        self.part.patches.extend(rest.patches);
        rest.errors.into_iter().for_each(|error| self.push(error));
    }

    /// Adds what of a text is left out.
    pub(super) fn leave_out(&mut self, left_out: LeftOut) {
        self.part.left_out.push(left_out);
    }

    /// Adds what a text holds.
    pub(super) fn add(&mut self, found: Found, source: &Source) {
        match found {
            Found::Object(object, section) => {
                self.object(object);
                // The rest of the document is not read.
                if self.is_done() {
                    self.end_document(source, section);
                }
            }
            Found::Error(error) => self.push(error),
            Found::PassedOver(document) => self.pass_over(document),
            Found::End(section) => self.end_document(source, section),
        }
    }

    fn object(&mut self, object: Object) {
        match object {
            Object::Crd(known, read) => self.crd(known, *read),
            Object::Problem(problem) => self.problem(None, problem),
            Object::PassedOver(document) => self.pass_over(document),
            Object::LeftOut(left_out) => self.part.left_out.push(left_out),
        }
    }

    fn crd(&mut self, known: Option<Unreadable>, read: ReadCrd) {
        self.maps += read.maps;
        self.is_over = self.maps > MOST_MAPS;
        if self.is_over && !read.is_too_large {
            let message = format!(
                "the CRDs up to here have more than {MOST_MAPS} maps, which is a hundred times those of Gateway API"
            );
            return self.problem(known.as_ref(), Problem::too_large(&read.written, message));
        }
        for problem in read.problems {
            self.problem(known.as_ref(), problem);
        }
        self.part.crds.extend(read.crd);
    }

    fn push(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.part.errors.push(error);
        }
    }

    /// Adds an error or a warning of the document that is being read. An error of a CRD makes it unreadable.
    fn problem(&mut self, crd: Option<&Unreadable>, problem: Problem) {
        let Problem { code, severity, place, message, help } = problem;
        let diagnostic = || error(code, "", None, None, message, help);
        if severity < Severity::Error {
            if self.part.warnings.len() + self.pending.len() >= MOST_ERRORS {
                self.more_warnings += 1;
            } else {
                self.pending.push((Diagnostic { severity, ..diagnostic() }, place));
            }
            return;
        }
        if self.is_full() {
            return;
        }
        let mut error = diagnostic();
        if let Some(crd) = crd {
            error = error.of_crd(printable(&crd.name), None, "");
            if self.part.unreadable.last() != Some(crd) {
                self.part.unreadable.push(crd.clone());
            }
        }
        self.pending.push((error, place));
    }

    /// Ends the document: looks up the lines of its errors and warnings.
    fn end_document(&mut self, source: &Source, section: Section) {
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

    fn pass_over(&mut self, document: PassedOver) {
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
