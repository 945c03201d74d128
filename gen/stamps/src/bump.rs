//! Bumps: how far the version of a bundle is raised over its baseline.
//!
//! Invariants: ordered by how much they raise; what no bump permits is not released, and has no word here.

use std::str::FromStr;

use crd_model::version::ParseError;

/// How far the version of a bundle is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bump {
    /// No bump: the change has no effect on users.
    None,
    /// `v1.6.0` to `v1.6.1`.
    Patch,
    /// `v1.6.0` to `v1.7.0`.
    Minor,
    /// `v1.6.0` to `v2.0.0`.
    Major,
}

/// Every bump with its word, from the smallest.
pub const BUMPS: [(Bump, &str); 4] =
    [(Bump::None, "none"), (Bump::Patch, "patch"), (Bump::Minor, "minor"), (Bump::Major, "major")];

impl Bump {
    /// Its word.
    pub fn word(self) -> &'static str {
        BUMPS.iter().find(|(bump, _)| *bump == self).map_or("", |(_, word)| word)
    }
}

impl FromStr for Bump {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        BUMPS.iter().find(|(_, word)| *word == text).map(|(bump, _)| *bump).ok_or_else(|| {
            let words = BUMPS.map(|(_, word)| word).join(", ");
            ParseError(format!("`{text}` is not a version bump: expected one of {words}"))
        })
    }
}
