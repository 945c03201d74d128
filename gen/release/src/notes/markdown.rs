//! Markdown: foreign texts, escaped so that they stay texts.
//!
//! Invariants: nothing that is written here ends the line, opens a tag, a link or an emphasis, or ends the span or the cell of a table that it
//! appears in.

use crd_diagnostics::printable;
use serde_json::Value;

/// A value longer than this is cut.
const LONGEST: usize = 120;
/// The number of common characters that two long values keep around the part that differs.
const CONTEXT: usize = 24;

/// A name or value as code.
pub(crate) fn code(text: &str) -> String {
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
pub(crate) fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A value as code, shortened.
pub(super) fn value(value: &Value) -> String {
    code(&cut(&text(value)))
}

/// Two values as code; of long ones, the part that differs.
pub(super) fn values(before: &Value, after: &Value) -> (String, String) {
    let (before, after) = differing(&text(before), &text(after));
    (code(&before), code(&after))
}

fn text(value: &Value) -> String {
    match value {
        // Without quotes where that cannot be mistaken.
        Value::String(text) if !text.is_empty() && text.parse::<f64>().is_err() => text.clone(),
        other => other.to_string(),
    }
}

/// A generated sentence, in which names may be code: everything else is text.
pub(crate) fn sentence(sentence: &str) -> String {
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
pub(super) fn plain(text: &str) -> String {
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

/// Names in a row: `a, b and c`.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn cut(text: &str) -> String {
    let characters = text.chars().collect::<Vec<_>>();
    if characters.len() <= LONGEST {
        return text.to_owned();
    }
    let half = LONGEST / 2;
    let (head, tail) = (&characters[..half], &characters[characters.len() - half + 1..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

fn differing(before: &str, after: &str) -> (String, String) {
    let sides = [before, after].map(|text| text.chars().collect::<Vec<_>>());
    let shorter = sides[0].len().min(sides[1].len());
    if sides[0].len().max(sides[1].len()) <= LONGEST {
        return (before.to_owned(), after.to_owned());
    }
    let head = sides[0].iter().zip(&sides[1]).take_while(|(one, other)| one == other).count();
    let tail = sides[0].iter().rev().zip(sides[1].iter().rev()).take_while(|(one, other)| one == other).count();
    let tail = tail.min(shorter - head);
    let [before, after] = sides.map(|side| {
        let (start, end) = (head.saturating_sub(CONTEXT), side.len() - tail.saturating_sub(CONTEXT));
        let middle = side[start..end].iter().collect::<String>();
        let (left, right) = (if start > 0 { "…" } else { "" }, if end < side.len() { "…" } else { "" });
        cut(&format!("{left}{middle}{right}"))
    });
    (before, after)
}

/// The anchor of a generated heading: letters, digits and dashes.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
    kept.flat_map(char::to_lowercase).map(|character| if character == ' ' { '-' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        assert_eq!(code("a\nb\u{1b}"), "`a b\u{fffd}`");
        assert_eq!(code(""), "\"\"");
        assert_eq!(sentence("the field is called `a_b` now: <x>"), r"the field is called `a_b` now: \<x\>");
        assert_eq!(sentence("a ` alone"), r"a \` alone");
    }

    #[test]
    fn values_are_short_and_differ_where_they_differ() {
        assert_eq!(value(&json!("a|b")), "`a|b`");
        assert_eq!([value(&json!("12")), value(&json!(12)), value(&json!(""))], ["`\"12\"`", "`12`", "`\"\"`"]);
        let long = "x".repeat(200);
        let (one, other) = values(&json!(format!("{long}1{long}")), &json!(format!("{long}2{long}")));
        let around = "x".repeat(CONTEXT);
        assert_eq!([one, other], [format!("`…{around}1{around}…`"), format!("`…{around}2{around}…`")]);
        assert_eq!(value(&json!(long)).chars().count(), LONGEST + 2);
        let (one, other) = values(&json!("aa".repeat(80)), &json!("aa".repeat(70)));
        assert_ne!(one, other);
    }

    #[test]
    fn headings_have_the_anchor_that_pages_give_them() {
        assert_eq!(anchor("Tightened or changed"), "tightened-or-changed");
        assert_eq!(anchor("From experimental to standard: losses"), "from-experimental-to-standard-losses");
    }
}
