//! A generic type without instances is refused, and what uses it has no errors of its own.

use crd_channels::api;

/// A thing.
///
/// +optinal
#[api]
pub struct Thing<T> {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLenght=3
    #[serde(rename = "uno")]
    pub one: T,
}

/// A user of it.
#[api]
pub struct User {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub one: Thing<String>,
    /// Two.
    pub two: Option<Vec<Thing<i32>>>,
}

/// A choice.
#[api]
pub enum Choice<'a> {
    /// Yes.
    Yes(&'a str),
}

fn main() {}
