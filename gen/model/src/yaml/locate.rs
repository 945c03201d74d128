//! The lines of values in a YAML document.
//!
//! Invariants: positions are not kept while a document is read, since most documents have no errors; the text is parsed once more
//! for all paths together. A path that leads beyond the text (a missing key, a value of an alias or a merge
//! key) gives the position where it leaves the text. Of a duplicate key, the first is used.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use granit_parser::{Event, Span};

use super::block;
use super::parse::{key_name, meaning, parser};

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// The position of a document in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The first byte of a line from which the document can be parsed alone.
    byte: usize,
    /// The number of that line, from 1.
    line: usize,
    /// Where the document's content begins: behind the marker and comments.
    content: TextPosition,
    /// Whether the document has the form of [`block`], which is searched without the parser.
    is_plain: bool,
}

/// The whole text.
impl Default for Section {
    fn default() -> Self {
        Self { byte: 0, line: 1, content: TextPosition { line: 1, column: 1 }, is_plain: false }
    }
}

impl Section {
    /// Where the document's content begins: behind the marker `---` and comments.
    pub fn content_position(self) -> TextPosition {
        self.content
    }

    /// Of a document that begins with a marker.
    pub(super) fn explicit(text: &str, span: &Span) -> Self {
        Self::content(text, None, span)
    }

    /// Of a document of plain lines that begins in this line, given by its first byte and its number, and whose content begins in that line.
    pub(super) fn of_lines((byte, line): (usize, usize), content: usize) -> Self {
        Self { byte, line, content: TextPosition { line: content, column: 1 }, is_plain: true }
    }

    /// The same document, searched with the parser.
    #[cfg(test)]
    pub(super) fn with_parser(self) -> Self {
        Self { is_plain: false, ..self }
    }

    /// Once its content is met.
    pub(super) fn content(text: &str, marked: Option<Self>, span: &Span) -> Self {
        let content = TextPosition::of(span, 0);
        match marked {
            Some(marked) => Self { content, ..marked },
            None => {
                let before = text.get(..span.start.byte_offset().unwrap_or_default()).unwrap_or_default();
                let byte = before.rfind(['\n', '\r']).map_or(0, |index| index + 1);
                Self { byte, line: content.line, content, is_plain: false }
            }
        }
    }
}

impl TextPosition {
    fn of(span: &Span, lines_before: usize) -> Self {
        Self { line: span.start.line() + lines_before, column: span.start.col() + 1 }
    }
}

/// Where these paths of a document lead: to the key of a map's entry, or to an item of a list.
///
/// A path is written as `spec.versions[0].name`, or `["a.b"]` for a key that has characters of paths; a dot before a
/// bracket changes nothing. Keys with dots are also found as they are: `annotations.example.com/stamp`.
pub fn locate<P: AsRef<str>>(text: &str, section: Section, paths: &[P]) -> Vec<TextPosition> {
    let paths: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
    let search = Search::run(text, section, &paths, None);
    search.best.into_iter().map(|(_, position)| position).collect()
}

/// Where the items of a list of the document are; nothing if the path does not lead to a list.
pub fn item_positions(text: &str, section: Section, list: &str) -> Vec<TextPosition> {
    Search::run(text, section, &[], Some(list)).items
}

/// Extends a path for [`locate`] by a key: `.key`, or `["a.b"]` where the key itself has characters of paths.
pub fn push_key(path: &mut String, key: &str) {
    if key.is_empty() || key.contains(['.', '[', ']', '"', ' ', '\n']) {
        // Writing to a String cannot fail.
        let _ = write!(path, "[{key:?}]");
    } else {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
}

/// A path that leads into what is open, and what is left of it there.
#[derive(Clone, Copy)]
pub(super) struct Rest<'p> {
    index: usize,
    path: &'p str,
}

pub(super) struct Search<'p> {
    /// For each path, how much of it was left at the farthest place, and that place.
    best: Vec<(usize, TextPosition)>,
    /// The items of the list that is asked for.
    items: Vec<TextPosition>,
    /// How many paths, or lists, have not come to their end.
    unfinished: usize,
    open: Vec<Open<'p>>,
    lines_before: usize,
}

/// The index of the requested list, which is not one of the paths.
const LIST: usize = usize::MAX;

/// A map or list that has begun and not ended.
#[derive(Default)]
struct Open<'p> {
    /// The paths that lead into it.
    live: Vec<Rest<'p>>,
    /// In a list, those that lead into each item.
    by_item: BTreeMap<usize, Vec<Rest<'p>>>,
    /// Those that lead to the value that comes next.
    next: Vec<Rest<'p>>,
    at: At,
    /// Whether this is the list that is asked for.
    is_list: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum At {
    #[default]
    Key,
    Value,
    Item(usize),
}

impl<'p> Search<'p> {
    fn run(text: &str, section: Section, paths: &[&'p str], list: Option<&'p str>) -> Self {
        let mut search = Self {
            best: paths.iter().map(|path| (path.len(), section.content)).collect(),
            items: Vec::new(),
            // An empty path leads to the document, which is known.
            unfinished: paths.iter().filter(|path| !path.is_empty()).count() + usize::from(list.is_some()),
            open: Vec::new(),
            lines_before: section.line - 1,
        };
        let mut whole: Vec<Rest<'p>> = paths.iter().enumerate().map(|(index, path)| Rest { index, path }).collect();
        whole.extend(list.map(|path| Rest { index: LIST, path }));
        let text = text.get(section.byte..).unwrap_or_default();
        if section.is_plain {
            search.open.push(Open { live: whole, ..Open::default() });
            block::search(text, section.line - 1, &mut search);
            return search;
        }
        let mut root = Some(whole);
        let mut parser = parser(text);
        while !search.is_finished() {
            let Some(Ok((event, span))) = parser.next() else { break };
            match event {
                Event::DocumentEnd => break,
                Event::Scalar(text, style, _, tag) if search.awaits_key() => {
                    let name = meaning(&text, style, tag.as_deref(), &span)
                        .and_then(|meaning| key_name(meaning, text.clone(), &span))
                        .unwrap_or_else(|_| text.into_owned());
                    search.key(&name, search.position(&span));
                }
                Event::Alias(_) if search.awaits_key() => search.key("", search.position(&span)),
                Event::Scalar(..) | Event::Alias(_) => {
                    search.value(&mut root, search.position(&span));
                }
                Event::MappingStart(..) => {
                    let live = search.value(&mut root, search.position(&span));
                    search.open_map(live);
                }
                Event::SequenceStart(..) => {
                    let live = search.value(&mut root, search.position(&span));
                    search.open_list(live);
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    search.close();
                }
                _ => {}
            }
        }
        search
    }

    /// Whether all paths have come to their end.
    pub(super) fn is_finished(&self) -> bool {
        self.unfinished == 0
    }

    /// A map begins into which these paths lead.
    pub(super) fn open_map(&mut self, live: Vec<Rest<'p>>) {
        self.open.push(Open { live, ..Open::default() });
    }

    /// A list begins into which these paths lead.
    pub(super) fn open_list(&mut self, live: Vec<Rest<'p>>) {
        let is_list = live.iter().any(|rest| rest.index == LIST && rest.path.is_empty());
        // Once for the list, so that many paths into a long list take linear time.
        let mut by_item: BTreeMap<usize, Vec<Rest<'p>>> = BTreeMap::new();
        for (index, rest) in live.into_iter().filter_map(Rest::below_item) {
            by_item.entry(index).or_default().push(rest);
        }
        self.open.push(Open { by_item, at: At::Item(0), is_list, ..Open::default() });
    }

    /// A map or list ends.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    fn position(&self, span: &Span) -> TextPosition {
        TextPosition::of(span, self.lines_before)
    }

    fn awaits_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.at == At::Key)
    }

    /// A key of the open map.
    pub(super) fn key(&mut self, name: &str, position: TextPosition) {
        let Some(open) = self.open.last_mut() else { return };
        open.at = At::Value;
        open.next = open.live.iter().filter_map(|rest| rest.below_key(name)).collect();
        self.arrive(position);
    }

    /// A value begins: the paths that lead to it.
    pub(super) fn value(&mut self, root: &mut Option<Vec<Rest<'p>>>, position: TextPosition) -> Vec<Rest<'p>> {
        let Some(open) = self.open.last_mut() else { return root.take().unwrap_or_default() };
        match open.at {
            // A key that is a map or list is ignored.
            At::Key => {
                open.at = At::Value;
                open.next = Vec::new();
                return Vec::new();
            }
            At::Value => open.at = At::Key,
            At::Item(index) => {
                open.at = At::Item(index + 1);
                if open.is_list {
                    self.items.push(position);
                }
                open.next = open.by_item.remove(&index).unwrap_or_default();
                self.arrive(position);
            }
        }
        self.open.last_mut().map(|open| std::mem::take(&mut open.next)).unwrap_or_default()
    }

    /// Notes how far the paths have come that lead to what comes next.
    fn arrive(&mut self, position: TextPosition) {
        let Some(open) = self.open.last() else { return };
        for rest in &open.next {
            let Some(best) = self.best.get_mut(rest.index) else { continue };
            if rest.path.len() < best.0 {
                *best = (rest.path.len(), position);
                self.unfinished -= usize::from(rest.path.is_empty());
            }
        }
    }
}

impl Rest<'_> {
    fn below_key(self, name: &str) -> Option<Self> {
        let path = self.path.strip_prefix('.').unwrap_or(self.path);
        let path = if path.starts_with("[\"") {
            path.strip_prefix(format!("[{name:?}]").as_str())?
        } else {
            path.strip_prefix(name)
                .filter(|path| !name.is_empty() && (path.is_empty() || path.starts_with(['.', '['])))?
        };
        Some(Self { path, ..self })
    }

    /// The item that the path leads into, and what is left of it there.
    fn below_item(self) -> Option<(usize, Self)> {
        let path = self.path.strip_prefix('.').unwrap_or(self.path).strip_prefix('[')?;
        let (number, path) = path.split_once(']')?;
        Some((number.parse().ok()?, Self { path, ..self }))
    }
}
