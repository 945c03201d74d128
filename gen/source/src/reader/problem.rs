//! Problems of source as diagnostics with file, line and column.
//!
//! Invariants: each problem is reported once, in the order of files and lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use proc_macro2::Span;

use crate::reader::names::Refusal;
use crate::reader::{CODE, HELP};

/// A collection of problems.
#[derive(Default)]
pub(crate) struct Problems(BTreeMap<(PathBuf, usize, usize, String), Option<&'static str>>);

impl Problems {
    /// An error that the macro reports too.
    pub(crate) fn at(&mut self, file: impl AsRef<Path>, span: Span, message: impl ToString) {
        let start = span.start();
        self.at_position(file, (start.line, start.column + 1), message.to_string());
    }

    /// An error at a line and a column.
    pub(crate) fn at_position(&mut self, file: impl AsRef<Path>, (line, column): (usize, usize), message: String) {
        self.0.entry((file.as_ref().to_owned(), line, column, message)).or_default();
    }

    /// Something that the reader does not understand, and that may be right for the compiler unless it is wrong.
    pub(crate) fn refuse(&mut self, Refusal { file, span, message, is_wrong }: Refusal) {
        let start = span.start();
        self.0.insert((file.to_path_buf(), start.line, start.column + 1, message), (!is_wrong).then_some(HELP));
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let diagnostic = |((file, line, column, message), help): ((PathBuf, usize, usize, String), Option<&str>)| {
            let error = Diagnostic::error(CODE, message).at_position(file, line, column);
            help.into_iter().fold(error, Diagnostic::help)
        };
        self.0.into_iter().map(diagnostic).collect()
    }
}
