//! RE2 as Go reads it: parses regular expressions as Kubernetes API servers do (Go's `regexp.Compile`, which is RE2 with
//! Go's limits), matches texts, and compares which texts two patterns accept ([`inclusion`]).
//!
//! Knows nothing of `crd-model`, `crd-cel` or `serde_json`.
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
mod mistakes;
mod names;
mod node;
mod parse;

use std::fmt;

pub use matching::{Capturer, Matcher, Texts};
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

/// Only a Unicode table shows whether a character that matters is in a set, or the pattern is too large to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided;

/// Why Go refuses a pattern, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Byte offset in the pattern at which the faulty part starts.
    pub at: usize,
    /// What is wrong, and how to fix it.
    message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.at)
    }
}

impl std::error::Error for PatternError {}

#[cfg(test)]
mod tests {
    use super::recognise;
    use serde_json::{Value, from_str, from_value};

    /// Go's verdicts of this kind, recorded so that the tests need neither Go nor this crate's code.
    pub(super) fn go_verdicts(kind: &str) -> Value {
        let mut all: Value = from_str(include_str!("../tests/go-verdicts.json")).unwrap();
        all[kind].take()
    }

    fn verdict(pattern: &str) -> Option<bool> {
        recognise(pattern).ok().map(|pattern| pattern.matches_empty())
    }

    #[test]
    fn agrees_with_go() {
        let mut differing = Vec::new();
        for (pattern, go) in from_value::<Vec<(String, Option<bool>)>>(go_verdicts("empty")).unwrap() {
            if verdict(&pattern) != go {
                differing.push(format!("{pattern:?}: Go: {go:?}, this crate: {:?}", recognise(&pattern)));
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }

    #[test]
    fn agrees_with_go_at_its_limits() {
        type Limit = (String, usize, String, String, Option<bool>);
        for (open, times, middle, close, go) in from_value::<Vec<Limit>>(go_verdicts("limits")).unwrap() {
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
