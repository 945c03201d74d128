//! Reading of streams into JSON values, as kubectl reads them.
//!
//! A text is split into documents, and these are decoded, as its libraries do: `YAMLOrJSONDecoder` of k8s.io/apimachinery 0.36,
//! sigs.k8s.io/yaml 1.6, and `decode.go` of go.yaml.in/yaml/v2.
//!
//! Invariants: no value is lost or made up: what clients refuse is an error with its line and column. What aliases copy, how deep
//! documents nest and how much memory one takes is limited, so that a small text cannot become a large value, and readers of the value
//! can recurse. A document that cannot be read does not hide the documents after it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::block::{self, Positioned};
use super::compose::{Content, Node, Style, compose};
use super::json;
use super::parse::{DEEPEST, YamlError, too_deep};
use super::resolve::{Meaning, key_name, plain, quoted, tagged};
use super::search::push_key;
use super::section::{Form as Searched, Section, TextPosition};

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
/// Texts mean what they mean to kubectl: documents are separated by lines that begin with `---`, `yes` is a boolean, `1.0` is the integer 1, a
/// date is a string, tags that YAML does not define make strings, and a merge key replaces the keys before it. A text that begins with `{` is
/// JSON if it can be: one object after the other, without separators, with numbers as they are written.
///
/// # Errors
/// The first place that kubectl refuses, or where a key is repeated.
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
        block::documents(text, None)
            .map_or_else(|| Form::Parsed(Box::new(parsed(text))), |read| Form::Block(read.into_iter())),
    )
}

/// The same, always from the nodes.
pub(super) fn parsed(text: &str) -> Parsed<'_> {
    let json_read = text.trim_start().starts_with('{').then_some(0);
    let position = TextPosition { line: 1, column: 1 };
    Parsed { text, at: 0, position, marker: None, json_read, keeps_last: false, copied: 0 }
}

/// The documents of a stream; made by [`documents`]. Each is a document or everything that is wrong with it.
pub struct Documents<'text>(Form<'text>);

enum Form<'text> {
    /// A text of the form of [`block`], all of whose documents were read.
    Block(std::vec::IntoIter<Positioned>),
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
            parsed.keeps_last = true;
        }
        self
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Document, Vec<YamlError>>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Form::Block(read) => {
                let (value, section, _) = read.next()?;
                Some(Ok(Document { value, section, repeated: Vec::new() }))
            }
            Form::Parsed(parsed) => parsed.next(),
        }
    }
}

/// The text of a document and what follows it.
pub(super) struct Chunk<'t> {
    pub(super) text: &'t str,
    /// The first byte of the marker behind it, and of the next document.
    marker: Option<usize>,
    next: usize,
}

impl<'t> Chunk<'t> {
    /// The first document of a text. It has its own marker only if no document is before that.
    pub(super) fn of(text: &'t str) -> Self {
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            if end > 0 && line.starts_with("---") {
                let (marker, next) = if is_marker(line) { (Some(end), end + line.len()) } else { (None, end) };
                return Self { text: text.get(..end).unwrap_or_default(), marker, next };
            }
            end += line.len();
        }
        Self { text, marker: None, next: end }
    }
}

/// Whether only a comment is behind a marker `---`.
fn is_marker(line: &str) -> bool {
    let behind = line.strip_prefix("---").unwrap_or_default().trim();
    behind.is_empty() || behind.starts_with('#')
}

/// The white space that clients skip when a text proves not to be JSON; none if what is left is too short for them.
fn space_before_yaml(text: &str) -> Option<usize> {
    const SHORTEST: usize = 4;
    let mut space = 0;
    loop {
        let rest = text.get(space..).filter(|rest| rest.len() >= SHORTEST)?;
        match rest.chars().next()? {
            '\n' => return Some(space + 1),
            character if character.is_whitespace() => space += character.len_utf8(),
            _ => return Some(space),
        }
    }
}

/// The documents of a text that are read from their nodes. Only one of them is in memory at a time.
pub(super) struct Parsed<'text> {
    text: &'text str,
    /// The first byte that is not read, and its place.
    at: usize,
    position: TextPosition,
    /// The marker before it: its first byte and its line.
    marker: Option<(usize, usize)>,
    /// How many documents of JSON were read, as long as the text is JSON.
    json_read: Option<usize>,
    /// Whether the last of repeated keys counts. Otherwise they are errors.
    keeps_last: bool,
    /// How much was copied in the whole stream, as [`MOST_COPIED`] counts.
    copied: usize,
}

impl<'text> Parsed<'text> {
    /// Moves behind a part of the text.
    fn advance(&mut self, length: usize) {
        let passed = self.text.get(self.at..self.at + length).unwrap_or_default();
        self.position = json::position_behind(passed, self.position);
        self.at += length;
    }

    /// The next document of JSON. None if the text is not JSON here, and may be YAML.
    fn json(&mut self, rest: &'text str, read: usize) -> Option<Result<(Rc<Node>, Section), YamlError>> {
        match json::length(rest, self.position)? {
            Ok(length) => {
                self.json_read = Some(read + 1);
                let node = json::compose(rest, self.position);
                let space = rest.len() - rest.trim_start().len();
                let section = |content: TextPosition| Section {
                    byte: self.at + space,
                    line: content.line,
                    content,
                    form: Searched::Json,
                };
                let node = node.map(|node| (Rc::clone(&node), section(node.position)));
                self.advance(length);
                Some(node)
            }
            Err(error) => {
                self.json_read = None;
                match space_before_yaml(rest).filter(|_| read < 2) {
                    Some(space) => {
                        self.advance(space);
                        None
                    }
                    None => {
                        self.at = self.text.len();
                        Some(Err(error))
                    }
                }
            }
        }
    }

    /// The next document of YAML; none if it is empty.
    fn yaml(&mut self, rest: &'text str) -> Option<Result<(Rc<Node>, Section), YamlError>> {
        let (at, start) = (self.at, self.position);
        let chunk = Chunk::of(rest);
        self.advance(chunk.marker.unwrap_or(chunk.next));
        let marker = self.marker.take();
        self.marker = chunk.marker.map(|marker| (at + marker, self.position.line));
        self.advance(chunk.next - chunk.marker.unwrap_or(chunk.next));
        let has_marker = chunk.text.starts_with("---");
        if has_marker && !chunk.text.lines().next().is_some_and(is_marker) {
            let message =
                "clients refuse a document that begins in the line of its marker `---`: begin it in the next line";
            return Some(Err(YamlError::at(start, message)));
        }
        let node = match compose(chunk.text, start.line) {
            Ok(node) => node?,
            Err(error) => return Some(Err(error)),
        };
        let content = node.position;
        let line_start = || {
            let before = content.line.saturating_sub(start.line);
            (at + chunk.text.split_inclusive('\n').take(before).map(str::len).sum::<usize>(), content.line)
        };
        let (byte, line) = if has_marker { (at, start.line) } else { marker.unwrap_or_else(line_start) };
        Some(Ok((node, Section { byte, line, content, form: Searched::Yaml })))
    }

    /// The value of a node. None if it is null.
    fn document(&mut self, node: &Node, section: Section) -> Option<Result<Document, Vec<YamlError>>> {
        let mut decoder = Decoder { copied: self.copied, ..Decoder::default() };
        let value = decoder.value(node, 0);
        let Decoder { copied, repeated, .. } = decoder;
        self.copied = copied;
        let failed = match value {
            Ok(_) if !self.keeps_last && !repeated.is_empty() => None,
            Ok(Value::Null) => return None,
            Ok(value) => {
                let repeated = repeated.into_iter().map(RepeatedKey::from).collect();
                return Some(Ok(Document { value, section, repeated }));
            }
            Err(error) => Some(error),
        };
        Some(Err(repeated.into_iter().map(YamlError::from).chain(failed).collect()))
    }
}

impl Iterator for Parsed<'_> {
    type Item = Result<Document, Vec<YamlError>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
            let is_json = self.json_read.is_some();
            let read = match self.json_read {
                Some(read) => self.json(rest, read),
                None => self.yaml(rest),
            };
            match read {
                Some(Ok((node, section))) => {
                    if let Some(document) = self.document(&node, section) {
                        return Some(document);
                    }
                }
                Some(Err(error)) => return Some(Err(vec![error])),
                // Only white space was left.
                None if is_json && self.json_read.is_some() => return None,
                None => {}
            }
        }
    }
}

/// A key that its map already has.
struct Repeated {
    name: String,
    position: TextPosition,
    first: Option<TextPosition>,
    /// Where in the document, unless that takes too long to say.
    path: Option<String>,
}

impl From<Repeated> for RepeatedKey {
    fn from(repeated: Repeated) -> Self {
        let Repeated { name, position, path, .. } = repeated;
        Self { path: path.unwrap_or(name), position }
    }
}

impl From<Repeated> for YamlError {
    fn from(repeated: Repeated) -> Self {
        let where_first = repeated.first.map_or(String::new(), |first| format!(", in line {}", first.line));
        let name = quoted(&repeated.name);
        YamlError::at(repeated.position, format!("the key {name} is already in this map{where_first}: remove one"))
    }
}

/// What makes the value of one document.
#[derive(Default)]
struct Decoder<'n> {
    /// The collections around this place, with the indices of their open items.
    path: Vec<(&'n Node, usize)>,
    repeated: Vec<Repeated>,
    /// How many aliases are around this place.
    aliases: usize,
    /// How many nodes were read, and how many of them through aliases.
    nodes: usize,
    aliased: usize,
    copied: usize,
    /// How much the document takes, as [`MOST_IN_MEMORY`] counts.
    in_memory: usize,
}

type Decoded<T> = Result<T, YamlError>;

impl<'n> Decoder<'n> {
    fn value(&mut self, node: &'n Node, depth: usize) -> Decoded<Value> {
        self.count(node)?;
        match &node.content {
            Content::Scalar(..) => {
                let (meaning, text) = scalar(node)?;
                self.weigh(VALUE_WEIGHT + text.len(), node)?;
                let is_json = matches!(node.content, Content::Scalar(_, Style::Json));
                let value = match meaning {
                    Meaning::Float(float) if is_json => serde_json::Number::from_f64(float).map(Value::Number),
                    Meaning::Text if is_json => None,
                    meaning => meaning.into_value(text),
                };
                value.ok_or_else(|| {
                    let message = "JSON has no infinity and no not-a-number: write a number or a quoted string";
                    YamlError::at(node.position, message)
                })
            }
            Content::List(items) => {
                self.weigh(VALUE_WEIGHT, node)?;
                open(node, depth)?;
                let mut values = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    self.path.push((node, index));
                    values.push(self.value(item, depth + 1)?);
                    self.path.pop();
                }
                Ok(Value::Array(values))
            }
            Content::Map(_) => {
                let mut map = Map::new();
                self.entries(node, &mut map, depth)?;
                Ok(Value::Object(map))
            }
            Content::Alias(target) => self.through(node, |decoder| decoder.value(target, depth)),
        }
    }

    /// Reads what an alias refers to. Errors are at the alias.
    fn through<T>(&mut self, alias: &Node, read: impl FnOnce(&mut Self) -> Decoded<T>) -> Decoded<T> {
        self.aliases += 1;
        let read = read(self).map_err(|error| YamlError::at(alias.position, error.message));
        self.aliases -= 1;
        read
    }

    /// Puts the entries of a map into a map, where the last of equal keys counts.
    fn entries(&mut self, node: &'n Node, into: &mut Map<String, Value>, depth: usize) -> Decoded<()> {
        let Content::Map(entries) = &node.content else { return Ok(()) };
        self.weigh(MAP_WEIGHT, node)?;
        open(node, depth)?;
        // Keys of merged maps are replaced, and are not repeated.
        let is_merged = !into.is_empty() || entries.iter().any(|(key, _)| is_merge(key));
        let mut own = is_merged.then(HashSet::new);
        for (index, (key, value)) in entries.iter().enumerate() {
            self.path.push((node, index));
            if is_merge(key) {
                self.merge(value, into, depth, true)?;
            } else {
                self.count(key)?;
                let name = name_of(key)?;
                self.weigh(ENTRY_WEIGHT + name.len(), key)?;
                let value = self.value(value, depth + 1)?;
                let is_repeated = match &mut own {
                    Some(own) => !own.insert(name.clone()),
                    None => into.contains_key(&name),
                };
                if is_repeated && self.aliases == 0 && self.repeated.len() < MOST_REPEATED {
                    let is_first = |(key, _): &&(Rc<Node>, Rc<Node>)| name_of(key).is_ok_and(|first| first == name);
                    let first = entries[..index].iter().find(is_first).map(|(key, _)| key.position);
                    let path = self.written_path();
                    self.repeated.push(Repeated { name: name.clone(), position: key.position, first, path });
                }
                into.insert(name, value);
            }
            self.path.pop();
        }
        Ok(())
    }

    /// Puts the entries of the value of a merge key into its map. Of a list, those of the first map are put last.
    fn merge(&mut self, node: &'n Node, into: &mut Map<String, Value>, depth: usize, may_be_list: bool) -> Decoded<()> {
        self.count(node)?;
        match &node.content {
            Content::Map(_) => self.entries(node, into, depth),
            Content::Alias(target) if matches!(target.content, Content::Map(_)) => {
                self.through(node, |decoder| decoder.merge(target, into, depth, false))
            }
            Content::List(items) if may_be_list => {
                items.iter().rev().try_for_each(|item| self.merge(item, into, depth, false))
            }
            _ => {
                let message = "the merge key `<<` takes a map or a list of maps; quote it to have a key of that name";
                Err(YamlError::at(node.position, message))
            }
        }
    }

    /// Counts a node. go-yaml refuses documents whose nodes are nearly all copied by aliases: 99 of 100, and fewer in large documents.
    fn count(&mut self, node: &Node) -> Decoded<()> {
        const RANGE: std::ops::Range<f64> = 400_000.0..4_000_000.0;
        self.nodes += 1;
        self.aliased += usize::from(self.aliases > 0);
        if self.aliased <= 100 || self.nodes <= 1000 {
            return Ok(());
        }
        #[allow(clippy::cast_precision_loss, reason = "the numbers are small")]
        let (nodes, aliased) = (self.nodes as f64, self.aliased as f64);
        let over = ((nodes - RANGE.start) / (RANGE.end - RANGE.start)).clamp(0.0, 1.0);
        match aliased / nodes > 0.99 - 0.89 * over {
            true => Err(YamlError::at(node.position, COPIES)),
            false => Ok(()),
        }
    }

    /// Counts what a part of the value takes.
    fn weigh(&mut self, weight: usize, node: &Node) -> Decoded<()> {
        self.copied += if self.aliases > 0 { weight } else { 0 };
        self.in_memory += weight;
        if self.copied > MOST_COPIED {
            return Err(YamlError::at(node.position, COPIES));
        }
        if self.in_memory > MOST_IN_MEMORY {
            let message = "this document takes more than 400 MB of memory up to here: split it into several, with `---` between them";
            return Err(YamlError::at(node.position, message));
        }
        Ok(())
    }

    /// The path to the key that is read.
    fn written_path(&self) -> Option<String> {
        let mut path = String::new();
        for (node, index) in &self.path {
            match &node.content {
                Content::Map(entries) => {
                    let key = entries.get(*index).map(|(key, _)| key).filter(|key| !is_merge(key))?;
                    push_key(&mut path, &name_of(key).ok()?);
                }
                _ => path.push_str(&format!("[{index}]")),
            }
            if path.len() > LONGEST_PATH {
                return None;
            }
        }
        Some(path)
    }
}

/// The message for documents that aliases make large.
const COPIES: &str = "anchors and aliases copy more than 20 MB, or nearly the whole document, up to here: write the values out where they are needed";

/// A map or list begins inside of this many.
fn open(node: &Node, depth: usize) -> Decoded<()> {
    match depth < DEEPEST {
        true => Ok(()),
        false => Err(YamlError::at(node.position, too_deep())),
    }
}

/// What a scalar means, and its text.
fn scalar(node: &Node) -> Decoded<(Meaning, Cow<'_, str>)> {
    match (&node.content, &node.tag) {
        (Content::Scalar(text, _), Some(tag)) => {
            tagged(text, tag).map_err(|message| YamlError::at(node.position, message))
        }
        (Content::Scalar(text, Style::Plain | Style::Json), None) => Ok((plain(text), Cow::Borrowed(text))),
        (Content::Scalar(text, Style::Text), None) => Ok((Meaning::Text, Cow::Borrowed(text))),
        (Content::Alias(target), _) => scalar(target).map_err(|error| YamlError::at(node.position, error.message)),
        (Content::List(_) | Content::Map(_), _) => {
            Err(YamlError::at(node.position, "the key of a map must be a string, and this is a map or list"))
        }
    }
}

/// The name of a key.
pub(super) fn name_of(key: &Node) -> Decoded<String> {
    let (meaning, text) = scalar(key)?;
    key_name(&meaning, &text).ok_or_else(|| {
        let found = meaning.describe(&text);
        YamlError::at(key.position, format!("the key of a map must be a string, and this is {found}: put it in quotes"))
    })
}

/// Whether the value of a key is merged into the map.
fn is_merge(key: &Node) -> bool {
    match (&key.content, key.tag.as_deref()) {
        (Content::Scalar(text, style), None) => text == "<<" && *style == Style::Plain,
        (Content::Scalar(text, _), Some(tag)) => text == "<<" && matches!(tag, "!" | "tag:yaml.org,2002:merge"),
        _ => false,
    }
}
