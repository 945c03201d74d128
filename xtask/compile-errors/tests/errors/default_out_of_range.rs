//! A default that bounds do not permit: those of the Rust type, of its newtype, and of other markers.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:default=3000000000
    pub one: i32,
    /// +kubebuilder:default=-1
    pub two: Option<u8>,
    /// +kubebuilder:default=0
    pub three: Port,
    /// +kubebuilder:default=70000
    pub four: Option<Alias>,
    /// +kubebuilder:default=10
    /// +kubebuilder:validation:Maximum=9
    pub five: i32,
    /// +kubebuilder:default=toolong
    pub six: Name,
    /// +kubebuilder:default=""
    /// +kubebuilder:validation:MinLength=1
    pub seven: String,
    /// +kubebuilder:default={1,2,70000}
    pub eight: Vec<Port>,
    /// +kubebuilder:default={a,b,c}
    pub nine: Names,
    /// +kubebuilder:default={a,b}
    /// +kubebuilder:validation:MaxItems=1
    pub ten: Vec<String>,
    /// Eleven: fine, because no channel has both.
    ///
    /// +standard:kubebuilder:default=1
    /// +experimental:kubebuilder:validation:Minimum=2
    pub eleven: i32,
    /// +kubebuilder:default=0.5
    /// +kubebuilder:validation:Minimum=1
    pub twelve: f64,
}

/// +kubebuilder:validation:Minimum=1
/// +kubebuilder:validation:Maximum=65535
#[api]
pub struct Port(i32);

/// The same.
pub type Alias = Port;

/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

/// +kubebuilder:validation:MaxItems=2
#[api]
pub struct Names(Vec<String>);

fn main() {}
