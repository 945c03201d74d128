//! What can be flattened, and what names it may bring.

use crd_channels::api;

#[api]
pub struct Thing {
    #[serde(flatten)]
    pub one: Option<Inner>,
    #[serde(flatten)]
    pub two: String,
    /// +optional
    #[serde(flatten)]
    pub three: Third,
    /// +experimental
    #[serde(flatten)]
    pub four: Fourth,
    #[serde(flatten)]
    pub five: std::collections::BTreeMap<String, String>,
    #[serde(flatten)]
    pub six: Sometimes,
    /// +listType=atomic
    #[serde(flatten)]
    pub seven: Vec<String>,
}

/// A thing with clashes.
#[api]
pub struct Clashes {
    pub one: String,
    #[serde(flatten)]
    pub inner: Inner,
    /// Inner again.
    #[serde(flatten)]
    pub again: Again,
}

#[api]
pub struct Inner {
    pub one: Option<String>,
    pub two: Option<String>,
}

/// Inner, again.
#[api]
pub struct Again {
    #[serde(flatten)]
    pub innermost: Innermost,
}

#[api]
pub struct Innermost {
    pub two: Option<String>,
}

#[api]
pub struct Third {
    pub drei: Option<String>,
}

#[api]
pub struct Fourth {
    pub vier: Option<String>,
}

/// Maybe a third.
pub type Sometimes = Option<Sixth>;

#[api]
pub struct Sixth {
    pub sechs: Option<String>,
}

fn main() {}
