//! A default that is not of the field's type, also through aliases, newtypes and `Option`.

use crd_channels::{IntOrString, api};

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default=1
    pub one: String,
    /// Two.
    ///
    /// +kubebuilder:default=one
    pub two: Option<i32>,
    /// Three.
    ///
    /// +kubebuilder:default=true
    pub three: Alias,
    /// Four.
    ///
    /// +kubebuilder:default="8080"
    pub four: Newtype,
    /// Five.
    ///
    /// +default=1.5
    pub five: Box<Newtype>,
    /// Six.
    ///
    /// +kubebuilder:default={a: 1}
    pub six: bool,
    /// Seven.
    ///
    /// +kubebuilder:default=a
    pub seven: Vec<String>,
    /// Eight.
    ///
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
    /// Eleven.
    ///
    /// +kubebuilder:default=0.5
    pub eleven: IntOrString,
    /// Twelve: the marker gives the value another type.
    ///
    /// +kubebuilder:default=3
    /// +kubebuilder:validation:XIntOrString
    pub twelve: String,
    /// Thirteen.
    ///
    /// +experimental:kubebuilder:default=1
    pub thirteen: String,
}

/// A text.
pub type Alias = Option<Box<String>>;

/// A number.
#[api]
pub struct Newtype(u16);

/// Inner.
#[api]
pub struct Inner {
    /// One.
    pub one: String,
}

fn main() {}
