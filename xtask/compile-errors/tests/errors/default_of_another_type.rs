//! A default that is not of the field's type, also through aliases, newtypes and `Option`.

use crd_channels::{IntOrString, api};

#[api]
pub struct Thing {
    /// +kubebuilder:default=1
    pub one: String,
    /// +kubebuilder:default=one
    pub two: Option<i32>,
    /// +kubebuilder:default=true
    pub three: Alias,
    /// +kubebuilder:default="8080"
    pub four: Newtype,
    /// +default=1.5
    pub five: Box<Newtype>,
    /// +kubebuilder:default={a: 1}
    pub six: bool,
    /// +kubebuilder:default=a
    pub seven: Vec<String>,
    /// +kubebuilder:default=a
    pub eight: Inner,
    /// Nine: an integer is a number.
    ///
    /// +kubebuilder:default=1
    pub nine: f64,
    /// Ten: both are right.
    ///
    /// +kubebuilder:default="80%"
    pub ten: IntOrString,
    /// +kubebuilder:default=0.5
    pub eleven: IntOrString,
    /// Twelve: the marker gives the value another type.
    ///
    /// +kubebuilder:default=3
    /// +kubebuilder:validation:XIntOrString
    pub twelve: String,
    /// +experimental:kubebuilder:default=1
    pub thirteen: String,
}

/// A text.
pub type Alias = Option<Box<String>>;

/// A number.
#[api]
pub struct Newtype(u16);

#[api]
pub struct Inner {
    pub one: String,
}

fn main() {}
