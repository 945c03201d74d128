//! Markers that mean something in Go only: what to write instead.

use crd_channels::api;

/// +groupName=things.example.com
/// +versionName=v1
/// +genclient
/// +genclient:nonNamespaced
/// +kubebuilder:object:root=true
/// +kubebuilder:object:generate=true
/// +k8s:deepcopy-gen=true
/// +k8s:openapi-gen=true
/// +kubebuilder:skip
/// +kubebuilder:rbac:groups=things.example.com,resources=things,verbs=get
/// +kubebuilder:webhook:path=/validate
/// +union
#[api]
pub struct Thing {
    /// +unionDiscriminator
    pub one: String,
    /// +patchStrategy=merge
    /// +patchMergeKey=name
    pub two: Vec<String>,
    /// +default=ref(DefaultThree)
    pub three: String,
    /// +gateway:experimental
    pub four: Option<String>,
    /// +gateway:experimental:validation:XValidation:rule="self != ''"
    pub five: Option<String>,
}

/// +enum
#[api]
pub enum Choice {
    Yes,
}

fn main() {}
