//! Values of `Enum` that the type cannot have, and `Enum` on a Rust enum.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:Enum=1;2
    pub one: String,
    /// +kubebuilder:validation:Enum=a;b
    pub two: Number,
    /// Three: fine, narrower than the type.
    ///
    /// +kubebuilder:validation:Enum=Yes
    pub three: Choice,
    /// +kubebuilder:validation:Enum=Yes;Maybe
    pub four: Option<Choice>,
    /// A value twice.
    ///
    /// +kubebuilder:validation:Enum=a;b;a
    pub twice: String,
    /// Five: fine.
    ///
    /// +kubebuilder:validation:Enum="1";"2"
    pub five: String,
}

pub type Number = u8;

/// A small number.
///
/// +kubebuilder:validation:Enum=1;2;300
#[api]
pub struct Small(Number);

/// +kubebuilder:validation:Enum=Yes;No
#[api]
pub enum Choice {
    Yes,
    No,
}

fn main() {}
