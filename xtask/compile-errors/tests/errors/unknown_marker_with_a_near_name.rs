//! Typos: the nearest name is suggested, also for a name without its prefix and for another case.

use crd_channels::api;

/// A thing.
///
/// +kubebuilder:subresource:statuss
#[api]
pub struct Thing {
    /// One.
    ///
    /// +optinal
    pub one: Option<String>,
    /// Two.
    ///
    /// +kubebuilder:validation:MaxLenght=3
    pub two: String,
    /// Three.
    ///
    /// +kubebuidler:validation:MaxLength=3
    pub three: String,
    /// Four.
    ///
    /// +MaxLength=3
    pub four: String,
    /// Five.
    ///
    /// +listtype=set
    pub five: Vec<String>,
    /// Six.
    ///
    /// +kubebuilder:validation:XValidaton:rule="self.size() > 0"
    pub six: String,
    /// Seven.
    ///
    /// +kubebuilder:validation:items:Patern=`^a`
    pub seven: Vec<String>,
}

fn main() {}
