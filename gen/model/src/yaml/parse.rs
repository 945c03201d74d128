//! Errors of readers, and the independent parser that reads our own text back.
//!
//! Invariants: nesting is limited, so that readers can recurse.

use std::fmt;

use granit_parser::{ErrorKind, Parser, ScanError};

use super::section::TextPosition;

/// How deep maps and lists may nest, and the largest depth that [`super::YamlWriter`]'s text can have to be read again.
/// The largest published CRDs use 60 levels.
pub const DEEPEST: usize = 255;

/// The beginnings of the messages for a text that is not YAML, and for one that is only JSON.
const NOT_YAML: &str = "this is not YAML";
const NOT_JSON: &str = "this is not JSON";

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for YamlError {}

impl YamlError {
    /// Whether the text is not YAML or JSON here. Other errors are YAML that cannot become a JSON value, and their message
    /// states what to do.
    pub fn is_syntax(&self) -> bool {
        self.message.starts_with(NOT_YAML) || self.message.starts_with(NOT_JSON)
    }

    pub(super) fn at(position: TextPosition, message: impl Into<String>) -> Self {
        Self { line: position.line, column: position.column, message: message.into() }
    }

    pub(super) fn syntax(position: TextPosition, problem: &str) -> Self {
        Self::at(position, format!("{NOT_YAML}: {problem}"))
    }

    pub(super) fn json(position: TextPosition, problem: &str) -> Self {
        Self::at(position, format!("{NOT_JSON}: {problem}"))
    }

    pub(super) fn from_parser(error: &ScanError) -> Self {
        let marker = error.marker();
        let message = match error.kind() {
            ErrorKind::RecursionLimitExceeded => too_deep(),
            ErrorKind::UnexpectedEofFlowSequence
            | ErrorKind::UnexpectedEofFlowMapping
            | ErrorKind::UnexpectedEofImplicitFlowMapping
            | ErrorKind::UnexpectedEofBlockSequence
            | ErrorKind::UnexpectedEofBlockMapping
            | ErrorKind::UnexpectedEof
            | ErrorKind::UnclosedFlowCollection { .. }
            | ErrorKind::UnclosedQuotedScalar => {
                format!("{NOT_YAML}: {}, and the text ends", error.info())
            }
            _ => format!("{NOT_YAML}: {}", error.info()),
        };
        Self { line: marker.line(), column: marker.col() + 1, message }
    }
}

/// The parser with the limits of this module.
pub(super) fn parser(text: &str) -> Parser<'_, granit_parser::StrInput<'_>> {
    let mut options = granit_parser::options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
    options.set_emit_comments(false);
    Parser::new_from_str_with_options(text, options)
}

pub(super) fn too_deep() -> String {
    format!("maps and lists nest more than {DEEPEST} levels deep here")
}
