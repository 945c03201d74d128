//! A type that does not exist is one error, not one for each use that the macro makes of it.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:validation:MaxLength=3
    pub one: Gadget,
}

fn main() {}
