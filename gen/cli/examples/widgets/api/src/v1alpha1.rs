//! Widgets as they began; read by those who have not moved to `v1` yet.

use crd_channels::{ObjectMeta, api};

use crate::v1::{WidgetSpec, WidgetStatus};

/// A Widget is made as its spec says, and tells in its status how far that is.
///
/// +kubebuilder:resource:categories=widgets,shortName=wd
/// +kubebuilder:subresource:status
/// +kubebuilder:deprecatedversion:warning="Widgets of v1alpha1 are served until bundle v2.0.0; use v1"
#[api(group = "widgets.example.com", version = "v1alpha1", kind = "Widget")]
pub struct Widget {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// How the Widget is to be.
    pub spec: WidgetSpec,
    /// How the Widget is.
    pub status: Option<WidgetStatus>,
}
