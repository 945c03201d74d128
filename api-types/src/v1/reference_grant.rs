//! The ReferenceGrant resource: consent of one namespace to references from other namespaces.
//! Owners of Secrets, Services and the like write it; controllers ask it before they follow a
//! reference across namespaces.

use crd_channels::{ObjectMeta, api};

use crate::v1::{Group, Kind, Namespace, ObjectName};

/// Lets objects of other namespaces refer to objects in the namespace of the grant. Without one,
/// routes cannot use backends, nor Gateways certificates, of a foreign namespace.
///
/// +kubebuilder:resource:categories=gateway-api,shortName=refgrant
/// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
/// +lens:resource:version=v1alpha2,since=v0.6.0
/// +lens:resource:kind=ReferencePolicy,version=v1alpha2,since=v0.6.0
/// +lens:resource:version=v1beta1,since=v1.5.0
/// +conformance:feature=ReferenceGrant
#[api(group = "gateway.networking.k8s.io", version = "v1", kind = "ReferenceGrant")]
pub struct ReferenceGrant {
    /// Name, namespace, labels and annotations of the grant. Its namespace is the one whose objects
    /// are opened up; the name has no further meaning.
    pub metadata: ObjectMeta,
    /// Who may refer to what. Written by the owner of the referenced objects; deleting the grant
    /// takes the permission back. There is no status, the referring objects show the outcome.
    pub spec: ReferenceGrantSpec,
}

/// Trusted sources and permitted targets of a grant. Each source may refer to each target; several
/// grants in a namespace add up.
#[api]
pub struct ReferenceGrantSpec {
    /// Sources that are trusted, 1 to 16, each a kind in one namespace. Matching a single entry is
    /// enough. There is no wildcard for namespaces; list them one by one.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    pub from: Vec<ReferenceGrantFrom>,
    /// Objects in the namespace of the grant that may be referred to, 1 to 16 entries by kind and
    /// optional name. A reference needs to match only one of them.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=16
    pub to: Vec<ReferenceGrantTo>,
}

/// A kind of object in one other namespace that is allowed to hold references into the namespace of
/// the grant.
#[api]
pub struct ReferenceGrantFrom {
    /// API group of the objects that hold the reference, for example gateway.networking.k8s.io for
    /// routes and Gateways. The empty string means the core group.
    pub group: Group,
    /// Kind of the objects that hold the reference, such as HTTPRoute for backends or Gateway for
    /// certificates. Others depend on the implementation.
    pub kind: Kind,
    /// The one namespace whose objects are trusted, spelled out in full. Add an entry for every
    /// further namespace; labels and patterns are not possible.
    pub namespace: Namespace,
}

/// Objects that the grant opens up: all of one kind, or a single one by name. They are always in
/// the namespace of the grant.
#[api]
pub struct ReferenceGrantTo {
    /// API group of the objects that may be referred to. Services, Secrets and ConfigMaps belong to
    /// the core group, written as the empty string.
    pub group: Group,
    /// Kind of the objects that may be referred to, typically Service as a backend or Secret as a
    /// certificate. Others depend on the implementation.
    pub kind: Kind,
    /// Restricts the permission to the object of this name. When absent, every object of the kind
    /// in this namespace may be referred to, including ones created later.
    pub name: Option<ObjectName>,
}
