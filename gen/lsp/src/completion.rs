//! What can be written at a place of an object.

use crd_model::yaml::TextPosition;

use crate::kinds::Kinds;

/// A proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// What is shown, and what is written in place of the text from `start` to the position.
    pub(crate) label: String,
    pub(crate) insert: String,
    /// The type, in a few words.
    pub(crate) detail: String,
    /// Markdown.
    pub(crate) documentation: String,
    pub(crate) is_key: bool,
}

/// The proposals at a position of a text, and the column, from 1 in characters, from which they replace the text of the line.
pub(crate) fn completion(_text: &str, position: TextPosition, _kinds: &Kinds) -> (usize, Vec<Proposal>) {
    (position.column, Vec::new())
}
