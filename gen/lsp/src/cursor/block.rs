//! Places in block style, by lines and indentation.
//!
//! Invariants: nothing is parsed but the lines that are looked at. A line is a parent if its indentation is smaller and its key has no value; any
//! other line of a smaller indentation is a scalar that continues, and there is no place below it. Lines of one map have one indentation.

use crd_model::schema::Step;

use super::{At, Level, Place, Quote, Spot, Style, Word};

/// The lines of one document.
pub(super) struct Lines<'l, 't> {
    pub(super) lines: &'l [&'t str],
}

/// A line that has content.
#[derive(Clone, Copy)]
struct Line<'t> {
    raw: &'t str,
    /// How many spaces it begins with.
    indent: usize,
    /// The byte where its content begins, behind dashes.
    column: usize,
    /// Empty behind a dash that ends the line.
    content: &'t str,
}

/// A key with what follows it in its line. Offsets are bytes of the content.
struct Entry<'t> {
    key: &'t str,
    key_start: usize,
    quote: Quote,
    colon: usize,
    value: &'t str,
    value_start: usize,
}

/// The path to a place, and where a flow collection begins in which it is.
pub(super) struct Above<'t> {
    /// The outermost first.
    pub(super) levels: Vec<Level<'t>>,
    /// The line and the byte in it.
    pub(super) flow: Option<(usize, usize)>,
}

/// What is at a position of a line.
pub(super) enum Found<'t> {
    Spot(Spot<'t>),
    /// It is in the flow collection that begins in this line and byte.
    Flow(Vec<Level<'t>>, (usize, usize)),
}

impl<'t> Line<'t> {
    /// None of a line that is blank, a comment or a line of a template.
    fn new(raw: &'t str) -> Option<Self> {
        let indent = raw.len() - raw.trim_start_matches(' ').len();
        let mut column = indent;
        while let Some(behind) = raw[column..].strip_prefix('-') {
            match behind.trim_start_matches(' ') {
                "" => column = raw.len(),
                content if content.len() < behind.len() => column = raw.len() - content.len(),
                _ => break,
            }
        }
        let content = raw[column..].trim_end();
        let content = if content.starts_with('#') { "" } else { content };
        let is_empty = content.is_empty() && column == indent;
        (!is_empty && !content.starts_with("{{")).then_some(Self { raw, indent, column, content })
    }

    /// The columns of its dashes, the last one first.
    fn dashes(self) -> impl Iterator<Item = usize> + use<'t> {
        (self.indent..self.column).rev().filter(move |column| self.raw.as_bytes()[*column] == b'-')
    }

    fn entry(self) -> Option<Entry<'t>> {
        entry(self.content)
    }

    fn begins_flow(self) -> bool {
        begins_flow(self.content)
    }
}

fn begins_flow(text: &str) -> bool {
    text.starts_with(['{', '['])
}

/// The key of a line and its value; none of a scalar, of a flow collection, and of keys that are not understood.
fn entry(content: &str) -> Option<Entry<'_>> {
    let (key, key_start, quote, behind) = match content.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let length = content[1..].find(char::from(*quote))?;
            let key = &content[1..=length];
            (*quote == b'\'' || !key.contains('\\')).then_some((key, 1, Quote::Closed, length + 2))?
        }
        b'{' | b'[' | b'}' | b']' | b',' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => {
            None?
        }
        b'?' if content[1..].starts_with([' ', '\t']) || content.len() == 1 => None?,
        _ => {
            let is_end = |at: &usize| content[at + 1..].is_empty() || content[at + 1..].starts_with([' ', '\t']);
            let colon = content.match_indices(':').map(|(at, _)| at).find(is_end)?;
            let key = content[..colon].trim_end();
            (!key.is_empty() && !key.contains(" #")).then_some((key, 0, Quote::None, key.len()))?
        }
    };
    let colon = content.len() - content[behind..].trim_start().len();
    let rest = content[colon..].strip_prefix(':').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))?;
    let value = without_comment(rest);
    let value_start = content.len() - rest.trim_start().len();
    Some(Entry { key, key_start, quote, colon, value, value_start })
}

/// A value without the comment behind it, and without the spaces around it.
fn without_comment(rest: &str) -> &str {
    let value = rest.trim();
    match value.as_bytes().first() {
        Some(b'#') => "",
        Some(quote @ (b'"' | b'\'')) => match value[1..].find(char::from(*quote)) {
            Some(length) if value[length + 2..].trim_start().starts_with('#') => &value[..length + 2],
            _ => value,
        },
        _ => value.split_once(" #").map_or(value, |(value, _)| value.trim_end()),
    }
}

/// Whether the value of a key is in the next lines: nothing is in its line, or an anchor or tag.
fn is_below(value: &str) -> bool {
    value.is_empty() || value.starts_with(['&', '!']) && !value.contains([' ', '\t'])
}

/// A walk from a place to the root of its document.
struct Climb<'t> {
    /// The innermost first.
    levels: Vec<Level<'t>>,
    flow: Option<(usize, usize)>,
    /// The column of the map or list whose parent is searched.
    limit: usize,
    is_list: bool,
    /// The indentation of the line below the one that is visited.
    below: usize,
}

impl<'t> Climb<'t> {
    fn push(&mut self, step: Step<&'t str>, line: usize, column: usize) {
        self.levels.push(Level { step, place: Place::Block { line, column } });
        self.limit = column;
        self.is_list = matches!(step, Step::Item);
    }

    /// The place is in a flow collection: what was taken for lines of a block is in it.
    fn enter_flow(&mut self, line: usize, byte: usize) {
        self.levels.clear();
        self.flow = Some((line, byte));
    }

    /// None if what is below the line is not understood.
    fn visit(&mut self, number: usize, line: Line<'t>) -> Option<()> {
        let is_parent = line.column < self.limit || self.is_list && line.column == self.limit;
        if is_parent && !line.content.is_empty() && !line.begins_flow() {
            let entry = line.entry()?;
            if begins_flow(entry.value) {
                self.enter_flow(number, line.column + entry.value_start);
            } else if !is_below(entry.value) || self.below != self.limit {
                return None;
            }
            self.push(Step::Field(entry.key), number, line.column);
        } else if is_parent && line.begins_flow() && line.column == line.indent {
            return None;
        }
        self.dashes(number, line)?;
        self.below = line.indent;
        Some(())
    }

    fn dashes(&mut self, number: usize, line: Line<'t>) -> Option<()> {
        let mut inner = (!is_below(line.content)).then_some(line.column);
        for dash in line.dashes() {
            if dash < self.limit {
                let is_first = inner == Some(line.column);
                if is_first && line.begins_flow() {
                    self.enter_flow(number, line.column);
                } else if inner.unwrap_or(self.below) != self.limit || is_first && line.entry().is_none() {
                    return None;
                }
                self.push(Step::Item, number, dash);
            }
            inner = Some(dash);
        }
        Some(())
    }
}

impl<'t> Lines<'_, 't> {
    fn line(&self, number: usize) -> Option<Line<'t>> {
        Line::new(self.lines.get(number)?)
    }

    /// The path to the map with this column that a line is in, or to the value of this column.
    fn above(&self, number: usize, column: usize) -> Option<Above<'t>> {
        let own = self.line(number);
        let below = own.map_or(column, |line| line.indent);
        let mut climb = Climb { levels: Vec::new(), flow: None, limit: column, is_list: false, below };
        for dash in own.into_iter().flat_map(Line::dashes).filter(|dash| *dash < column) {
            climb.push(Step::Item, number, dash);
        }
        for above in (0..number).rev() {
            if climb.limit == 0 && !climb.is_list {
                break;
            }
            if let Some(line) = self.line(above) {
                climb.visit(above, line)?;
            }
        }
        let is_root = !climb.is_list && (climb.limit == 0 || climb.below == climb.limit);
        climb.levels.reverse();
        is_root.then_some(Above { levels: climb.levels, flow: climb.flow })
    }

    /// The keys with this column of the map that a line is in, with their values and lines.
    pub(super) fn entries(&self, number: usize, column: usize) -> Vec<(&'t str, &'t str, usize)> {
        let mut found = Vec::new();
        let mut add = |number: usize, line: Line<'t>| {
            let entry = if line.column == column { line.entry() } else { None };
            found.extend(entry.map(|entry| (entry.key, entry.value, number)));
        };
        let begins = |line: Line<'t>| line.indent < column;
        for above in (0..=number).rev() {
            let Some(line) = self.line(above) else { continue };
            add(above, line);
            if begins(line) {
                break;
            }
        }
        for below in number + 1..self.lines.len() {
            let Some(line) = self.line(below) else { continue };
            if begins(line) {
                break;
            }
            add(below, line);
        }
        found
    }

    /// What is at a byte of a line.
    pub(super) fn find(&self, number: usize, byte: usize) -> Option<Found<'t>> {
        let raw = *self.lines.get(number)?;
        if raw.trim().is_empty() {
            let is_indentation = raw[..byte].bytes().all(|byte| byte == b' ');
            return if is_indentation { self.new_key(number, byte) } else { None };
        }
        let line = Line::new(raw)?;
        if line.content.is_empty() {
            let is_behind_dash = raw[..byte].ends_with(' ') && line.dashes().all(|dash| dash < byte);
            let is_blank = raw.get(line.column..byte).unwrap_or_default().trim().is_empty();
            return if is_behind_dash && is_blank { self.new_key(number, byte) } else { None };
        }
        let at = byte.checked_sub(line.column)?;
        match line.entry() {
            Some(entry) => self.in_entry(number, line, &entry, at),
            None => self.in_scalar(number, line, at),
        }
    }

    /// Where a key can be typed.
    fn new_key(&self, number: usize, byte: usize) -> Option<Found<'t>> {
        let above = self.above(number, byte)?;
        if above.flow.is_none() && !self.fits_below(number, byte, above.levels.last()) {
            return None;
        }
        let word = Word { raw: &self.lines[number][byte..byte], typed: "", start: byte, quote: Quote::None };
        self.key(number, byte, word, false, above)
    }

    /// Whether the next line leaves room for a key of this column below its parent: it has the same indentation, or the map ends before it, or it is a
    /// place itself. Otherwise the line is in a scalar, or the indentation is wrong.
    fn fits_below(&self, number: usize, byte: usize, parent: Option<&Level<'t>>) -> bool {
        let below = (number + 1..self.lines.len()).find_map(|below| Some((below, self.line(below)?)));
        let Some((below, line)) = below else { return true };
        let is_child = parent.is_none_or(|parent| {
            let column = parent.place.column();
            let is_list = line.column > line.indent && matches!(parent.step, Step::Field(_));
            line.indent > column || is_list && line.indent == column
        });
        match line.indent < byte {
            true => !is_child,
            false => line.indent == byte || self.above(below, line.column).is_some(),
        }
    }

    fn key(&self, number: usize, column: usize, word: Word<'t>, is_entry: bool, above: Above<'t>) -> Option<Found<'t>> {
        if let Some(flow) = above.flow {
            return Some(Found::Flow(above.levels, flow));
        }
        let entries = self.entries(number, column).into_iter();
        let siblings = entries.filter(|(_, _, line)| *line != number).map(|(key, ..)| key).collect();
        let at = At::Key { siblings, indent: column, is_entry };
        let place = Place::Block { line: number, column };
        Some(Found::Spot(Spot { levels: above.levels, place, at, word, style: Style::Block }))
    }

    fn value(&self, number: usize, word: Word<'t>, above: Above<'t>, needs_space: bool) -> Found<'t> {
        let place = Place::Block { line: number, column: word.start };
        match above.flow {
            Some(flow) => Found::Flow(above.levels, flow),
            None => {
                let at = At::Value { needs_space };
                Found::Spot(Spot { levels: above.levels, place, at, word, style: Style::Block })
            }
        }
    }

    fn in_entry(&self, number: usize, line: Line<'t>, entry: &Entry<'t>, at: usize) -> Option<Found<'t>> {
        let mut above = self.above(number, line.column)?;
        if above.flow.is_some() {
            return above.flow.map(|flow| Found::Flow(above.levels, flow));
        }
        let key_end = entry.key_start + entry.key.len();
        if (entry.key_start..=key_end).contains(&at) {
            let typed = &entry.key[..at - entry.key_start];
            let word = Word { raw: entry.key, typed, start: line.column + entry.key_start, quote: entry.quote };
            return self.key(number, line.column, word, true, above);
        }
        let behind = at.checked_sub(entry.colon + 1)?;
        let place = Place::Block { line: number, column: line.column };
        above.levels.push(Level { step: Step::Field(entry.key), place });
        if entry.value.is_empty() {
            let byte = line.column + at;
            let is_blank = line.raw[line.column + entry.colon + 1..byte].trim().is_empty();
            let word = Word { raw: &line.raw[byte..byte], typed: "", start: byte, quote: Quote::None };
            return is_blank.then(|| self.value(number, word, above, behind == 0));
        }
        if begins_flow(entry.value) {
            return Some(Found::Flow(above.levels, (number, line.column + entry.value_start)));
        }
        let word = Word::new(entry.value, at.checked_sub(entry.value_start)?, line.column + entry.value_start)?;
        Some(self.value(number, word, above, false))
    }

    /// In a line without a key: a key that is typed, or an item of a list.
    fn in_scalar(&self, number: usize, line: Line<'t>, at: usize) -> Option<Found<'t>> {
        let above = self.above(number, line.column)?;
        if above.flow.is_some() || line.begins_flow() {
            return Some(Found::Flow(above.levels, above.flow.unwrap_or((number, line.column))));
        }
        let text = without_comment(line.content);
        let word = Word::new(text, at, line.column)?;
        if word.quote != Quote::None || !text.contains(|sign| " \t:,\"'{}[]".contains(sign)) {
            return self.key(number, line.column, word, false, above);
        }
        (line.column > line.indent).then(|| self.value(number, word, above, false))
    }
}
