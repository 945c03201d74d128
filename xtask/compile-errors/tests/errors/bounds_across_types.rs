//! A minimum above a maximum, one on the field and one on its type, also through aliases and newtypes of newtypes.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:Minimum=70000
    pub one: Port,
    /// +kubebuilder:validation:MaxLength=2
    pub two: Option<Alias>,
    /// +kubebuilder:validation:MinItems=3
    pub three: Names,
    /// Four: fine, the field is narrower.
    ///
    /// +kubebuilder:validation:Maximum=1023
    pub four: Port,
    /// +kubebuilder:validation:MinProperties=3
    pub five: Labels,
}

/// +kubebuilder:validation:Minimum=1
/// +kubebuilder:validation:Maximum=65535
#[api]
pub struct Port(i32);

/// A port with a name.
///
/// +kubebuilder:validation:Maximum=0
#[api]
pub struct NoPort(Port);

/// +kubebuilder:validation:MinLength=3
#[api]
pub struct Name(String);

/// The same.
pub type Alias = Name;

/// +kubebuilder:validation:MaxItems=2
#[api]
pub struct Names(Vec<Name>);

/// +kubebuilder:validation:MaxProperties=2
#[api]
pub struct Labels(std::collections::BTreeMap<String, String>);

fn main() {}
