//! Documentation that is not there yet when the macro runs.

use crd_channels::api;

#[doc = include_str!("doc_macro.rs")]
#[api]
pub struct Thing {
    #[doc = concat!("One", ".")]
    pub one: String,
}

fn main() {}
