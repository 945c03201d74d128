//! Named arguments that are missing, unknown, double, of another kind, or cut off.

use crd_channels::{ObjectMeta, api};

/// +kubebuilder:validation:XValidation:message="no rule"
/// +kubebuilder:validation:XValidation:rul="self.a"
/// +kubebuilder:validation:XValidation:rule="self.a",rule="self.b"
/// +kubebuilder:validation:XValidation=self.a
/// +kubebuilder:validation:XValidation:rule="self.a" message="b"
/// +kubebuilder:validation:XValidation:rule="self.a",
///   message="on the next line"
/// +kubebuilder:validation:XValidation:rule=" "
/// +kubebuilder:printcolumn:name=Age,priority=low,nam=x
/// +kubebuilder:metadata
/// +kubebuilder:metadata:labels=a
/// +kubebuilder:deprecatedversion:since=v1
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    pub metadata: ObjectMeta,
}

fn main() {}
