//! Finds markers in the plain comments of Rust source, which no macro reads.
//!
//! Invariants: comments are those of the compiler: not text in strings, and not doc comments; what looks like a marker is decided by
//! [`disguises`], as in doc comments. Comments without code between them are one text.

use std::ops::Range;

use crd_names::channel::CHANNELS;
use crd_names::shortened;

use crate::disguise::{Disguise, disguises};

/// A marker in a plain comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentedMarker {
    /// The marker that a reader sees, with its plus.
    pub marker: String,
    /// Where it is in the source.
    pub range: Range<usize>,
}

impl CommentedMarker {
    /// What is wrong with it. `source` is the text in which it was found.
    pub fn message(&self, source: &str) -> String {
        let (text, marker) = (&source[self.range.clone()], shortened(&self.marker));
        if text == self.marker {
            return format!(
                "`{marker}` is in a plain comment, which is not read: write `///`, or `\\+` if it is prose"
            );
        }
        let text = shortened(text);
        format!(
            "`{text}` in a plain comment looks like the marker `{marker}`, and is not read: write `///`, or `\\+` if it is prose"
        )
    }
}

/// Markers in the plain comments of a part of Rust source, which begins and ends outside its tokens.
pub fn in_plain_comments(source: &str) -> Vec<CommentedMarker> {
    let comments = plain_comments(source);
    let (mut text, mut parts, mut end) = (String::new(), Vec::new(), 0);
    for comment in comments {
        let between = &source[end..comment.start];
        // Code ends a sentence.
        text.push_str(if between.trim().is_empty() { between } else { "\n;\n" });
        end = comment.end;
        let inner = &source[comment.clone()];
        let slashes = inner.len() - inner.trim_start_matches('/').len();
        let (before, after) = if slashes > 1 { (slashes, 0) } else { (2, 2) };
        parts.push((text.len(), comment.start));
        text.push_str(&" ".repeat(before));
        text.push_str(inner.get(before..inner.len().saturating_sub(after)).unwrap_or_default());
        text.push_str(&" ".repeat(after));
    }
    let in_source = |at: usize| {
        let part = parts.partition_point(|(start, _)| *start <= at).checked_sub(1).map_or((0, 0), |index| parts[index]);
        part.1 + at - part.0
    };
    // Between two words, a plus that touches neither is one of prose: comments are about code such as `T: Clone + Default`.
    let is_sum = |disguise: &Disguise| {
        let is_channel = CHANNELS.iter().any(|channel| disguise.marker[1..].starts_with(channel.name));
        let line = text[..disguise.range.start].rsplit('\n').next().unwrap_or_default();
        let touches = text[disguise.range.start..].trim_start_matches('+').starts_with(char::is_alphanumeric);
        !is_channel && !touches && line.chars().any(char::is_alphanumeric)
    };
    let all = disguises(&text).into_iter().filter(|disguise| !disguise.escaped && !is_sum(disguise));
    let place = |range: Range<usize>| in_source(range.start)..in_source(range.end - 1) + 1;
    all.map(|disguise| CommentedMarker { marker: disguise.marker, range: place(disguise.range) }).collect()
}

/// Where the plain comments of Rust source are.
pub fn plain_comments(source: &str) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let (mut comments, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'/' if let Some((end, is_doc)) = comment(source, at) => {
                at = end;
                comments.extend((!is_doc).then_some(start..at));
            }
            b'"' => at = end_of_string(bytes, at + 1, b'"'),
            b'\'' if bytes.get(at + 1) == Some(&b'\\') => at = end_of_string(bytes, at + 1, b'\''),
            b'\'' => {
                // A character, or a lifetime.
                let letter = source[at + 1..].chars().next().map_or(0, char::len_utf8);
                at += if bytes.get(at + 1 + letter) == Some(&b'\'') { letter + 2 } else { 1 };
            }
            byte if is_of_word(*byte) => {
                at += bytes[at..].iter().take_while(|byte| is_of_word(**byte)).count();
                let hashes = bytes[at..].iter().take_while(|byte| **byte == b'#').count();
                if matches!(&bytes[start..at], b"r" | b"br" | b"cr") && bytes.get(at + hashes) == Some(&b'"') {
                    let first = at + hashes + 1;
                    let closing = format!("\"{}", "#".repeat(hashes));
                    at = source[first..].find(&closing).map_or(bytes.len(), |length| first + length + closing.len());
                }
            }
            _ => at += 1,
        }
    }
    comments
}

/// Where the comment at this position ends, and whether it is documentation.
fn comment(source: &str, at: usize) -> Option<(usize, bool)> {
    let bytes = source.as_bytes();
    let starts = |text: &str| bytes[at..].starts_with(text.as_bytes());
    if starts("//") {
        let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
        return Some((end, starts("//!") || starts("///") && !starts("////")));
    }
    let is_doc = starts("/*!") || starts("/**") && !starts("/***") && !starts("/**/");
    starts("/*").then(|| (end_of_block(bytes, at), is_doc))
}

/// The source behind white space and plain comments.
pub fn behind_plain_comments(mut source: &str) -> &str {
    // As the compiler has it: Unicode's Pattern_White_Space.
    let is_space = |character: char| {
        matches!(character, '\t'..='\r' | ' ' | '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
    };
    loop {
        source = source.trim_start_matches(is_space);
        match comment(source, 0) {
            Some((end, false)) => source = &source[end..],
            _ => return source,
        }
    }
}

/// Behind the comments that begin on the line of this position, with only spaces before them.
pub fn behind_comments(source: &str, mut at: usize) -> usize {
    let bytes = source.as_bytes();
    loop {
        match bytes.get(at..).unwrap_or_default() {
            [b'/', b'/', rest @ ..] => return at + 2 + rest.iter().take_while(|byte| **byte != b'\n').count(),
            [b'/', b'*', ..] => at = end_of_block(bytes, at),
            [b' ' | b'\t', ..] => at += 1,
            _ => return at,
        }
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Behind the comment that begins with `/*`. Comments can be in each other.
fn end_of_block(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(pair) = bytes.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth = depth.saturating_sub(1),
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Behind the quote that closes a string. A backslash escapes what follows.
fn end_of_string(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte == quote {
            break;
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<&str> {
        in_plain_comments(source).into_iter().map(|found| &source[found.range]).collect()
    }

    #[test]
    fn markers_in_plain_comments_are_found() {
        let source = "{\n    // +experimental\n    a: String, // +kubebuilder:validation:MaxLength=3\n    //// +standard:optional\n}";
        assert_eq!(found(source), ["+experimental", "+kubebuilder:validation:MaxLength", "+standard:optional"]);
        for (source, expected) in [
            ("/* +experimental */", "+experimental"),
            ("/*** +experimental ***/ a", "+experimental"),
            ("/* a /* + */ experimental */", "+ */ experimental"),
            ("// +\n// experimental", "+\n// experimental"),
            ("'\"' /* +optional */ '\"'", "+optional"),
            ("'a /* +optional */ 'a'", "+optional"),
            ("r#\"// \"# /* ⨥optional */ \"\\\"// a\"", "⨥optional"),
            ("r#type /*\n * +optional\n */", "+optional"),
            ("#[doc = \"https://a.example\"] // &plus;optional", "&plus;optional"),
        ] {
            assert_eq!(found(source), [expected], "{source}");
        }
    }

    #[test]
    fn doc_comments_and_code_are_not_plain_comments() {
        for source in [
            "/// +experimental\n//! +optional\n/** +optional */ /*! +optional */",
            "\"// +optional\" r##\"\" // +optional\"##, b\"/* +optional */\", '\\'', // a + b",
            "a + optional /* b */ /* \\+optional */ // +todo",
            "// the +\n, // optional",
            "// T: Clone + Default\n// |a + optional|",
        ] {
            assert!(found(source).is_empty(), "{source}: {:?}", found(source));
        }
    }
}
