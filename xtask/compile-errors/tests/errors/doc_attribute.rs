//! A doc line written as an attribute is a doc line.

use crd_channels::api;

#[doc = "A thing."]
#[api]
pub struct Thing {
    #[doc = "One."]
    #[doc = "+optinal"]
    pub one: String,
    #[doc = "Two."]
    #[doc = " +kubebuilder:default=three"]
    pub two: i32,
}

fn main() {}
