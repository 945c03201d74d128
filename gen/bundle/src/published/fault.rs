//! Faults of inputs: why a bundle cannot be read.
//!
//! Invariants: a fault is data: where, by which rule, what is wrong and why, and how to fix it. Texts of inputs are
//! shortened before they stand in a message.

use std::fmt;

use crd_model::yaml::{Section, locate};

use super::Source;
use super::limits::MOST_FAULTS;

/// Why an input cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadRule {
    /// It is beyond one of [`super::limits`].
    TooLarge,
    /// It is a form of data that is not read.
    Binary,
    /// It is text, and not UTF-8.
    Encoding,
    /// It is an archive that cannot be unpacked.
    Archive,
    /// The text is not YAML or JSON, or cannot be what Kubernetes reads: duplicate keys, endless aliases, foreign tags.
    Yaml,
    /// It holds CRDs that a template engine has yet to write.
    Template,
    /// A CRD of an API version that is not supported.
    CrdVersion,
    /// It is nearly a CRD: its kind or apiVersion is misspelt or missing.
    CrdKind,
    /// It is a CRD with parts that are unknown, missing or of the wrong type.
    CrdStructure,
    /// It is a CRD whose name is not plural and group.
    CrdName,
    /// Two CRDs have the same name.
    CrdTwice,
    /// There is no CRD at all.
    NoCrds,
}

/// All of them.
pub const READ_RULES: [ReadRule; 12] = [
    ReadRule::TooLarge,
    ReadRule::Binary,
    ReadRule::Encoding,
    ReadRule::Archive,
    ReadRule::Yaml,
    ReadRule::Template,
    ReadRule::CrdVersion,
    ReadRule::CrdKind,
    ReadRule::CrdStructure,
    ReadRule::CrdName,
    ReadRule::CrdTwice,
    ReadRule::NoCrds,
];

impl ReadRule {
    /// The name under which it is reported.
    pub const fn id(self) -> &'static str {
        match self {
            ReadRule::TooLarge => "too-large",
            ReadRule::Binary => "binary",
            ReadRule::Encoding => "encoding",
            ReadRule::Archive => "archive",
            ReadRule::Yaml => "yaml",
            ReadRule::Template => "template",
            ReadRule::CrdVersion => "crd-version",
            ReadRule::CrdKind => "crd-kind",
            ReadRule::CrdStructure => "crd-structure",
            ReadRule::CrdName => "crd-name",
            ReadRule::CrdTwice => "crd-twice",
            ReadRule::NoCrds => "no-crds",
        }
    }
}

/// One reason why a bundle cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFault {
    /// By which rule.
    pub rule: ReadRule,
    /// The input, or the name of the bundle.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
    /// What is wrong, and why.
    pub message: String,
    /// How to fix it; empty where the message contains the fix.
    pub fix: String,
}

impl ReadFault {
    pub(super) fn at(
        rule: ReadRule,
        file: &str,
        line: impl Into<Option<usize>>,
        column: impl Into<Option<usize>>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            file: file.to_owned(),
            line: line.into(),
            column: column.into(),
            message: printable(message.into()),
            fix: printable(fix.into()),
        }
    }
}

/// A text without control characters and line breaks, safe for terminals and logs: it may hold words of the input.
pub(super) fn printable(text: String) -> String {
    if text.contains(char::is_control) { text.replace(char::is_control, "\u{fffd}") } else { text }
}

/// `file:line:column: what and why. How to fix it`
impl fmt::Display for ReadFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(formatter, ":{number}")?;
        }
        write!(formatter, ": {}", self.message)?;
        if self.fix.is_empty() { Ok(()) } else { write!(formatter, ". {}", self.fix) }
    }
}

impl std::error::Error for ReadFault {}

/// The faults of one input, up to a readable number.
#[derive(Debug, Default)]
pub(super) struct Faults {
    input: String,
    told: Vec<ReadFault>,
    /// What is wrong with the document that is being read, whose lines are looked up together.
    pending: Vec<(ReadFault, String)>,
}

impl Faults {
    pub(super) fn new(input: &str) -> Self {
        Self { input: input.to_owned(), ..Self::default() }
    }

    /// Whether no more are taken, and there is no use in looking for more.
    pub(super) fn is_full(&self) -> bool {
        self.told.len() + self.pending.len() >= MOST_FAULTS
    }

    pub(super) fn push(&mut self, fault: ReadFault) {
        if !self.is_full() {
            self.told.push(fault);
        }
    }

    /// A fault in the document that is being read, by its path there.
    pub(super) fn push_in_document(&mut self, rule: ReadRule, path: String, message: String, fix: String) {
        if !self.is_full() {
            self.pending.push((ReadFault::at(rule, "", None, None, message, fix), path));
        }
    }

    /// Ends the document: resolves the lines of its faults.
    pub(super) fn end_document(&mut self, source: &Source, section: Section) {
        if self.pending.is_empty() {
            return;
        }
        let (mut faults, paths): (Vec<ReadFault>, Vec<String>) = std::mem::take(&mut self.pending).into_iter().unzip();
        for (fault, place) in faults.iter_mut().zip(locate(&source.text, section, &paths)) {
            fault.file.clone_from(&source.name);
            fault.line = Some(place.line);
            fault.column = Some(place.column);
        }
        faults.sort_by_key(|fault| (fault.line, fault.column));
        self.told.extend(faults);
    }

    /// All of them, and if there may be more, that there may.
    pub(super) fn finish(mut self) -> Vec<ReadFault> {
        if self.is_full() {
            let rule = self.told.last().map_or(ReadRule::Yaml, |fault| fault.rule);
            let message = format!("these are the first {MOST_FAULTS} faults of this input");
            let fix = "Fix them and run the command again to see the rest";
            self.told.push(ReadFault::at(rule, &self.input, None, None, message, fix));
        }
        self.told
    }
}
