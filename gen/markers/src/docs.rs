//! Splits doc comments into prose and markers.
//!
//! Invariants: a marker line starts with `+` and an ASCII letter, outside code fences; every such line becomes a marker text or
//! an error, never prose, also after a code fence that is not closed; a backtick string may span several lines, which keep
//! their line breaks and lose one leading space each; the description has no marker, no trailing space and no blank line at
//! its ends.

use std::ops::Range;

/// A doc comment, split into its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documentation {
    /// The prose, line breaks as written.
    pub description: String,
    /// The markers in their order.
    pub markers: Vec<MarkerText>,
    /// Markers whose backtick string is not closed.
    pub unclosed: Vec<MarkerText>,
    /// Marker lines in a code fence that is not closed.
    pub fenced: Vec<MarkerText>,
}

/// The text of one marker and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerText {
    /// The text after the `+`, line breaks of backtick strings included.
    pub text: String,
    /// Which of the given doc attributes it came from.
    pub attributes: Range<usize>,
}

/// Splits a doc comment. Each element is the value of one `#[doc = "…"]` attribute: one line of a `///` comment, or
/// several of a `/** */` comment.
pub fn documentation<'a>(attributes: impl IntoIterator<Item = &'a str>) -> Documentation {
    let mut result = Documentation::default();
    let mut prose: Vec<&str> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut open: Option<(MarkerText, Quotes)> = None;
    // Marker lines in the open fence; dropped when it closes.
    let mut fenced_markers: Vec<MarkerText> = Vec::new();
    for (index, attribute) in attributes.into_iter().enumerate() {
        let block = attribute.contains('\n');
        for raw in attribute.split('\n') {
            let line = if block { without_star(raw) } else { raw };
            let line = line.strip_prefix(' ').unwrap_or(line);
            if let Some((mut marker, mut quotes)) = open.take() {
                marker.text.push('\n');
                marker.text.push_str(line.trim_end_matches('\r'));
                marker.attributes.end = index + 1;
                quotes.read(line);
                if quotes.in_backticks {
                    open = Some((marker, quotes));
                } else {
                    marker.text.truncate(marker.text.trim_end().len());
                    result.markers.push(marker);
                }
                continue;
            }
            let trimmed = line.trim();
            let fenced = fence_of(trimmed);
            match (fence, fenced) {
                (None, Some(opening)) => fence = Some((opening.0, opening.1)),
                (Some((character, length)), Some((closing, closing_length, true)))
                    if character == closing && closing_length >= length =>
                {
                    fence = None;
                    fenced_markers.clear();
                }
                _ => {}
            }
            let marker =
                trimmed.strip_prefix('+').filter(|text| text.starts_with(|first: char| first.is_ascii_alphabetic()));
            if let Some(text) = marker {
                if fence.is_some() {
                    fenced_markers.push(MarkerText { text: text.to_owned(), attributes: index..index + 1 });
                    prose.push(line.trim_end());
                    continue;
                }
                let mut quotes = Quotes::default();
                quotes.read(text);
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
        }
    }
    result.unclosed.extend(open.map(|(marker, _)| marker));
    result.fenced = fenced_markers;
    while prose.first().is_some_and(|line| line.is_empty()) {
        prose.remove(0);
    }
    while prose.last().is_some_and(|line| line.is_empty()) {
        prose.pop();
    }
    // A marker block leaves blank lines on both sides; one is enough.
    prose.dedup_by(|next, previous| next.is_empty() && previous.is_empty());
    result.description = prose.join("\n");
    result
}

/// The first line of a description that is a marker. Generation refuses such descriptions: the type bypassed the macro.
pub fn leftover_marker(description: &str) -> Option<String> {
    // Most descriptions have no plus sign at all.
    if !description.contains('+') {
        return None;
    }
    documentation(description.lines()).markers.into_iter().next().map(|marker| format!("+{}", marker.text))
}

/// The fence that a line opens or closes: its character, its length, and whether nothing follows it.
fn fence_of(trimmed: &str) -> Option<(char, usize, bool)> {
    let character = trimmed.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = trimmed.chars().take_while(|next| *next == character).count();
    (length >= 3).then_some((character, length, trimmed.len() == length))
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
    fn leftovers_are_found() {
        assert_eq!(leftover_marker("Text.\n+optional"), Some("+optional".into()));
        assert_eq!(leftover_marker("Text + more\n+ 1"), None);
    }
}
