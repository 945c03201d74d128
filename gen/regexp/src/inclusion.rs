//! Compares two patterns: finds texts that one accepts and the other rejects.
//!
//! A pattern accepts a text if it matches anywhere in it, as in API servers (Go's `MatchString`). Both patterns become
//! automata over one alphabet. The search walks both automata together until one accepts a text and the other rejects it.
//! If the search finds no such text, none exists.
//!
//! Invariants:
//! * Never wrong: if the answer is that a pattern accepts all texts of the other, it does. Each text is confirmed by
//!   [`Pattern::is_match`], which shares no code with the automata.
//! * Texts are the shortest in printable ASCII. If none exists there, they are the shortest of all.
//! * This module has no Unicode tables. Equal names and case foldings beyond ASCII are equal, for any meaning. Where
//!   their meaning decides, the patterns are not comparable.
//! * Exchanging the patterns exchanges the answer. The same patterns always give the same answer: work is counted, not
//!   timed, and patterns that need too much of it are not comparable.

mod alphabet;
mod automaton;
mod budget;
mod comparisons;
mod intersection;
mod program;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::{Pattern, PatternError, recognise};

use self::alphabet::Alphabet;
use self::automaton::Automaton;
use self::budget::{ALLOWED, Budget, TooLarge};
pub use self::comparisons::Comparisons;
pub use self::intersection::{Intersection, intersection};
use self::program::{Program, Sets};
use self::search::{Lengths, Only, Pair};

/// How many steps of the matcher cost as much as one step of the search.
const MATCHING: usize = 4;

/// A pattern that accepts no text.
pub const NOTHING: &str = r"[^\x00-\x{10FFFF}]";
/// A pattern that accepts every text.
pub const EVERYTHING: &str = "";

/// What the new pattern accepts, compared with the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    Narrower {
        /// A text that only the old pattern accepts.
        lost: String,
    },
    Wider {
        /// A text that only the new pattern accepts.
        gained: String,
    },
    /// Some texts are lost and some are gained.
    Neither {
        /// A text that only the old pattern accepts.
        lost: String,
        /// A text that only the new pattern accepts.
        gained: String,
    },
    /// Undecided, with the reason.
    NotComparable(Reason),
}

impl Relation {
    /// The same relation with old and new exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Narrower { lost } => Self::Wider { gained: lost },
            Self::Wider { gained } => Self::Narrower { lost: gained },
            Self::Neither { lost, gained } => Self::Neither { lost: gained, gained: lost },
            Self::NotComparable(Reason::Refused { old, new }) => {
                Self::NotComparable(Reason::Refused { old: new, new: old })
            }
            Self::Equal | Self::NotComparable(_) => self,
        }
    }
}

/// Why two patterns cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Go refuses one of them, or both.
    Refused {
        /// What is wrong with the old pattern.
        old: Option<PatternError>,
        /// What is wrong with the new pattern.
        new: Option<PatternError>,
    },
    /// Comparing them would take too much work.
    TooLarge,
    /// The comparisons before it took all work that they share.
    OutOfWork,
    /// It depends on what these names and case foldings mean beyond ASCII.
    BeyondAscii(Vec<String>),
    /// The search found a text that separates the patterns, but the matcher could not confirm it.
    Unconfirmed,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { old, new } => {
                let problems = [("old", old), ("new", new)];
                let problems = problems.into_iter().filter_map(|(which, problem)| Some((which, problem.as_ref()?)));
                for (number, (which, problem)) in problems.enumerate() {
                    let separator = if number == 0 { "" } else { "; " };
                    write!(formatter, "{separator}the {which} pattern is not a valid RE2 expression: {problem}")?;
                }
                Ok(())
            }
            Self::TooLarge => formatter.write_str("their automata are too large"),
            Self::OutOfWork => formatter.write_str("too many patterns of the schema are hard to compare"),
            Self::BeyondAscii(unknowns) => {
                write!(formatter, "it depends on what `{}` means beyond ASCII", unknowns.join("`, `"))
            }
            Self::Unconfirmed => formatter.write_str("a text that separates them could not be confirmed"),
        }
    }
}

impl From<TooLarge> for Reason {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// Compares what `new` accepts with what `old` accepts.
#[must_use]
pub fn compare(old: &str, new: &str) -> Relation {
    compare_within(old, new, 0, None)
}

/// Compares what `new` accepts with what `old` accepts, among texts of at least `min` and at most `max` characters.
#[must_use]
pub fn compare_within(old: &str, new: &str, min: usize, max: Option<usize>) -> Relation {
    let lengths = Lengths { min, max };
    relate(old, new, lengths, &mut Budget::of(ALLOWED)).unwrap_or_else(Relation::NotComparable)
}

/// A short text of at least `min` and at most `max` characters that the pattern accepts. `None` if no such text
/// exists, or if the search could not decide.
#[must_use]
pub fn example(pattern: &str, min: usize, max: Option<usize>) -> Option<String> {
    match compare_within(pattern, NOTHING, min, max) {
        Relation::Narrower { lost } => Some(lost),
        _ => None,
    }
}

fn relate(old: &str, new: &str, lengths: Lengths, budget: &mut Budget) -> Result<Relation, Reason> {
    let (old, new) = match (recognise(old), recognise(new)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => return Err(Reason::Refused { old: old.err(), new: new.err() }),
    };
    if old.root() == new.root() {
        return Ok(Relation::Equal);
    }
    let found = differences(&old, &new, lengths, budget)?;
    Ok(match (confirmed(&old, &new, found.old, budget)?, confirmed(&new, &old, found.new, budget)?) {
        (None, None) => Relation::Equal,
        (Some(lost), None) => Relation::Narrower { lost },
        (None, Some(gained)) => Relation::Wider { gained },
        (Some(lost), Some(gained)) => Relation::Neither { lost, gained },
    })
}

/// A text that only one of the patterns accepts, and the size of both, which it costs to try it.
struct Found {
    text: String,
    size: usize,
}

/// A text that only the old pattern accepts, if there is any, and one that only the new pattern accepts.
fn differences(
    old: &Pattern,
    new: &Pattern,
    lengths: Lengths,
    budget: &mut Budget,
) -> Result<Only<Option<Found>>, Reason> {
    let mut sets = Sets::default();
    let old = Program::new(old.root(), &mut sets, budget)?;
    let new = Program::new(new.root(), &mut sets, budget)?;
    let size = old.instructions.len() + new.instructions.len();
    let words = old.has_word_boundaries || new.has_word_boundaries;
    let lines = [&old, &new].iter().any(|program| program.has_line_starts || program.has_line_ends);
    let alphabet = Alphabet::new(&sets, words, lines, budget)?;
    let (old, new) = (Automaton::new(&old, &alphabet, budget)?, Automaton::new(&new, &alphabet, budget)?);
    let mut pair = Pair { old, new, alphabet: &alphabet, lengths };

    let mut texts = Only { old: None, new: None };
    let mut searched = None;
    for letters in [alphabet.printable, alphabet.known, alphabet.letters.len()] {
        let wanted = Only { old: texts.old.is_none(), new: texts.new.is_none() };
        if (!wanted.old && !wanted.new) || searched.replace(letters) == Some(letters) {
            continue;
        }
        let found = pair.search(&wanted, letters, budget)?;
        for (is_wanted, found, text) in
            [(wanted.old, found.old, &mut texts.old), (wanted.new, found.new, &mut texts.new)]
        {
            if let (true, Some(found)) = (is_wanted, found) {
                // Without letters that may not exist, there is no such text.
                let known = pair.text(&found).ok_or_else(|| Reason::BeyondAscii(alphabet.unknowns.clone()))?;
                *text = Some(Found { text: known, size });
            }
        }
    }
    Ok(texts)
}

/// The text, if one was found, after the matcher has confirmed that only one pattern accepts it.
fn confirmed(
    accepting: &Pattern,
    refusing: &Pattern,
    text: Option<Found>,
    budget: &mut Budget,
) -> Result<Option<String>, Reason> {
    let Some(Found { text, size }) = text else { return Ok(None) };
    budget.take((text.len() + 1) * size / MATCHING)?;
    for (pattern, accepts) in [(accepting, true), (refusing, false)] {
        let matcher = pattern.matcher().ok_or(Reason::TooLarge)?;
        if matcher.is_match(&text) != Some(accepts) {
            return Err(Reason::Unconfirmed);
        }
    }
    Ok(Some(text))
}
