//! Building blocks of policies: references to the objects that a policy affects and the status that
//! controllers report for each Gateway involved. Policy resources here and of other projects embed
//! these types.

use crd_channels::{Condition, api};

use crate::v1::{GatewayController, Group, Kind, Namespace, ObjectName, ParentReference, SectionName};

/// Points a policy at one object in its own namespace. The policy resource decides which kinds can
/// be targeted.
#[api]
pub struct LocalPolicyTargetReference {
    /// API group of the targeted object; the empty string stands for the core group, which Service
    /// belongs to. It has to be written out, as there is no default.
    pub group: Group,
    /// Kind of the targeted object, for example Service. Controllers do not accept a policy for
    /// kinds that it cannot affect or that they do not know.
    pub kind: Kind,
    /// Name of the targeted object, which must be in the namespace of the policy. While no such
    /// object exists, the policy has no effect and is reported as TargetNotFound.
    pub name: ObjectName,
}

/// Points a policy at one object that may live in another namespace than the policy itself.
#[api]
pub struct NamespacedPolicyTargetReference {
    /// API group of the targeted object; the empty string stands for the core group. Together with
    /// kind it tells which resource is meant.
    pub group: Group,
    /// Kind of the targeted object, for example Gateway or Service. Which kinds are possible
    /// depends on the policy and on the controller.
    pub kind: Kind,
    /// Name of the targeted object in the namespace given next to it, or in the policy's own
    /// namespace if none is given.
    pub name: ObjectName,
    /// Namespace of the targeted object; the policy's own when absent. With a foreign namespace,
    /// the policy affects only traffic that comes from the namespace where the policy lives.
    pub namespace: Option<Namespace>,
}

/// Points a policy at an object in its own namespace or, with sectionName, at just one part of it
/// such as a single port.
#[api]
pub struct LocalPolicyTargetReferenceWithSectionName {
    /// Group, kind and name of the target, at the same level as sectionName.
    #[serde(flatten)]
    pub local_policy_target_reference: LocalPolicyTargetReference,
    /// Part of the target to affect: a listener name of a Gateway, a rule name of a route or a port
    /// name of a Service. When absent, it is the whole object, but a policy that names the part
    /// wins there. An unknown section leaves the policy without effect.
    pub section_name: Option<SectionName>,
}

/// State of a policy with respect to one ancestor, normally the Gateway whose traffic it
/// influences, as seen by one controller.
#[api]
pub struct PolicyAncestorStatus {
    /// The object this entry speaks about, usually the Gateway above the target rather than the
    /// target itself. It may be narrowed to a listener; in a mesh it can be a Service.
    pub ancestor_ref: ParentReference,
    /// Domain-prefixed name of the controller that wrote this entry, for example
    /// example.net/gateway-controller. Controllers change or remove only entries that carry their
    /// own name.
    pub controller_name: GatewayController,
    /// State of the policy at this ancestor, 1 to 8 entries by condition type. Accepted tells
    /// whether it is in force; if False, reasons such as Conflicted, Invalid or TargetNotFound say
    /// why.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Vec<Condition>,
}

/// Observed state of a policy. A policy can work through several Gateways and controllers at once,
/// so the results are kept separately for each of them.
#[api]
pub struct PolicyStatus {
    /// One entry per ancestor and controller, at most 16. Controllers drop their entries once they
    /// no longer apply; an empty list means nobody uses the policy. When the list is full, the
    /// policy cannot be put into effect for further ancestors.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=16
    pub ancestors: Vec<PolicyAncestorStatus>,
}
