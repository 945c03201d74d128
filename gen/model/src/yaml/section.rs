//! Places in a text, and where its documents begin.

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// The position of a document in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The first byte of a line from which the document can be parsed alone.
    pub(super) byte: usize,
    /// The number of that line, from 1.
    pub(super) line: usize,
    /// Where the document's content begins: behind the marker and comments.
    pub(super) content: TextPosition,
    pub(super) form: Form,
}

/// How a document is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// By its lines, as [`super::block`] reads them.
    Lines,
    Yaml,
    Json,
}

impl Default for Section {
    fn default() -> Self {
        Self { byte: 0, line: 1, content: TextPosition { line: 1, column: 1 }, form: Form::Yaml }
    }
}

impl Section {
    /// Where the document's content begins: behind the marker `---` and comments.
    pub fn content_position(self) -> TextPosition {
        self.content
    }

    /// The first byte of the first line: that of the marker, if there is one.
    pub fn start(self) -> usize {
        self.byte
    }

    /// Of a document of plain lines that begins in this line, given by its first byte and its number, and whose content begins in that line.
    pub(super) fn of_lines((byte, line): (usize, usize), content: usize) -> Self {
        Self { byte, line, content: TextPosition { line: content, column: 1 }, form: Form::Lines }
    }

    /// The same document, searched by its nodes.
    #[cfg(test)]
    pub(super) fn with_nodes(self) -> Self {
        Self { form: Form::Yaml, ..self }
    }
}
