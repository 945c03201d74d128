//! Widgets, the stable version.

use crd_channels::{Condition, ObjectMeta, api};

/// A Widget is a machine part. The spec describes it, and the status reports its progress.
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
    /// The desired state of the Widget.
    pub spec: WidgetSpec,
    /// The observed state of the Widget.
    pub status: Option<WidgetStatus>,
}

/// The desired state of a Widget.
///
/// +tombstone:name=color,removed=v0.9.0,reason="one spelling is enough",replacement=colour
/// +kubebuilder:validation:XValidation:rule="self.size <= 100 || has(self.parts)",message="a large Widget must have parts"
#[api]
pub struct WidgetSpec {
    /// The length of each edge in millimetres.
    ///
    /// +kubebuilder:default=10
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=1000
    pub size: Option<i32>,
    /// The colour of the Widget. If absent, it has the colour of its material.
    pub colour: Option<Colour>,
    /// The parts of the Widget. If absent, it is one piece.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=16
    pub parts: Option<Vec<Part>>,
    /// How many turns per minute the Widget makes. If absent, it does not turn.
    ///
    /// +experimental
    /// +kubebuilder:validation:Minimum=0
    pub spin: Option<i32>,
}

/// The colours of Widgets.
#[api]
pub enum Colour {
    /// The red of fire engines.
    Red,
    /// The blue of the sky.
    Blue,
    /// Changes with the light.
    ///
    /// +experimental
    Iridescent,
}

/// A part of a Widget.
#[api]
pub struct Part {
    /// The name of the part. It is unique in the Widget.
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

/// The observed state of a Widget.
#[api]
pub struct WidgetStatus {
    /// The latest conditions of the Widget.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Option<Vec<Condition>>,
}
