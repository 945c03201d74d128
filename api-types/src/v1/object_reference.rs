//! References from one object to another: within a namespace, to Secrets, to backends and to
//! arbitrary kinds. Routes, Gateways and policies use them; crossing namespaces takes a
//! ReferenceGrant in the target namespace.

use crd_channels::api;

use crate::v1::{Group, Kind, Namespace, ObjectName, PortNumber};

/// Points to an object in the namespace of the referring object; no other namespace can be reached.
/// Which kinds are usable depends on the field and on the implementation.
#[api]
pub struct LocalObjectReference {
    /// API group of the target, for example gateway.networking.k8s.io. An empty string selects the
    /// core group (Service, Secret, ConfigMap). It must be written out, as there is no default.
    pub group: Group,
    /// Kind of the target in its CamelCase form, such as ConfigMap or a custom filter kind. If the
    /// controller does not support it, the status reports that the reference cannot be used.
    pub kind: Kind,
    /// Name of the target object, looked up in the namespace of the object that holds this
    /// reference. If there is none of this name, the reference is unresolved, and the status says
    /// so.
    pub name: ObjectName,
}

/// Points to key material, normally a Secret, possibly in another namespace. There, a
/// ReferenceGrant has to permit the reference, or the key material stays unread.
#[api]
pub struct SecretObjectReference {
    /// API group of the target. Default: the empty string, the core group, where Secret lives.
    /// Other groups serve for certificate sources of an implementation; where it does not know
    /// them, ResolvedRefs turns False in the status.
    ///
    /// +kubebuilder:default=""
    pub group: Option<Group>,
    /// Kind of the target. Default: Secret. Other kinds that hold certificates work only where the
    /// implementation knows them; elsewhere ResolvedRefs turns False with a reason such as
    /// InvalidCertificateRef, and the certificate is not served.
    ///
    /// +kubebuilder:default=Secret
    pub kind: Option<Kind>,
    /// Name of the Secret or other target. If it is missing or its content is malformed, the
    /// controller reports an unresolved reference in the status, with a reason such as
    /// InvalidCertificateRef, until the target has been mended.
    pub name: ObjectName,
    /// Namespace of the target. Absent: that of the referring object. Any other namespace must hold
    /// a ReferenceGrant that permits the reference; without it, ResolvedRefs turns False
    /// (RefNotPermitted), whether the target exists or not.
    pub namespace: Option<Namespace>,
}

/// Points to whatever receives traffic, usually a port of a Service. A target in another namespace
/// needs a ReferenceGrant there. What cannot be resolved sets ResolvedRefs to False.
///
/// +kubebuilder:validation:XValidation:message="Must have port for Service reference",rule="(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true"
/// +experimental:kubebuilder:validation:XValidation:message="Must not have port for Backend reference",rule="(self.group == 'gateway.networking.x-k8s.io' && self.kind == 'XBackend') ? !has(self.port) : true"
#[api]
pub struct BackendObjectReference {
    /// API group of the backend. Default: the empty string, the core group, which fits Service. A
    /// group that the implementation does not support sets ResolvedRefs to False (InvalidKind).
    ///
    /// +kubebuilder:default=""
    pub group: Option<Group>,
    /// Kind of the backend. Default: Service. Other kinds depend on the implementation; unsupported
    /// ones set ResolvedRefs to False (InvalidKind). ExternalName Services are best avoided for
    /// security reasons.
    ///
    /// +kubebuilder:default=Service
    pub kind: Option<Kind>,
    /// Name of the backend object. If it does not exist, ResolvedRefs turns False (BackendNotFound)
    /// and the traffic meant for it fails; HTTP requests that are routed to it get status 500.
    pub name: ObjectName,
    /// Namespace of the backend. Absent: that of the referring object. Any other namespace must
    /// hold a ReferenceGrant that permits the reference, else ResolvedRefs turns False
    /// (RefNotPermitted).
    pub namespace: Option<Namespace>,
    /// Destination port, required for a Service, where it is the Service port and not the
    /// targetPort of the Pods; without it the API server refuses the object. Other kinds may do
    /// without; an XBackend has its own port, and in the experimental channel the API server refuses
    /// a reference to one with a port.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=65535
    pub port: Option<PortNumber>,
}

/// Points to an object of any kind, possibly in another namespace, where a ReferenceGrant then has
/// to permit the reference. What cannot be resolved is reported in the status.
#[api]
pub struct ObjectReference {
    /// API group of the target; there is no default, so it must be written. An empty string selects
    /// the core group, for instance for ConfigMap or Secret. A group that the controller does not
    /// support is reported in the status as an unresolved reference.
    pub group: Group,
    /// Kind of the target in its CamelCase form, such as ConfigMap. What is accepted depends on the
    /// field and on the implementation; a kind that cannot be used makes the reference invalid,
    /// which a condition in the status tells.
    pub kind: Kind,
    /// Name of the target object. If it cannot be found, or its content is not what the field
    /// needs, ResolvedRefs turns False in the status, with a reason that depends on the field. The
    /// target may also be created after the reference to it.
    pub name: ObjectName,
    /// Namespace of the target. Absent: that of the referring object. Any other namespace must hold
    /// a ReferenceGrant that permits the reference; without it, ResolvedRefs turns False
    /// (RefNotPermitted) and the target is not read.
    pub namespace: Option<Namespace>,
}
