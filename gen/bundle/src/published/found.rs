//! What is found in a text: CRDs, other objects, and errors, as values.
//!
//! Invariant: texts of inputs are shortened before they are part of a message.

use crd_diagnostics::{Diagnostic, Severity, printable};
use crd_model::yaml::{Section, TextPosition};

use super::limits::LONGEST_NAME;
use super::skips::LeftOut;
use super::{PassedOver, PublishedCrd, Unreadable, Written, codes};

/// The kind of what is looked for.
pub(super) const KIND: &str = "CustomResourceDefinition";

/// What is in a text, in its order.
pub(super) enum Found {
    /// A document, or an item of a list, and the position of the document.
    Object(Object, Section),
    /// Text that cannot be read as a document.
    Error(Diagnostic),
    /// The end of a document.
    End(Section),
    /// A text that is not read, because Helm makes other objects of it.
    PassedOver(PassedOver),
}

/// A document, or an item of a list.
pub(super) enum Object {
    /// A CRD, with what it states about itself.
    Crd(Option<Unreadable>, Box<ReadCrd>),
    /// An object that is not a CRD, and looks like one.
    Problem(Problem),
    PassedOver(PassedOver),
    /// A patch, or a CRD that an option leaves out.
    LeftOut(LeftOut),
}

/// What was read of a CRD.
pub(super) struct ReadCrd {
    pub(super) written: Written,
    /// How many maps it has.
    pub(super) maps: usize,
    /// Whether it is too large for messages about it.
    pub(super) is_too_large: bool,
    pub(super) problems: Vec<Problem>,
    /// The CRD, if no problem is an error.
    pub(super) crd: Option<PublishedCrd>,
}

impl ReadCrd {
    /// A CRD that is not read for one reason.
    pub(super) fn unread(problem: Problem, written: Written) -> Self {
        Self { written, maps: 0, is_too_large: false, problems: vec![problem], crd: None }
    }
}

/// The message about a template of CRDs, and its fix.
pub(super) const TEMPLATE: (&str, &str) = (
    "this is a Helm template: render it first",
    "Name the whole chart where `helm` is installed, or read what this prints: `helm template --include-crds CHART > crds.yaml`",
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

/// An error or a warning in the document that is being read.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) place: Place,
    pub(super) message: String,
    pub(super) help: String,
}

impl Problem {
    pub(super) fn error(code: &'static str, place: impl Into<Place>, message: String, help: String) -> Self {
        Self { code, severity: Severity::Error, place: place.into(), message, help }
    }

    /// The error of a CRD that is too large, or with which there are too many.
    pub(super) fn too_large(written: &Written, message: String) -> Self {
        let fix = "Make it smaller, or read fewer CRDs at once".to_owned();
        Self::error(codes::TOO_LARGE, written.path(""), message, fix)
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
