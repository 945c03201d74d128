//! A type without `#[api]` is one error for each field that has it, and nothing else.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    pub one: Plain,
    /// Two.
    ///
    /// +kubebuilder:default={}
    /// +structType=atomic
    pub two: Option<Plain>,
}

/// Without `#[api]`, and without any derive.
pub struct Plain;

fn main() {}
