//! A type without `#[api]` is one error for each field that has it, and nothing else.

use crd_channels::api;

#[api]
pub struct Thing {
    pub one: Plain,
    /// +kubebuilder:default={}
    /// +structType=atomic
    pub two: Option<Plain>,
}

/// Without `#[api]`, and without any derive.
pub struct Plain;

fn main() {}
