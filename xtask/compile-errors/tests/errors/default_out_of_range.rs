//! A default that bounds do not permit: those of the Rust type, of its newtype, and of other markers.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default=3000000000
    pub one: i32,
    /// Two.
    ///
    /// +kubebuilder:default=-1
    pub two: Option<u8>,
    /// Three.
    ///
    /// +kubebuilder:default=0
    pub three: Port,
    /// Four.
    ///
    /// +kubebuilder:default=70000
    pub four: Option<Alias>,
    /// Five.
    ///
    /// +kubebuilder:default=10
    /// +kubebuilder:validation:Maximum=9
    pub five: i32,
    /// Six.
    ///
    /// +kubebuilder:default=toolong
    pub six: Name,
    /// Seven.
    ///
    /// +kubebuilder:default=""
    /// +kubebuilder:validation:MinLength=1
    pub seven: String,
    /// Eight.
    ///
    /// +kubebuilder:default={1,2,70000}
    pub eight: Vec<Port>,
    /// Nine.
    ///
    /// +kubebuilder:default={a,b,c}
    pub nine: Names,
    /// Ten.
    ///
    /// +kubebuilder:default={a,b}
    /// +kubebuilder:validation:MaxItems=1
    pub ten: Vec<String>,
    /// Eleven: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:default=1
    /// +experimental:kubebuilder:validation:Minimum=2
    pub eleven: i32,
    /// Twelve.
    ///
    /// +kubebuilder:default=0.5
    /// +kubebuilder:validation:Minimum=1
    pub twelve: f64,
}

/// A port.
///
/// +kubebuilder:validation:Minimum=1
/// +kubebuilder:validation:Maximum=65535
#[api]
pub struct Port(i32);

/// The same.
pub type Alias = Port;

/// A name.
///
/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

/// Names.
///
/// +kubebuilder:validation:MaxItems=2
#[api]
pub struct Names(Vec<String>);

fn main() {}
