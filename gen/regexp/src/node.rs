//! The tree of a regular expression.
//!
//! Invariants: a `Concat` holds no `Concat`, an `Alternate` no `Alternate`, and both at least two nodes; a tree is at
//! most about 1,000 levels deep, so recursion over it is safe. Flags such as `(?i)` are gone: they are resolved into
//! the nodes that they govern.

/// A part of a regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Matches the empty string, anywhere.
    Empty,
    /// Matches this character only.
    Char(char),
    /// Matches one character of a set.
    Class(Class),
    /// Matches the empty string in certain places.
    Assert(Assertion),
    /// `(…)`, `(?P<name>…)`: what `inner` matches. Only groups that capture are kept.
    Capture {
        /// The name, if the group has one. Go does not mind two groups of one name.
        name: Option<String>,
        inner: Box<Node>,
    },
    /// `x*`, `x+`, `x?`, `x{n,m}`.
    Repeat {
        inner: Box<Node>,
        /// At least so often.
        min: u32,
        /// At most so often; `None` is without limit.
        max: Option<u32>,
        /// Whether fewer repetitions are preferred. It decides what a match covers, never whether there is one.
        lazy: bool,
    },
    /// One after the other.
    Concat(Vec<Node>),
    /// Any of these, the first preferred.
    Alternate(Vec<Node>),
}

impl Node {
    /// Whether this part matches the empty text.
    #[must_use]
    pub fn matches_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Char(_) | Self::Class(_) => false,
            Self::Assert(assertion) => *assertion != Assertion::WordBoundary,
            Self::Capture { inner, .. } => inner.matches_empty(),
            Self::Repeat { inner, min, .. } => *min == 0 || inner.matches_empty(),
            Self::Concat(nodes) => nodes.iter().all(Self::matches_empty),
            Self::Alternate(nodes) => nodes.iter().any(Self::matches_empty),
        }
    }
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// `\A`, and `^` without the flag `m`.
    TextStart,
    /// `\z`, and `$` without the flag `m`.
    TextEnd,
    /// `^` with the flag `m`: the start of the text or after a `\n`.
    LineStart,
    /// `$` with the flag `m`: the end of the text or before a `\n`.
    LineEnd,
    /// `\b`: an ASCII word character on exactly one side.
    WordBoundary,
    /// `\B`: everywhere else, also in an empty text.
    NotWordBoundary,
}

/// A set of characters: `[a-z]`, `.`, `\d`, `\pL`, or a letter under `(?i)`.
///
/// A character is a member if it is in `ranges` or in one of `unicode`; with `negated`, if it is in none of them. With
/// `fold`, each of them first takes in every character that Unicode simple case folding makes equal to one of its own
/// (before any negation). Folding that starts or ends in ASCII is already done in `ranges`, with the two characters
/// beyond ASCII that have a table, U+017F (s) and U+212A (k).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Ranges of characters, both ends included: sorted, apart from each other, never across the gap of the surrogates.
    pub ranges: Vec<(char, char)>,
    /// Sets that are known by name.
    pub unicode: Vec<UnicodeSet>,
    /// Whether the class holds every other character instead. Only where `unicode` or `fold` keep the complement from
    /// being `ranges`.
    pub negated: bool,
    /// Whether case folding beyond ASCII is left to do.
    pub fold: bool,
}

/// A Unicode category or script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnicodeSet {
    /// Its name in Go's `unicode.Categories` or `unicode.Scripts`, which can differ from the pattern: `Lu`, `Greek`.
    pub name: &'static str,
    /// Whether every other character is meant.
    pub negated: bool,
}
