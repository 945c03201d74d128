//! The comments of a Go file, and which of them belong to a declaration.
//!
//! Invariants: comments are those of Go's scanner, not text in strings. A declaration has its doc comment and the closest group of comments above it,
//! as in controller-gen (`pkg/markers/collect.go` of v0.23); a comment behind code on its line belongs to no declaration.

use std::ops::Range;

use crate::names::{Line, line};

/// A comment.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// Bytes of the file, with the slashes.
    pub(crate) range: Range<usize>,
    /// Whether there is code before it on its line.
    pub(crate) is_trailing: bool,
    /// What follows `//`, if it begins with a plus.
    pub(crate) marker: Option<Marker>,
}

/// A line that begins with a plus.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    /// The byte of the plus.
    pub(crate) at: usize,
    /// The bytes behind it.
    text: Range<usize>,
    pub(crate) line: Line,
}

impl Marker {
    fn of(text: &str, comment: &Range<usize>) -> Option<Self> {
        let trimmed = text[comment.clone()].strip_prefix("//")?.trim_start();
        let at = comment.end - trimmed.len();
        let behind = trimmed.strip_prefix('+')?.trim_end();
        Some(Marker { at, text: at + 1..at + 1 + behind.len(), line: line(behind) })
    }

    /// The text behind the plus.
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.text.clone()]
    }
}

/// Comments that follow each other without a blank line and without code between them.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Which of the comments.
    pub(crate) comments: Range<usize>,
    /// Bytes of the file.
    pub(crate) range: Range<usize>,
}

/// The comments of a file.
#[derive(Debug)]
pub(crate) struct Comments {
    pub(crate) all: Vec<Comment>,
    pub(crate) groups: Vec<Group>,
}

impl Comments {
    pub(crate) fn of(text: &str) -> Self {
        let all = comments(text);
        let mut groups: Vec<Group> = Vec::new();
        for (index, comment) in all.iter().enumerate() {
            let follows = |group: &&mut Group| {
                let between = &text[group.range.end..comment.range.start];
                let limit = if all[group.comments.start].is_trailing { 0 } else { 1 };
                between.trim().is_empty() && between.matches('\n').count() <= limit
            };
            match groups.last_mut().filter(follows) {
                Some(group) => (group.comments.end, group.range.end) = (index + 1, comment.range.end),
                None => groups.push(Group { comments: index..index + 1, range: comment.range.clone() }),
            }
        }
        Comments { all, groups }
    }

    /// The groups of a declaration that begins at a byte, where the previous one ends at another.
    pub(crate) fn above(&self, text: &str, previous: usize, start: usize) -> Range<usize> {
        let end = self.groups.partition_point(|group| group.range.start < start);
        let first = self.groups.partition_point(|group| group.range.start < previous);
        let is_trailing = |index: usize| self.all[self.groups[index].comments.start].is_trailing;
        let is_free = |index: &usize| *index >= first && !is_trailing(*index);
        let Some(last) = end.checked_sub(1).filter(is_free) else { return end..end };
        let is_doc = text[self.groups[last].range.end..start].matches('\n').count() == 1;
        let closest = last.checked_sub(usize::from(is_doc)).filter(is_free);
        closest.unwrap_or(last)..end
    }
}

/// All comments, in their order.
fn comments(text: &str) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut is_trailing) = (Vec::new(), 0, false);
    let skipped = |from: usize, end: &str| text[from..].find(end).map_or(bytes.len(), |length| from + length);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'/')) => {
                at = skipped(at, "\n");
                let end = start + text[start..at].trim_end_matches('\r').len();
                let marker = Marker::of(text, &(start..end));
                found.push(Comment { range: start..end, is_trailing, marker });
                continue;
            }
            (b'/', Some(b'*')) => {
                at = (skipped(at + 2, "*/") + 2).min(bytes.len());
                found.push(Comment { range: start..at, is_trailing, marker: None });
                is_trailing &= !text[start..at].contains('\n');
                continue;
            }
            (b'\n', _) => is_trailing = false,
            (b' ' | b'\t' | b'\r', _) => {}
            (quote @ (b'"' | b'\''), _) => {
                is_trailing = true;
                let rest = bytes[at + 1..].iter();
                let mut is_escaped = false;
                let inner = rest.take_while(|byte| {
                    let goes_on = is_escaped || *byte != quote;
                    is_escaped = !is_escaped && **byte == b'\\';
                    goes_on && **byte != b'\n'
                });
                at += inner.count() + 1;
                if bytes.get(at) == Some(&b'\n') {
                    continue;
                }
            }
            (b'`', _) => {
                at = skipped(at + 1, "`");
                is_trailing = true;
            }
            _ => is_trailing = true,
        }
        at += 1;
    }
    found
}
