//! Places in a text, and where its documents begin.

use granit_parser::Span;

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
    /// Whether the document has the form of [`super::block`], which is searched without the parser.
    pub(super) is_plain: bool,
}

/// The whole text.
impl Default for Section {
    fn default() -> Self {
        Self { byte: 0, line: 1, content: TextPosition { line: 1, column: 1 }, is_plain: false }
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

    /// Of a document that begins with a marker.
    pub(super) fn explicit(text: &str, span: &Span) -> Self {
        Self::content(text, None, span)
    }

    /// Of a document of plain lines that begins in this line, given by its first byte and its number, and whose content begins in that line.
    pub(super) fn of_lines((byte, line): (usize, usize), content: usize) -> Self {
        Self { byte, line, content: TextPosition { line: content, column: 1 }, is_plain: true }
    }

    /// The same document, searched with the parser.
    #[cfg(test)]
    pub(super) fn with_parser(self) -> Self {
        Self { is_plain: false, ..self }
    }

    /// Once its content is met.
    pub(super) fn content(text: &str, marked: Option<Self>, span: &Span) -> Self {
        let content = TextPosition::of(span, 0);
        match marked {
            Some(marked) => Self { content, ..marked },
            None => {
                let before = text.get(..span.start.byte_offset().unwrap_or_default()).unwrap_or_default();
                let byte = before.rfind(['\n', '\r']).map_or(0, |index| index + 1);
                Self { byte, line: content.line, content, is_plain: false }
            }
        }
    }
}

impl TextPosition {
    pub(super) fn of(span: &Span, lines_before: usize) -> Self {
        Self { line: span.start.line() + lines_before, column: span.start.col() + 1 }
    }
}
