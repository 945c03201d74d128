//! The required bump: which release a change needs at least.
//!
//! Invariant: ordered, so that a verdict is the largest required bump of its findings.

use std::fmt;

/// The smallest release that permits a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequiredBump {
    /// No release: users do not notice the change.
    None,
    /// A patch release.
    Patch,
    /// A minor release.
    Minor,
    /// A major release.
    Major,
    /// No release until the finding is fixed or waived: the policy has no bump for it.
    Waiver,
    /// No release, also with a waiver.
    NotAllowed,
}

/// Every required bump with its word in JSON, in ascending order.
pub const REQUIRED_BUMPS: [(RequiredBump, &str); 6] = [
    (RequiredBump::None, "none"),
    (RequiredBump::Patch, "patch"),
    (RequiredBump::Minor, "minor"),
    (RequiredBump::Major, "major"),
    (RequiredBump::Waiver, "finding"),
    (RequiredBump::NotAllowed, "refused"),
];

impl RequiredBump {
    /// The word in JSON and in files.
    pub fn word(self) -> &'static str {
        REQUIRED_BUMPS.iter().find(|(bump, _)| *bump == self).map_or("", |(_, word)| word)
    }

    /// The required bump with this word.
    pub fn named(word: &str) -> Option<Self> {
        REQUIRED_BUMPS.iter().find(|(_, known)| *known == word).map(|(bump, _)| *bump)
    }

    /// True if no release permits the change without a waiver.
    pub fn blocks(self) -> bool {
        self >= RequiredBump::Waiver
    }
}

impl fmt::Display for RequiredBump {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A finding is what has a required bump, so people read another word.
        formatter.write_str(if *self == Self::Waiver { "blocked" } else { self.word() })
    }
}

/// Why a finding requires less than its row usually does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lowered {
    /// It is about an alpha version, or about a resource that has only alpha versions.
    Alpha,
    /// The version of the baseline is below v1.0.0.
    BelowOne,
}

impl Lowered {
    /// Its word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Lowered::Alpha => "alpha version",
            Lowered::BelowOne => "baseline below v1.0.0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_bumps_are_ordered_and_each_has_one_word() {
        assert!(REQUIRED_BUMPS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (bump, word) in REQUIRED_BUMPS {
            assert_eq!((bump.word(), RequiredBump::named(word)), (word, Some(bump)));
        }
        assert_eq!(RequiredBump::named("huge"), None);
        assert_eq!(REQUIRED_BUMPS.map(|(bump, _)| bump.blocks()), [false, false, false, false, true, true]);
    }
}
