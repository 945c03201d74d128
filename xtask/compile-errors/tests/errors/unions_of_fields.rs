//! Unions over fields that do not exist, or are always there.

use crd_channels::api;

/// A thing.
///
/// +kubebuilder:validation:AtMostOneOf=one;tow
/// +kubebuilder:validation:ExactlyOneOf=one;targetPort;unheard
/// +kubebuilder:validation:AtLeastOneOf=one;three;four
/// +kubebuilder:validation:AtLeastOneOf=inner.one
#[api]
pub struct Thing {
    /// One.
    pub one: Option<String>,
    /// Two.
    pub two: Option<String>,
    /// Three.
    pub three: String,
    /// Four.
    pub four: Always,
    /// Five.
    pub target_port: Sometimes,
}

/// A thing with a flattened struct.
///
/// +kubebuilder:validation:AtMostOneOf=one;two
/// +kubebuilder:validation:AtMostOneOf=three;four
#[api]
pub struct Outer {
    /// One.
    pub three: Option<String>,
    /// Inner.
    #[serde(flatten)]
    pub inner: Inner,
}

/// Inner.
#[api]
pub struct Inner {
    /// One.
    pub one: Option<String>,
    /// Two.
    pub two: Always,
}

/// A newtype.
///
/// +kubebuilder:validation:AtMostOneOf=one;three
#[api]
pub struct Newtype(Inner);

/// A text.
pub type Always = String;

/// Maybe a text.
pub type Sometimes = Option<String>;

fn main() {}
