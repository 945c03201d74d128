//! `+k8s:enum` on a type that is not a closed enum.

use crd_channels::api;

/// +k8s:enum
#[api]
pub struct Thing {
    /// +k8s:enum
    pub one: String,
    /// Two: fine.
    ///
    /// +k8s:enum
    pub two: Option<Choice>,
    /// +k8s:enum
    pub three: Open,
    /// +k8s:enum=Yes
    pub four: Choice,
}

/// +k8s:enum
#[api]
pub enum Choice {
    Yes,
}

/// An open choice.
///
/// +k8s:enum
#[api(open)]
pub enum Open {
    Yes,
}

fn main() {}
