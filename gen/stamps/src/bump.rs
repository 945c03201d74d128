//! Bumps: how far the version of a bundle is raised over its baseline.
//!
//! Invariants: ordered by how much they raise; what no bump permits is not released, and has no word here.

use std::str::FromStr;

use crd_model::version::ParseError;
use crd_model::words;

words! {
    /// How far the version of a bundle is raised.
    pub enum Bump {
        /// No bump: the change has no effect on users.
        None = "none",
        /// `v1.6.0` to `v1.6.1`.
        Patch = "patch",
        /// `v1.6.0` to `v1.7.0`.
        Minor = "minor",
        /// `v1.6.0` to `v2.0.0`.
        Major = "major",
    }
}

impl FromStr for Bump {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::named(text).ok_or_else(|| {
            let words = Self::ALL.map(Self::word).join(", ");
            ParseError(format!("`{text}` is not a version bump: expected one of {words}"))
        })
    }
}
