//! Every fault of an item is reported in one go, whatever finds it, and only once.

use crd_channels::api;

/// +optional
/// +kubebuilder:validation:AtMostOneOf=one;tow
/// +tombstone:name=four,removed=1.0,reason=""
#[api(grup = "things.example.com", open)]
pub struct Thing {
    /// +kubebuilder:validation:MaxLenght=3
    /// +kubebuilder:validation:Pattern=`^(?!a)`
    #[serde(with = "module")]
    pub one: Option<String>,
    /// +kubebuilder:default=five
    /// +kubebuilder:validation:MaxLength=3
    pub two: Count,
    /// +required
    #[cfg(feature = "four")]
    pub four: Option<Vec<u8>>,
}

pub type Count = i32;

fn main() {}
