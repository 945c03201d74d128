//! The YAML writer: block style as `kubectl get -o yaml` and controller-gen lay it out.
//!
//! Invariants: two columns per level, list items in the column of their parent's keys, one line per scalar unless it is
//! a literal block, no folding (a CEL rule stays one line). After every complete value the text ends with a line break.
//! Equal events give equal bytes. Which style a string gets is decided in [`super::style`].

use std::fmt::Write as _;

use serde_json::Number;

use super::style::{Context, Style, style_of};
use crate::document::{Sink, push_quoted};

/// Whether a document begins with the marker `---`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A line `---` comes first. Needed from the second document of a stream on.
    Marker,
    /// The document begins with its first key.
    None,
}

/// Writes one document per sequence of events; see the module for its layout.
#[derive(Debug)]
pub struct YamlWriter {
    text: String,
    open: Vec<Open>,
    position: Position,
}

/// A map or list that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The column of its keys or dashes.
    column: usize,
    /// Where it began, which decides how its first line begins.
    began: Position,
    is_empty: bool,
}

/// The position of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// At the beginning of the document.
    Root,
    /// Behind `key:`, on its line or below it.
    AfterKey,
    /// Behind `-`, on its line.
    AfterDash,
}

/// The column width of one level.
const STEP: usize = 2;

/// A key whose written form is longer gets the form `? key`: YAML reads at most 1,024 characters of the short one.
const LONGEST_SHORT_KEY: usize = 1000;

impl YamlWriter {
    /// A writer of one document.
    pub fn new(start: Start) -> Self {
        Self::append_to(String::new(), start)
    }

    /// A writer that appends to `text`: a previous document, comment lines, or an empty string with capacity for what
    /// comes. A line break is added where the text lacks its last one.
    pub fn append_to(mut text: String, start: Start) -> Self {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if start == Start::Marker {
            text.push_str("---\n");
        }
        Self { text, open: Vec::new(), position: Position::Root }
    }

    /// The text written so far.
    pub fn finish(self) -> String {
        self.text
    }

    /// The column of the innermost open map or list.
    fn column(&self) -> usize {
        self.open.last().map_or(0, |open| open.column)
    }

    fn indent(&mut self, column: usize) {
        const SPACES: &str = "                                                                ";
        let mut left = column;
        while left > SPACES.len() {
            self.text.push_str(SPACES);
            left -= SPACES.len();
        }
        self.text.push_str(&SPACES[..left]);
    }

    /// The space between `key:` or `-` and a value on the same line.
    fn space(&mut self) {
        if self.position != Position::Root {
            self.text.push(' ');
        }
    }

    /// Begins the line of a key or an item in the innermost map or list.
    fn begin_line(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        let Open { column, began, is_empty } = *open;
        open.is_empty = false;
        match began {
            Position::AfterDash if is_empty => self.text.push(' '),
            Position::AfterKey if is_empty => {
                self.text.push('\n');
                self.indent(column);
            }
            _ => self.indent(column),
        }
    }

    fn begin(&mut self, column_after_key: usize) {
        let column = match self.position {
            Position::Root => 0,
            Position::AfterKey => column_after_key,
            Position::AfterDash => self.column() + STEP,
        };
        self.open.push(Open { column, began: self.position, is_empty: true });
    }

    fn end(&mut self, empty: &str) {
        let Some(open) = self.open.pop() else { return };
        if open.is_empty {
            self.position = open.began;
            self.space();
            self.text.push_str(empty);
            self.text.push('\n');
        }
    }

    fn line(&mut self, value: &str) {
        self.space();
        self.text.push_str(value);
        self.text.push('\n');
    }

    fn single_quoted(&mut self, value: &str) {
        self.text.push('\'');
        let mut rest = value;
        while let Some(quote) = rest.find('\'') {
            self.text.push_str(&rest[..=quote]);
            self.text.push('\'');
            rest = &rest[quote + 1..];
        }
        self.text.push_str(rest);
        self.text.push('\'');
    }

    /// Only the escapes that JSON has too.
    fn double_quoted(&mut self, value: &str) {
        push_quoted(&mut self.text, value, |character| {
            matches!(
                character,
                '\0'..='\u{1f}'
                    | '\u{7f}'..='\u{9f}'
                    | '\u{2028}'
                    | '\u{2029}'
                    | '\u{feff}'
                    | '\u{fffe}'
                    | '\u{ffff}'
            )
        });
    }

    /// `|`, the indicators of indentation and end, and the lines.
    fn literal(&mut self, value: &str, indicator: bool) {
        self.text.push('|');
        if indicator {
            self.text.push('2');
        }
        let body = match value.strip_suffix('\n') {
            None => {
                self.text.push('-');
                value
            }
            Some(body) => {
                if body.ends_with('\n') {
                    self.text.push('+');
                }
                body
            }
        };
        self.text.push('\n');
        let column = self.column() + STEP;
        for line in body.split('\n') {
            if !line.is_empty() {
                self.indent(column);
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }
}

impl Sink for YamlWriter {
    fn begin_map(&mut self) {
        self.begin(self.column() + STEP);
    }

    fn key(&mut self, key: &str) {
        self.begin_line();
        let before = self.text.len();
        match style_of(key, Context::Key) {
            Style::Plain => self.text.push_str(key),
            Style::SingleQuoted => self.single_quoted(key),
            Style::DoubleQuoted | Style::Literal { .. } => self.double_quoted(key),
        }
        if self.text.len() - before > LONGEST_SHORT_KEY {
            self.text.insert_str(before, "? ");
            self.text.push('\n');
            self.indent(self.column());
        }
        self.text.push(':');
        self.position = Position::AfterKey;
    }

    fn end_map(&mut self) {
        self.end("{}");
    }

    fn begin_list(&mut self) {
        self.begin(self.column());
    }

    fn item(&mut self) {
        self.begin_line();
        self.text.push('-');
        self.position = Position::AfterDash;
    }

    fn end_list(&mut self) {
        self.end("[]");
    }

    fn string(&mut self, value: &str) {
        self.space();
        let context = if self.position == Position::Root { Context::Root } else { Context::Value };
        match style_of(value, context) {
            Style::Plain => self.text.push_str(value),
            Style::SingleQuoted => self.single_quoted(value),
            Style::DoubleQuoted => self.double_quoted(value),
            // A literal block ends its last line itself.
            Style::Literal { indicator } => return self.literal(value, indicator),
        }
        self.text.push('\n');
    }

    fn number(&mut self, value: &Number) {
        self.space();
        let before = self.text.len();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{value}");
        // `1e300` is a string to YAML 1.1, whose floats need a point and a signed exponent; `1.0e+300` is a number to
        // all.
        if let Some(length) = self.text[before..].find(['e', 'E']) {
            let exponent = before + length + 1;
            if !self.text[exponent..].starts_with(['+', '-']) {
                self.text.insert(exponent, '+');
            }
            if !self.text[before..exponent].contains('.') {
                self.text.insert_str(exponent - 1, ".0");
            }
        }
        self.text.push('\n');
    }

    fn boolean(&mut self, value: bool) {
        self.line(if value { "true" } else { "false" });
    }

    fn null(&mut self) {
        self.line("null");
    }
}
