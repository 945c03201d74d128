//! The comments of a Go file, and which of them belong to a declaration.
//!
//! Invariants: a declaration has its doc comment and the closest group of comments above it,
//! as in controller-gen (`pkg/markers/collect.go` of v0.23); a comment behind code on its line belongs to no declaration.

use std::ops::Range;

use tree_sitter::Node;

use crate::gates::behind_stage;
use crate::names::{Line, line};

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
        // `+k8s:beta(since: "1.37")=+k8s:ifEnabled(GATE)=+MARKER`: the stage of a rule does not change it.
        let (at, behind) = match behind_stage(behind) {
            Some(marker) => (at + behind.len() - marker.len(), marker),
            None => (at, behind),
        };
        Some(Marker { at, text: at + 1..at + 1 + behind.len(), line: line(behind) })
    }

    /// The text behind the plus.
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.text.clone()]
    }
}

impl Comment {
    /// The byte of the marker, or of the first tag.
    pub(crate) fn marked_at(&self, text: &str) -> usize {
        let tag = || self.range.start + text[self.range.clone()].find("<gateway:").unwrap_or_default();
        self.marker.as_ref().map_or_else(tag, |marker| marker.at)
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
#[derive(Debug, Default)]
pub(crate) struct Comments {
    pub(crate) all: Vec<Comment>,
    pub(crate) groups: Vec<Group>,
}

impl Comments {
    pub(crate) fn of(text: &str, root: Node<'_>) -> Self {
        let all = comments(text, root);
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

    /// The comments of groups.
    pub(crate) fn indexes(&self, groups: Vec<Range<usize>>) -> impl Iterator<Item = usize> {
        let groups = groups.into_iter().flat_map(|groups| self.groups.get(groups).unwrap_or_default());
        groups.flat_map(|group| group.comments.clone())
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
fn comments(text: &str, root: Node<'_>) -> Vec<Comment> {
    let (mut found, mut cursor) = (Vec::new(), root.walk());
    loop {
        let node = cursor.node();
        if node.kind() == "comment" {
            let start = node.start_byte();
            let range = start..start + text[node.byte_range()].trim_end_matches('\r').len();
            let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
            let is_trailing = !text[line..start].trim().is_empty();
            found.push(Comment { marker: Marker::of(text, &range), range, is_trailing });
        }
        if !cursor.goto_first_child() {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }
}
