//! `+k8s:enum` on a type that is not a closed enum.

use crd_channels::api;

/// A thing.
///
/// +k8s:enum
#[api]
pub struct Thing {
    /// One.
    ///
    /// +k8s:enum
    pub one: String,
    /// Two: fine.
    ///
    /// +k8s:enum
    pub two: Option<Choice>,
    /// Three.
    ///
    /// +k8s:enum
    pub three: Open,
    /// Four.
    ///
    /// +k8s:enum=Yes
    pub four: Choice,
}

/// A choice.
///
/// +k8s:enum
#[api]
pub enum Choice {
    /// Yes.
    Yes,
}

/// An open choice.
///
/// +k8s:enum
#[api(open)]
pub enum Open {
    /// Yes.
    Yes,
}

fn main() {}
