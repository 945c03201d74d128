//! Unions over fields that do not exist, or are always there.

use crd_channels::api;

/// +kubebuilder:validation:AtMostOneOf=one;tow
/// +kubebuilder:validation:ExactlyOneOf=one;targetPort;unheard
/// +kubebuilder:validation:AtLeastOneOf=one;three;four
/// +kubebuilder:validation:AtLeastOneOf=inner.one
#[api]
pub struct Thing {
    pub one: Option<String>,
    pub two: Option<String>,
    pub three: String,
    pub four: Always,
    pub target_port: Sometimes,
}

/// A thing with a flattened struct.
///
/// +kubebuilder:validation:AtMostOneOf=one;two
/// +kubebuilder:validation:AtMostOneOf=three;four
#[api]
pub struct Outer {
    pub three: Option<String>,
    #[serde(flatten)]
    pub inner: Inner,
}

#[api]
pub struct Inner {
    pub one: Option<String>,
    pub two: Always,
}

/// +kubebuilder:validation:AtMostOneOf=one;three
#[api]
pub struct Newtype(Inner);

/// A text.
pub type Always = String;

/// Maybe a text.
pub type Sometimes = Option<String>;

fn main() {}
