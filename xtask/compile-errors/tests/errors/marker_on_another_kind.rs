//! Markers on values of the wrong kind, recognised by the name of the type.

use crd_channels::api;

/// +kubebuilder:validation:MaxLength=3
/// +listType=atomic
#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength=3
    pub one: i32,
    /// +kubebuilder:validation:Minimum=3
    pub two: Option<String>,
    /// +kubebuilder:validation:MaxLength=3
    pub three: Vec<String>,
    /// +listType=set
    pub four: std::collections::BTreeMap<String, String>,
    /// +kubebuilder:validation:MaxItems=3
    pub five: bool,
    /// +structType=atomic
    pub six: f64,
    /// +kubebuilder:validation:Pattern=`^a`
    pub seven: Box<i64>,
    /// +kubebuilder:validation:Enum=a;b
    pub eight: Vec<String>,
}

/// +kubebuilder:validation:MaxItems=3
#[api]
pub struct Name(String);

/// +kubebuilder:validation:Maximum=3
/// +kubebuilder:validation:AtMostOneOf=a;b
#[api]
pub enum Choice {
    Yes,
}

fn main() {}
