//! The v1beta1 form of ReferenceGrant. It has the same spec as v1, and objects are still stored in
//! this version; both are served.

use crd_channels::{ObjectMeta, api};

use crate::v1::ReferenceGrantSpec;

/// Lets objects of other namespaces refer to objects in the namespace of the grant. Same fields as
/// v1; objects are stored in this version.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=refgrant
/// +kubebuilder:storageversion
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +conformance:feature=ReferenceGrant
#[api(group = "gateway.networking.k8s.io", version = "v1beta1", kind = "ReferenceGrant")]
pub struct ReferenceGrant {
    /// Name, namespace, labels and annotations of the grant. Its namespace is the one whose objects
    /// are opened up; the name has no further meaning.
    pub metadata: ObjectMeta,
    /// Who may refer to what. Written by the owner of the referenced objects; deleting the grant
    /// takes the permission back. There is no status, the referring objects show the outcome.
    pub spec: ReferenceGrantSpec,
}
