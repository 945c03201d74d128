//! Widgets, stable.

use crd_channels::{Condition, ObjectMeta, api};

/// A Widget is made as its spec says, and tells in its status how far that is.
///
/// +kubebuilder:resource:categories=widgets,shortName=wd
/// +kubebuilder:subresource:status
/// +kubebuilder:storageversion
/// +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=`.spec.size`
/// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
#[api(group = "widgets.example.com", version = "v1", kind = "Widget")]
pub struct Widget {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// How the Widget is to be.
    pub spec: WidgetSpec,
    /// How the Widget is.
    pub status: Option<WidgetStatus>,
}

/// How a Widget is to be.
///
/// +tombstone:name=color,removed=v0.9.0,reason="one spelling is enough",replacement=colour
/// +kubebuilder:validation:XValidation:rule="self.size <= 100 || has(self.parts)",message="a large Widget is made of parts"
#[api]
pub struct WidgetSpec {
    /// The length of each edge in millimetres.
    ///
    /// +kubebuilder:default=10
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=1000
    pub size: Option<i32>,
    /// Which colour the Widget has. Absent: that of its material.
    pub colour: Option<Colour>,
    /// What the Widget is made of. Absent: it is one piece.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub parts: Option<Vec<Part>>,
    /// How many turns per minute the Widget makes. Absent: it stands still.
    ///
    /// +experimental
    /// +kubebuilder:validation:Minimum=0
    pub spin: Option<i32>,
}

/// The colours of Widgets.
#[api]
pub enum Colour {
    /// As fire engines.
    Red,
    /// As the sky.
    Blue,
    /// Changes with the light.
    ///
    /// +experimental
    Iridescent,
}

/// A part of a Widget.
#[api]
pub struct Part {
    /// What the part is called; no two parts of a Widget are called the same.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=63
    pub name: String,
    /// How many of this part there are.
    ///
    /// +kubebuilder:default=1
    /// +kubebuilder:validation:Minimum=1
    pub count: Option<i32>,
}

/// How a Widget is.
#[api]
pub struct WidgetStatus {
    /// How far the Widget is.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Option<Vec<Condition>>,
}
