//! Reading of the plain YAML that generators of CRDs write: block maps and lists, one-line scalars, literal texts.
//!
//! Most of the time of a comparison is spent on reading, and almost all published CRDs have this form. It is read here line by line, several
//! times as fast as from nodes.
//!
//! Invariants: a text is read as a whole or not at all. What is read here is what [`super::documents`] would read from nodes: values,
//! and positions. Whatever is not certainly of this form is left to that reader: flow collections, anchors, tags, repeated keys, unusual
//! indentation, and every error.

use serde_json::{Map, Value};

use super::resolve::{Meaning, plain};
use super::scan::LONGEST_KEY;
use super::section::{Section, TextPosition};
use crate::schema::Schema;

/// The longest text that is read here: all of its documents are in memory together.
const LONGEST: usize = 8_000_000;
/// How deep maps and lists may nest.
pub(super) const DEEPEST: usize = 128;
/// The most lines, so that the limits of memory cannot be reached.
const MOST_LINES: usize = 400_000;

/// A schema and how many maps it has.
pub(super) type CountedSchema = (Schema, usize);

/// A document, its position, and its schemas if they are read apart from it.
pub(super) type Positioned = (Value, Section, Vec<CountedSchema>);

/// The key of the schema of a version of a CRD.
pub(super) const SCHEMA: &str = "openAPIV3Schema";

/// The documents of a text of this form; none if it has another one. With a reader of schemas, those of CRDs are empty maps in the documents.
pub(super) fn documents<'t>(text: &'t str, schemas: Option<&mut dyn ReadSchemas<'t>>) -> Option<Vec<Positioned>> {
    let schemas = schemas.map(|schemas| (schemas, Vec::new()));
    Lines { schemas, ..Lines::of(text)? }.documents()
}

/// Whether a text has printable characters and line feeds only.
fn is_plain_text(text: &str) -> bool {
    // Without a branch for each byte, so that many are compared at once.
    let is_control = |odd: bool, byte: &u8| odd | ((*byte < b' ') & (*byte != b'\n')) | (*byte == 0x7f);
    if text.as_bytes().chunks(4096).any(|chunk| chunk.iter().fold(false, is_control)) {
        return false;
    }
    let is_odd = |character| {
        matches!(character, '\u{80}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    text.is_ascii() || !text.chars().any(is_odd)
}

/// The indentation of a marker `---`: it ends everything.
const MARKER: isize = -1;

/// A line with content.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// Its number, from 1, and its first byte.
    number: usize,
    start: usize,
    pub(super) indent: isize,
    /// Without indentation and trailing spaces.
    pub(super) content: &'t str,
    /// The first byte of the next line.
    end: usize,
}

impl Line<'_> {
    /// The content of an item of a list, as a line of its own; none for an item that is a list.
    pub(super) fn item(self) -> Option<Self> {
        let content = self.content.strip_prefix("- ")?.trim_start_matches(' ');
        let before = isize::try_from(self.content.len() - content.len()).ok()?;
        (!is_item(content)).then_some(Self { indent: self.indent + before, content, ..self })
    }

    /// Where its content begins.
    pub(super) fn position(&self) -> TextPosition {
        TextPosition { line: self.number, column: usize::try_from(self.indent).unwrap_or_default() + 1 }
    }
}

/// The text has a form that is not read here.
pub(super) struct OtherForm;

/// Reads the schemas of CRDs apart from their documents.
pub(super) trait ReadSchemas<'t> {
    /// A schema whose keywords have this indentation, and how many maps it has.
    fn read(&mut self, lines: &mut Lines<'t, '_>, indent: isize, depth: usize) -> Option<CountedSchema>;
}

/// The lines of a text, and what reads its schemas if they are wanted, with those of this document.
pub(super) struct Lines<'t, 's> {
    text: &'t str,
    /// The first byte of the next line, and how many lines are before it.
    at: usize,
    pub(super) number: usize,
    pub(super) next: Option<Line<'t>>,
    schemas: Option<(&'s mut dyn ReadSchemas<'t>, Vec<CountedSchema>)>,
}

impl<'t> Lines<'t, '_> {
    /// The lines of a document that was read, from its beginning. `before` is the number of lines before it.
    pub(super) fn of_document(text: &'t str, before: usize) -> Self {
        let mut lines = Self { text, at: 0, number: before, next: None, schemas: None };
        if lines.peek().ok().flatten().is_some_and(|line| line.indent == MARKER) {
            lines.take();
        }
        lines
    }

    /// From the first line, if the characters are those of this form.
    fn of(text: &'t str) -> Option<Self> {
        let is_read = text.len() <= LONGEST && is_plain_text(text);
        is_read.then_some(Self { text, at: 0, number: 0, next: None, schemas: None })
    }

    fn documents(mut self) -> Option<Vec<Positioned>> {
        let (mut documents, mut marker) = (Vec::new(), None);
        while let Some(line) = self.peek().ok()? {
            if line.indent == MARKER {
                marker = Some(line);
                self.take()?;
                continue;
            }
            if line.indent != 0 || is_item(line.content) {
                return None;
            }
            let section = match marker.take() {
                Some(marker) => Section::of_lines((marker.start, marker.number), line.number),
                None => Section::of_lines((line.start, line.number), line.number),
            };
            let value = self.map(0, 0)?;
            let schemas = self.schemas.as_mut().map(|(_, read)| std::mem::take(read));
            documents.push((value, section, schemas.unwrap_or_default()));
            // What follows without a marker would be a second value.
            if self.peek().ok()?.is_some_and(|line| line.indent != MARKER) {
                return None;
            }
        }
        Some(documents)
    }

    /// Goes to a line, given by its first byte and the number of lines before it.
    pub(super) fn skip_to(&mut self, at: usize, number: usize) {
        (self.at, self.number, self.next) = (at, number, None);
    }

    /// The value behind a key, or below it.
    pub(super) fn value(&mut self, rest: &'t str, indent: isize, depth: usize) -> Option<Value> {
        match rest {
            "" => self.nested(indent, depth),
            rest => self.scalar(rest, indent),
        }
    }

    /// The schema below a key, which is kept apart.
    fn schema(&mut self, depth: usize) -> Option<Value> {
        let first = self.peek().ok()?.filter(|first| !is_item(first.content))?;
        let (schemas, mut read) = self.schemas.take()?;
        read.push(schemas.read(self, first.indent, depth + 1)?);
        self.schemas = Some((schemas, read));
        Some(Value::Object(Map::new()))
    }

    /// The next line as it is, with the first byte of the one after it.
    fn raw(&self, at: usize) -> Option<(&'t str, usize)> {
        let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
        Some(match memchr::memchr(b'\n', rest.as_bytes()) {
            Some(length) => (&rest[..length], at + length + 1),
            None => (rest, self.text.len()),
        })
    }

    /// The next line with content, without taking it; none at the end.
    pub(super) fn peek(&mut self) -> Result<Option<Line<'t>>, OtherForm> {
        while self.next.is_none() {
            let Some((raw, end)) = self.raw(self.at) else { return Ok(None) };
            let without = raw.trim_start_matches(' ');
            let line = Line {
                number: self.number + 1,
                start: self.at,
                indent: isize::try_from(raw.len() - without.len()).map_err(|_| OtherForm)?,
                content: without.trim_end_matches(' '),
                end,
            };
            if line.content.is_empty() || line.content.starts_with('#') {
                (self.at, self.number) = (end, line.number);
                continue;
            }
            self.next = Some(match line.indent == 0 && line.content.starts_with("---") {
                true if line.content == "---" => Line { indent: MARKER, ..line },
                true => return Err(OtherForm),
                false => line,
            });
            if line.number > MOST_LINES || line.indent == 0 && line.content.starts_with("...") {
                return Err(OtherForm);
            }
        }
        Ok(self.next)
    }

    pub(super) fn take(&mut self) -> Option<Line<'t>> {
        let line = self.peek().ok()??;
        self.next = None;
        (self.at, self.number) = (line.end, line.number);
        Some(line)
    }

    /// A map whose keys have this indentation.
    fn map(&mut self, indent: isize, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let mut map = Map::new();
        while let Some(line) = self.peek().ok()? {
            if line.indent < indent {
                break;
            }
            if line.indent > indent {
                return None;
            }
            let (key, rest) = entry(line.content)?;
            self.take()?;
            let is_below = |next: Line<'_>| next.indent > indent;
            let value = match rest {
                "" if key == SCHEMA && self.schemas.is_some() && self.peek().ok()?.is_some_and(is_below) => {
                    self.schema(depth)?
                }
                rest => self.value(rest, indent, depth)?,
            };
            if map.insert(key.to_owned(), value).is_some() {
                return None;
            }
        }
        Some(Value::Object(map))
    }

    /// The value below a key: a map or list that is deeper, or a list of the same indentation, or nothing.
    fn nested(&mut self, indent: isize, depth: usize) -> Option<Value> {
        match self.peek().ok()? {
            Some(line) if line.indent >= indent && is_item(line.content) => self.list(line.indent, depth + 1),
            Some(line) if line.indent > indent => self.map(line.indent, depth + 1),
            _ => Some(Value::Null),
        }
    }

    /// A list whose dashes have this indentation.
    fn list(&mut self, indent: isize, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let mut items = Vec::new();
        while let Some(line) = self.peek().ok()? {
            if line.indent < indent || line.indent == indent && !is_item(line.content) {
                break;
            }
            let item = line.item().filter(|_| line.indent == indent)?;
            items.push(match entry(item.content) {
                Some(_) => {
                    self.next = Some(item);
                    self.map(item.indent, depth + 1)?
                }
                None => {
                    self.take()?;
                    self.scalar(item.content, indent)?
                }
            });
        }
        Some(Value::Array(items))
    }

    /// Skips the lines of a value below a key or dash of this indentation. A list below a key may have the indentation of the key.
    pub(super) fn skip_below(&mut self, indent: isize, is_list_possible: bool) {
        while let Some((raw, end)) = self.raw(self.at) {
            let content = raw.trim_start_matches(' ');
            let spaces = isize::try_from(raw.len() - content.len()).unwrap_or(isize::MAX);
            let is_below = spaces > indent || spaces == indent && is_list_possible && is_item(content);
            if !is_below && !content.is_empty() && !content.starts_with('#') {
                break;
            }
            (self.at, self.number) = (end, self.number + 1);
        }
    }

    /// A scalar that begins in the line before, below a key or dash of this indentation.
    fn scalar(&mut self, text: &'t str, indent: isize) -> Option<Value> {
        let bytes = text.as_bytes();
        match bytes[0] {
            b'\'' => self.single_quoted(text, indent),
            b'"' => self.double_quoted(text, indent),
            b'|' => self.literal(text, indent),
            b'{' => (text == "{}").then(|| Value::Object(Map::new())),
            b'[' => (text == "[]").then(|| Value::Array(Vec::new())),
            b'-' if bytes.get(1).is_some_and(u8::is_ascii_digit) => self.plain(text, indent),
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'/'
            | b'.'
            | b'^'
            | b'$'
            | b'('
            | b'_'
            | b'+'
            | b'~'
            | b';'
            | b'<'
            | b'\\'
            | 0x80.. => self.plain(text, indent),
            _ => None,
        }
    }

    fn plain(&mut self, text: &'t str, indent: isize) -> Option<Value> {
        if !is_plain(text) {
            return None;
        }
        match self.continued(indent).ok()? {
            None => plain(text).into_value(text.into()),
            Some(next) => {
                // A text of several words is a string, whatever its words mean.
                let mut whole = text.to_owned();
                let mut next = Some(next);
                while let Some(line) = next {
                    if !is_plain(line) || line.starts_with('#') {
                        return None;
                    }
                    whole.push(' ');
                    whole.push_str(line);
                    next = self.continued(indent).ok()?;
                }
                Some(Value::String(whole))
            }
        }
    }

    /// Takes the next line if it continues a scalar below this indentation.
    fn continued(&mut self, indent: isize) -> Result<Option<&'t str>, OtherForm> {
        let Some((raw, end)) = self.raw(self.at) else { return Ok(None) };
        let without = raw.trim_start_matches(' ');
        if without.is_empty() {
            // A blank line in a scalar is a line break.
            let next = self.peek()?;
            return if next.is_none_or(|next| next.indent <= indent) { Ok(None) } else { Err(OtherForm) };
        }
        if isize::try_from(raw.len() - without.len()).map_err(|_| OtherForm)? <= indent {
            return Ok(None);
        }
        (self.at, self.number) = (end, self.number + 1);
        Ok(Some(without.trim_end_matches(' ')))
    }

    fn single_quoted(&mut self, text: &'t str, indent: isize) -> Option<Value> {
        let mut whole = String::new();
        let mut rest = &text[1..];
        loop {
            while let Some(quote) = rest.find('\'') {
                whole.push_str(&rest[..quote]);
                rest = &rest[quote + 1..];
                match rest.strip_prefix('\'') {
                    Some(after) => {
                        whole.push('\'');
                        rest = after;
                    }
                    None => return rest.is_empty().then_some(Value::String(whole)),
                }
            }
            whole.push_str(rest);
            rest = self.continued(indent).ok()??;
            whole.push(' ');
        }
    }

    /// A quoted text with escapes. A line ends between two words, or with `\\` inside a word.
    fn double_quoted(&mut self, text: &'t str, indent: isize) -> Option<Value> {
        let mut whole = String::new();
        let mut rest = &text[1..];
        loop {
            let Some(at) = rest.find(['"', '\\']) else {
                // Spaces at the end of a line are not part of the text, unless they are escaped.
                if rest.is_empty() && whole.ends_with(' ') {
                    return None;
                }
                whole.push_str(rest);
                rest = self.continued(indent).ok()??;
                whole.push(' ');
                continue;
            };
            whole.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if rest.as_bytes()[at] == b'"' {
                return after.is_empty().then_some(Value::String(whole));
            }
            rest = match after.as_bytes().first() {
                None => {
                    // Otherwise the backslash escapes a space at the end of the line.
                    let is_at_end = self.at.checked_sub(2).is_some_and(|last| self.text.as_bytes()[last] == b'\\');
                    let next = self.continued(indent).ok()?.filter(|_| is_at_end)?;
                    if next.is_empty() {
                        return None;
                    }
                    next
                }
                Some(escaped) => {
                    whole.push(match escaped {
                        b'n' => '\n',
                        b't' => '\t',
                        b'"' | b'\\' | b' ' => char::from(*escaped),
                        _ => return None,
                    });
                    &after[1..]
                }
            };
        }
    }

    /// A literal text, whose lines are as they are written.
    fn literal(&mut self, header: &str, indent: isize) -> Option<Value> {
        let keeps_end = match header {
            "|" => true,
            "|-" => false,
            _ => return None,
        };
        let (first, _) = self.raw(self.at)?;
        let inner = first.len() - first.trim_start_matches(' ').len();
        if inner == first.len() || isize::try_from(inner).ok()? <= indent {
            return None;
        }
        let mut whole = String::new();
        while let Some((raw, end)) = self.raw(self.at) {
            let spaces = raw.len() - raw.trim_start_matches(' ').len();
            if spaces == raw.len() && spaces <= inner {
                whole.push('\n');
            } else if spaces >= inner {
                whole.push_str(&raw[inner..]);
                whole.push('\n');
            } else {
                break;
            }
            (self.at, self.number) = (end, self.number + 1);
        }
        whole.truncate(whole.trim_end_matches('\n').len());
        if keeps_end {
            whole.push('\n');
        }
        Some(Value::String(whole))
    }
}

pub(super) fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// Whether a line of a plain scalar has nothing that ends it.
fn is_plain(text: &str) -> bool {
    !text.ends_with(':') && !text.contains(": ") && !text.contains(" #")
}

/// The key of an entry and what follows it in the line; none for anything else than a plain key.
pub(super) fn entry(content: &str) -> Option<(&str, &str)> {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'$');
    let end = content.bytes().take(LONGEST_KEY).position(|byte| !is_key(&byte))?;
    let (key, rest) = content.split_at(end);
    let rest = rest.strip_prefix(':')?;
    let value = rest.trim_start_matches(' ');
    let first = *key.as_bytes().first()?;
    let is_certain = (first.is_ascii_alphabetic() || matches!(first, b'_' | b'$')) && plain(key) == Meaning::Text;
    let is_apart = rest.is_empty() || (rest.len() > value.len() && !value.is_empty());
    (is_certain && is_apart && !value.starts_with('#')).then_some((key, value))
}
