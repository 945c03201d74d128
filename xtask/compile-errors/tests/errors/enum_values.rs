//! Values of `Enum` that the type cannot have, and `Enum` on a Rust enum.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:Enum=1;2
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:validation:Enum=a;b
    pub two: Number,
    /// Three: fine, narrower than the type.
    ///
    /// +kubebuilder:validation:Enum=Yes
    pub three: Choice,
    /// Four.
    ///
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

/// A number.
pub type Number = u8;

/// A small number.
///
/// +kubebuilder:validation:Enum=1;2;300
#[api]
pub struct Small(Number);

/// A choice.
///
/// +kubebuilder:validation:Enum=Yes;No
#[api]
pub enum Choice {
    /// Yes.
    Yes,
    /// No.
    No,
}

fn main() {}
