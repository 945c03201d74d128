//! A backtick string that never ends takes the rest of the comment with it: all its lines are underlined.

use crd_channels::api;

/// A thing.
///
/// +kubebuilder:validation:XValidation:message="a or b",rule=`has(self.a) ||
///   has(self.b)
/// And then some prose.
#[api]
pub struct Thing {
    /// One.
    pub a: Option<String>,
    /// Two.
    ///
    /// +kubebuilder:validation:Pattern=`^a$
    pub b: Option<String>,
}

fn main() {}
