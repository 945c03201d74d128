//! The alphabet of a comparison: kinds of characters that no set of either pattern separates.
//!
//! This module has no Unicode tables. Beyond ASCII a name (`\p{Greek}`) or a case folding is an unknown: each range of
//! characters becomes as many letters as the unknowns have combinations. Invariants:
//! * Every character is of the kind of a letter, so what holds for all texts of letters holds for all texts.
//! * A letter with a character ([`Letter::character`]) has at least that character. A letter without one may be empty.
//!   Letters without a character come last.
//! * The order of letters depends on the two patterns, not on which of them comes first.

use std::collections::{BTreeMap, BTreeSet};

use crate::recognise;

use super::budget::{Budget, TooLarge};
use super::program::{Set, Sets};

/// Unknowns at most: their combinations multiply the letters beyond ASCII.
const MOST_UNKNOWNS: usize = 6;

const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);
const LAST: u32 = 0x10_FFFF;

/// The characters beyond ASCII that fold into ASCII: their tables are complete, as for ASCII.
const KNOWN_BEYOND_ASCII: [u32; 2] = [0x17F, 0x212A];

/// Which characters stand for a letter, the best first: those that are easy to read and write.
const BEST: &str = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-./:_@=+*,;~!#$%&?^|()[]{}<>'\"`\\ ";
/// The same beyond printable ASCII.
const NEXT_BEST: &str = "éÉßñΩжאकก漢한\u{17F}\u{212A}…€😀\t\n\r";

/// A kind of characters.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    /// One of them, where it is known that there is one.
    pub(super) character: Option<char>,
    /// Whether they are characters of words, if any assertion asks.
    pub(super) is_word: bool,
    /// Whether they are line ends, if any assertion asks.
    pub(super) is_line_end: bool,
}

/// All letters: first those of printable ASCII, then the other known letters, then those that may be empty.
pub(super) struct Alphabet {
    pub(super) letters: Vec<Letter>,
    /// How many of them, from the first, are of printable ASCII.
    pub(super) printable: usize,
    /// How many of them, from the first, are known to exist.
    pub(super) known: usize,
    /// For each set, for each letter, whether it is in the set.
    members: Vec<bool>,
    /// Names and foldings that make letters unknown, as written in a pattern.
    pub(super) unknowns: Vec<String>,
}

/// An open question about a character beyond ASCII.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Unknown {
    /// Whether it is in the named set.
    Named(&'static str),
    /// Whether it folds into the named set or, with `true`, into its complement.
    NamedAndFolded(&'static str, bool),
    /// Whether it folds into these ranges, of those that are not in them.
    Folded(Vec<(u32, u32)>),
}

/// What decides whether a character is in a set.
struct Membership<'s> {
    set: &'s Set,
    /// Unknowns, by number, and whether the opposite is meant. The character is in the set if one of them holds.
    unknowns: Vec<(usize, bool)>,
}

/// In which order letters come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    group: Group,
    order: usize,
    combination: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Printable,
    Known,
    Unknown,
}

impl Alphabet {
    /// The alphabet for these sets, and for words and lines if assertions ask for them.
    pub(super) fn new(sets: &Sets, words: bool, lines: bool, budget: &mut Budget) -> Result<Self, TooLarge> {
        let unknowns: BTreeSet<Unknown> = sets.all.iter().flat_map(unknowns_of).collect();
        if unknowns.len() > MOST_UNKNOWNS {
            return Err(TooLarge);
        }
        let unknowns: Vec<Unknown> = unknowns.into_iter().collect();
        let memberships: Vec<Membership<'_>> = sets.all.iter().map(|set| Membership::new(set, &unknowns)).collect();
        let combinations: Vec<u32> = (0..1 << unknowns.len()).filter(|one| is_possible(*one, &unknowns)).collect();
        let mut kinds: BTreeMap<Vec<u64>, (Rank, Letter)> = BTreeMap::new();
        for (low, high) in ranges(sets, words, lines, !unknowns.is_empty()) {
            let known = low == high && is_known(low);
            let of_character: [u32; 1] = [if known { combination_of(low, &unknowns) } else { 0 }];
            let combinations = if known { &of_character[..] } else { &combinations[..] };
            budget.take((memberships.len() + 1) * combinations.len())?;
            let signatures: Vec<Vec<u64>> = combinations
                .iter()
                .map(|combination| signature(low, *combination, &memberships, words, lines))
                .collect();
            let is_certain = signatures.windows(2).all(|pair| matches!(pair, [one, other] if one == other));
            let (is_word, is_line_end) = (words && is_word(low), lines && low == u32::from('\n'));
            for (signature, combination) in signatures.into_iter().zip(combinations) {
                let best = if is_certain { best_of(low, high) } else { None };
                let (rank, character) = match best {
                    Some((rank, character)) => (rank, Some(character)),
                    None => (Rank { group: Group::Unknown, order: low as usize, combination: *combination }, None),
                };
                let kind = kinds.entry(signature).or_insert((rank, Letter { character, is_word, is_line_end }));
                if rank < kind.0 {
                    *kind = (rank, Letter { character, is_word, is_line_end });
                }
            }
        }
        let mut kinds: Vec<_> =
            kinds.into_iter().map(|(signature, (rank, letter))| (rank, letter, signature)).collect();
        kinds.sort_unstable_by_key(|(rank, ..)| *rank);
        let until = |group| kinds.partition_point(|(rank, ..)| rank.group <= group);
        let (printable, known) = (until(Group::Printable), until(Group::Known));
        budget.take(sets.all.len() * kinds.len())?;
        let members = (0..sets.all.len())
            .flat_map(|set| kinds.iter().map(move |(.., signature)| has_bit(signature, set)))
            .collect();
        let letters = kinds.iter().map(|(_, letter, _)| *letter).collect();
        Ok(Self { letters, printable, known, members, unknowns: unknowns.iter().map(Unknown::written).collect() })
    }

    /// Whether a letter is in a set, both by number.
    pub(super) fn holds(&self, set: usize, letter: usize) -> bool {
        self.members.get(set * self.letters.len() + letter).copied().unwrap_or_default()
    }
}

/// What a set leaves unknown.
fn unknowns_of(set: &Set) -> impl Iterator<Item = Unknown> + '_ {
    let named = set.names.iter().map(|(name, negated)| match set.fold {
        true => Unknown::NamedAndFolded(name, *negated),
        false => Unknown::Named(name),
    });
    named.chain(folding_of(set))
}

/// The folding that a set leaves to do: what begins or ends in ASCII is done.
fn folding_of(set: &Set) -> Option<Unknown> {
    let beyond_ascii = set.ranges.last().is_some_and(|(_, high)| *high >= 0x80);
    (set.fold && beyond_ascii).then(|| Unknown::Folded(set.ranges.clone()))
}

impl Unknown {
    /// As written in a pattern.
    fn written(&self) -> String {
        match self {
            Self::Named(name) => format!(r"\p{{{name}}}"),
            Self::NamedAndFolded(name, false) => format!(r"(?i)\p{{{name}}}"),
            Self::NamedAndFolded(name, true) => format!(r"(?i)\P{{{name}}}"),
            // Ranges that folding has widened are not what is written; one of them shows where to look.
            Self::Folded(ranges) => {
                let (low, high) = ranges.last().copied().unwrap_or_default();
                match (char::from_u32(low), char::from_u32(high)) {
                    (Some(low), Some(high)) if low != high => format!("(?i)[{low}-{high}]"),
                    (Some(low), _) => format!("(?i){low}"),
                    (None, _) => "(?i)".to_owned(),
                }
            }
        }
    }
}

impl<'s> Membership<'s> {
    fn new(set: &'s Set, all: &[Unknown]) -> Self {
        let number = |wanted: &Unknown| all.binary_search(wanted).ok();
        let named = set.names.iter().filter_map(|(name, negated)| match set.fold {
            true => number(&Unknown::NamedAndFolded(name, *negated)).map(|number| (number, false)),
            false => number(&Unknown::Named(name)).map(|number| (number, *negated)),
        });
        let folding = folding_of(set).and_then(|folding| number(&folding)).map(|number| (number, false));
        Self { set, unknowns: named.chain(folding).collect() }
    }

    /// Whether a character is in the set, if these unknowns hold.
    fn holds(&self, code: u32, combination: u32) -> bool {
        let by_unknowns = || self.unknowns.iter().any(|(number, negated)| (combination >> number & 1 == 1) != *negated);
        (self.set.has_in_ranges(code) || by_unknowns()) != self.set.negated
    }
}

/// Whether there may be a character for which exactly these unknowns hold: one that folds neither into a set nor into
/// its complement there is not.
fn is_possible(combination: u32, unknowns: &[Unknown]) -> bool {
    let misses = |wanted: &Unknown| {
        unknowns.iter().enumerate().any(|(number, unknown)| unknown == wanted && combination >> number & 1 == 0)
    };
    unknowns.iter().all(|unknown| match unknown {
        Unknown::NamedAndFolded(name, negated) => {
            !(misses(unknown) && misses(&Unknown::NamedAndFolded(name, !negated)))
        }
        Unknown::Named(_) | Unknown::Folded(_) => true,
    })
}

/// Which unknowns hold for a character about which everything is known.
fn combination_of(code: u32, unknowns: &[Unknown]) -> u32 {
    let Some(text) = char::from_u32(code).map(String::from) else { return 0 };
    let holds = |unknown: &Unknown| match unknown {
        // The matcher has tables for these characters, and the name comes from it.
        Unknown::Named(_) | Unknown::NamedAndFolded(..) => {
            recognise(&unknown.written()).is_ok_and(|pattern| pattern.is_match(&text) == Some(true))
        }
        Unknown::Folded(_) => false,
    };
    (0_u32..).zip(unknowns).map(|(number, unknown)| u32::from(holds(unknown)) << number).sum()
}

fn is_known(code: u32) -> bool {
    code < 0x80 || KNOWN_BEYOND_ASCII.contains(&code)
}

fn is_word(code: u32) -> bool {
    char::from_u32(code).is_some_and(|character| character == '_' || character.is_ascii_alphanumeric())
}

/// Ranges of characters that no known set separates: in order, and without surrogates. If there are unknowns, each
/// character with complete tables is a range of its own.
fn ranges(sets: &Sets, words: bool, lines: bool, has_unknowns: bool) -> Vec<(u32, u32)> {
    let mut starts = BTreeSet::from([0, 0x80, SURROGATES.0, SURROGATES.1 + 1]);
    let mut split = |low: u32, high: u32| starts.extend([low, high + 1]);
    for set in &sets.all {
        set.ranges.iter().for_each(|(low, high)| split(*low, *high));
    }
    if words {
        for (low, high) in [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')] {
            split(low.into(), high.into());
        }
    }
    if lines {
        split('\n'.into(), '\n'.into());
    }
    if has_unknowns {
        (0..0x80).chain(KNOWN_BEYOND_ASCII).for_each(|code| split(code, code));
    }
    let starts: Vec<u32> = starts.into_iter().filter(|start| *start <= LAST).collect();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([LAST]);
    starts.iter().copied().zip(ends).filter(|(low, _)| *low < SURROGATES.0 || *low > SURROGATES.1).collect()
}

/// In which sets a character is, with what assertions ask: one bit each.
fn signature(code: u32, combination: u32, memberships: &[Membership<'_>], words: bool, lines: bool) -> Vec<u64> {
    let in_sets = memberships.iter().map(|membership| membership.holds(code, combination));
    let in_classes = [words && is_word(code), lines && code == u32::from('\n')];
    let mut bits = vec![0; (memberships.len() + in_classes.len()).div_ceil(64)];
    for (number, _) in in_sets.chain(in_classes).enumerate().filter(|(_, bit)| *bit) {
        if let Some(word) = bits.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }
    bits
}

fn has_bit(bits: &[u64], number: usize) -> bool {
    bits.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

/// The character of a range that is easiest to read and write.
fn best_of(low: u32, high: u32) -> Option<(Rank, char)> {
    let is_in = |character: char| low <= u32::from(character) && u32::from(character) <= high;
    for (group, candidates) in [(Group::Printable, BEST), (Group::Known, NEXT_BEST)] {
        let found = candidates.chars().enumerate().find(|(_, character)| is_in(*character));
        if let Some((order, character)) = found {
            return Some((Rank { group, order, combination: 0 }, character));
        }
    }
    let order = NEXT_BEST.len() + low as usize;
    char::from_u32(low).map(|character| (Rank { group: Group::Known, order, combination: 0 }, character))
}
