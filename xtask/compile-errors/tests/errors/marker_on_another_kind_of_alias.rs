//! Markers on values of the wrong kind, where only the compiler can resolve the type.

use crd_channels::{IntOrString, api};

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub one: Number,
    /// Two.
    ///
    /// +kubebuilder:validation:Minimum=3
    pub two: Option<Choice>,
    /// Three.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub three: List,
    /// Four.
    ///
    /// +listType=set
    pub four: Inner,
    /// Five: fine.
    ///
    /// +kubebuilder:validation:Pattern=`^[0-9]+%$`
    pub five: IntOrString,
    /// Six.
    ///
    /// +mapType=atomic
    pub six: Newtype,
    /// Seven.
    ///
    /// +kubebuilder:validation:MinProperties=1
    pub seven: IntOrString,
}

/// A number.
pub type Number = i32;

/// A list.
pub type List = Vec<String>;

/// A newtype of a newtype.
#[api]
pub struct Newtype(Innermost);

/// A newtype.
///
/// +kubebuilder:validation:MinLength=3
#[api]
pub struct Innermost(Number);

/// Inner.
#[api]
pub struct Inner {
    /// One.
    pub one: String,
}

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes,
}

fn main() {}
