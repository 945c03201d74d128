//! Building blocks that every route kind embeds: references to parents (Gateways, ListenerSets,
//! mesh Services), weighted backends and the status that controllers write for each parent. Route
//! authors fill in the references, controllers the status.

use crd_channels::{Condition, api};

use crate::v1::{BackendObjectReference, GatewayController, Group, Kind, Namespace, ObjectName, SectionName};

/// Points from a route to the object whose traffic it wants: a Gateway, a ListenerSet, or a Service
/// in a mesh. The parent must allow the attachment; the route's status shows the result.
#[api]
pub struct ParentReference {
    /// API group of the parent. Default: gateway.networking.k8s.io, which fits Gateway and
    /// ListenerSet. Set an empty string to name a core object such as a Service. A parent that no
    /// controller knows what to do with gets no entry in status.
    ///
    /// +kubebuilder:default=gateway.networking.k8s.io
    pub group: Option<Group>,
    /// Kind of the parent. Default: Gateway. ListenerSet, in the same group, is another common
    /// choice; a mesh uses Service, which needs the empty group. Other kinds depend on the
    /// implementation, and where none knows them, status stays without an entry.
    ///
    /// +kubebuilder:default=Gateway
    pub kind: Option<Kind>,
    /// Namespace of the parent. Absent: the route's own. Attaching elsewhere works only if the
    /// parent allows it, a Gateway through allowedRoutes; else Accepted is False
    /// (NotAllowedByListeners). At a mesh Service elsewhere, the route affects only callers from
    /// its own namespace.
    pub namespace: Option<Namespace>,
    /// Name of the parent object. If no such object exists, or no controller serves it, the route
    /// gets no traffic from this reference and usually no entry for it in status. It may be created
    /// later; the route is then attached without further ado.
    pub name: ObjectName,
    /// Limits attachment to one part of the parent: a listener of a Gateway or ListenerSet, or a
    /// named Service port. Absent: every part that fits is tried, and one that takes the route is
    /// enough. If no part has this name, Accepted is False (NoMatchingParent).
    pub section_name: Option<SectionName>,
    /// Limits attachment to listeners on this port, or to this Service port in a mesh. Absent: any
    /// port will do. If sectionName is set too, both must fit; if nothing fits, Accepted is False
    /// (NoMatchingParent). Prefer sectionName where the operator may change ports. Extended
    /// support.
    ///
    /// +kubebuilder:validation:Minimum=1
    /// +kubebuilder:validation:Maximum=65535
    /// +conformance:feature=HTTPRoute/HTTPRouteParentRefPort
    /// +conformance:feature=HTTPRoute/HTTPRouteDestinationPortMatching
    pub port: Option<PortNumber>,
}

/// Tells which default Gateways a route may pick up, or for which routes a Gateway serves as
/// default, without an explicit parentRefs entry. Both sides must opt in. Experimental channel
/// only.
#[api]
pub enum GatewayDefaultScope {
    /// Covers every default Gateway or, when set on a Gateway, every route that asks for a default.
    All,
    /// Switches defaulting off: only explicit parentRefs lead to attachment, as if the field were
    /// absent.
    None,
}

/// The part of a route spec that is the same for every route kind: where the route attaches. What
/// it does with the traffic, and which hosts it covers, is up to each kind.
#[api]
pub struct CommonRouteSpec {
    /// Parents that this route wants to attach to, 32 at most, each judged separately in
    /// status.parents. Naming one parent twice requires distinct sections (or ports, in the
    /// experimental channel), else the route is refused. Absent or empty: no explicit parent and
    /// normally no traffic.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=32
    /// +standard:kubebuilder:validation:XValidation:message="sectionName must be specified when parentRefs includes 2 or more references to the same parent",rule="self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '')) : true))"
    /// +standard:kubebuilder:validation:XValidation:message="sectionName must be unique when parentRefs includes 2 or more references to the same parent",rule="self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || (has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName))))"
    /// +experimental:kubebuilder:validation:XValidation:message="sectionName or port must be specified when parentRefs includes 2 or more references to the same parent",rule="self.all(p1, self.all(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__)) ? ((!has(p1.sectionName) || p1.sectionName == '') == (!has(p2.sectionName) || p2.sectionName == '') && (!has(p1.port) || p1.port == 0) == (!has(p2.port) || p2.port == 0)): true))"
    /// +experimental:kubebuilder:validation:XValidation:message="sectionName or port must be unique when parentRefs includes 2 or more references to the same parent",rule="self.all(p1, self.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || p1.__namespace__ == '') && (!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == p2.__namespace__ )) && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || ( has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName)) && (((!has(p1.port) || p1.port == 0) && (!has(p2.port) || p2.port == 0)) || (has(p1.port) && has(p2.port) && p1.port == p2.port))))"
    pub parent_refs: Option<Vec<ParentReference>>,
    /// Lets the route attach to Gateways that operators have marked by defaultScope, in addition to
    /// parentRefs. Absent or None: only parentRefs count. The spec stays as it is; which Gateways
    /// took the route is seen in status.parents. Experimental channel only.
    ///
    /// +experimental
    /// +go:type=value
    pub use_default_gateways: Option<GatewayDefaultScope>,
}

/// A network port from 1 to 65535. The range is enforced by the fields that use this type; the Rust
/// type by itself takes any 32-bit integer.
pub type PortNumber = i32;

/// One destination of a rule together with its share of the traffic. A reference into another
/// namespace needs a ReferenceGrant there; one that cannot be resolved sets ResolvedRefs to False.
#[api]
pub struct BackendRef {
    /// The object that receives the traffic, a Service unless group and kind say otherwise. Its
    /// fields are placed directly at this level next to the weight, not in an object of their own.
    #[serde(flatten)]
    pub backend_object_reference: BackendObjectReference,
    /// Share of the rule's traffic in relation to the other entries: 90 next to 10 makes nine to
    /// one, and no particular sum is needed. Default: 1; 0 sends nothing here. A lone backend gets
    /// everything unless its weight is 0. Small numbers of requests may deviate from the split.
    ///
    /// +kubebuilder:default=1
    /// +kubebuilder:validation:Minimum=0
    /// +kubebuilder:validation:Maximum=1000000
    pub weight: Option<i32>,
}

/// The verdict of one controller about one parent of the route. A controller writes entries for
/// parents it manages, drops them when the reference goes away, and leaves all others alone.
#[api]
pub struct RouteParentStatus {
    /// The parent this entry is about, repeated as written in spec.parentRefs with section and
    /// port, so that readers can match the two. A default Gateway can show up here too, without
    /// being named in spec.
    pub parent_ref: ParentReference,
    /// Controller that wrote the entry, the same domain/path name as in GatewayClass
    /// controllerName, such as example.net/gateway-controller. Several controllers can report on
    /// one route; each changes only the entries that carry its name.
    pub controller_name: GatewayController,
    /// State of the route at this parent, 1 to 8 entries by condition type. Accepted tells whether
    /// it is attached, ResolvedRefs whether its backends and other references can be used;
    /// PartiallyInvalid appears when some rules are broken. Reason and message say why.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +kubebuilder:validation:MinItems=1
    /// +kubebuilder:validation:MaxItems=8
    pub conditions: Vec<Condition>,
}

/// What controllers report about a route: for each parent, whether the route is attached and what
/// is wrong with it if not. Route authors read it, and only controllers write it.
#[api]
pub struct RouteStatus {
    /// One entry per parent and controller, 32 at most. An empty list means that no controller has
    /// taken up the route so far, mostly because a parent does not exist or belongs to a class that
    /// no running controller serves. Entries go away when the parent is no longer referenced.
    ///
    /// +listType=atomic
    /// +kubebuilder:validation:MaxItems=32
    pub parents: Vec<RouteParentStatus>,
}
