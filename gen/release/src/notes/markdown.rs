//! Values and lists in Markdown.

pub(crate) use crd_diagnostics::markdown::{cell, code, plain, sentence};
use serde_json::Value;

/// A value longer than this is cut.
const LONGEST: usize = 120;
/// The number of common characters that two long values keep around the part that differs.
const CONTEXT: usize = 24;

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
