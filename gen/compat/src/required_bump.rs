//! The required bump: which release a change needs at least.
//!
//! Invariant: ordered, so that a verdict is the largest required bump of its findings.

use std::fmt;

use crd_model::words;

words! {
    /// The smallest release that permits a change.
    pub enum RequiredBump {
        /// No release: users do not notice the change.
        None = "none",
        /// A patch release.
        Patch = "patch",
        /// A minor release.
        Minor = "minor",
        /// A major release.
        Major = "major",
        /// No release until the finding is fixed or waived: the policy has no bump for it. Texts call it blocked.
        Waiver = "finding",
        /// No release, also with a waiver.
        NotAllowed = "refused",
    }
}

impl RequiredBump {
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

words! {
    /// Why a finding requires less than its row usually does.
    pub enum Lowered {
        /// It is about an alpha version, or about a resource that has only alpha versions.
        Alpha = "alpha version",
        /// The version of the baseline is below v1.0.0.
        BelowOne = "baseline below v1.0.0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_bumps_are_ordered_and_some_block() {
        assert!(RequiredBump::ALL.is_sorted());
        assert_eq!(RequiredBump::named("huge"), None);
        assert_eq!(RequiredBump::ALL.map(RequiredBump::blocks), [false, false, false, false, true, true]);
    }
}
