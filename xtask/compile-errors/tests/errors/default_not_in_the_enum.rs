//! A default that is none of the values.

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default=Maybe
    pub one: Option<Choice>,
    /// Two.
    ///
    /// +kubebuilder:default=yes
    pub two: Alias,
    /// Three.
    ///
    /// +kubebuilder:default=c
    /// +kubebuilder:validation:Enum=a;b
    pub three: String,
    /// Four.
    ///
    /// +kubebuilder:default=3
    /// +kubebuilder:validation:Enum=1;2
    pub four: i32,
    /// Five.
    ///
    /// +kubebuilder:default=c
    pub five: Limited,
    /// Six: any string is valid.
    ///
    /// +kubebuilder:default=Perhaps
    pub six: Open,
    /// Seven.
    ///
    /// +kubebuilder:default={Yes,Perhaps}
    pub seven: Vec<Choice>,
}

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes,
    /// No.
    #[serde(rename = "no")]
    No,
}

/// The same.
pub type Alias = Choice;

/// A limited text.
///
/// +kubebuilder:validation:Enum=a;b
#[api]
pub struct Limited(String);

/// An open choice.
#[api(open)]
pub enum Open {
    /// Yes.
    Yes,
}

fn main() {}
