//! The text of CEL rules: whether two rules differ only in how they are laid out, and whether one is about updates.
//!
//! Fed with the texts of rules by [`crate::walk`], [`crate::direction`] and the rule `tightened`.
//!
//! Invariants: what is called the same has the same tokens, so no server can tell the texts apart; where that is not certain they differ.
//! Nothing is refused here: a text that is no CEL is compared like any other.

/// Whether both texts have the same tokens: spaces, line breaks and comments between them aside.
pub(crate) fn same_tokens(one: &str, other: &str) -> bool {
    one == other || laid_out(one) == laid_out(other)
}

/// True if a rule looks at the value that an update replaces.
pub(crate) fn is_about_updates(rule: &str) -> bool {
    let word = |character: char| character.is_alphanumeric() || character == '_';
    rule.match_indices("oldSelf")
        .any(|(at, found)| !rule[..at].ends_with(word) && !rule[at + found.len()..].starts_with(word))
}

/// The text with nothing between its tokens but the spaces that keep them apart.
pub(crate) fn laid_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut spaced = false;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            ' ' | '\t' | '\n' | '\r' | '\u{c}' => {
                spaced = true;
                rest = &rest[1..];
                continue;
            }
            '/' if rest.starts_with("//") => {
                spaced = true;
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            '"' | '\'' => string_length(rest, is_raw(&out) && !spaced),
            _ => character.len_utf8(),
        };
        if spaced && out.chars().next_back().is_some_and(|before| could_join(before, character)) {
            out.push(' ');
        }
        spaced = false;
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// Whether two tokens could be read as another one if nothing stood between them: words and numbers, `&&`, `!=`, `r"…"`.
fn could_join(before: char, after: char) -> bool {
    let bracket = |character: char| matches!(character, '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':');
    let quote = |character: char| matches!(character, '"' | '\'');
    let word = |character: char| character.is_alphanumeric() || character == '_';
    let operator = |character: char| "&|!=<>+-*/%?".contains(character);
    let apart = match (before, after) {
        _ if bracket(before) || bracket(after) => true,
        // `1e -5` is no number, and `1e-5` is one.
        ('e' | 'E', '+' | '-') => false,
        _ if quote(after) => operator(before),
        _ if quote(before) => word(after) || operator(after),
        _ => word(before) && operator(after) || operator(before) && word(after),
    };
    !apart
}

/// Whether what was read ends with the prefix of a raw string: `r`, `R`, and both with a `b`.
fn is_raw(out: &str) -> bool {
    let word = out.rfind(|character: char| !(character.is_alphanumeric() || character == '_'));
    let last = &out[word.map_or(0, |at| at + out[at..].chars().next().map_or(0, char::len_utf8))..];
    matches!(last.to_ascii_lowercase().as_str(), "r" | "br" | "rb")
}

/// How many bytes the string at the beginning of a text has; all of them if it has no end.
fn string_length(text: &str, raw: bool) -> usize {
    let quote = &text[..1];
    let triple = quote.repeat(3);
    let end = if text.starts_with(&triple) { triple.as_str() } else { quote };
    let mut at = end.len();
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(end) {
            return at + end.len();
        }
        let mut characters = rest.chars();
        let escaped = !raw && characters.next() == Some('\\');
        at += match escaped {
            true => 1 + characters.next().map_or(0, char::len_utf8),
            false => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_not_told_apart() {
        for (one, other) in [
            ("a&&b", "a && b"),
            ("self.all(a,  a.x in ['p', 'q'])", "self.all(a, a.x in [ 'p','q' ])"),
            ("( ( (!has(a.b)) ) )", "(((!has(a.b))))"),
            ("a\n  || b // why\n  || c", "a || b || c"),
            ("self.x == r'\\'", "self.x==r'\\'"),
            ("self.x == 'a // b'", "self.x=='a // b'"),
            ("a ? b : c", "a?b:c"),
        ] {
            assert!(same_tokens(one, other), "{one} and {other}: {} {}", laid_out(one), laid_out(other));
        }
    }

    #[test]
    fn everything_else_is() {
        for (one, other) in [
            ("a in b", "ain b"),
            ("a in b", "a inb"),
            ("self.x == 'a b'", "self.x == 'ab'"),
            ("self.x == 'a\\' b'", "self.x == 'a\\'b'"),
            ("self.x == '''a' b'''", "self.x == '''a'b'''"),
            ("self.x == r'\\' && y == ' '", "self.x == r'\\' && y == ''"),
            ("1 .x", "1.x"),
            ("a - -b", "a--b"),
            ("a // b\n&& c", "a // b && c"),
            ("a ! = b", "a != b"),
            ("r \"\\n\"", "r\"\\n\""),
        ] {
            assert!(!same_tokens(one, other), "{one} and {other}: {}", laid_out(one));
        }
    }

    #[test]
    fn rules_about_updates_name_the_old_value() {
        assert!(["self == oldSelf", "oldSelf.x", "(oldSelf)"].iter().all(|rule| is_about_updates(rule)));
        assert!(
            ["self == 1", "self.oldSelfish", "self.myoldSelf", "old.Self", ""]
                .iter()
                .all(|rule| !is_about_updates(rule))
        );
    }

    #[test]
    fn unfinished_texts_do_no_harm() {
        for text in ["'", "'''", "\"\\", "r'", "//", "/", "é 'ü", "b'\\", ""] {
            assert!(same_tokens(text, text));
            assert!(!laid_out(text).contains('\n'));
        }
    }
}
