//! Splits doc comments into prose and markers.
//!
//! Invariants: a marker line starts with `+` and an ASCII letter, outside code fences; every such line becomes a marker text or
//! an error, never prose, also after a code fence that is not closed; other text outside fences that looks like a marker is reported; a backtick string may span several lines, which keep
//! their line breaks and lose one leading space each; the description has no marker, no trailing space and no blank line at
//! its ends.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::disguise::{Disguise, disguises};
use crate::marker::without_comment;
use crate::table::find;

/// A doc comment, split into its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documentation {
    /// The prose that is published, line breaks as written.
    pub description: String,
    /// The markers in their order.
    pub markers: Vec<MarkerText>,
    /// Markers whose backtick string is not closed.
    pub unclosed: Vec<MarkerText>,
    /// Marker lines in a code fence that is not closed.
    pub fenced: Vec<MarkerText>,
    /// Marker lines in a backtick string of a marker above them.
    pub swallowed: Vec<MarkerText>,
    /// Prose outside code fences that looks like a marker.
    pub disguised: Vec<DisguisedMarker>,
}

/// Prose that looks like a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisguisedMarker {
    /// The marker that a reader sees, with its plus.
    pub marker: String,
    /// The text in its present form.
    pub text: String,
    /// Which of the given doc attributes it came from.
    pub attributes: Range<usize>,
}

/// The text of one marker and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerText {
    /// The text after the `+`, line breaks of backtick strings included.
    pub text: String,
    /// Which of the given doc attributes it came from.
    pub attributes: Range<usize>,
}

impl Documentation {
    /// Adds a line to a marker whose backtick string is open. Returns the marker if the string stays open.
    fn go_on(
        &mut self,
        (mut marker, mut quotes): (MarkerText, Quotes),
        line: &str,
        index: usize,
    ) -> Option<(MarkerText, Quotes)> {
        marker.text.push('\n');
        marker.text.push_str(line.trim_end_matches('\r'));
        marker.attributes.end = index + 1;
        quotes.read(line);
        if let Some(text) = marker_of(line.trim()).filter(|text| find(name_of(text)).is_some()) {
            self.swallowed.push(MarkerText { text: text.to_owned(), attributes: index..index + 1 });
        }
        if quotes.in_backticks {
            return Some((marker, quotes));
        }
        marker.text.truncate(marker.text.trim_end().len());
        self.markers.push(marker);
        None
    }
}

/// Splits a doc comment. Each element is the value of one `#[doc = "…"]` attribute: one line of a `///` comment, or
/// several of a `/** */` comment.
pub fn documentation<'a>(attributes: impl IntoIterator<Item = &'a str>) -> Documentation {
    let mut result = Documentation::default();
    let mut prose: Vec<&str> = Vec::new();
    // The attribute of each line of prose.
    let mut attribute_of: Vec<usize> = Vec::new();
    let mut fence = Fence::default();
    let mut open: Option<(MarkerText, Quotes)> = None;
    // Marker lines in the open fence; dropped when it closes.
    let mut fenced_markers: Vec<MarkerText> = Vec::new();
    for (index, attribute) in attributes.into_iter().enumerate() {
        let block = attribute.contains('\n');
        for raw in attribute.split('\n') {
            let line = if block { without_star(raw) } else { raw };
            let line = line.strip_prefix(' ').unwrap_or(line);
            if let Some(marker) = open.take() {
                open = result.go_on(marker, line, index);
                continue;
            }
            let trimmed = line.trim();
            if fence.read(trimmed) == Line::Closing {
                fenced_markers.clear();
            }
            if let Some(text) = marker_of(trimmed) {
                attribute_of.extend(fence.is_open().then_some(index));
                if fence.is_open() {
                    fenced_markers.push(MarkerText { text: text.to_owned(), attributes: index..index + 1 });
                    prose.push(line.trim_end());
                    continue;
                }
                let mut quotes = Quotes::default();
                quotes.read(without_comment(text));
                if quotes.in_backticks {
                    // The line's own end belongs to the string: keep it as written.
                    let start = line.find('+').map_or(0, |at| at + 1);
                    let text = line[start..].trim_end_matches('\r').to_owned();
                    open = Some((MarkerText { text, attributes: index..index + 1 }, quotes));
                } else {
                    result.markers.push(MarkerText { text: text.to_owned(), attributes: index..index + 1 });
                }
                continue;
            }
            prose.push(line.trim_end());
            attribute_of.push(index);
        }
    }
    result.disguised = disguised(&prose.join("\n"), &attribute_of);
    result.unclosed.extend(open.map(|(marker, _)| marker));
    result.fenced = fenced_markers;
    let fenced: BTreeSet<usize> = result.fenced.iter().map(|line| line.attributes.start).collect();
    result.disguised.retain(|text| !fenced.contains(&text.attributes.start));
    let mut prose = for_users(prose);
    prose.drain(..prose.iter().take_while(|line| line.is_empty()).count());
    while prose.last().is_some_and(|line| line.is_empty()) {
        prose.pop();
    }
    // A marker block leaves blank lines on both sides; one is enough.
    prose.dedup_by(|next, previous| next.is_empty() && previous.is_empty());
    result.description = prose.join("\n");
    result
}

/// The lines that a description publishes: not those that begin with `TODO`, and nothing from a line on that begins with `---`, outside code
/// fences. What is left out is for authors, as in controller-gen (`extractDoc` of v0.23).
fn for_users(prose: Vec<&str>) -> Vec<&str> {
    let mut fence = Fence::default();
    let mut published = Vec::with_capacity(prose.len());
    for line in prose {
        fence.read(line.trim());
        match fence.is_open() {
            false if line.starts_with("---") => break,
            false if line.starts_with("TODO") => {}
            _ => published.push(line),
        }
    }
    published
}

/// The first text of a description that is a marker or looks like one. Generation refuses such descriptions: the type bypassed the macro.
pub fn leftover_marker(description: &str) -> Option<String> {
    // Most descriptions have neither.
    if description.is_ascii() && !description.contains(['+', '&']) {
        return None;
    }
    let docs = documentation(description.lines());
    let marker = docs.markers.into_iter().next().map(|marker| format!("+{}", marker.text));
    marker.or_else(|| docs.disguised.into_iter().next().map(|disguised| disguised.text))
}

/// The text after the plus of a marker line.
fn marker_of(trimmed: &str) -> Option<&str> {
    trimmed.strip_prefix('+').filter(|text| text.starts_with(|first: char| first.is_ascii_alphabetic()))
}

/// The name at the start of a marker's text.
fn name_of(text: &str) -> &str {
    text.split(['=', ' ', '(']).next().unwrap_or_default()
}

fn disguised(prose: &str, attribute_of: &[usize]) -> Vec<DisguisedMarker> {
    let breaks: Vec<usize> = prose.match_indices('\n').map(|(at, _)| at).collect();
    let attribute = |at: usize| attribute_of[breaks.partition_point(|line_break| *line_break < at)];
    let all = disguises(&without_code(prose)).into_iter().filter(|disguise| !disguise.escaped);
    all.map(|Disguise { marker, range, .. }| DisguisedMarker {
        marker,
        attributes: attribute(range.start)..attribute(range.end) + 1,
        text: prose[range].to_owned(),
    })
    .collect()
}

/// A description without the backslashes that make something prose.
pub fn unescaped(description: &str) -> Cow<'_, str> {
    if !description.contains('\\') {
        return Cow::Borrowed(description);
    }
    let mut result = Cow::Borrowed(description);
    for disguise in disguises(&without_code(description)).iter().rev().filter(|disguise| disguise.escaped) {
        result.to_mut().remove(disguise.range.start - 1);
    }
    result
}

/// The text with spaces in place of closed code fences; each position stays the same.
fn without_code(text: &str) -> Cow<'_, str> {
    let mut result = Cow::Borrowed(text);
    let (mut fence, mut start, mut end) = (Fence::default(), 0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        match fence.read(line.trim()) {
            Line::Opening => start = end,
            Line::Closing => result.to_mut().replace_range(start..end, &" ".repeat(end - start)),
            Line::Other => {}
        }
    }
    result
}

/// Follows code fences from line to line.
#[derive(Default)]
struct Fence(Option<(char, usize)>);

#[derive(PartialEq, Eq)]
enum Line {
    Opening,
    Closing,
    Other,
}

impl Fence {
    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn read(&mut self, trimmed: &str) -> Line {
        let character = trimmed.chars().next().filter(|first| matches!(first, '`' | '~'));
        let Some(character) = character else { return Line::Other };
        let length = trimmed.chars().take_while(|next| *next == character).count();
        let rest = &trimmed[length..];
        match self.0 {
            // Backticks further on make it a piece of code in a line of prose.
            None if length >= 3 && (character == '~' || !rest.contains('`')) => {
                self.0 = Some((character, length));
                Line::Opening
            }
            Some((opening, shortest)) if opening == character && length >= shortest && rest.is_empty() => {
                self.0 = None;
                Line::Closing
            }
            _ => Line::Other,
        }
    }
}

/// A line of a block comment without its decorative star.
fn without_star(line: &str) -> &str {
    let trimmed = line.trim_start();
    match trimmed.strip_prefix('*') {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => rest,
        _ => trimmed,
    }
}

/// Whether a position is inside a quoted string. A quote opens a string only where a value may begin, so that a bare pattern
/// may hold quotes.
#[derive(Clone, Debug, Default)]
struct Quotes {
    in_backticks: bool,
    not_at_value: bool,
    depth: usize,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        let mut characters = text.chars();
        let mut in_double = false;
        if !self.in_backticks {
            self.not_at_value = true;
        }
        while let Some(character) = characters.next() {
            if self.in_backticks {
                self.in_backticks = character != '`';
                self.not_at_value = true;
                continue;
            }
            if in_double {
                match character {
                    '\\' => {
                        characters.next();
                    }
                    '"' => in_double = false,
                    _ => {}
                }
                continue;
            }
            match character {
                '`' if !self.not_at_value => self.in_backticks = true,
                '"' if !self.not_at_value => {
                    in_double = true;
                    self.not_at_value = true;
                }
                '{' | '[' if !self.not_at_value => self.depth += 1,
                '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.not_at_value = true;
                }
                ':' if self.depth > 0 => self.not_at_value = false,
                '=' | ',' | ';' => self.not_at_value = false,
                ' ' => {}
                _ => self.not_at_value = true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(markers: &[MarkerText]) -> Vec<&str> {
        markers.iter().map(|marker| marker.text.as_str()).collect()
    }

    #[test]
    fn prose_and_markers_are_separated() {
        let docs = documentation([
            " What it is.",
            "",
            " +optional",
            "   +listType=map  ",
            "",
            " More of it: 1 + 1, +1, + x.",
            " +1 is not a marker",
        ]);
        assert_eq!(docs.description, "What it is.\n\nMore of it: 1 + 1, +1, + x.\n+1 is not a marker");
        assert_eq!(texts(&docs.markers), ["optional", "listType=map"]);
        assert_eq!(docs.markers[1].attributes, 3..4);
    }

    #[test]
    fn fences_hide_markers() {
        let docs = documentation([
            " ```yaml",
            " +optional",
            " ```",
            " +required",
            " ~~~~",
            " +a",
            " ~~~",
            " +b",
            " ~~~~",
            " +c",
        ]);
        assert_eq!(texts(&docs.markers), ["required", "c"]);
        assert!(docs.description.contains("+optional") && docs.description.contains("+b"));
        assert!(docs.fenced.is_empty());
        let unclosed = documentation([" ```", " +optional"]);
        assert_eq!((texts(&unclosed.markers).len(), texts(&unclosed.fenced)), (0, vec!["optional"]));
    }

    #[test]
    fn backtick_strings_span_lines() {
        let docs = documentation([
            " +kubebuilder:validation:XValidation:message=\"no ` here\",rule=`self.a ||",
            "   self.b`,reason=FieldValueInvalid ",
            " Prose.",
        ]);
        assert_eq!(
            texts(&docs.markers),
            [
                "kubebuilder:validation:XValidation:message=\"no ` here\",rule=`self.a ||\n  self.b`,reason=FieldValueInvalid"
            ]
        );
        assert_eq!(docs.markers[0].attributes, 0..2);
        assert_eq!(docs.description, "Prose.");
        let unclosed = documentation([" +kubebuilder:validation:Pattern=`^a", " b"]);
        assert_eq!(texts(&unclosed.unclosed), ["kubebuilder:validation:Pattern=`^a\nb"]);
        let bare = documentation([" +kubebuilder:validation:Pattern=^[`]$", " +optional"]);
        assert_eq!(texts(&bare.markers), ["kubebuilder:validation:Pattern=^[`]$", "optional"]);
    }

    #[test]
    fn block_comments_lose_their_stars() {
        let docs = documentation(["\n * What it is.\n *\n * +optional\n "]);
        assert_eq!(docs.description, "What it is.");
        assert_eq!(docs.markers, [MarkerText { text: "optional".into(), attributes: 0..1 }]);
    }

    #[test]
    fn what_is_for_authors_is_not_published() {
        let docs = documentation([
            " First.",
            " TODO(a): not for users",
            " TODO",
            " Not a TODO, and no --- either.",
            "   TODO: indented, as in an example",
            " ```yaml",
            " --- # a document",
            " TODO: 1",
            " ```",
            " ----",
            " Internal.",
            " +optional",
            " TODO: more",
        ]);
        assert_eq!(
            docs.description,
            "First.\nNot a TODO, and no --- either.\n  TODO: indented, as in an example\n```yaml\n--- # a document\nTODO: 1\n```"
        );
        assert_eq!(texts(&docs.markers), ["optional"]);
        // What looks like a marker is reported wherever it is.
        assert_eq!(documentation([" Text.", " ---", " * +optional"]).disguised.len(), 1);
        assert_eq!(documentation([" TODO: all of it"]).description, "");
    }

    #[test]
    fn leftovers_are_found() {
        assert_eq!(leftover_marker("Text.\n+optional"), Some("+optional".into()));
        assert_eq!(leftover_marker("Text + more\n+ 1"), None);
    }
}
