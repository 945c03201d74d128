//! Markers that do not exist, belong to Go or are disguised as text, and wrong channels.

use crd_channels::api;

// Typos: the nearest name is suggested, also for a name without its prefix and for another case.

/// +kubebuilder:subresource:statuss
#[api]
pub struct UnknownMarkerWithANearName {
    /// +optinal
    pub one: Option<String>,
    /// +kubebuilder:validation:MaxLenght=3
    pub two: String,
    /// +kubebuidler:validation:MaxLength=3
    pub three: String,
    /// +MaxLength=3
    pub four: String,
    /// +listtype=set
    pub five: Vec<String>,
    /// +kubebuilder:validation:XValidaton:rule="self.size() > 0"
    pub six: String,
    /// +kubebuilder:validation:items:Patern=`^a`
    pub seven: Vec<String>,
}

// Names that are near to none: nothing is guessed.

/// +somethingElse
#[api]
pub struct UnknownMarkerWithoutANearName {
    /// +kubebuilder:validation:Size=3
    pub one: String,
    /// +kubebuilder:validation:items:AtMostOneOf=a;b
    pub two: Vec<String>,
    /// Three, and
    /// +a list item that wants to be prose.
    pub three: String,
}

// Markers that mean something in Go only: what to write instead.

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
pub struct MarkersOfGo {
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

// Markers that would be published as text.

/// Text. +kubebuilder:validation:MinProperties=1
#[api]
struct Lamp {
    /// + experimental
    colour: Option<String>,
    /// - +experimental
    shade: Option<String>,
    /// `+experimental`
    shape: Option<String>,
    /// Its size. +experimental
    size: Option<i32>,
    /// ​+experimental
    zero_width_space: Option<String>,
    /// +ｅｘｐｅｒｉｍｅｎｔａｌ
    full_width: Option<String>,
    // +experimental
    plain_comment: Option<String>,
    /// +kubebuilder:validation:Pattern=`^a
    /// +experimental
    /// b$`
    in_a_string: Option<String>,
    /// This is prose: \+experimental.
    escaped: Option<String>,
}

// Channels before markers: misspelt, alone, before nothing, before another channel, where Rust has spoken.

#[api]
pub struct ChannelPrefix {
    /// +exprimental:kubebuilder:validation:MaxLength=3
    pub one: String,
    /// +standard
    pub two: String,
    /// +experimental:
    pub three: String,
    /// +standard:experimental:kubebuilder:validation:MaxLength=3
    pub four: String,
    /// +experimental:optional
    pub five: Option<String>,
    /// +standard:experimental
    pub six: Option<String>,
    /// +experimental:kubebuilder:validation:MaxLenght=3
    pub seven: String,
}

// A marker for a channel in which the thing does not exist.

#[api]
pub struct StandardMarkerOnExperimental {
    /// +experimental
    /// +standard:kubebuilder:validation:MaxLength=3
    pub one: Option<String>,
}

/// An experimental thing.
///
/// +experimental
/// +standard:structType=atomic
#[api]
pub struct Experimental {
    /// +standard:kubebuilder:validation:MaxLength=3
    pub one: Option<String>,
}

fn main() {}
