//! Builds sets of characters.
//!
//! `parse` adds members as it reads them and takes a [`Class`] or a [`Node`] out. Invariant: a set that is negated
//! inside the class (`\W`, `[:^alpha:]`) is folded before it is negated, as Go does.

use super::names::UnicodeName;
use super::node::{Class, Node, UnicodeSet};

/// The last code point.
pub(super) const LAST: u32 = 0x10_FFFF;
/// The two characters beyond ASCII that case folding reaches from ASCII: U+017F from `s`, U+212A from `k`.
const LONG_S: u32 = 0x17F;
const KELVIN: u32 = 0x212A;

type Bytes = &'static [(u8, u8)];

const DIGIT: Bytes = &[(b'0', b'9')];
const SPACE: Bytes = &[(b'\t', b'\n'), (b'\x0C', b'\r'), (b' ', b' ')];
const WORD: Bytes = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// The set of `\d`, `\s` or `\w`, and whether the letter asks for the complement.
pub(super) fn perl(letter: char) -> Option<(Bytes, bool)> {
    let set = match letter.to_ascii_lowercase() {
        'd' => DIGIT,
        's' => SPACE,
        'w' => WORD,
        _ => return None,
    };
    Some((set, letter.is_ascii_uppercase()))
}

/// The set of `[:name:]`.
pub(super) fn posix(name: &str) -> Option<Bytes> {
    Some(match name {
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "ascii" => &[(0, 0x7F)],
        "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "cntrl" => &[(0, 0x1F), (0x7F, 0x7F)],
        "digit" => DIGIT,
        "graph" => &[(b'!', b'~')],
        "lower" => &[(b'a', b'z')],
        "print" => &[(b' ', b'~')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "space" => &[(b'\t', b'\r'), (b' ', b' ')],
        "upper" => &[(b'A', b'Z')],
        "word" => WORD,
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}

/// A set of characters to which members can be added.
#[derive(Default)]
pub(super) struct Builder {
    /// Whether the flag `i` holds.
    fold: bool,
    /// Whether members beyond ASCII still have to be folded.
    unfolded: bool,
    /// In any order, with surrogates.
    ranges: Vec<(u32, u32)>,
    unicode: Vec<UnicodeSet>,
}

impl Builder {
    pub(super) fn new(fold: bool) -> Self {
        Self { fold, ..Self::default() }
    }

    /// Adds the code points from `low` to `high`.
    pub(super) fn range(&mut self, low: u32, high: u32) {
        self.ranges.push((low, high));
        if self.fold {
            self.unfolded |= fold_ascii(low, high, &mut self.ranges);
        }
    }

    /// Adds a set of ASCII characters, or everything but it.
    pub(super) fn bytes(&mut self, set: Bytes, negated: bool) {
        let mut ranges = Vec::with_capacity(set.len() + 4);
        for &(low, high) in set {
            let (low, high) = (u32::from(low), u32::from(high));
            ranges.push((low, high));
            if self.fold {
                fold_ascii(low, high, &mut ranges);
            }
        }
        if negated {
            ranges = complement(&merged(ranges));
        }
        self.ranges.extend(ranges);
    }

    /// Adds a set that `\p{…}` names, or everything but it.
    pub(super) fn named(&mut self, set: UnicodeName, negated: bool) {
        match set {
            UnicodeName::Any if negated => {}
            UnicodeName::Any => self.ranges.push((0, LAST)),
            UnicodeName::Ascii => self.bytes(&[(0, 0x7F)], negated),
            UnicodeName::Assigned => self.unicode.push(UnicodeSet { name: "Cn", negated: !negated }),
            UnicodeName::Table(name) => self.unicode.push(UnicodeSet { name, negated }),
        }
    }

    /// The class of all members or, when negated, of all characters outside.
    pub(super) fn finish(self, negated: bool) -> Class {
        let fold = self.fold && (self.unfolded || !self.unicode.is_empty());
        let by_ranges = self.unicode.is_empty() && !fold;
        let mut ranges = merged(self.ranges);
        if negated && by_ranges {
            ranges = complement(&ranges);
        }
        Class { ranges: characters(&ranges), unicode: self.unicode, negated: negated && !by_ranges, fold }
    }
}

/// One code point outside brackets. A surrogate is in no text, so nothing matches it.
pub(super) fn literal(code: u32, fold: bool) -> Node {
    match char::from_u32(code) {
        Some(c) if !fold || (c.is_ascii() && !c.is_ascii_alphabetic()) => Node::Char(c),
        _ => {
            let mut class = Builder::new(fold);
            class.range(code, code);
            Node::Class(class.finish(false))
        }
    }
}

/// Adds to `out` what case folding adds to the range within ASCII, from ASCII and into ASCII. Returns whether characters
/// beyond ASCII remain to be folded.
fn fold_ascii(low: u32, high: u32, out: &mut Vec<(u32, u32)>) -> bool {
    let holds = |code: u32| low <= code && code <= high;
    let letter = |upper: char| holds(upper.into()) || holds(upper.to_ascii_lowercase().into());
    for (first, last, to_other) in [('A', 'Z', 32), ('a', 'z', -32)] {
        let (from, to) = (low.max(first.into()), high.min(last.into()));
        if from <= to {
            out.push((from.saturating_add_signed(to_other), to.saturating_add_signed(to_other)));
        }
    }
    for (sign, upper) in [(LONG_S, 'S'), (KELVIN, 'K')] {
        if letter(upper) || holds(sign) {
            let (upper, lower) = (upper.into(), upper.to_ascii_lowercase().into());
            out.extend([(sign, sign), (upper, upper), (lower, lower)]);
        }
    }
    high >= 0x80 && !(low == high && (low == LONG_S || low == KELVIN))
}

/// The same code points, sorted and with nothing to merge.
fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let touches = next.0 <= kept.1.saturating_add(1);
        if touches {
            kept.1 = kept.1.max(next.1);
        }
        touches
    });
    ranges
}

/// Every other code point. `ranges` are merged.
fn complement(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut out = Vec::with_capacity(ranges.len() + 1);
    let mut from = 0;
    for &(low, high) in ranges {
        if from < low {
            out.push((from, low - 1));
        }
        from = high + 1;
    }
    if from <= LAST {
        out.push((from, LAST));
    }
    out
}

/// The same ranges without surrogates.
fn characters(ranges: &[(u32, u32)]) -> Vec<(char, char)> {
    let mut out = Vec::with_capacity(ranges.len());
    for &(low, high) in ranges {
        for (low, high) in [(low, high.min(0xD7FF)), (low.max(0xE000), high)] {
            if low <= high
                && let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high))
            {
                out.push((low, high));
            }
        }
    }
    out
}
