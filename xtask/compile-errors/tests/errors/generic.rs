//! A generic type without instances is refused, and what uses it has no errors of its own.

use crd_channels::api;

/// +optinal
#[api]
pub struct Thing<T> {
    /// +kubebuilder:validation:MaxLenght=3
    #[serde(rename = "uno")]
    pub one: T,
}

/// A user of it.
#[api]
pub struct User {
    /// +kubebuilder:validation:MaxLength=3
    pub one: Thing<String>,
    pub two: Option<Vec<Thing<i32>>>,
}

#[api]
pub enum Choice<'a> {
    Yes(&'a str),
}

fn main() {}
