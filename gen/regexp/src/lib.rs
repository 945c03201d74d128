//! RE2 as Go reads it: parses regular expressions as Kubernetes API servers do (Go's `regexp.Compile`, which is RE2 with
//! Go's limits), matches texts, and compares which texts two patterns accept ([`inclusion`]).
//!
//! ```
//! use crd_regexp::inclusion::{Relation, compare};
//!
//! let pattern = crd_regexp::recognise("^[a-z]+$")?;
//! assert_eq!(pattern.is_match("route"), Some(true));
//! assert_eq!(compare("^[a-z]+$", "^[a-z]*$"), Relation::Wider { gained: String::new() });
//! # Ok::<(), crd_regexp::PatternError>(())
//! ```
//!
//! Invariants:
//! * A pattern is accepted here exactly when Go 1.26 accepts it, apart from what is listed under *Limits*.
//! * No input panics or overflows the stack: parsing keeps its own stack, and the tree is at most about 1,000 levels
//!   deep.
//! * This crate has no Unicode tables: `\p{…}` stays a name, and case folding beyond ASCII stays a flag (see [`Class`]).
//!   Matching decides both for ASCII, and returns `None` where a table would decide.
//!
//! Go 1.25 accepts more names after `\p` (`\p{letter}`, `\p{Any}`) and no longer accepts script names of several words
//! (`\p{Old_Italic}`). API servers built with an older Go read these names the other way round.
//!
//! Limits: Go counts the nodes of its own, factored tree (`ab|ac` becomes `a[bc]`). The count here is that of the tree
//! as written, with adjacent characters merged, so within a few nodes of "too deep" or "too large" the two verdicts may
//! differ. A `\p{…}` counts here as one range, in Go as hundreds, so only Go refuses a pattern with some 25,000 of them.

mod class;
pub mod inclusion;
mod limits;
mod matching;
mod names;
mod node;
mod parse;
#[cfg(test)]
mod table;

use std::fmt;

pub use matching::{Capturer, Matcher};
pub use node::{Assertion, Class, Node, UnicodeSet};

/// Reads `pattern` as Go's `regexp.Compile` does.
///
/// # Errors
///
/// The first mistake that Go also refuses, and where it starts.
pub fn recognise(pattern: &str) -> Result<Pattern, PatternError> {
    parse::parse(pattern).map(|root| Pattern { root })
}

/// A regular expression that Go accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    root: Node,
}

impl Pattern {
    /// The expression as a tree.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Whether the empty string is valid under this pattern. The pattern is searched for, as Kubernetes does
    /// (`MatchString`), not anchored; in an empty text there is only one place to search.
    #[must_use]
    pub fn matches_empty(&self) -> bool {
        self.root.matches_empty()
    }
}

/// Why Go refuses a pattern, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Byte offset in the pattern at which the faulty part starts.
    pub at: usize,
    /// What is wrong.
    pub kind: PatternErrorKind,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.kind, self.at)
    }
}

impl std::error::Error for PatternError {}

/// What is wrong with a pattern. Texts are the invalid part as written, shortened if it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// The pattern ends in a single `\`.
    TrailingBackslash,
    /// `\y`: an escape that RE2 does not know, at least not in this place.
    BadEscape(String),
    /// `\x4`, `\x{110000}`: not two hexadecimal digits, or not a code point in braces.
    BadCodePoint(String),
    /// `\1`, `\k<name>`, `(?P=name)`: matching what a group matched before.
    Backreference(String),
    /// `\p{Foo}`: no such category or script.
    UnknownUnicodeClass(String),
    /// `\p{Old_Italic}`: a script that exists, under a name that Go 1.25 and 1.26 fail to look up.
    UnreachableScript(String),
    /// `\p{Greek` or a final `\p`.
    UnclosedUnicodeClass,
    /// `[[:foo:]]`: no such class of ASCII characters.
    UnknownPosixClass(String),
    /// `[z-a]`: the range runs backwards.
    BadRange(String),
    /// `[a-\d]`: the range ends in something that is not one character.
    BadRangeEnd(String),
    /// A `[` without its `]`.
    UnclosedClass,
    /// A `(` without its `)`.
    UnclosedGroup,
    /// A `)` without its `(`.
    UnexpectedParen,
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
    Lookaround(String),
    /// `(?>…)`, `(?#…)` and other groups of Perl that RE2 has not.
    UnsupportedGroup(String),
    /// `(?x)`, `(?-)`: letters after `(?` that are not flags, or a `-` without any flag after it.
    BadFlags(String),
    /// `(?P<a b>…)`: group names are ASCII letters, digits and `_`.
    BadGroupName(String),
    /// `(?P<name` without `>`.
    UnclosedGroupName,
    /// `*` and its like with nothing before them.
    NothingToRepeat(String),
    /// `a**`, `a{2}{3}`, `a++`: a repetition directly after a repetition.
    NestedRepetition(String),
    /// `{1001}`: a count above 1,000.
    RepeatTooLarge(String),
    /// `{2,1}`: at least more than at most.
    RepeatReversed(String),
    /// `(a{100}){11}`: nested counts that multiply to more than 1,000.
    RepeatProductTooLarge(String),
    /// Groups and repetitions are nested more than 1,000 deep.
    TooDeep,
    /// Written out, the expression is larger than Go compiles.
    TooLarge,
}

impl fmt::Display for PatternErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TrailingBackslash => f.write_str(r"trailing `\`; write `\\` to match a backslash"),
            Self::BadEscape(text) => write!(f, "`{text}` is not an escape here; {}", escape_advice(text)),
            Self::BadCodePoint(text) => write!(
                f,
                r"`{text}` is not a character; write exactly two hexadecimal digits (`\x7F`) or a code point in braces (`\x{{10FFFF}}`)"
            ),
            Self::Backreference(text) => {
                write!(
                    f,
                    "backreference `{text}` is not part of RE2; repeat the expression, or compare with a CEL rule"
                )
            }
            Self::UnknownUnicodeClass(text) => {
                write!(
                    f,
                    r"`{text}` names no Unicode category or script; examples that exist are `\pL`, `\p{{Lu}}` and `\p{{Greek}}`"
                )
            }
            Self::UnreachableScript(text) => write!(
                f,
                r"`{text}`: Go 1.25 and 1.26 fail to find scripts whose names have several words; write its characters as ranges (`\x{{…}}-\x{{…}}`)"
            ),
            Self::UnclosedUnicodeClass => f.write_str(r"unfinished Unicode class; write `\pL` or `\p{Greek}`"),
            Self::UnknownPosixClass(text) => write!(
                f,
                "`{text}` is not a class; known are alnum, alpha, ascii, blank, cntrl, digit, graph, lower, print, punct, space, upper, word, xdigit"
            ),
            Self::BadRange(text) => {
                write!(f, "bad range `{text}`: it runs backwards; swap its ends, or escape the `-` as `\\-`")
            }
            Self::BadRangeEnd(text) => {
                write!(
                    f,
                    "bad range `{text}`: it must end in one character; put the `-` first or escape it as `\\-` to match it"
                )
            }
            Self::UnclosedClass => {
                f.write_str(r"missing closing `]`; close the class, or write `\[` to match a bracket")
            }
            Self::UnclosedGroup => {
                f.write_str(r"missing closing `)`; close the group, or write `\(` to match a parenthesis")
            }
            Self::UnexpectedParen => {
                f.write_str(r"unexpected `)`: no group is open; remove it, or write `\)` to match a parenthesis")
            }
            Self::Lookaround(text) => {
                let kind = if text.contains('<') { "lookbehind" } else { "lookahead" };
                write!(
                    f,
                    "{kind} `{text}` is not part of RE2; state the condition as a second pattern (`allOf`) or a CEL rule"
                )
            }
            Self::UnsupportedGroup(text) => {
                write!(f, "`{text}` is not part of RE2; use a plain group, `(…)` or `(?:…)`")
            }
            Self::BadFlags(text) => {
                write!(f, "`{text}`: not a group of RE2; flags are `i`, `m`, `s`, `U`, as in `(?i)` or `(?s-i:…)`")
            }
            Self::BadGroupName(text) => write!(f, "invalid group name in `{text}`; use ASCII letters, digits and `_`"),
            Self::UnclosedGroupName => f.write_str("group name without closing `>`; write `(?P<name>…)`"),
            Self::NothingToRepeat(text) => {
                write!(f, "nothing to repeat before `{text}`; put an expression there, or write `\\{text}` to match it")
            }
            Self::NestedRepetition(text) => {
                write!(
                    f,
                    "`{text}`: a repetition of a repetition; RE2 has no possessive forms, so put the inner one in `(?:…)` or remove it"
                )
            }
            Self::RepeatTooLarge(text) => {
                write!(f, "repeat count above 1000 in `{text}`; use `maxLength` or `minLength` for longer texts")
            }
            Self::RepeatReversed(text) => {
                write!(f, "repeat count `{text}` asks for more at least than at most; swap the numbers")
            }
            Self::RepeatProductTooLarge(text) => {
                write!(
                    f,
                    "`{text}` around another counted repetition makes more than 1000 in all; lower one of the counts"
                )
            }
            Self::TooDeep => f.write_str("the expression nests more than 1000 deep; flatten it"),
            Self::TooLarge => f.write_str(
                "the expression is too large for Go once its counted repetitions are written out; lower the counts",
            ),
        }
    }
}

/// What to write instead of an escape that RE2 does not know.
fn escape_advice(text: &str) -> &'static str {
    match text.chars().nth(1) {
        Some('Z') => r"the end of the text is `\z` or `$`",
        Some('A' | 'B' | 'b' | 'z') => r"inside brackets there are only characters; a backspace is `\x08`",
        Some('Q') => r"inside brackets escape each character by itself",
        Some('E') => r"it only ends a quotation that `\Q` began",
        Some('u' | 'U') => r"a code point is written `\x{2026}`",
        Some('c') => r"a control character is written `\x01`",
        Some('e') => r"the escape character is written `\x1B`",
        Some('h') => r"horizontal space is written `[\t ]`",
        Some('N') => r"anything but a line end is written `[^\n]`",
        Some('C' | 'G' | 'H' | 'K' | 'R' | 'V' | 'X') => "it is not part of RE2; write the characters that are meant",
        _ => r"remove the backslash to match the character, or write `\\` to match a backslash",
    }
}

#[cfg(test)]
mod tests {
    use super::recognise;
    use super::table::{LIMITS, TABLE};

    fn verdict(pattern: &str) -> Option<bool> {
        recognise(pattern).ok().map(|pattern| pattern.matches_empty())
    }

    #[test]
    fn agrees_with_go() {
        let mut differing = Vec::new();
        for &(pattern, go) in TABLE {
            if verdict(pattern) != go {
                differing.push(format!("{pattern:?}: Go: {go:?}, this crate: {:?}", recognise(pattern)));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn agrees_with_go_at_its_limits() {
        for &(open, times, middle, close, go) in LIMITS {
            let pattern = format!("{}{middle}{}", open.repeat(times), close.repeat(times));
            assert_eq!(verdict(&pattern), go, "{times} times {open}{middle}{close}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let deep = format!("{}{}", "(".repeat(1000), ")".repeat(1000));
        let large = "a{1000}".repeat(3356);
        for (pattern, at, start) in [
            ("a\\", 1, r"trailing `\`"),
            (r"é\y", 2, r"`\y` is not an escape"),
            (r"[\b]", 1, r"`\b` is not an escape here; inside brackets"),
            (r"a\x{110000}", 1, r"`\x{110000}` is not a character"),
            (r"(a)\1", 3, r"backreference `\1`"),
            (r"(?P<n>a)(?P=n)", 8, "backreference `(?P=n)`"),
            (r"a\p{Foo}", 1, r"`\p{Foo}` names no Unicode category"),
            (r"[\p{Old_Italic}]", 1, r"`\p{Old_Italic}`: Go 1.25 and 1.26"),
            (r"\p{Greek", 0, "unfinished Unicode class"),
            ("[[:foo:]]", 1, "`[:foo:]` is not a class"),
            ("[0z-a]", 2, "bad range `z-a`: it runs backwards"),
            (r"[a-\d]", 1, r"bad range `a-\d`: it must end"),
            ("a[b", 1, "missing closing `]`"),
            ("a(b(c)", 1, "missing closing `)`"),
            ("a)", 1, "unexpected `)`"),
            ("a(?=b)", 1, "lookahead `(?=` is not part of RE2"),
            ("(?<!b)", 0, "lookbehind `(?<!` is not part of RE2"),
            ("(?>b)", 0, "`(?>` is not part of RE2"),
            ("(?ix)", 0, "`(?ix`: not a group of RE2"),
            ("(?P<a b>c)", 0, "invalid group name in `(?P<a b>`"),
            ("(?<a", 0, "group name without closing `>`"),
            ("a|*", 2, "nothing to repeat before `*`"),
            ("ba**", 2, "`**`: a repetition of a repetition"),
            ("a{1001}", 1, "repeat count above 1000 in `{1001}`"),
            ("a{2,1}", 1, "repeat count `{2,1}` asks"),
            ("(a{100}){11}", 8, "`{11}` around another counted repetition"),
            (&deep, 0, "the expression nests more than 1000 deep"),
            (&large, 0, "the expression is too large"),
        ] {
            let error = recognise(pattern).expect_err(pattern);
            assert_eq!(error.at, at, "{error}");
            assert!(error.to_string().starts_with(start), "{error}");
        }
    }
}
