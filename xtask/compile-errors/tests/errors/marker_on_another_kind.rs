//! Markers on values of the wrong kind, recognised by the name of the type.

use crd_channels::api;

/// A thing.
///
/// +kubebuilder:validation:MaxLength=3
/// +listType=atomic
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub one: i32,
    /// Two.
    ///
    /// +kubebuilder:validation:Minimum=3
    pub two: Option<String>,
    /// Three.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub three: Vec<String>,
    /// Four.
    ///
    /// +listType=set
    pub four: std::collections::BTreeMap<String, String>,
    /// Five.
    ///
    /// +kubebuilder:validation:MaxItems=3
    pub five: bool,
    /// Six.
    ///
    /// +structType=atomic
    pub six: f64,
    /// Seven.
    ///
    /// +kubebuilder:validation:Pattern=`^a`
    pub seven: Box<i64>,
    /// Eight.
    ///
    /// +kubebuilder:validation:Enum=a;b
    pub eight: Vec<String>,
}

/// A name.
///
/// +kubebuilder:validation:MaxItems=3
#[api]
pub struct Name(String);

/// A choice.
///
/// +kubebuilder:validation:Maximum=3
/// +kubebuilder:validation:AtMostOneOf=a;b
#[api]
pub enum Choice {
    /// Yes.
    Yes,
}

fn main() {}
