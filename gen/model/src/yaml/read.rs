//! Reading of YAML streams into JSON values.
//!
//! Invariants: no value is lost or made up: duplicate keys, tags without a meaning for Kubernetes, infinities and keys
//! that are not strings are refused with their line and column. What aliases copy, how deep documents nest and how much
//! memory one takes is limited, so that a small text cannot become a large value, and readers of the value can
//! recurse. A document that cannot be read does not hide the documents after it. JSON is YAML, and is read as such.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};
use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::block::{self, Positioned};
use super::locate::{locate, push_key};
use super::parse::{DEEPEST, YamlError, collection_tag, key_name, meaning, parser, too_deep};
use super::resolve::quoted;
use super::section::{Section, TextPosition};

/// How much anchors and aliases may copy while one text is read, in the memory that it takes.
pub(super) const MOST_COPIED: usize = 20_000_000;

/// How much memory one document may take. Two hundred times the largest published CRD, as a list of all CRDs of a full
/// cluster may be one document.
pub(super) const MOST_IN_MEMORY: usize = 400_000_000;

/// The size of a value without its text: itself, and the reserve of lists and of the allocator.
const VALUE_WEIGHT: usize = 64;

/// The size of a key without its text, with the room for its value.
const ENTRY_WEIGHT: usize = 64;

/// The size of a map without its entries: it is created with room for some.
const MAP_WEIGHT: usize = 640;

/// How many repeated keys of one document are reported.
const MOST_REPEATED: usize = 100;

/// The longest path to a repeated key for which the place of the first one is looked up.
const LONGEST_PATH: usize = 4096;

/// Reads all documents of a stream; those without content are left out.
///
/// Scalars mean what they mean to kubectl and the API server (`yes` is a boolean, a date is a string). Anchors, aliases
/// and merge keys are followed; keys written in a map win over merged ones, and earlier merged maps over later ones.
///
/// # Errors
/// The first place where the text is not YAML, repeats a key, or holds something that JSON cannot carry.
pub fn read(text: &str) -> Result<Vec<Value>, YamlError> {
    let mut values = Vec::new();
    for document in documents(text) {
        match document {
            Ok(document) => values.push(document.value),
            // The list has at least one entry; an empty one would be an internal error, and does not panic.
            Err(errors) => return errors.into_iter().next().map_or(Ok(values), Err),
        }
    }
    Ok(values)
}

/// One document of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What it holds; never null.
    pub value: Value,
    /// Its position, for [`super::locate`].
    pub section: Section,
    /// The keys that a map has twice, of which the last counts. Empty unless the reader is asked to keep them:
    /// [`Documents::with_repeated_keys`].
    pub repeated: Vec<RepeatedKey>,
}

/// A key that its map already has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedKey {
    /// Its path in the document, such as `spec.size`; the name alone if the path is very long.
    pub path: String,
    /// Where it is repeated.
    pub position: TextPosition,
}

/// The documents of a stream, one at a time, as [`read()`] understands them.
pub fn documents(text: &str) -> Documents<'_> {
    Documents(
        block::documents(text)
            .map_or_else(|| Form::Parsed(Box::new(parsed(text))), |read| Form::Block(read.into_iter())),
    )
}

/// The same, always with the parser.
pub(super) fn parsed(text: &str) -> Parsed<'_> {
    Parsed { text, parser: parser(text), reader: Reader::default(), section: None, is_at_end: false }
}

/// The documents of a stream; made by [`documents`]. Each is a document or everything that is wrong with it.
pub struct Documents<'text>(Form<'text>);

enum Form<'text> {
    /// A text of the form of [`block`], all of whose documents were read.
    Block(std::vec::IntoIter<Positioned>),
    /// Any other text.
    Parsed(Box<Parsed<'text>>),
}

impl fmt::Debug for Documents<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Documents").finish_non_exhaustive()
    }
}

impl Documents<'_> {
    /// Reads repeated keys as clients of Kubernetes do: the last one counts. The document lists them.
    #[must_use]
    pub fn with_repeated_keys(mut self) -> Self {
        if let Form::Parsed(parsed) = &mut self.0 {
            parsed.reader.keeps_last = true;
        }
        self
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Document, Vec<YamlError>>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Form::Block(read) => {
                let (value, section) = read.next()?;
                Some(Ok(Document { value, section, repeated: Vec::new() }))
            }
            Form::Parsed(parsed) => parsed.next(),
        }
    }
}

/// The documents of a text that the parser reads. Only one of them is in memory at a time.
pub(super) struct Parsed<'text> {
    text: &'text str,
    parser: Parser<'text, StrInput<'text>>,
    reader: Reader,
    section: Option<Section>,
    is_at_end: bool,
}

impl Parsed<'_> {
    /// Leaves the document that cannot be read behind.
    fn skip(&mut self) {
        if !matches!(self.parser.proceed_next_document(), Ok(true)) {
            self.is_at_end = true;
        }
    }

    /// The errors of the document that ends here, or whose reading stops here.
    fn errors(&mut self, last: Option<YamlError>) -> Vec<YamlError> {
        let section = self.section.unwrap_or_default();
        let repeated = std::mem::take(&mut self.reader.repeated);
        let paths: Vec<&str> = repeated.iter().filter_map(|key| key.path.as_deref()).collect();
        let mut positions = locate(self.text, section, &paths).into_iter();
        let mut errors: Vec<YamlError> = repeated
            .iter()
            .map(|key| {
                let first = key
                    .path
                    .as_ref()
                    .and_then(|_| positions.next())
                    .filter(|position| (position.line, position.column) < (key.line, key.column));
                let where_first = first.map_or(String::new(), |position| format!(", in line {}", position.line));
                let message = format!("the key {} is already in this map{where_first}: remove one", quoted(&key.name));
                YamlError { line: key.line, column: key.column, message }
            })
            .collect();
        errors.extend(last);
        errors
    }
}

impl Iterator for Parsed<'_> {
    type Item = Result<Document, Vec<YamlError>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_at_end {
            let error = match self.parser.next() {
                None => {
                    self.is_at_end = true;
                    continue;
                }
                Some(Err(error)) => YamlError::from_parser(&error),
                Some(Ok((Event::DocumentStart(is_explicit, _), span))) => {
                    self.reader.begin_document();
                    self.section = is_explicit.then(|| Section::explicit(self.text, &span));
                    continue;
                }
                Some(Ok((Event::DocumentEnd, _))) => {
                    if !self.reader.keeps_last && !self.reader.repeated.is_empty() {
                        return Some(Err(self.errors(None)));
                    }
                    match self.reader.root.take() {
                        Some(value) if !value.is_null() => {
                            let repeated = std::mem::take(&mut self.reader.repeated);
                            let repeated = repeated.into_iter().map(RepeatedKey::from).collect();
                            let section = self.section.unwrap_or_default();
                            return Some(Ok(Document { value, section, repeated }));
                        }
                        _ => continue,
                    }
                }
                Some(Ok((event, span))) => {
                    if self.reader.root.is_none() && self.reader.open.is_empty() && event.is_node() {
                        self.section = Some(Section::content(self.text, self.section, &span));
                    }
                    match self.reader.take(event, &span) {
                        Ok(()) => continue,
                        Err(error) => error,
                    }
                }
            };
            let errors = self.errors(Some(error));
            self.skip();
            return Some(Err(errors));
        }
        None
    }
}

#[derive(Default)]
struct Reader {
    root: Option<Value>,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    repeated: Vec<Repeated>,
    /// Whether the last of repeated keys counts. Otherwise they are errors.
    keeps_last: bool,
    /// How much was copied in the whole stream, as [`MOST_COPIED`] counts.
    copied: usize,
    /// How much the document takes, as [`MOST_IN_MEMORY`] counts.
    in_memory: usize,
}

/// A key that its map already has.
struct Repeated {
    name: String,
    line: usize,
    column: usize,
    /// Where in the document, unless that takes too long to say.
    path: Option<String>,
}

impl From<Repeated> for RepeatedKey {
    fn from(repeated: Repeated) -> Self {
        let Repeated { name, line, column, path } = repeated;
        Self { path: path.unwrap_or(name), position: TextPosition { line, column } }
    }
}

/// A finished value that aliases may refer to.
struct Anchored {
    value: Value,
    size: Size,
}

/// A map or list that has begun and not ended.
struct Open {
    content: Content,
    anchor: usize,
}

enum Content {
    List(Vec<Value>),
    Map { map: Map<String, Value>, key: Key, merged: Vec<Map<String, Value>> },
}

/// Which key a map is at.
enum Key {
    /// The next scalar is a key.
    Awaited,
    /// The next value belongs to this key.
    Named { name: String, line: usize, column: usize },
    /// The next value is merged into the map.
    Merge,
}

impl Reader {
    /// Forgets the document before; only what was copied still counts.
    fn begin_document(&mut self) {
        *self = Self { copied: self.copied, keeps_last: self.keeps_last, ..Self::default() };
    }

    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag.as_deref(), span),
            Event::MappingStart(_, anchor, tag) => {
                collection_tag(tag.as_deref(), "map", span)?;
                weigh(&mut self.in_memory, MAP_WEIGHT, span)?;
                let content = Content::Map { map: Map::new(), key: Key::Awaited, merged: Vec::new() };
                self.begin(content, anchor, span)
            }
            Event::SequenceStart(_, anchor, tag) => {
                collection_tag(tag.as_deref(), "seq", span)?;
                self.begin(Content::List(Vec::new()), anchor, span)
            }
            Event::MappingEnd | Event::SequenceEnd => self.end(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            // The start and end of the stream, comments, names of anchors.
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), YamlError> {
        let meaning = meaning(&text, style, tag, span)?;
        if let Some(Open { content: Content::Map { key: key @ Key::Awaited, .. }, .. }) = self.open.last_mut() {
            if style == ScalarStyle::Plain && tag.is_none() && text == "<<" {
                *key = Key::Merge;
                return Ok(());
            }
            let name = key_name(meaning, text, span)?;
            weigh(&mut self.in_memory, ENTRY_WEIGHT + name.len(), span)?;
            if anchor != 0 {
                let value = Value::String(name.clone());
                self.anchors.insert(anchor, Anchored { size: Size::of(&value), value });
            }
            *key = named(name, span);
            return Ok(());
        }
        let Some(value) = meaning.into_value(text) else {
            return Err(YamlError::at(
                span,
                "JSON has no infinity and no not-a-number: write a number or a quoted string",
            ));
        };
        weigh(&mut self.in_memory, VALUE_WEIGHT + value.as_str().map_or(0, str::len), span)?;
        self.put(value, anchor, span)
    }

    fn begin(&mut self, content: Content, anchor: usize, span: &Span) -> Result<(), YamlError> {
        if let Some(Open { content: Content::Map { key: Key::Awaited, .. }, .. }) = self.open.last() {
            return Err(YamlError::at(span, "the key of a map must be a string, and this is a map or list"));
        }
        self.open.push(Open { content, anchor });
        if self.open.len() > DEEPEST {
            return Err(YamlError::at(span, too_deep()));
        }
        Ok(())
    }

    fn end(&mut self, span: &Span) -> Result<(), YamlError> {
        let Some(Open { content, anchor }) = self.open.pop() else { return Ok(()) };
        let value = match content {
            Content::List(items) => Value::Array(items),
            Content::Map { mut map, merged, .. } => {
                for source in merged {
                    for (key, value) in source {
                        map.entry(key).or_insert(value);
                    }
                }
                Value::Object(map)
            }
        };
        self.put(value, anchor, span)
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<(), YamlError> {
        let size = self.anchors.get(&anchor).map_or(Size::default(), |anchored| anchored.size);
        self.count(size.weight, span)?;
        if self.open.len() + size.depth > DEEPEST {
            return Err(YamlError::at(span, too_deep()));
        }
        let Some(Anchored { value, .. }) = self.anchors.get(&anchor) else {
            return Err(YamlError::at(span, "this alias is inside the value that it refers to"));
        };
        let value = value.clone();
        if let Some(Open { content: Content::Map { key: key @ Key::Awaited, .. }, .. }) = self.open.last_mut() {
            let Value::String(name) = value else {
                return Err(YamlError::at(
                    span,
                    "the key of a map must be a string, and this alias refers to something else",
                ));
            };
            *key = named(name, span);
            return Ok(());
        }
        self.put(value, 0, span)
    }

    /// Counts what is about to be copied.
    fn count(&mut self, weight: usize, span: &Span) -> Result<(), YamlError> {
        self.copied += weight;
        if self.copied > MOST_COPIED {
            let message =
                "anchors and aliases copy more than 20 MB up to here: write the values out where they are needed";
            return Err(YamlError::at(span, message));
        }
        weigh(&mut self.in_memory, weight, span)
    }

    /// Puts a finished value where it belongs.
    fn put(&mut self, value: Value, anchor: usize, span: &Span) -> Result<(), YamlError> {
        if anchor != 0 {
            let size = Size::of(&value);
            self.count(size.weight, span)?;
            self.anchors.insert(anchor, Anchored { value: value.clone(), size });
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        match &mut open.content {
            Content::List(items) => items.push(value),
            Content::Map { map, key, merged } => match std::mem::replace(key, Key::Awaited) {
                Key::Named { name, line, column } => match map.entry(name) {
                    Entry::Vacant(vacant) => {
                        vacant.insert(value);
                    }
                    Entry::Occupied(mut occupied) => {
                        let name = occupied.key().clone();
                        if self.keeps_last {
                            occupied.insert(value);
                        }
                        self.repeat(name, line, column);
                    }
                },
                Key::Merge => merge(value, merged, span)?,
                // Keys are taken before they come here.
                Key::Awaited => {}
            },
        }
        Ok(())
    }

    /// Notes a repeated key of the innermost map.
    fn repeat(&mut self, name: String, line: usize, column: usize) {
        if self.repeated.len() < MOST_REPEATED {
            let path = self.path(&name);
            self.repeated.push(Repeated { name, line, column, path });
        }
    }

    /// The path to a key of the innermost map.
    fn path(&self, name: &str) -> Option<String> {
        let mut path = String::new();
        for open in self.open.iter().take(self.open.len().saturating_sub(1)) {
            match &open.content {
                Content::List(items) => path.push_str(&format!("[{}]", items.len())),
                Content::Map { key: Key::Named { name, .. }, .. } if name.len() < LONGEST_PATH => {
                    push_key(&mut path, name);
                }
                Content::Map { .. } => return None,
            }
        }
        if path.len() + name.len() > LONGEST_PATH {
            return None;
        }
        push_key(&mut path, name);
        Some(path)
    }
}

/// Counts what the document takes.
fn weigh(in_memory: &mut usize, weight: usize, span: &Span) -> Result<(), YamlError> {
    *in_memory += weight;
    if *in_memory > MOST_IN_MEMORY {
        let message =
            "this document takes more than 400 MB of memory up to here: split it into several, with `---` between them";
        return Err(YamlError::at(span, message));
    }
    Ok(())
}

fn named(name: String, span: &Span) -> Key {
    Key::Named { name, line: span.start.line(), column: span.start.col() + 1 }
}

/// Takes the value of a merge key: a map, or a list of maps.
fn merge(value: Value, merged: &mut Vec<Map<String, Value>>, span: &Span) -> Result<(), YamlError> {
    let items = match value {
        Value::Array(items) => items,
        single => vec![single],
    };
    for item in items {
        let Value::Object(map) = item else {
            return Err(YamlError::at(
                span,
                "the merge key `<<` takes a map or a list of maps; quote it to have a key of that name",
            ));
        };
        merged.push(map);
    }
    Ok(())
}

/// How large a value is.
#[derive(Clone, Copy, Default)]
struct Size {
    /// As [`MOST_COPIED`] counts.
    weight: usize,
    /// Levels of maps and lists.
    depth: usize,
}

impl Size {
    fn of(value: &Value) -> Self {
        let mut size = Size { weight: VALUE_WEIGHT, depth: 0 };
        match value {
            Value::String(text) => size.weight += text.len(),
            Value::Array(items) => {
                for item in items {
                    size.add(Size::of(item));
                }
                size.depth += 1;
            }
            Value::Object(map) => {
                size.weight += MAP_WEIGHT;
                for (key, item) in map {
                    size.weight += ENTRY_WEIGHT + key.len();
                    size.add(Size::of(item));
                }
                size.depth += 1;
            }
            _ => {}
        }
        size
    }

    fn add(&mut self, part: Size) {
        self.weight += part.weight;
        self.depth = self.depth.max(part.depth);
    }
}
