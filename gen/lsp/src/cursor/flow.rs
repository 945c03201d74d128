//! Places in flow collections: JSON, and `{key: value}` in YAML.
//!
//! Invariants: the scan ends at the first text that is not understood; there is no place behind it. In JSON, a text ends with its line at the
//! latest, and a missing comma or colon between two words is inserted, since both are typed later.

use crd_model::schema::Step;

use super::{At, Level, Place, Quote, Spot, Style, Word};

/// The collections of a text, and where the position is.
pub(super) struct Flow<'t> {
    text: &'t str,
    /// The byte of the position.
    at: usize,
    style: Style,
    collections: Vec<Collection<'t>>,
    open: Option<usize>,
    found: Option<Spot<'t>>,
}

struct Collection<'t> {
    /// The one around it, and the step from it.
    parent: Option<(usize, Step<&'t str>)>,
    is_map: bool,
    /// Keys, and values that are scalars.
    entries: Vec<(&'t str, &'t str)>,
    state: State,
    /// Which key the position is in.
    own: Option<usize>,
}

/// What comes next in a collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Key,
    Colon,
    Value,
    Comma,
}

impl<'t> Flow<'t> {
    /// Scans a text from a byte: one collection, or in JSON all of the text.
    pub(super) fn scan(text: &'t str, start: usize, at: usize, style: Style) -> Self {
        let mut flow = Self { text, at, style, collections: Vec::new(), open: None, found: None };
        flow.run(start);
        if let Some(Spot { place: Place::Flow(index), at: At::Key { siblings, .. }, .. }) = &mut flow.found {
            let Collection { entries, own, .. } = &flow.collections[*index];
            let entries = entries.iter().enumerate().filter(|(index, _)| Some(*index) != *own);
            *siblings = entries.map(|(_, (key, _))| *key).collect();
        }
        flow
    }

    /// What is at the position.
    pub(super) fn take(&mut self) -> Option<Spot<'t>> {
        self.found.take()
    }

    /// The keys of a map, and those of its values that are scalars.
    pub(super) fn entries(&self, index: usize) -> &[(&'t str, &'t str)] {
        &self.collections[index].entries
    }

    fn run(&mut self, start: usize) {
        let mut byte = start;
        while let Some(next) = self.blank(byte) {
            let Some(first) = self.text[next..].chars().next() else { return };
            let end = match first {
                '{' | '[' => self.begin(first == '{').then_some(next + 1),
                '}' | ']' => self.end(first == '}').then_some(next + 1),
                ',' => self.comma().then_some(next + 1),
                ':' => self.colon().then_some(next + 1),
                '"' | '\'' => self.quoted(next, first),
                _ => self.plain(next),
            };
            let Some(end) = end else { return };
            if self.open.is_none() && self.style != Style::Json {
                return;
            }
            byte = end;
        }
    }

    fn top(&mut self) -> Option<&mut Collection<'t>> {
        self.open.map(|index| &mut self.collections[index])
    }

    /// Where the next word or sign begins. The position may be before it. None in a comment with the position.
    fn blank(&mut self, start: usize) -> Option<usize> {
        let mut next = start;
        loop {
            let rest = &self.text[next..];
            next = self.text.len() - rest.trim_start().len();
            if self.found.is_none() && (start..=next).contains(&self.at) {
                self.gap(self.text[next..].chars().next());
            }
            if self.style == Style::Json || !self.text[next..].starts_with('#') {
                return Some(next);
            }
            let end = self.text[next..].find('\n').map_or(self.text.len(), |length| next + length);
            if (next..=end).contains(&self.at) {
                self.found = None;
                return None;
            }
            next = end;
        }
    }

    /// The position is between words, before this character.
    fn gap(&mut self, next: Option<char>) {
        let is_before_word =
            self.text[self.at..].starts_with(|next: char| !next.is_whitespace() && !",:{}[]#".contains(next));
        let Some(state) = self.top().map(|top| top.state) else { return };
        let is_wanted = match state {
            State::Key => !matches!(next, Some(':' | '{' | '[')),
            State::Value => {
                !matches!(next, Some(':' | '{' | '[')) || self.text[self.at..].starts_with(char::is_whitespace)
            }
            State::Colon | State::Comma => false,
        };
        if is_wanted && !is_before_word {
            let word = Word { raw: "", typed: "", start: self.at, quote: Quote::None };
            self.find(word, state == State::Key, false);
        }
    }

    fn find(&mut self, word: Word<'t>, is_key: bool, is_entry: bool) {
        let Some(index) = self.open else { return };
        let mut levels = Vec::new();
        let mut place = index;
        if !is_key {
            levels.push(Level { step: self.collections[index].step(), place: Place::Flow(index) });
        }
        while let Some((above, step)) = self.collections[place].parent {
            levels.push(Level { step, place: Place::Flow(above) });
            place = above;
        }
        levels.reverse();
        let at = match is_key {
            true => At::Key { siblings: Vec::new(), indent: 0, is_entry },
            false => At::Value { needs_space: self.text[..word.start].ends_with(':') && self.style != Style::Json },
        };
        self.found = Some(Spot { levels, place: Place::Flow(index), at, word, style: self.style });
    }

    fn begin(&mut self, is_map: bool) -> bool {
        let state = if is_map { State::Key } else { State::Value };
        let parent = match self.open {
            Some(index) if self.collections[index].state != State::Value => return false,
            Some(index) => Some((index, self.collections[index].step())),
            None => None,
        };
        self.open = Some(self.collections.len());
        self.collections.push(Collection { parent, is_map, entries: Vec::new(), state, own: None });
        true
    }

    fn end(&mut self, is_map: bool) -> bool {
        while let Some(index) = self.open {
            let Collection { parent, is_map: is_it, .. } = self.collections[index];
            self.open = parent.map(|(parent, _)| parent);
            if let Some(above) = self.top() {
                above.state = State::Comma;
            }
            if is_it == is_map {
                return true;
            }
        }
        false
    }

    fn comma(&mut self) -> bool {
        let Some(top) = self.top() else { return true };
        top.state = if top.is_map { State::Key } else { State::Value };
        true
    }

    fn colon(&mut self) -> bool {
        match self.top() {
            Some(top) if top.state == State::Colon => {
                top.state = State::Value;
                true
            }
            _ => false,
        }
    }

    fn quoted(&mut self, start: usize, quote: char) -> Option<usize> {
        let rest = &self.text[start + 1..];
        let mut is_escaped = false;
        let length = rest.bytes().position(|next| {
            let is_end = next == b'\n' || char::from(next) == quote && !is_escaped;
            is_escaped = next == b'\\' && quote == '"' && !is_escaped;
            is_end
        });
        let raw = rest[..length.unwrap_or(rest.len())].trim_end_matches('\r');
        let is_closed = rest[raw.len()..].starts_with(quote);
        if !is_closed && self.style != Style::Json {
            return None;
        }
        let end = start + 1 + raw.len();
        let quote = if is_closed { Quote::Closed } else { Quote::Open };
        self.word(raw, start + 1, quote).then_some(end + usize::from(is_closed))
    }

    fn plain(&mut self, start: usize) -> Option<usize> {
        let rest = &self.text[start..];
        let is_json = self.style == Style::Json;
        let is_end = |(at, next): &(usize, char)| match next {
            ',' | '[' | ']' | '{' | '}' | '\n' => true,
            ':' => {
                is_json
                    || rest[at + 1..].is_empty()
                    || rest[at + 1..].starts_with([' ', '\t', '\r', '\n', ',', '[', ']', '{', '}'])
            }
            '#' => rest[..*at].ends_with([' ', '\t']),
            '"' => is_json,
            next => is_json && next.is_whitespace(),
        };
        let length = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
        let raw = rest[..length].trim_end();
        let is_understood = !raw.starts_with(['&', '*', '!', '?', '|', '>', '%', '@', '`']);
        (is_understood && self.word(raw, start, Quote::None)).then_some(start + length)
    }

    /// A key or a scalar; false if there cannot be one.
    fn word(&mut self, raw: &'t str, start: usize, quote: Quote) -> bool {
        let is_json = self.style == Style::Json;
        let at = self.at;
        let Some(top) = self.top() else { return is_json };
        match (top.state, top.is_map) {
            (State::Colon | State::Comma, _) if !is_json => return false,
            (State::Colon | State::Comma, true) => top.state = State::Key,
            (State::Comma | State::Colon, false) => top.state = State::Value,
            (State::Key | State::Value, _) => {}
        }
        let is_here = (start..=start + raw.len()).contains(&at);
        let is_key = top.state == State::Key;
        if is_key {
            top.own = if is_here { Some(top.entries.len()) } else { top.own };
            top.entries.push((raw, ""));
            top.state = State::Colon;
        } else {
            if let (true, Some(entry)) = (top.is_map, top.entries.last_mut()) {
                entry.1 = raw;
            }
            top.state = State::Comma;
        }
        if is_here {
            let behind = start + raw.len() + usize::from(quote == Quote::Closed);
            let is_entry = self.text[behind..].trim_start().starts_with(':');
            if is_entry && !is_key {
                return false;
            }
            self.find(Word { raw, typed: &raw[..at - start], start, quote }, is_key, is_entry);
        }
        true
    }
}

impl<'t> Collection<'t> {
    /// The step to the value that comes next.
    fn step(&self) -> Step<&'t str> {
        match self.entries.last() {
            Some((key, _)) if self.is_map => Step::Field(key),
            _ => Step::Item,
        }
    }
}
