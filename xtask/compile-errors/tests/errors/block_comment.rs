//! The markers of a block comment: the whole comment is underlined, because nothing less can be.

use crd_channels::api;

/**
 * A thing.
 *
 * +optinal
 * +kubebuilder:validation:MinProperties=none
 */
#[api]
pub struct Thing {
    /** One. */
    /** +kubebuilder:validation:MaxLenght=3 */
    pub one: String,
    /**
     Two.

     +kubebuilder:default=three
     */
    pub two: i32,
}

fn main() {}
