//! What can be flattened, and what names it may bring.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    #[serde(flatten)]
    pub one: Option<Inner>,
    /// Two.
    #[serde(flatten)]
    pub two: String,
    /// Three.
    ///
    /// +optional
    #[serde(flatten)]
    pub three: Third,
    /// Four.
    ///
    /// +experimental
    #[serde(flatten)]
    pub four: Fourth,
    /// Five.
    #[serde(flatten)]
    pub five: std::collections::BTreeMap<String, String>,
    /// Six.
    #[serde(flatten)]
    pub six: Sometimes,
    /// Seven.
    ///
    /// +listType=atomic
    #[serde(flatten)]
    pub seven: Vec<String>,
}

/// A thing with clashes.
#[api]
pub struct Clashes {
    /// One.
    pub one: String,
    /// Inner.
    #[serde(flatten)]
    pub inner: Inner,
    /// Inner again.
    #[serde(flatten)]
    pub again: Again,
}

/// Inner.
#[api]
pub struct Inner {
    /// One.
    pub one: Option<String>,
    /// Two.
    pub two: Option<String>,
}

/// Inner, again.
#[api]
pub struct Again {
    /// Innermost.
    #[serde(flatten)]
    pub innermost: Innermost,
}

/// Innermost.
#[api]
pub struct Innermost {
    /// Two.
    pub two: Option<String>,
}

/// Third.
#[api]
pub struct Third {
    /// Three.
    pub drei: Option<String>,
}

/// Fourth.
#[api]
pub struct Fourth {
    /// Four.
    pub vier: Option<String>,
}

/// Maybe a third.
pub type Sometimes = Option<Sixth>;

/// Sixth.
#[api]
pub struct Sixth {
    /// Six.
    pub sechs: Option<String>,
}

fn main() {}
