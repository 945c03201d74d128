//! What a schema has for a field of an object, in words.

use crd_model::yaml::TextPosition;

use crate::kinds::Kinds;

/// Words about a part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hover {
    /// Markdown.
    pub(crate) text: String,
    /// Where the part begins, and how many characters it has.
    pub(crate) start: TextPosition,
    pub(crate) length: usize,
}

/// Words about what is at a position of a text.
pub(crate) fn hover(_text: &str, _position: TextPosition, _kinds: &Kinds) -> Option<Hover> {
    None
}
