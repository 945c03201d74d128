//! Typos: the nearest name is suggested, also for a name without its prefix and for another case.

use crd_channels::api;

/// +kubebuilder:subresource:statuss
#[api]
pub struct Thing {
    /// +optinal
    pub one: Option<String>,
    /// +kubebuilder:validation:MaxLenght=3
    pub two: String,
    /// +kubebuidler:validation:MaxLength=3
    pub three: String,
    /// +MaxLength=3
    pub four: String,
    /// +listtype=set
    pub five: Vec<String>,
    /// +kubebuilder:validation:XValidaton:rule="self.size() > 0"
    pub six: String,
    /// +kubebuilder:validation:items:Patern=`^a`
    pub seven: Vec<String>,
}

fn main() {}
