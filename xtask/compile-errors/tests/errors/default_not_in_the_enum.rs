//! A default that is none of the values.

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:default=Maybe
    pub one: Option<Choice>,
    /// +kubebuilder:default=yes
    pub two: Alias,
    /// +kubebuilder:default=c
    /// +kubebuilder:validation:Enum=a;b
    pub three: String,
    /// +kubebuilder:default=3
    /// +kubebuilder:validation:Enum=1;2
    pub four: i32,
    /// +kubebuilder:default=c
    pub five: Limited,
    /// Six: any string is valid.
    ///
    /// +kubebuilder:default=Perhaps
    pub six: Open,
    /// +kubebuilder:default={Yes,Perhaps}
    pub seven: Vec<Choice>,
}

#[api]
pub enum Choice {
    Yes,
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
    Yes,
}

fn main() {}
