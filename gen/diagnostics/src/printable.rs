//! Text of inputs, made harmless for terminals, readers and the logs of workflows.
//!
//! Invariants: one table of characters, for every format and for the site. Escaping comes after wrapping, because wrapping decides how a line
//! begins: [`Printed`] is the last step of text and Markdown. It changes nothing in its own output.

use std::fmt::Write as _;

/// Whether a character controls a terminal, changes how other characters look, or cannot be seen. Line breaks and tabs do not.
pub fn is_invisible(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        // The variation selectors of text and of pictures, U+FE0E and U+FE0F, are part of usual texts.
        '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' => true,
        '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' => true,
        other => other.is_control(),
    }
}

/// Text with its invisible characters as escapes, such as `\u{202e}`.
pub fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    text.chars().for_each(|character| push_visible(&mut visible, character));
    visible
}

/// Adds a character, or its escape.
pub fn push_visible(text: &mut String, character: char) {
    match is_invisible(character) {
        // Writing to a string does not fail.
        true => _ = write!(text, "\\u{{{:x}}}", u32::from(character)),
        false => text.push(character),
    }
}

/// Text on one line, with its invisible characters as escapes.
pub fn printable(text: &str) -> String {
    visible(&text.replace(['\n', '\r', '\t'], " "))
}

/// How a line begins that the runner of GitHub reads as a command, after any spaces.
const COMMAND: &str = "::";
/// Where a command of the older form begins, anywhere in a line.
const OLD_COMMAND: &str = "##[";

/// Text and Markdown as a terminal and a log get them, in parts.
#[derive(Clone, Debug)]
pub struct Printed {
    /// Whether the line has only spaces yet.
    is_blank: bool,
}

impl Default for Printed {
    fn default() -> Self {
        Self { is_blank: true }
    }
}

impl Printed {
    /// The next part. No line is a command for the runner of GitHub, and no character is invisible, except for styles.
    pub fn next(&mut self, text: &str) -> String {
        let mut printed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let length = style(rest).or_else(|| rest.starts_with(OLD_COMMAND).then_some(OLD_COMMAND.len()));
            let (now, then) = rest.split_at(length.unwrap_or(character.len_utf8()));
            match character {
                '\u{1b}' if length.is_some() => printed.push_str(now),
                '#' if length.is_some() => printed.push_str("##\\["),
                other => {
                    if self.is_blank && rest.starts_with(COMMAND) {
                        printed.push('\\');
                    }
                    push_visible(&mut printed, other);
                }
            }
            self.is_blank = character == '\n'
                || self.is_blank && (character == '\u{1b}' && length.is_some() || character.is_whitespace());
            rest = then;
        }
        printed
    }
}

/// The length of the style that a text begins with, such as `ESC[1m`.
fn style(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    parameters[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
}

/// A whole text as a terminal and a log get it.
pub fn printed(text: &str) -> String {
    Printed::default().next(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(printable("a\u{1b}[2J\nb\u{7f}\u{9b}\tc"), "a\\u{1b}[2J b\\u{7f}\\u{9b} c");
        assert_eq!(visible("é\u{202e}\n\u{e0041}\u{fe0f}"), "é\\u{202e}\n\\u{e0041}\u{fe0f}");
    }

    #[test]
    fn no_line_is_a_command() {
        for (text, expected) in [
            ("::error::x", "\\::error::x"),
            (" \t\u{a0}::error::x\na::b", " \t\u{a0}\\::error::x\na::b"),
            ("a ##[error]b", "a ##\\[error]b"),
            ("\u{1b}[1m::a\u{1b}[0m", "\u{1b}[1m\\::a\u{1b}[0m"),
            ("\u{1b}[2J::a", "\\u{1b}[2J::a"),
            ("###[a", "###\\[a"),
        ] {
            assert_eq!(printed(text), expected);
            assert_eq!(printed(expected), expected, "once is enough");
        }
        let mut parts = Printed::default();
        assert_eq!([" ", "::a", "::b\n", "::c"].map(|part| parts.next(part)), [" ", "\\::a", "::b\n", "\\::c"]);
    }
}
