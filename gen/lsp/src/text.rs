//! Positions of the protocol, which count in UTF-8 or UTF-16, and positions of diagnostics, which count in characters.
//!
//! Invariant: a position behind the end of a line or of the text is its end, so that no position of an editor is an error.

use crd_model::yaml::TextPosition;
use lsp_types::{Position, PositionEncodingKind};

/// What columns of the protocol count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// UTF-8 if the client has it, else UTF-16, which every client has.
    pub(crate) fn chosen(offered: Option<&Vec<PositionEncodingKind>>) -> Self {
        match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            true => Self::Utf8,
            false => Self::Utf16,
        }
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn units(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
        }
    }

    /// The characters of a line before a column.
    fn characters(self, line: &str, column: u32) -> usize {
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        let mut units = 0;
        line.chars()
            .take_while(|character| {
                units += self.units(*character);
                units <= column
            })
            .count()
    }

    /// The byte of a position.
    pub(crate) fn byte(self, text: &str, position: Position) -> usize {
        let number = usize::try_from(position.line).unwrap_or(usize::MAX);
        let start = match number {
            0 => Some(0),
            _ => text.match_indices('\n').nth(number - 1).map(|(at, _)| at + 1),
        };
        let Some(start) = start else { return text.len() };
        let line = text[start..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let characters = self.characters(line, position.character);
        start + line.chars().take(characters).map(char::len_utf8).sum::<usize>()
    }

    /// A position in characters, from 1.
    pub(crate) fn place(self, text: &str, position: Position) -> TextPosition {
        let number = usize::try_from(position.line).unwrap_or(usize::MAX - 1);
        let line = text.lines().nth(number).unwrap_or_default();
        TextPosition { line: number + 1, column: self.characters(line, position.character) + 1 }
    }

    /// The position of a place in characters, from 1.
    pub(crate) fn position(self, text: &str, place: TextPosition) -> Position {
        let line = text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default();
        let before = line.chars().take(place.column.saturating_sub(1));
        let column = before.map(|character| self.units(character)).sum::<usize>();
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Position { line: number(place.line.saturating_sub(1)), character: number(column) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_as_both_sides_agree() {
        let text = "a: 𝄞é\r\nb: c\n";
        for (encoding, columns) in [(Encoding::Utf8, [3, 7, 9]), (Encoding::Utf16, [3, 5, 6])] {
            for (index, column) in columns.into_iter().enumerate() {
                let place = TextPosition { line: 1, column: 4 + index };
                let position = Position { line: 0, character: column };
                assert_eq!(encoding.position(text, place), position);
                assert_eq!(encoding.place(text, position), place);
            }
            assert_eq!(encoding.byte(text, Position { line: 0, character: 99 }), 9);
            assert_eq!(encoding.byte(text, Position { line: 1, character: 3 }), 14);
            assert_eq!(encoding.byte(text, Position { line: 9, character: 0 }), text.len());
        }
    }
}
