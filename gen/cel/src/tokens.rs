//! Comparison of expressions by their tokens.
//!
//! Invariants: expressions with the same tokens mean the same to every server. A text that the lexer cannot read equals only itself.

use std::ops::Range;

use super::lexer::{Lexer, Token, TokenKind, Unreadable};

/// Whether both expressions have the same tokens: white space and comments do not count.
pub fn same_tokens(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (mut left, mut right) = (Lexer::new(one), Lexer::new(other));
    loop {
        let (Ok(left), Ok(right)) = (left.next_token(), right.next_token()) else { return false };
        if left.kind != right.kind || text(one, left) != text(other, right) {
            return false;
        }
        if left.kind == TokenKind::End {
            return true;
        }
    }
}

/// The expression with one space between its tokens and without comments. Two expressions have the same result where
/// [`same_tokens`] is true. A text that the lexer cannot read is returned as it is.
pub fn laid_out(expression: &str) -> String {
    let mut out = String::with_capacity(expression.len());
    for token in tokens(expression) {
        let Ok(token) = token else { return expression.to_owned() };
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(text(expression, token));
    }
    out
}

/// Where the tokens of an expression are in its text; of a text that the lexer cannot read, those before the unreadable place.
pub fn token_spans(expression: &str) -> Vec<Range<usize>> {
    tokens(expression).map_while(Result::ok).map(|token| token.start..token.end).collect()
}

/// The value of a token that is a literal of a text; none for every other token.
pub fn literal_text(token: &str) -> Option<String> {
    super::literals::text(token)
}

/// Whether an expression reads the variable `oldSelf`. The word in a string, in a comment, or as the name of a field does not count.
/// Of a text that the lexer cannot read, the tokens before the unreadable place count.
pub fn mentions_old_self(expression: &str) -> bool {
    // Most rules do not have the word at all.
    if !expression.contains("oldSelf") {
        return false;
    }
    // Whether a field name can follow: after a value and a dot. `a ? .oldSelf : b` reads the variable.
    let (mut after_value, mut after_selection) = (false, false);
    for token in tokens(expression).map_while(Result::ok) {
        if token.kind == TokenKind::Identifier && !after_selection && text(expression, token) == "oldSelf" {
            return true;
        }
        after_selection = match token.kind {
            TokenKind::Dot => after_value,
            TokenKind::QuestionMark => after_selection,
            _ => false,
        };
        after_value = token.kind.ends_value();
    }
    false
}

/// The tokens up to the end, or up to the first place where none can be read.
fn tokens(expression: &str) -> impl Iterator<Item = Result<Token, Unreadable>> {
    let mut lexer = Lexer::new(expression);
    let mut stopped = false;
    std::iter::from_fn(move || {
        let token = Some(lexer.next_token()).filter(|_| !stopped)?;
        stopped = token.is_err();
        token.map(|token| (token.kind != TokenKind::End).then_some(token)).transpose()
    })
}

fn text(expression: &str, token: Token) -> &str {
    expression.get(token.start..token.end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_with_the_same_tokens_are_equal() {
        for (one, other) in [
            ("a&&b", "a && b"),
            ("self.all(a,  a.x in ['p', 'q'])", "self.all(a, a.x in [ 'p','q' ])"),
            ("( ( (!has(a.b)) ) )", "(((!has(a.b))))"),
            ("a\n  || b // why\n  || c", "a || b || c"),
            ("self.x == r'\\'", "self.x==r'\\'"),
            ("self.x == 'a // b'", "self.x=='a // b'"),
            ("a ? b : c", "a?b:c"),
            ("1 .x", "1.x"),
            ("a - -b", "a--b"),
        ] {
            assert!(same_tokens(one, other), "{one} and {other}");
            assert_eq!(laid_out(one), laid_out(other), "{one} and {other}");
        }
    }

    #[test]
    fn expressions_with_other_tokens_differ() {
        for (one, other) in [
            ("a in b", "ain b"),
            ("a in b", "a inb"),
            ("self.x == 'a b'", "self.x == 'ab'"),
            ("self.x == 'a\\' b'", "self.x == 'a\\'b'"),
            ("self.x == '''a' b'''", "self.x == '''a'b'''"),
            ("self.x == r'\\' && y == ' '", "self.x == r'\\' && y == ''"),
            ("1 .5", "1.5"),
            ("1 e5", "1e5"),
            ("a // b\n&& c", "a // b && c"),
            ("a ! = b", "a != b"),
            ("r \"\\n\"", "r\"\\n\""),
            ("a", "a b"),
        ] {
            assert!(!same_tokens(one, other), "{one} and {other}");
            assert_ne!(laid_out(one), laid_out(other), "{one} and {other}");
        }
    }

    #[test]
    fn unreadable_texts_equal_only_themselves() {
        for text in ["'", "'''", "\"\\", "r'", "/ '", "é 'ü", "b'\\", "a = b", "a & b"] {
            assert!(same_tokens(text, text));
            assert!(!same_tokens(text, &format!("{text} ")), "{text}");
            assert_eq!(laid_out(text), text);
        }
        assert!(same_tokens("", " // c"));
    }

    #[test]
    fn old_self_is_found_where_it_is_a_variable() {
        for expression in [
            "oldSelf",
            "oldSelf.x",
            "(oldSelf)",
            "self == oldSelf",
            "self==oldSelf",
            "size(oldSelf)",
            "[oldSelf]",
            "!oldSelf.hasValue()",
            "true ? oldSelf : self",
            "a ? .oldSelf : b",
            "'x' in oldSelf",
            "'it\\'s' == oldSelf",
            "r'\\' == oldSelf",
            "\"\"\"a\"b\"\"\" == oldSelf",
            "1 + oldSelf",
            "has(oldSelf.a)",
            "// c\noldSelf",
            "self.all(x, x == oldSelf)",
            "oldSelf == 'unfinished",
        ] {
            assert!(mentions_old_self(expression), "{expression}");
        }
        for expression in [
            "",
            "self",
            "self == 1",
            "self.oldSelf",
            "self . oldSelf",
            "self.a().oldSelf",
            "self[0].oldSelf",
            "self.?oldSelf",
            "self.oldSelfish",
            "self.myoldSelf",
            "old.Self",
            "'oldSelf'",
            "b\"oldSelf\"",
            "// oldSelf",
            "oldSelf2",
            "my_oldSelf",
            "'''oldSelf'''",
            "r'oldSelf",
            "'\\'oldSelf'",
        ] {
            assert!(!mentions_old_self(expression), "{expression}");
        }
    }
}
