//! A marker over several lines: all of them are underlined, whatever finds the fault.

use crd_channels::api;

/// A thing.
///
/// +kubebuilder:validation:XValidation:massage="a or b",rule=`has(self.a) ||
///   has(self.b)`
#[api]
pub struct Thing {
    /// One.
    pub a: Option<String>,
    /// Two.
    ///
    /// +kubebuilder:default=`first
    ///   second`
    pub b: Option<Number>,
}

/// A number.
pub type Number = i32;

fn main() {}
