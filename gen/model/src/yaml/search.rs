//! The search for paths in a document, whichever reader it has.
//!
//! Invariants: readers report keys, values, begins and ends of maps and lists in the order of the text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::section::{Section, TextPosition};

/// A path that leads into what is open, and what is left of it there.
#[derive(Clone, Copy)]
pub(super) struct Rest<'p> {
    index: usize,
    path: &'p str,
}

pub(super) struct Search<'p> {
    /// For each path, how much of it was left at the farthest place, and that place.
    pub(super) best: Vec<(usize, TextPosition)>,
    /// The items of the list that is asked for.
    pub(super) items: Vec<TextPosition>,
    /// How many paths, or lists, have not come to their end.
    unfinished: usize,
    open: Vec<Open<'p>>,
}

/// The index of the requested list, which is not one of the paths.
const LIST: usize = usize::MAX;

/// A map or list that has begun and not ended.
#[derive(Default)]
struct Open<'p> {
    /// The paths that lead into it; of a map, in order and without a dot before them.
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
    Value,
    Item(usize),
}

impl<'p> Search<'p> {
    /// A search for these paths, and for the items of a list. The paths lead into the document.
    pub(super) fn new(section: Section, paths: &[&'p str], list: Option<&'p str>) -> (Self, Vec<Rest<'p>>) {
        let search = Self {
            best: paths.iter().map(|path| (path.len(), section.content)).collect(),
            items: Vec::new(),
            // An empty path leads to the document, which is known.
            unfinished: paths.iter().filter(|path| !path.is_empty()).count() + usize::from(list.is_some()),
            open: Vec::new(),
        };
        let mut whole: Vec<Rest<'p>> = paths.iter().enumerate().map(|(index, path)| Rest { index, path }).collect();
        whole.extend(list.map(|path| Rest { index: LIST, path }));
        (search, whole)
    }

    /// Whether all paths have come to their end.
    pub(super) fn is_finished(&self) -> bool {
        self.unfinished == 0
    }

    /// A map begins into which these paths lead.
    pub(super) fn open_map(&mut self, mut live: Vec<Rest<'p>>) {
        // In order, so that each key finds its paths without reading all of them.
        live.iter_mut().for_each(|rest| rest.path = rest.path.strip_prefix('.').unwrap_or(rest.path));
        live.sort_unstable_by_key(|rest| rest.path);
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

    /// A key of the open map.
    pub(super) fn key(&mut self, name: &str, position: TextPosition) {
        let Some(open) = self.open.last_mut() else { return };
        open.next.clear();
        if !open.live.is_empty() {
            for key in [name, &format!("[{name:?}]")].into_iter().filter(|key| !key.is_empty()) {
                let from = open.live.partition_point(|rest| rest.path < key);
                let of_key = open.live[from..].iter().take_while(|rest| rest.path.starts_with(key));
                open.next.extend(of_key.filter_map(|rest| rest.below_key(name)));
            }
        }
        self.arrive(position);
    }

    /// A value begins: the paths that lead to it.
    pub(super) fn value(&mut self, position: TextPosition) -> Vec<Rest<'p>> {
        let Some(open) = self.open.last_mut() else { return Vec::new() };
        if let At::Item(index) = open.at {
            open.at = At::Item(index + 1);
            if open.is_list {
                self.items.push(position);
            }
            open.next = open.by_item.remove(&index).unwrap_or_default();
            self.arrive(position);
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

/// Extends a path for [`super::locate`] by a key: `.key`, or `["a.b"]` where the key itself has characters of paths.
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
