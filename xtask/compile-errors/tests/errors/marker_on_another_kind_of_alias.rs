//! Markers on values of the wrong kind, where only the compiler can resolve the type.

use crd_channels::{IntOrString, api};

#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength=3
    pub one: Number,
    /// +kubebuilder:validation:Minimum=3
    pub two: Option<Choice>,
    /// +kubebuilder:validation:MaxLength=3
    pub three: List,
    /// +listType=set
    pub four: Inner,
    /// Five: fine.
    ///
    /// +kubebuilder:validation:Pattern=`^[0-9]+%$`
    pub five: IntOrString,
    /// +mapType=atomic
    pub six: Newtype,
    /// +kubebuilder:validation:MinProperties=1
    pub seven: IntOrString,
}

pub type Number = i32;

pub type List = Vec<String>;

/// A newtype of a newtype.
#[api]
pub struct Newtype(Innermost);

/// A newtype.
///
/// +kubebuilder:validation:MinLength=3
#[api]
pub struct Innermost(Number);

#[api]
pub struct Inner {
    pub one: String,
}

#[api]
pub enum Choice {
    Yes,
}

fn main() {}
