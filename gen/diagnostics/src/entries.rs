//! Diagnostics as entries of a report: below headings, indented, and wrapped to the width of the terminal.
//!
//! Invariants: paths and lines to copy are never wrapped.

use std::fmt::Write as _;

use anstyle::Style;

use crate::layout::{first_of_each, hanging};
use crate::style::{ADDED, FAINT, HEADING, NAME, of_severity};
use crate::text::more_of;
use crate::{Diagnostic, printable};

/// The columns before a location, before its message, and before the details.
const LOCATION: usize = 2;
const MESSAGE: usize = 4;
const DETAIL: usize = 6;

/// A report with entries.
#[derive(Debug)]
pub struct Entries {
    text: String,
    width: usize,
}

impl Entries {
    /// A report with a title. Lines have at most `width` characters.
    pub fn new(title: &str, width: usize) -> Self {
        Self { text: format!("{HEADING}{}{HEADING:#}\n", printable(title)), width }
    }

    /// The text of the report.
    pub fn finish(self) -> String {
        self.text
    }

    /// The width that a detail has.
    pub fn room(&self) -> usize {
        self.width.saturating_sub(DETAIL)
    }

    pub fn heading(&mut self, heading: &str) {
        self.line(0, format_args!("\n{HEADING}{heading}{HEADING:#}"));
    }

    /// The name of the CRD of the entries that follow.
    pub fn name(&mut self, name: &str) {
        self.line(0, format_args!("{NAME}{}{NAME:#}", printable(name)));
    }

    /// The location of the entries that follow: words, and a name or path. The location of a whole CRD has neither.
    pub fn location(&mut self, before: &str, name: &str, after: &str) {
        let (before, after) = (printable(before), printable(after));
        let name = if name.is_empty() { String::new() } else { format!("{NAME}{}{NAME:#}", printable(name)) };
        let parts = [before, name, after].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        if !parts.is_empty() {
            self.line(LOCATION, parts.join(" "));
        }
    }

    /// `LABEL: MESSAGE [CODE]`, with the label in the colour of the severity.
    pub fn message(&mut self, label: &str, diagnostic: &Diagnostic) {
        let style = of_severity(diagnostic.severity);
        let (begin, end) = (format!("{label}:"), format!("[{}]", diagnostic.code));
        let lines = hanging(&format!("{begin} {} {end}", diagnostic.message), MESSAGE, DETAIL, self.width);
        // A narrow terminal can break the label into lines; then it has no colour.
        let lines = match lines.trim_start().strip_prefix(&begin) {
            Some(rest) => format!("{:MESSAGE$}{style}{begin}{style:#}{rest}", ""),
            None => lines,
        };
        match lines.strip_suffix(&format!("{end}\n")) {
            Some(rest) => self.line(0, format_args!("{rest}{FAINT}{end}{FAINT:#}")),
            None => self.text.push_str(&lines),
        }
    }

    /// A detail of an entry.
    pub fn detail(&mut self, detail: &str) {
        self.text.push_str(&hanging(detail, DETAIL, DETAIL + 2, self.width));
    }

    /// A detail that is not wrapped: words, and a text in a style.
    pub fn copied(&mut self, words: &str, style: Style, text: &str) {
        self.line(DETAIL, format_args!("{words}{style}{}{style:#}", printable(text)));
    }

    /// The fix of a diagnostic.
    pub fn fix(&mut self, diagnostic: &Diagnostic) {
        let mut lines = diagnostic.help.iter().flat_map(|help| help.lines());
        if let Some(first) = lines.next() {
            self.detail(&format!("fix: {first}"));
        }
        for line in lines {
            self.copied("", ADDED, line);
        }
    }

    /// Diagnostics with their fixes: some of each code, and how many more it has.
    pub fn by_code<'d>(&mut self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        let (first, more) = first_of_each(diagnostics, |diagnostic| diagnostic.code);
        for diagnostic in first {
            self.message(diagnostic.severity.word(), diagnostic);
            self.fix(diagnostic);
        }
        for (code, number) in more {
            self.detail(&more_of(code, number));
        }
    }

    /// The file and line of a diagnostic, if it has a line.
    pub fn source(&mut self, diagnostic: &Diagnostic) {
        if diagnostic.location.line.is_some() {
            self.copied("", FAINT, &diagnostic.location.to_string());
        }
    }

    /// A paragraph in a style.
    pub fn paragraph(&mut self, text: &str, style: Style) {
        let lines = hanging(text, 0, 2, self.width);
        self.line(0, format_args!("{style}{}{style:#}", lines.trim_end()));
    }

    fn line(&mut self, indent: usize, line: impl std::fmt::Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }
}
