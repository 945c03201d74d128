//! Tags of Kubernetes' declarative validation.

use crd_channels::api;

// Values and targets that a tag cannot have.

#[api]
pub struct Values {
    /// +k8s:maxItems=many # of them
    pub one: Vec<String>,
    /// +k8s:maxItems=-1
    pub two: Vec<String>,
    /// +k8s:maxItems
    pub three: Vec<String>,
    /// +k8s:minimum=low
    pub four: i32,
    /// +k8s:maximum=1.5
    pub five: i32,
    /// +k8s:minimum=9
    /// +k8s:maximum=3
    pub six: i32,
    /// +k8s:listType=sett
    pub seven: Vec<String>,
    /// +k8s:listMapKey=name # without a type
    pub eight: Vec<Item>,
    /// +k8s:maxItems=3
    pub nine: String,
    /// +k8s:minimum=1
    pub ten: Alias,
    /// +k8s:required=true
    pub eleven: String,
    /// +k8s:maxitems=3
    pub twelve: Vec<String>,
    /// +k8s:required
    pub thirteen: Option<String>,
    /// +k8s:listType=map
    /// +k8s:listMapKey=nam
    pub fourteen: Vec<Item>,
    /// +experimental:k8s:required
    pub fifteen: String,
    /// Only a tag has a comment.
    ///
    /// +kubebuilder:validation:MaxItems=3 # three
    pub sixteen: Vec<String>,
}

/// +k8s:maxItems=3
#[api]
pub struct OnAType(Vec<String>);

/// A text.
pub type Alias = String;

#[api]
pub struct Item {
    /// Its name.
    pub name: String,
}

// Next to the older marker of the same meaning.

#[api]
pub struct Twins {
    /// One: fine.
    ///
    /// +required
    /// +k8s:required
    /// +listType=map
    /// +k8s:listType=map
    /// +listMapKey=name
    /// +k8s:listMapKey=name
    /// +kubebuilder:validation:MaxItems=3
    /// +k8s:maxItems=3 # three
    pub one: Vec<Item>,
    /// +listType=set
    /// +k8s:listType=atomic
    /// +kubebuilder:validation:MaxItems=3
    /// +k8s:maxItems=4
    pub two: Vec<String>,
    /// +k8s:maxItems=4
    /// +k8s:maxItems=4 # again
    pub three: Vec<String>,
    /// +optional
    /// +k8s:required
    pub four: String,
}

fn main() {}
