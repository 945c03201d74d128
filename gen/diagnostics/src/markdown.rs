//! Markdown: foreign texts, escaped so that they stay texts.
//!
//! Invariants: nothing that is written here ends the line, opens a tag, a link or an emphasis, or ends the span or the cell of a table that it
//! appears in. A document is [`crate::printed`] as a whole.

use crate::printable;

/// A name or value as code.
pub fn code(text: &str) -> String {
    let text = printable(text);
    if text.trim().is_empty() {
        // There is no empty span of code.
        return format!("\"{}\"", plain(&text));
    }
    // A fence that is longer than any run of backticks inside.
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A name or value as code in a cell of a table, which `|` would end even inside of code.
pub fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A generated sentence, in which names may be code: everything else is text.
pub fn sentence(sentence: &str) -> String {
    with_code(sentence, code)
}

/// The same in a cell of a table.
pub fn cell_sentence(sentence: &str) -> String {
    with_code(sentence, cell)
}

fn with_code(sentence: &str, code: fn(&str) -> String) -> String {
    let parts = sentence.split('`').collect::<Vec<_>>();
    if parts.len().is_multiple_of(2) {
        // An odd backtick: a foreign text has one.
        return plain(sentence);
    }
    let spans = parts.iter().enumerate().map(|(index, part)| match index % 2 {
        1 => code(part),
        _ => plain(part),
    });
    spans.collect()
}

/// A text that is only a text, on one line. Links stay as they are: signs that mean nothing where they stand are left alone.
pub fn plain(text: &str) -> String {
    let text = printable(text);
    let mut plain = String::new();
    let mut before = None;
    for (index, character) in text.char_indices() {
        let rest = &text[index + character.len_utf8()..];
        let inside_word = |known: Option<char>| known.is_some_and(char::is_alphanumeric);
        let means_something = match character {
            '_' => !(inside_word(before) && inside_word(rest.chars().next())),
            '&' => is_entity(rest),
            other => "\\`*[]<>|~".contains(other),
        };
        if means_something {
            plain.push('\\');
        }
        plain.push(character);
        before = Some(character);
    }
    plain
}

/// Whether an ampersand followed by this is an entity: `&amp;`, `&#38;`.
fn is_entity(rest: &str) -> bool {
    rest.split_once(';').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '#')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_stays_a_text() {
        assert_eq!(
            plain("a <b> | `c` *d* [e](f) _g_ &amp; \\ ~~h~~\ni"),
            r"a \<b\> \| \`c\` \*d\* \[e\](f) \_g\_ \&amp; \\ \~\~h\~\~ i"
        );
        assert_eq!(plain("https://example.com/a_b?c=1&d=2"), "https://example.com/a_b?c=1&d=2");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a\nb\u{1b}"), "`a b\\u{1b}`");
        assert_eq!(code(""), "\"\"");
        assert_eq!(sentence("the field is called `a_b` now: <x>"), r"the field is called `a_b` now: \<x\>");
        assert_eq!(sentence("a ` alone"), r"a \` alone");
    }
}
