//! The collection of what is wrong.
//!
//! Invariants: each problem is reported once, in the order of files, lines and columns.

use std::collections::BTreeMap;

use crd_diagnostics::Diagnostic;

use crate::problem::Fault;
use crate::syntax::File;

/// The file, the line, the column, the code and the message.
type Place = (&'static str, usize, usize, &'static str, String);

/// A collection of problems.
#[derive(Default)]
pub(crate) struct Problems {
    in_files: BTreeMap<Place, Diagnostic>,
    others: Vec<Diagnostic>,
}

impl Problems {
    /// Something that has no place in a Go file.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.others.push(diagnostic);
    }

    pub(crate) fn add(&mut self, file: &File, fault: Fault) {
        let (line, column) = file.position(fault.at);
        let diagnostic = fault.code.finding(fault.message.clone()).at_position(file.path, line, column);
        let place = (file.path, line, column, fault.code.name, fault.message);
        self.in_files.entry(place).or_insert(diagnostic.help(fault.help));
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.others.into_iter().chain(self.in_files.into_values()).collect()
    }
}
