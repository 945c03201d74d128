//! Variants that hold something, have a number, or take the name of the macro's own.

use crd_channels::api;

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes(String),
    /// No.
    ///
    /// +exprimental
    No {
        /// Why.
        why: String,
    },
    /// Maybe.
    Maybe,
}

/// Another one.
#[api]
pub enum Other {
    /// One.
    One = 1,
    /// Unrecognised.
    Unrecognized,
}

/// A user of them.
#[api]
pub struct User {
    /// One.
    ///
    /// +kubebuilder:default=Maybe
    pub choice: Choice,
    /// Two.
    pub other: Option<Other>,
}

fn main() {}
