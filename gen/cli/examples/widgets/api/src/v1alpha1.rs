//! Widgets, the first version. Deprecated in favour of `v1`.

use crd_channels::{ObjectMeta, api};

use crate::v1::{WidgetSpec, WidgetStatus};

/// A Widget is a machine part. The spec describes it, and the status reports its progress.
///
/// +kubebuilder:resource:categories=widgets,shortName=wd
/// +kubebuilder:subresource:status
/// +kubebuilder:deprecatedversion:warning="Widget v1alpha1 is served until bundle v2.0.0; use v1"
#[api(group = "widgets.example.com", version = "v1alpha1", kind = "Widget")]
pub struct Widget {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// The desired state of the Widget.
    pub spec: WidgetSpec,
    /// The observed state of the Widget.
    pub status: Option<WidgetStatus>,
}
