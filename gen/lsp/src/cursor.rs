//! What is at a place of a text of objects: in which object, at which path, and whether a key or a value is written there.
//!
//! The text may be broken, because it is typed. So nothing is parsed: YAML in block style is read by its lines and indentation (`block`), JSON and flow
//! collections by their signs (`flow`).
//!
//! Invariants: what is not understood has no answer, and never a wrong one. Steps are names as they are written, without quotes; whether a name
//! is a field or a key of a map is decided with the schema.
//!
//! Not understood, so without an answer: places in comments, in block scalars (`|`, `>`) and in scalars of several lines; keys of `?`; keys
//! with escapes; aliases; places below a line that is indented with tabs, or that is neither a key nor an item; documents with content behind
//! `---`; quoted texts of several lines in flow collections, and pairs (`[a: b]`) in flow lists. Anchors and tags before a block map are
//! skipped, merge keys and aliases are not followed. A flow collection whose lines are not indented more than its key, which YAML 1.2 does not
//! permit, is read as block lines. Lines of templates (`{{ … }}`) are skipped.

mod block;
mod flow;
#[cfg(test)]
pub(crate) mod tests;

use crd_model::schema::Step;
use crd_model::yaml::TextPosition;

use self::block::{Found, Lines};
use self::flow::Flow;

/// A place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor<'t> {
    /// Of the object around it; empty if it is not written.
    pub(crate) api_version: &'t str,
    pub(crate) kind: &'t str,
    /// From the object to the map that a key is in, or to the value.
    pub(crate) path: Vec<Step<&'t str>>,
    pub(crate) at: At<'t>,
    pub(crate) word: Word<'t>,
    pub(crate) style: Style,
}

/// What is written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At<'t> {
    /// A key, or a word without a colon: a key that is typed, or an item.
    Key {
        /// The other keys of the map.
        siblings: Vec<&'t str>,
        /// The column of the keys of the map, from 0; in flow collections 0.
        indent: usize,
        /// Whether a colon follows.
        is_entry: bool,
    },
    Value {
        /// Whether the place is directly behind the colon.
        needs_space: bool,
    },
}

/// The word at a place, without its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) raw: &'t str,
    /// The part before the place.
    pub(crate) typed: &'t str,
    /// Its first column, from 1 in characters; while a place is searched, its byte from 0.
    pub(crate) start: usize,
    pub(crate) quote: Quote,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    None,
    /// Only the first quote is written.
    Open,
    Closed,
}

/// How the map or list around a place is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Block,
    Flow,
    Json,
}

/// Where a map or list is.
#[derive(Clone, Copy)]
enum Place {
    Block {
        line: usize,
        column: usize,
    },
    /// The number of the flow collection.
    Flow(usize),
}

/// A step, and the map or list that it leaves.
struct Level<'t> {
    step: Step<&'t str>,
    place: Place,
}

/// What is at a position, in its document.
struct Spot<'t> {
    /// The outermost first.
    levels: Vec<Level<'t>>,
    /// The map that a key is in.
    place: Place,
    at: At<'t>,
    word: Word<'t>,
    style: Style,
}

impl Place {
    fn column(self) -> usize {
        match self {
            Self::Block { column, .. } => column,
            Self::Flow(_) => 0,
        }
    }
}

impl<'t> Word<'t> {
    /// The word that begins at a byte, without its quotes; none if the place, in bytes of the text, is not in it, or if it has no scalar.
    fn new(text: &'t str, at: usize, start: usize) -> Option<Self> {
        let (raw, quote, skipped) = match text.as_bytes().first()? {
            quote @ (b'"' | b'\'') => match text[1..].strip_suffix(char::from(*quote)) {
                Some(raw) => (raw, Quote::Closed, 1),
                None if text[1..].contains(char::from(*quote)) => return None,
                None => (&text[1..], Quote::Open, 1),
            },
            b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`' | b'}' | b']' | b',' | b'#' | b'\t' => return None,
            b'?' if text[1..].is_empty() || text[1..].starts_with(' ') => return None,
            _ => (text, Quote::None, 0),
        };
        let typed = raw.get(..at.checked_sub(skipped)?)?;
        Some(Self { raw, typed, start: start + skipped, quote })
    }

    /// How many characters it has.
    pub(crate) fn length(&self) -> usize {
        self.raw.chars().count()
    }
}

/// What is at a position of a text. `is_kind` is whether a kind is that of a CRD, although it ends with `List`.
pub(crate) fn cursor<'t>(
    text: &'t str,
    position: TextPosition,
    is_kind: &dyn Fn(&str, &str) -> bool,
) -> Option<Cursor<'t>> {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect::<Vec<_>>();
    let number = position.line.checked_sub(1)?;
    let byte = byte_of(lines.get(number)?, position.column)?;
    let (first, last) = document(&lines, number)?;
    let document = Document { text, lines: Lines { lines: &lines[first..last] }, flow: None };
    document.cursor(number - first, byte, is_kind)
}

/// The byte of a column of a line.
fn byte_of(line: &str, column: usize) -> Option<usize> {
    let ends = line.char_indices().map(|(byte, _)| byte).chain([line.len()]);
    ends.take(column).nth(column.checked_sub(1)?)
}

/// The lines of the document that a line is in, without its marker; none if the line is a marker.
fn document(lines: &[&str], number: usize) -> Option<(usize, usize)> {
    let marker = |line: &str| {
        let behind = line.strip_prefix("---").or_else(|| line.strip_prefix("..."))?;
        (behind.is_empty() || behind.starts_with([' ', '\t']))
            .then(|| behind.trim().is_empty() || behind.trim().starts_with('#'))
    };
    if marker(lines[number]).is_some() {
        return None;
    }
    let above = lines[..number].iter().enumerate().rev().find_map(|(above, line)| Some((above, marker(line)?)));
    let first = match above {
        Some((above, true)) => above + 1,
        Some((_, false)) => return None,
        None => 0,
    };
    let below = lines[number..].iter().position(|line| marker(line).is_some());
    Some((first, below.map_or(lines.len(), |below| number + below)))
}

/// A document while a place in it is searched.
struct Document<'l, 't> {
    text: &'t str,
    lines: Lines<'l, 't>,
    flow: Option<Flow<'t>>,
}

impl<'t> Document<'_, 't> {
    fn cursor(mut self, number: usize, byte: usize, is_kind: &dyn Fn(&str, &str) -> bool) -> Option<Cursor<'t>> {
        let mut spot = match self.flow_document() {
            Some(start) => self.in_flow(start, (number, byte), Style::Json, Vec::new())?,
            None => match self.lines.find(number, byte)? {
                Found::Spot(spot) => spot,
                Found::Flow(levels, start) => self.in_flow(start, (number, byte), Style::Flow, levels)?,
            },
        };
        let (line_start, line) = (self.offset(number), self.lines.lines[number]);
        if spot.style != Style::Block {
            spot.word.start -= line_start;
        }
        spot.word.start = line.get(..spot.word.start)?.chars().count() + 1;
        let (api_version, kind, above) = self.object(&spot, is_kind);
        let path = spot.levels.into_iter().skip(above).map(|level| level.step).collect();
        let Spot { at, word, style, .. } = spot;
        Some(Cursor { api_version, kind, path, at, word, style })
    }

    /// The first line of the document with content, if it begins a flow collection.
    fn flow_document(&self) -> Option<(usize, usize)> {
        let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let (number, line) = self.lines.lines.iter().enumerate().find(|(_, line)| is_content(line))?;
        let content = line.trim_start();
        let is_flow = content.starts_with(['{', '[']) && !content.starts_with("{{");
        is_flow.then_some((number, line.len() - content.len()))
    }

    /// The byte of the text where a line begins.
    fn offset(&self, number: usize) -> usize {
        self.lines.lines[number].as_ptr().addr() - self.text.as_ptr().addr()
    }

    fn in_flow(
        &mut self,
        start: (usize, usize),
        at: (usize, usize),
        style: Style,
        mut levels: Vec<Level<'t>>,
    ) -> Option<Spot<'t>> {
        let last = self.lines.lines.len() - 1;
        let text = &self.text[..self.offset(last) + self.lines.lines[last].len()];
        let [start, at] = [start, at].map(|(number, byte)| self.offset(number) + byte);
        let is_yaml = text[start + 1..].trim_start().starts_with(|first: char| first != '"' && !"{}[]".contains(first));
        let style = if is_yaml { Style::Flow } else { style };
        let mut flow = Flow::scan(text, start, at, style);
        let mut spot = flow.take()?;
        levels.append(&mut spot.levels);
        self.flow = Some(flow);
        Some(Spot { levels, ..spot })
    }

    fn entries(&self, place: Place) -> Vec<(&'t str, &'t str)> {
        match place {
            Place::Block { line, column } => {
                self.lines.entries(line, column).into_iter().map(|(key, value, _)| (key, value)).collect()
            }
            Place::Flow(index) => self.flow.as_ref().map(|flow| flow.entries(index).to_vec()).unwrap_or_default(),
        }
    }

    /// The API version and kind of the object around a place, and how many steps lead to the object.
    fn object(&self, spot: &Spot<'t>, is_kind: &dyn Fn(&str, &str) -> bool) -> (&'t str, &'t str, usize) {
        let (mut inherited, mut above) = (("", ""), 0);
        loop {
            let entries = self.entries(spot.levels.get(above).map_or(spot.place, |level| level.place));
            let value = |name: &str, inherited: &'t str| {
                let value = entries.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
                value
                    .map(|value| value.trim_matches(['"', '\'']))
                    .filter(|value| !value.is_empty())
                    .unwrap_or(inherited)
            };
            let (api_version, kind) = (value("apiVersion", inherited.0), value("kind", inherited.1));
            let items = match spot.levels.get(above..above + 2) {
                Some([items, item]) => items.step == Step::Field("items") && item.step == Step::Item,
                _ => false,
            };
            match kind.strip_suffix("List").filter(|_| items && !is_kind(api_version, kind)) {
                Some("") => inherited = ("", ""),
                Some(kind) => inherited = (api_version, kind),
                None => return (api_version, kind, above),
            }
            above += 2;
        }
    }
}
