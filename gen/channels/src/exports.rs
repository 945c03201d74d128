//! Items for the macro's output, in addition to the public ones. Not for manual use.

pub use crd_markers::usual::*;
#[cfg(feature = "kube")]
pub use k8s_openapi;
#[cfg(feature = "kube")]
pub use kube_core;
#[cfg(feature = "schemars")]
pub use schemars;
#[cfg(feature = "serde")]
pub use serde;

/// The text of a default in a build without the feature `serde`.
pub const fn no_text() -> Option<String> {
    None
}

/// The text of a default.
#[cfg(feature = "serde")]
pub fn text_of<T: serde::Serialize>(value: &T) -> Option<String> {
    serde_json::to_string(value).ok()
}
