//! Rulings: what a change asks of the bundle that carries it.
//!
//! Made by rules from the policy. Read by verdicts, waivers and every rendering.
//!
//! Invariants: ordered by how much they ask, so that a verdict is the largest of its findings' rulings.

use std::fmt;

/// What a change asks of the bundle that carries it: the cells of the policy's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruling {
    /// No new bundle: nobody sees a difference.
    None,
    /// A patch bundle, or any above.
    Patch,
    /// A minor bundle, or a major one.
    Minor,
    /// A major bundle.
    Major,
    /// No bundle until it is mended or waived: the policy knows no bump for it.
    Finding,
    /// No bundle, ever, in this form.
    Refused,
}

/// Every ruling with its word, from the one that asks least.
pub const RULINGS: [(Ruling, &str); 6] = [
    (Ruling::None, "none"),
    (Ruling::Patch, "patch"),
    (Ruling::Minor, "minor"),
    (Ruling::Major, "major"),
    (Ruling::Finding, "finding"),
    (Ruling::Refused, "refused"),
];

impl Ruling {
    /// The word of the policy.
    pub fn word(self) -> &'static str {
        RULINGS.iter().find(|(ruling, _)| *ruling == self).map_or("", |(_, word)| word)
    }

    /// The ruling with this word.
    pub fn named(word: &str) -> Option<Self> {
        RULINGS.iter().find(|(_, known)| *known == word).map(|(ruling, _)| *ruling)
    }

    /// True if no bump permits it as it is.
    pub fn blocks(self) -> bool {
        self >= Ruling::Finding
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_are_ordered_by_what_they_ask_and_named_once() {
        assert!(RULINGS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (ruling, word) in RULINGS {
            assert_eq!((ruling.word(), Ruling::named(word)), (word, Some(ruling)));
        }
        assert_eq!(Ruling::named("huge"), None);
        assert_eq!(RULINGS.map(|(ruling, _)| ruling.blocks()), [false, false, false, false, true, true]);
    }
}
