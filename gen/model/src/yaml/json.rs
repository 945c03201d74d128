//! Documents of JSON, as nodes.
//!
//! Invariants: a text is JSON as Go's `encoding/json` reads it; half of a surrogate pair becomes U+FFFD as there. Scalars keep their text, so
//! that `1.0` stays a float, as in the body of a request.

use std::rc::Rc;

use serde_json::de::Deserializer;
use serde_json::error::Category;

use super::compose::{Content, Node, Style};
use super::parse::{DEEPEST, YamlError, too_deep};
use super::section::TextPosition;

/// How long the first document of a text is, with the white space before it; none if there is only white space.
pub(super) fn length(text: &str, position: TextPosition) -> Option<Result<usize, YamlError>> {
    let mut documents = Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    let document = documents.next()?;
    let end = documents.byte_offset();
    let start = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
    Some(match document {
        Ok(_) => Ok(end),
        // Go needs no space behind a number.
        Err(_) if end > start => Ok(end),
        Err(error) => {
            let message = error.to_string();
            let problem = message.split(" at line ").next().unwrap_or_default();
            let ends = if error.classify() == Category::Eof { ", and the text ends" } else { "" };
            let column = error.column() + if error.line() == 1 { position.column - 1 } else { 0 };
            let position = TextPosition { line: position.line + error.line() - 1, column };
            Err(YamlError::json(position, &format!("{problem}{ends}")))
        }
    })
}

/// The document at the beginning of a text, whose syntax was checked.
pub(super) fn compose(text: &str, position: TextPosition) -> Result<Rc<Node>, YamlError> {
    Composer { text, at: 0, position }.node(0)
}

/// The place behind a text that begins at a place.
pub(super) fn position_behind(text: &str, position: TextPosition) -> TextPosition {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    let last = text.rsplit('\n').next().unwrap_or_default().chars().count();
    TextPosition { line: position.line + lines, column: last + if lines == 0 { position.column } else { 1 } }
}

struct Composer<'t> {
    text: &'t str,
    at: usize,
    position: TextPosition,
}

impl<'t> Composer<'t> {
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn advance(&mut self, length: usize) -> &'t str {
        let passed = self.text.get(self.at..self.at + length).unwrap_or_default();
        self.position = position_behind(passed, self.position);
        self.at += length;
        passed
    }

    /// Moves behind white space, and returns whether this byte follows, which is taken.
    fn take_if(&mut self, byte: u8) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let space = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.advance(space);
        let is_next = self.byte() == byte;
        self.advance(usize::from(is_next));
        is_next
    }

    fn node(&mut self, depth: usize) -> Result<Rc<Node>, YamlError> {
        self.take_if(0);
        let position = self.position;
        if depth > DEEPEST {
            return Err(YamlError::at(position, too_deep()));
        }
        let content = match self.byte() {
            b'{' => {
                self.advance(1);
                let mut entries = Vec::new();
                while !self.take_if(b'}') && self.at < self.text.len() {
                    let key = self.node(depth + 1)?;
                    self.take_if(b':');
                    entries.push((key, self.node(depth + 1)?));
                    self.take_if(b',');
                }
                Content::Map(entries)
            }
            b'[' => {
                self.advance(1);
                let mut items = Vec::new();
                while !self.take_if(b']') && self.at < self.text.len() {
                    items.push(self.node(depth + 1)?);
                    self.take_if(b',');
                }
                Content::List(items)
            }
            b'"' => Content::Scalar(self.string(), Style::Text),
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                let length = self.text.as_bytes()[self.at..].iter().take_while(|byte| is_part(byte)).count();
                Content::Scalar(self.advance(length).to_owned(), Style::Json)
            }
        };
        Ok(Rc::new(Node { content, tag: None, position }))
    }

    fn string(&mut self) -> String {
        self.advance(1);
        let mut is_escaped = false;
        let is_part = |byte: &u8| {
            let is_end = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            !is_end
        };
        let length = self.text.as_bytes()[self.at..].iter().copied().take_while(is_part).count();
        let written = self.advance(length);
        self.advance(1);
        if !written.contains('\\') {
            return written.to_owned();
        }
        let mut units = Vec::with_capacity(length);
        let mut characters = written.chars();
        while let Some(character) = characters.next() {
            let character = match character {
                '\\' => match characters.next().unwrap_or_default() {
                    'u' => {
                        let digits = characters.by_ref().take(4).collect::<String>();
                        units.extend(u16::from_str_radix(&digits, 16));
                        continue;
                    }
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    itself => itself,
                },
                character => character,
            };
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
        }
        String::from_utf16_lossy(&units)
    }
}
