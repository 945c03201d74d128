//! Comparison of a YAML text with the document that it should contain, without building a value of either.
//!
//! Invariants: the text comes from an independent parser, event by event, and each event of the document must meet its
//! counterpart: the same keys in the same order, the same values, one document, no anchors, aliases or tags. A plain
//! string must be a string to every reader of YAML, not to this parser only. The first difference is reported and ends
//! the comparison. Only the path is copied.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::Number;

use super::parse::{YamlError, parser};
use super::resolve::{Meaning, is_text_for_all_readers, plain, quoted};
use super::search::push_key;
use crate::crd::CustomResourceDefinition;
use crate::document::Sink;

/// The first difference between a text and the document that it should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the document: `spec.versions[0].name`; empty at its top.
    pub path: String,
    /// The line of the text, from 1.
    pub line: usize,
    /// The column of the text, from 1, in characters.
    pub column: usize,
    /// What should be there, in words.
    pub intended: String,
    /// What a reader finds, in words.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, intended, found } = self;
        let path = if path.is_empty() { "the document" } else { path };
        write!(formatter, "line {line}, column {column}: {path} should be {intended}, and reads as {found}")
    }
}

impl std::error::Error for Mismatch {}

/// Reads a text with the independent parser and compares it with the CRD that it should hold.
///
/// # Errors
/// The first difference.
pub fn reads_back_as(text: &str, crd: &CustomResourceDefinition) -> Result<(), Mismatch> {
    reads_back(text, |sink| crd.send(sink))
}

/// The same for any document, given what sends it.
///
/// # Errors
/// The first difference.
pub fn reads_back(text: &str, send: impl FnOnce(&mut dyn Sink)) -> Result<(), Mismatch> {
    let mut comparison = Comparison { parser: parser(text), path: String::new(), open: Vec::new(), mismatch: None };
    comparison.expect("the beginning of the text", |event| matches!(event, Event::StreamStart));
    comparison.expect("a document", |event| matches!(event, Event::DocumentStart(..)));
    send(&mut comparison);
    comparison.expect("the end of the document", |event| matches!(event, Event::DocumentEnd));
    comparison.expect("the end of the text", |event| matches!(event, Event::StreamEnd));
    comparison.mismatch.map_or(Ok(()), Err)
}

struct Comparison<'text> {
    parser: Parser<'text, StrInput<'text>>,
    path: String,
    open: Vec<Open>,
    mismatch: Option<Mismatch>,
}

/// A map or list that has begun and not ended.
struct Open {
    /// The length of its own path.
    path: usize,
    /// How many items have begun.
    items: usize,
}

impl<'text> Comparison<'text> {
    /// The next event of the text; `None` from the first difference on. A text that is not YAML is also a difference.
    fn next(&mut self, intended: impl FnOnce() -> String) -> Option<(Event<'text>, Span)> {
        if self.mismatch.is_some() {
            return None;
        }
        let error = match self.parser.next() {
            Some(Ok(next)) => return Some(next),
            Some(Err(error)) => YamlError::from_parser(&error),
            None => YamlError { line: 0, column: 0, message: "nothing: the text has ended".to_owned() },
        };
        let YamlError { line, column, message } = error;
        self.mismatch = Some(Mismatch { path: self.path.clone(), line, column, intended: intended(), found: message });
        None
    }

    fn differ(&mut self, span: &Span, intended: String, found: String) {
        let (line, column) = (span.start.line(), span.start.col() + 1);
        self.mismatch = Some(Mismatch { path: self.path.clone(), line, column, intended, found });
    }

    fn expect(&mut self, intended: &str, is_expected: impl FnOnce(&Event<'_>) -> bool) {
        let Some((event, span)) = self.next(|| intended.to_owned()) else { return };
        if !is_expected(&event) {
            self.differ(&span, intended.to_owned(), describe(&event));
        }
    }

    /// The text of a scalar and whether it is plain; anything else is a difference.
    fn scalar(&mut self, intended: impl Fn() -> String) -> Option<(Cow<'text, str>, bool, Span)> {
        let (event, span) = self.next(&intended)?;
        match event {
            Event::Scalar(text, style, 0, None) => Some((text, style == ScalarStyle::Plain, span)),
            other => {
                self.differ(&span, intended(), describe(&other));
                None
            }
        }
    }

    fn text(&mut self, value: &str, what: &str) {
        let intended = || format!("the {what} {}", quoted(value));
        let Some((text, is_plain, span)) = self.scalar(intended) else { return };
        if text != value {
            let found = if is_plain { plain(&text) } else { Meaning::Text };
            self.differ(&span, difference(value, &text, what), found.describe(&text));
        } else if is_plain && !is_text_for_all_readers(&text) {
            let found = match plain(&text) {
                Meaning::Text => "something else by some version of YAML, for it has no quotes".to_owned(),
                other => other.describe(&text),
            };
            self.differ(&span, intended(), found);
        }
    }

    fn plain_value(&mut self, value: &Meaning) {
        let Some((text, is_plain, span)) = self.scalar(|| value.describe("")) else { return };
        let found = if is_plain { plain(&text) } else { Meaning::Text };
        // A float without a fraction has two forms, which readers take for the same number.
        let is_same = match (&found, value) {
            (Meaning::Float(_) | Meaning::Number(_), Meaning::Float(_) | Meaning::Number(_)) => {
                found.clone().into_value(Cow::Borrowed("")) == value.clone().into_value(Cow::Borrowed(""))
            }
            _ => found == *value,
        };
        if !is_same {
            self.differ(&span, value.describe(""), found.describe(&text));
        }
    }

    fn begin(&mut self) {
        self.open.push(Open { path: self.path.len(), items: 0 });
    }

    fn end(&mut self, intended: &str, is_expected: impl FnOnce(&Event<'_>) -> bool) {
        if self.mismatch.is_some() {
            return;
        }
        if let Some(open) = self.open.pop() {
            self.path.truncate(open.path);
        }
        self.expect(intended, is_expected);
    }
}

/// Names what should be there; of long strings, from where they differ.
fn difference(value: &str, text: &str, what: &str) -> String {
    let same = value.bytes().zip(text.bytes()).take_while(|(left, right)| left == right).count();
    let same = (0..=same).rev().find(|index| value.is_char_boundary(*index)).unwrap_or(0);
    if same < 40 {
        format!("the {what} {}", quoted(value))
    } else {
        format!("the {what} {} (from byte {same} on: {})", quoted(value), quoted(&value[same..]))
    }
}

fn describe(event: &Event<'_>) -> String {
    match event {
        Event::Scalar(text, style, 0, None) => {
            let meaning = if *style == ScalarStyle::Plain { plain(text) } else { Meaning::Text };
            meaning.describe(text)
        }
        Event::Scalar(..) => "a value with a tag or an anchor".to_owned(),
        Event::MappingStart(_, 0, None) => "a map".to_owned(),
        Event::SequenceStart(_, 0, None) => "a list".to_owned(),
        Event::MappingStart(..) | Event::SequenceStart(..) => "a map or list with a tag or an anchor".to_owned(),
        Event::MappingEnd => "the end of a map".to_owned(),
        Event::SequenceEnd => "the end of a list".to_owned(),
        Event::DocumentStart(..) => "another document".to_owned(),
        Event::DocumentEnd => "the end of the document".to_owned(),
        Event::StreamEnd => "the end of the text".to_owned(),
        _ => "an alias".to_owned(),
    }
}

impl Sink for Comparison<'_> {
    fn begin_map(&mut self) {
        self.expect("a map", |event| matches!(event, Event::MappingStart(_, 0, None)));
        self.begin();
    }

    fn key(&mut self, key: &str) {
        if self.mismatch.is_some() {
            return;
        }
        if let Some(open) = self.open.last() {
            self.path.truncate(open.path);
        }
        self.text(key, "key");
        push_key(&mut self.path, key);
    }

    fn end_map(&mut self) {
        self.end("the end of a map", |event| matches!(event, Event::MappingEnd));
    }

    fn begin_list(&mut self) {
        self.expect("a list", |event| matches!(event, Event::SequenceStart(_, 0, None)));
        self.begin();
    }

    fn item(&mut self) {
        if self.mismatch.is_some() {
            return;
        }
        if let Some(open) = self.open.last_mut() {
            self.path.truncate(open.path);
            // Writing to a String cannot fail.
            let _ = write!(self.path, "[{}]", open.items);
            open.items += 1;
        }
    }

    fn end_list(&mut self) {
        self.end("the end of a list", |event| matches!(event, Event::SequenceEnd));
    }

    fn string(&mut self, value: &str) {
        self.text(value, "string");
    }

    fn number(&mut self, value: &Number) {
        let float = value.as_f64().filter(|_| value.is_f64());
        self.plain_value(&float.map_or_else(|| Meaning::Number(value.clone()), Meaning::Float));
    }

    fn boolean(&mut self, value: bool) {
        self.plain_value(&Meaning::Bool(value));
    }

    fn null(&mut self) {
        self.plain_value(&Meaning::Null);
    }
}
