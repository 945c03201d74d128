//! Names that are near to none: nothing is guessed.

use crd_channels::api;

/// +somethingElse
#[api]
pub struct Thing {
    /// +kubebuilder:validation:Size=3
    pub one: String,
    /// +kubebuilder:validation:items:AtMostOneOf=a;b
    pub two: Vec<String>,
    /// Three, and
    /// +a list item that wants to be prose.
    pub three: String,
}

fn main() {}
