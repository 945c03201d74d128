//! From text to events of the parser, and from scalars to their meaning.
//!
//! Invariants: nesting is limited, so that readers can recurse; keys are strings, and tags without a meaning for Kubernetes are errors.

use std::borrow::Cow;
use std::fmt;

use granit_parser::{ErrorKind, Parser, ScalarStyle, ScanError, Span, Tag};

use super::resolve::{Meaning, plain, quoted};

/// How deep maps and lists may nest, and the largest depth that [`super::YamlWriter`]'s text can have to be read again.
/// The largest published CRDs use 60 levels.
pub const DEEPEST: usize = 255;

/// The beginning of the message for a text that is not YAML.
const NOT_YAML: &str = "this is not YAML";

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
    /// Whether the text is not YAML here. Other errors are YAML that cannot become a JSON value, and their message states
    /// what to do.
    pub fn is_syntax(&self) -> bool {
        self.message.starts_with(NOT_YAML)
    }

    pub(super) fn at(span: &Span, message: impl Into<String>) -> Self {
        Self { line: span.start.line(), column: span.start.col() + 1, message: message.into() }
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

/// The name of a key as JSON has it: numbers and booleans become their text.
pub(super) fn key_name(meaning: Meaning, text: Cow<'_, str>, span: &Span) -> Result<String, YamlError> {
    match meaning {
        Meaning::Text => Ok(text.into_owned()),
        Meaning::Bool(value) => Ok(value.to_string()),
        Meaning::Number(number) if !number.is_f64() => Ok(number.to_string()),
        other => {
            let found = other.describe(&text);
            Err(YamlError::at(
                span,
                format!("the key of a map must be a string, and this is {found}: put it in quotes"),
            ))
        }
    }
}

/// What a scalar means by its style and tag.
pub(super) fn meaning(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Result<Meaning, YamlError> {
    let Some(tag) = tag else {
        return Ok(if style == ScalarStyle::Plain { plain(text) } else { Meaning::Text });
    };
    let wanted = match tag.core_suffix() {
        Some("str") => return Ok(Meaning::Text),
        // The tag `!` alone means a string.
        None if tag.original() == "!" => return Ok(Meaning::Text),
        Some(wanted) => wanted,
        None => return Err(unknown_tag(tag, span)),
    };
    let found = plain(text);
    match (wanted, found) {
        ("null", found @ Meaning::Null) | ("bool", found @ Meaning::Bool(_)) => Ok(found),
        ("int", Meaning::Number(number)) if !number.is_f64() => Ok(Meaning::Number(number)),
        ("float", found @ (Meaning::Number(_) | Meaning::NotFinite)) => Ok(found),
        (wanted, found) => {
            Err(YamlError::at(span, format!("the tag is `!!{wanted}`, and the value is {}", found.describe(text))))
        }
    }
}

pub(super) fn collection_tag(tag: Option<&Tag>, own: &str, span: &Span) -> Result<(), YamlError> {
    match tag {
        Some(tag) if tag.core_suffix() != Some(own) && tag.original() != "!" => Err(unknown_tag(tag, span)),
        _ => Ok(()),
    }
}

fn unknown_tag(tag: &Tag, span: &Span) -> YamlError {
    let tag = tag.original();
    YamlError::at(span, format!("the tag {} means nothing to Kubernetes here: remove it", quoted(&tag)))
}
