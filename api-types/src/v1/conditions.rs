//! Condition types and reasons that controllers write into the status of Gateway API objects:
//! Gateway, listener, GatewayClass, ListenerSet, policy and route parent. Controllers, tests and
//! tools should use these constants instead of spelling the strings themselves. Two further
//! constants are not part of a status.

crd_channels::conditions! {
    /// BackendTLSPolicy: Accepted is False because not one of the CA certificate references is usable,
    /// so the backend cannot be verified over TLS. ResolvedRefs carries the detailed cause.
    reason BACKEND_TLS_POLICY_REASON_NO_VALID_CA_CERTIFICATE: PolicyConditionReason = "NoValidCACertificate";

    /// Kept per ancestor in a BackendTLSPolicy's status. True once every CA certificate reference was
    /// found and read; False as soon as one of them fails, even if others work.
    condition BACKEND_TLS_POLICY_CONDITION_RESOLVED_REFS: PolicyConditionType = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on a BackendTLSPolicy ancestor: all CA certificate references led to
    /// usable data.
    reason BACKEND_TLS_POLICY_REASON_RESOLVED_REFS: PolicyConditionReason = "ResolvedRefs";

    /// BackendTLSPolicy: ResolvedRefs is False since a CA certificate reference leads to a missing
    /// object or to content that cannot be used, such as a ConfigMap without ca.crt.
    reason BACKEND_TLS_POLICY_REASON_INVALID_CA_CERTIFICATE_REF: PolicyConditionReason = "InvalidCACertificateRef";

    /// BackendTLSPolicy: ResolvedRefs is False since a CA certificate reference uses a group or kind
    /// that the implementation does not know or support.
    reason BACKEND_TLS_POLICY_REASON_INVALID_KIND: PolicyConditionReason = "InvalidKind";

    /// Summary on the Gateway itself, always present. True when its configuration was handed to the
    /// data plane and should work shortly; False when that failed; Unknown until it has been looked at.
    condition GATEWAY_CONDITION_PROGRAMMED: GatewayConditionType = "Programmed";

    /// Goes with Programmed=True on a Gateway: the data plane got its configuration and is expected to
    /// serve it soon.
    reason GATEWAY_REASON_PROGRAMMED: GatewayConditionReason = "Programmed";

    /// Gateway: Accepted or Programmed is False because the spec itself is wrong in form or meaning,
    /// for instance an absent TLS section, or one with values that cannot be interpreted.
    reason GATEWAY_REASON_INVALID: GatewayConditionReason = "Invalid";

    /// Gateway: Programmed is False because the infrastructure has no capacity left to run it. More
    /// resources are needed, not another spec.
    reason GATEWAY_REASON_NO_RESOURCES: GatewayConditionReason = "NoResources";

    /// Gateway: Programmed is False while no address could be allocated for it yet, e.g. because the
    /// load balancer is still pending or the address pool is empty. The message should name the cause.
    reason GATEWAY_REASON_ADDRESS_NOT_ASSIGNED: GatewayConditionReason = "AddressNotAssigned";

    /// Gateway: Programmed is False because an address asked for in spec.addresses cannot be bound, for
    /// example as it is unknown or taken. The message should say which one and what to do.
    reason GATEWAY_REASON_ADDRESS_NOT_USABLE: GatewayConditionReason = "AddressNotUsable";

    /// On a Gateway that asks for addresses: True when it has all of them, False when some or all are
    /// missing. Absent where no address was asked for.
    condition GATEWAY_CONDITION_ADDRESSES_ASSIGNED: GatewayConditionType = "AddressesAssigned";

    /// Goes with AddressesAssigned=True on a Gateway: every address in spec.addresses is bound.
    reason GATEWAY_REASON_ADDRESSES_ASSIGNED: GatewayConditionReason = "AddressesAssigned";

    /// Gateway: AddressesAssigned is False because some of the addresses asked for are bound and others
    /// are not. The message should name those that are missing.
    reason GATEWAY_REASON_ADDRESSES_PARTIALLY_ASSIGNED: GatewayConditionReason = "PartiallyAssigned";

    /// Gateway: AddressesAssigned is False because not one of the addresses asked for is bound.
    reason GATEWAY_REASON_ADDRESSES_NOT_ASSIGNED: GatewayConditionReason = "NotAssigned";

    /// Warning on a Gateway, set to True while frontend TLS validation runs as AllowInsecureFallback
    /// anywhere, default or per port. Removed, not set to False, once only AllowValidOnly is left.
    condition GATEWAY_CONDITION_INSECURE_FRONTEND_VALIDATION_MODE: GatewayConditionType = "InsecureFrontendValidationMode";

    /// Goes with InsecureFrontendValidationMode=True on a Gateway: the operator switched frontend
    /// client certificate validation to AllowInsecureFallback, for all ports or for one.
    reason GATEWAY_REASON_CONFIGURATION_CHANGED: GatewayConditionReason = "ConfigurationChanged";

    /// Set on the Gateway. True when the spec is good enough for its controller to produce at least
    /// some data plane configuration; says nothing about rollout, which is Programmed. Unknown at
    /// creation.
    condition GATEWAY_CONDITION_ACCEPTED: GatewayConditionType = "Accepted";

    /// Goes with Accepted=True on a Gateway: its controller took it on and found nothing to object to.
    reason GATEWAY_REASON_ACCEPTED: GatewayConditionReason = "Accepted";

    /// Gateway: some listeners are broken or unsupported. Accepted stays True while the others can
    /// still be served, and is False when the problem brings down the whole Gateway.
    reason GATEWAY_REASON_LISTENERS_NOT_VALID: GatewayConditionReason = "ListenersNotValid";

    /// Initial reason of Accepted and Programmed on a Gateway, both Unknown: no controller has handled
    /// it so far. Programmed=False may also carry it while work is still going on.
    reason GATEWAY_REASON_PENDING: GatewayConditionReason = "Pending";

    /// Gateway: Accepted is False because spec.addresses asks for a type of address that the
    /// implementation cannot provide.
    reason GATEWAY_REASON_UNSUPPORTED_ADDRESS: GatewayConditionReason = "UnsupportedAddress";

    /// Gateway: Accepted is False because infrastructure.parametersRef leads to something missing, of
    /// an unsupported kind, or malformed. The message has the details.
    reason GATEWAY_REASON_INVALID_PARAMETERS: GatewayConditionReason = "InvalidParameters";

    /// Deprecated: former name of the Accepted condition on a Gateway. New controllers set Accepted;
    /// only old clients still look for this type.
    condition GATEWAY_CONDITION_SCHEDULED: GatewayConditionType = "Scheduled";

    /// Deprecated: went with Scheduled=True on a Gateway. Its successor is reason Accepted on the
    /// Accepted condition.
    reason GATEWAY_REASON_SCHEDULED: GatewayConditionReason = "Scheduled";

    /// Deprecated: older word for a Gateway that no controller has handled yet. Its successor is reason
    /// Pending with status Unknown.
    reason GATEWAY_REASON_NOT_RECONCILED: GatewayConditionReason = "NotReconciled";

    /// Experimental, on the Gateway. True if references outside the listeners, such as the backend
    /// client certificate, and those of all listeners resolve. Leaves Accepted and Programmed
    /// untouched.
    condition GATEWAY_CONDITION_RESOLVED_REFS: GatewayConditionType = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on a Gateway: its own references and those of every listener were
    /// resolved.
    reason GATEWAY_REASON_RESOLVED_REFS: GatewayConditionReason = "ResolvedRefs";

    /// Gateway: ResolvedRefs is False because the client certificate for backend TLS is missing, of an
    /// unsupported kind, or unreadable. If the reference is forbidden, RefNotPermitted comes first.
    reason GATEWAY_REASON_INVALID_CLIENT_CERTIFICATE_REF: GatewayConditionReason = "InvalidClientCertificateRef";

    /// Gateway: ResolvedRefs is False because the backend TLS section points into another namespace
    /// where no ReferenceGrant allows it.
    reason GATEWAY_REASON_REF_NOT_PERMITTED: GatewayConditionReason = "RefNotPermitted";

    /// Gateway: ResolvedRefs is False because at least one listener reports ResolvedRefs=False. Look at
    /// the listener status for the actual cause.
    reason GATEWAY_REASON_LISTENERS_NOT_RESOLVED: GatewayConditionReason = "ListenersNotResolved";

    /// Reserved, not for use on Gateways today. It is kept for a future promise that all configuration
    /// is live in the data plane, stronger than Programmed. Marked deprecated upstream.
    condition GATEWAY_CONDITION_READY: GatewayConditionType = "Ready";

    /// Reserved like the Ready condition of Gateways that it would accompany with status True. Marked
    /// deprecated upstream; use Programmed.
    reason GATEWAY_REASON_READY: GatewayConditionReason = "Ready";

    /// Reserved, marked deprecated upstream: would explain Ready=False on a Gateway by listeners that
    /// are not ready. Use ListenersNotValid on Accepted.
    reason GATEWAY_REASON_LISTENERS_NOT_READY: GatewayConditionReason = "ListenersNotReady";

    /// Per listener of a Gateway. True when it clashes with another listener and therefore must not be
    /// opened; when False or absent there is no clash.
    condition LISTENER_CONDITION_CONFLICTED: ListenerConditionType = "Conflicted";

    /// Gateway listener: Conflicted is True because another listener on the same port claims the same
    /// hostname.
    reason LISTENER_REASON_HOSTNAME_CONFLICT: ListenerConditionReason = "HostnameConflict";

    /// Gateway listener: Conflicted is True because listeners share the port but ask for protocols that
    /// cannot live together on it.
    reason LISTENER_REASON_PROTOCOL_CONFLICT: ListenerConditionReason = "ProtocolConflict";

    /// Goes with Conflicted=False on a Gateway listener: it gets along with all others of the Gateway.
    reason LISTENER_REASON_NO_CONFLICTS: ListenerConditionReason = "NoConflicts";

    /// Per listener of a Gateway. True when it is valid and supported, so that some data plane
    /// configuration comes out of it, with or without routes; False otherwise; Unknown while pending.
    condition LISTENER_CONDITION_ACCEPTED: ListenerConditionType = "Accepted";

    /// Deprecated: old listener condition with the opposite sense of Accepted, that is True for a
    /// rejected listener. Controllers set Accepted instead.
    condition LISTENER_CONDITION_DETACHED: ListenerConditionType = "Detached";

    /// Goes with Accepted=True on a Gateway listener: everything it asks for is valid and supported.
    reason LISTENER_REASON_ACCEPTED: ListenerConditionReason = "Accepted";

    /// Deprecated: went with Detached=False on a Gateway listener. Its successor is reason Accepted
    /// with Accepted=True.
    reason LISTENER_REASON_ATTACHED: ListenerConditionReason = "Attached";

    /// Gateway listener: Accepted is False because the port cannot be had, being occupied already or
    /// outside what the implementation offers.
    reason LISTENER_REASON_PORT_UNAVAILABLE: ListenerConditionReason = "PortUnavailable";

    /// Gateway listener: Accepted is False because the implementation does not speak the protocol named
    /// in the listener.
    reason LISTENER_REASON_UNSUPPORTED_PROTOCOL: ListenerConditionReason = "UnsupportedProtocol";

    /// Gateway listener: Accepted is False because no CA certificate for checking client certificates
    /// is usable. ResolvedRefs says what is wrong with the references.
    reason LISTENER_REASON_NO_VALID_CA_CERTIFICATE: ListenerConditionReason = "NoValidCACertificate";

    /// Gateway listener: Accepted is False because one of its fields holds a value that is legal in the
    /// API but not offered by this implementation.
    reason LISTENER_REASON_UNSUPPORTED_VALUE: ListenerConditionReason = "UnsupportedValue";

    /// Per listener of a Gateway. True if its certificates, the CA certificates for clients and its
    /// allowed route kinds can all be resolved; False if any of them cannot.
    condition LISTENER_CONDITION_RESOLVED_REFS: ListenerConditionType = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on a Gateway listener: nothing that it refers to is missing or
    /// forbidden.
    reason LISTENER_REASON_RESOLVED_REFS: ListenerConditionReason = "ResolvedRefs";

    /// Gateway listener: ResolvedRefs is False because a server certificate is missing, of an
    /// unsupported kind or malformed. Forbidden references get RefNotPermitted instead.
    reason LISTENER_REASON_INVALID_CERTIFICATE_REF: ListenerConditionReason = "InvalidCertificateRef";

    /// Gateway listener: ResolvedRefs is False because allowedRoutes.kinds lists a kind unknown here or
    /// unfit for the protocol. Valid kinds in the list keep working.
    reason LISTENER_REASON_INVALID_ROUTE_KINDS: ListenerConditionReason = "InvalidRouteKinds";

    /// Gateway listener: ResolvedRefs is False because its TLS settings point to an object in another
    /// namespace and no ReferenceGrant there allows that.
    reason LISTENER_REASON_REF_NOT_PERMITTED: ListenerConditionReason = "RefNotPermitted";

    /// Gateway listener: ResolvedRefs is False because a CA certificate for client validation does not
    /// exist or holds bad data. If none is left, Accepted is False too.
    reason LISTENER_REASON_INVALID_CA_CERTIFICATE_REF: ListenerConditionReason = "InvalidCACertificateRef";

    /// Gateway listener: ResolvedRefs is False because a CA certificate reference for client validation
    /// has a kind that the implementation cannot read.
    reason LISTENER_REASON_INVALID_CA_CERTIFICATE_KIND: ListenerConditionReason = "InvalidCACertificateKind";

    /// Per listener of a Gateway, always present. True when its configuration went to the data plane
    /// and traffic should flow shortly; False if that is not so; Unknown before evaluation.
    condition LISTENER_CONDITION_PROGRAMMED: ListenerConditionType = "Programmed";

    /// Goes with Programmed=True on a Gateway listener: the data plane has been configured for it.
    reason LISTENER_REASON_PROGRAMMED: ListenerConditionReason = "Programmed";

    /// Gateway listener: Programmed is False because the listener is wrong in form or meaning, so
    /// nothing was sent to the data plane.
    reason LISTENER_REASON_INVALID: ListenerConditionReason = "Invalid";

    /// Gateway listener: Accepted is Unknown, or Programmed is Unknown or False, because it was not
    /// processed yet or is not up so far.
    reason LISTENER_REASON_PENDING: ListenerConditionReason = "Pending";

    /// Warning on every Gateway listener whose TLS hostnames or certificates overlap with those of a
    /// listener on the same port, as reused connections may mix them up. Only ever True, else absent.
    condition LISTENER_CONDITION_OVERLAPPING_TLS_CONFIG: ListenerConditionType = "OverlappingTLSConfig";

    /// Goes with OverlappingTLSConfig=True: hostnames of listeners on one port cover each other, like a
    /// wildcard and a name below it. Controllers have to detect this case.
    reason LISTENER_REASON_OVERLAPPING_HOSTNAMES: ListenerConditionReason = "OverlappingHostnames";

    /// Goes with OverlappingTLSConfig=True: certificates of listeners on one port share names.
    /// Detection is optional; takes precedence if hostnames overlap as well.
    reason LISTENER_REASON_OVERLAPPING_CERTIFICATES: ListenerConditionReason = "OverlappingCertificates";

    /// Reserved, not for use on Gateway listeners today. It is kept for a future guarantee that the
    /// data plane is fully in step. Marked deprecated upstream; use Programmed.
    condition LISTENER_CONDITION_READY: ListenerConditionType = "Ready";

    /// Reserved like the Ready condition of Gateway listeners that it would accompany with status True.
    /// Marked deprecated upstream.
    reason LISTENER_REASON_READY: ListenerConditionReason = "Ready";

    /// Set on a GatewayClass by the controller named in spec.controllerName. True if it will run
    /// Gateways of this class, False if it refuses, Unknown until it has decided.
    condition GATEWAY_CLASS_CONDITION_STATUS_ACCEPTED: GatewayClassConditionType = "Accepted";

    /// Goes with Accepted=True on a GatewayClass: its controller is willing to serve Gateways of this
    /// class.
    reason GATEWAY_CLASS_REASON_ACCEPTED: GatewayClassConditionReason = "Accepted";

    /// GatewayClass: Accepted is False because spec.parametersRef leads to something missing, of an
    /// unsupported kind, or malformed. The message has the details.
    reason GATEWAY_CLASS_REASON_INVALID_PARAMETERS: GatewayClassConditionReason = "InvalidParameters";

    /// GatewayClass: Accepted is Unknown because the controller has not decided yet. New objects start
    /// with this reason by default.
    reason GATEWAY_CLASS_REASON_PENDING: GatewayClassConditionReason = "Pending";

    /// GatewayClass: Accepted is False because the implementation ships its own classes and does not
    /// serve ones that users create.
    reason GATEWAY_CLASS_REASON_UNSUPPORTED: GatewayClassConditionReason = "Unsupported";

    /// Deprecated: older word for a GatewayClass that its controller has not looked at, with
    /// Accepted=Unknown. Its successor is reason Pending.
    reason GATEWAY_CLASS_REASON_WAITING: GatewayClassConditionReason = "Waiting";

    /// Set on a GatewayClass. True if the controller knows the bundle version of the installed Gateway
    /// API CRDs; False if it is unknown or unmarked, in which case support is best effort at most.
    condition GATEWAY_CLASS_CONDITION_STATUS_SUPPORTED_VERSION: GatewayClassConditionType = "SupportedVersion";

    /// Goes with SupportedVersion=True on a GatewayClass: the installed Gateway API CRDs have a version
    /// that the controller knows.
    reason GATEWAY_CLASS_REASON_SUPPORTED_VERSION: GatewayClassConditionReason = "SupportedVersion";

    /// GatewayClass: SupportedVersion is False, and Accepted too if the controller refuses to go on,
    /// due to the CRD version. The message should list found and supported versions.
    reason GATEWAY_CLASS_REASON_UNSUPPORTED_VERSION: GatewayClassConditionReason = "UnsupportedVersion";

    /// Summary on the ListenerSet itself, always present. True when its listeners went to the data
    /// plane of the parent Gateway; False if this failed or the parent is not programmed; else Unknown.
    condition LISTENER_SET_CONDITION_PROGRAMMED: ListenerSetConditionType = "Programmed";

    /// Goes with Programmed=True on a ListenerSet: the data plane of the parent Gateway has its
    /// listeners.
    reason LISTENER_SET_REASON_PROGRAMMED: ListenerSetConditionReason = "Programmed";

    /// Set on the ListenerSet. True when the parent Gateway lets it in and at least part of it can be
    /// turned into configuration; False when refused or invalid; Unknown until a controller decides.
    condition LISTENER_SET_CONDITION_ACCEPTED: ListenerSetConditionType = "Accepted";

    /// Goes with Accepted=True on a ListenerSet: it is valid and attached to its parent Gateway.
    reason LISTENER_SET_REASON_ACCEPTED: ListenerSetConditionReason = "Accepted";

    /// ListenerSet: Accepted is False because allowedListeners of the parent Gateway does not admit it.
    /// By default a Gateway admits none.
    reason LISTENER_SET_REASON_NOT_ALLOWED: ListenerSetConditionReason = "NotAllowed";

    /// ListenerSet: Accepted is False because the parent Gateway itself is not accepted. Fix the
    /// Gateway first.
    reason LISTENER_SET_REASON_PARENT_NOT_ACCEPTED: ListenerSetConditionReason = "ParentNotAccepted";

    /// ListenerSet: some of its listeners are broken or unsupported. Accepted stays True if the rest
    /// can be served and is False if none can; Programmed=False may carry it as well.
    reason LISTENER_SET_REASON_LISTENERS_NOT_VALID: ListenerSetConditionReason = "ListenersNotValid";

    /// ListenerSet: Accepted or Programmed is False because the spec is wrong in form or meaning, such
    /// as incomplete or incomprehensible TLS settings.
    reason LISTENER_SET_REASON_INVALID: ListenerSetConditionReason = "Invalid";

    /// Initial reason of Accepted and Programmed on a ListenerSet, both Unknown: no controller has
    /// handled it so far.
    reason LISTENER_SET_REASON_PENDING: ListenerSetConditionReason = "Pending";

    /// Per listener of a ListenerSet. True when it clashes with a listener of higher precedence, from
    /// the Gateway or an earlier ListenerSet, and must not be opened.
    condition LISTENER_ENTRY_CONDITION_CONFLICTED: ListenerEntryConditionType = "Conflicted";

    /// ListenerSet listener: Conflicted is True because a listener with precedence already claims this
    /// hostname on the same port.
    reason LISTENER_ENTRY_REASON_HOSTNAME_CONFLICT: ListenerEntryConditionReason = "HostnameConflict";

    /// ListenerSet listener: Conflicted is True because a listener with precedence uses the port with a
    /// protocol that cannot share it.
    reason LISTENER_ENTRY_REASON_PROTOCOL_CONFLICT: ListenerEntryConditionReason = "ProtocolConflict";

    /// ListenerSet listener: Conflicted is True because it collides as a whole with another one, e.g.
    /// in port and hostname alike. Takes precedence over the two narrower conflict reasons.
    reason LISTENER_ENTRY_REASON_LISTENER_CONFLICT: ListenerEntryConditionReason = "ListenerConflict";

    /// Per listener of a ListenerSet. True when it is valid and supported, so that some configuration
    /// comes out of it even without routes; False otherwise; Unknown while pending.
    condition LISTENER_ENTRY_CONDITION_ACCEPTED: ListenerEntryConditionType = "Accepted";

    /// Goes with Accepted=True on a listener of a ListenerSet: everything it asks for is valid and
    /// supported.
    reason LISTENER_ENTRY_REASON_ACCEPTED: ListenerEntryConditionReason = "Accepted";

    /// ListenerSet listener: Accepted is False because the implementation does not speak the protocol
    /// it names.
    reason LISTENER_ENTRY_REASON_UNSUPPORTED_PROTOCOL: ListenerEntryConditionReason = "UnsupportedProtocol";

    /// ListenerSet listener: Accepted is False because the parent Gateway has reached the number of
    /// listeners that the implementation can handle.
    reason LISTENER_ENTRY_REASON_TOO_MANY_LISTENERS: ListenerEntryConditionReason = "TooManyListeners";

    /// Per listener of a ListenerSet. True if its certificates and allowed route kinds can all be
    /// resolved; False if any of them cannot.
    condition LISTENER_ENTRY_CONDITION_RESOLVED_REFS: ListenerEntryConditionType = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on a listener of a ListenerSet: nothing that it refers to is missing
    /// or forbidden.
    reason LISTENER_ENTRY_REASON_RESOLVED_REFS: ListenerEntryConditionReason = "ResolvedRefs";

    /// ListenerSet listener: ResolvedRefs is False because a server certificate is missing, of an
    /// unsupported kind or malformed. Forbidden references get RefNotPermitted instead.
    reason LISTENER_ENTRY_REASON_INVALID_CERTIFICATE_REF: ListenerEntryConditionReason = "InvalidCertificateRef";

    /// ListenerSet listener: ResolvedRefs is False because allowedRoutes.kinds lists a kind unknown
    /// here or unfit for the protocol.
    reason LISTENER_ENTRY_REASON_INVALID_ROUTE_KINDS: ListenerEntryConditionReason = "InvalidRouteKinds";

    /// ListenerSet listener: ResolvedRefs is False because it wants a certificate from another
    /// namespace and no ReferenceGrant there names ListenerSets of this namespace.
    reason LISTENER_ENTRY_REASON_REF_NOT_PERMITTED: ListenerEntryConditionReason = "RefNotPermitted";

    /// Per listener of a ListenerSet, always present. True when its configuration went to the data
    /// plane and traffic should flow shortly; False if that is not so; Unknown before evaluation.
    condition LISTENER_ENTRY_CONDITION_PROGRAMMED: ListenerEntryConditionType = "Programmed";

    /// Goes with Programmed=True on a listener of a ListenerSet: the data plane has been configured for
    /// it.
    reason LISTENER_ENTRY_REASON_PROGRAMMED: ListenerEntryConditionReason = "Programmed";

    /// ListenerSet listener: Accepted or Programmed is False because the port is occupied, not offered
    /// by the implementation, or could not be assigned.
    reason LISTENER_ENTRY_REASON_PORT_UNAVAILABLE: ListenerEntryConditionReason = "PortUnavailable";

    /// ListenerSet listener: Accepted or Programmed is Unknown because it was not processed yet or is
    /// not up so far.
    reason LISTENER_ENTRY_REASON_PENDING: ListenerEntryConditionReason = "Pending";

    /// ListenerSet listener: Accepted or Programmed is False because the listener is wrong in form or
    /// meaning.
    reason LISTENER_ENTRY_REASON_INVALID: ListenerEntryConditionReason = "Invalid";

    /// Reserved, not for use on ListenerSet listeners today. It is kept for a future guarantee that the
    /// data plane is fully in step. Marked deprecated upstream; use Programmed.
    condition LISTENER_ENTRY_CONDITION_READY: ListenerEntryConditionType = "Ready";

    /// Reserved like the Ready condition of ListenerSet listeners that it would accompany with status
    /// True. Marked deprecated upstream.
    reason LISTENER_ENTRY_REASON_READY: ListenerEntryConditionReason = "Ready";

    /// Kept per ancestor, mostly a Gateway, in a policy's status. True when the policy takes effect
    /// there; False when it was turned down, with the reason saying why.
    condition POLICY_CONDITION_ACCEPTED: PolicyConditionType = "Accepted";

    /// Goes with Accepted=True on a policy ancestor: the policy is valid and in force for its target.
    reason POLICY_REASON_ACCEPTED: PolicyConditionReason = "Accepted";

    /// Policy ancestor: Accepted is False because another policy of higher precedence has the same
    /// target and the two cannot be merged.
    reason POLICY_REASON_CONFLICTED: PolicyConditionReason = "Conflicted";

    /// Policy ancestor: Accepted is False because the policy is wrong in form or meaning, or asks for a
    /// value the implementation does not offer.
    reason POLICY_REASON_INVALID: PolicyConditionReason = "Invalid";

    /// Policy ancestor: Accepted is False because a target reference does not lead to an existing,
    /// suitable object.
    reason POLICY_REASON_TARGET_NOT_FOUND: PolicyConditionReason = "TargetNotFound";

    /// Kept per parent in a route's status. True when the parent, usually a Gateway, serves at least
    /// one rule of the route; False when it refuses it; Unknown until evaluated.
    condition ROUTE_CONDITION_ACCEPTED: RouteConditionType = "Accepted";

    /// Goes with Accepted=True on a route parent: the route is attached there and takes part in
    /// routing.
    reason ROUTE_REASON_ACCEPTED: RouteConditionReason = "Accepted";

    /// Route parent: Accepted is False because no candidate listener admits the route by its namespace
    /// or kind. The Gateway owner changes that in allowedRoutes.
    reason ROUTE_REASON_NOT_ALLOWED_BY_LISTENERS: RouteConditionReason = "NotAllowedByListeners";

    /// Route parent: Accepted is False because the hostnames of the route have nothing in common with
    /// those of any compatible listener.
    reason ROUTE_REASON_NO_MATCHING_LISTENER_HOSTNAME: RouteConditionReason = "NoMatchingListenerHostname";

    /// Route parent: Accepted is False because the parentRef fits nothing in the parent, e.g. its
    /// sectionName or port is not found among the listeners.
    reason ROUTE_REASON_NO_MATCHING_PARENT: RouteConditionReason = "NoMatchingParent";

    /// Route parent: Accepted is False, or PartiallyInvalid is True, because a rule holds a value that
    /// the implementation does not know.
    reason ROUTE_REASON_UNSUPPORTED_VALUE: RouteConditionReason = "UnsupportedValue";

    /// Route parent: Accepted is Unknown because the controller of the parent has not processed the
    /// route yet.
    reason ROUTE_REASON_PENDING: RouteConditionReason = "Pending";

    /// Route parent: Accepted is False because filters of one rule exclude each other, for example
    /// URLRewrite next to RequestRedirect.
    reason ROUTE_REASON_INCOMPATIBLE_FILTERS: RouteConditionReason = "IncompatibleFilters";

    /// Kept per parent in a route's status. True if all backends and other references resolve; False if
    /// one does not, in which case the rules concerned usually answer with an error.
    condition ROUTE_CONDITION_RESOLVED_REFS: RouteConditionType = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on a route parent: every object that the route refers to exists and
    /// may be used.
    reason ROUTE_REASON_RESOLVED_REFS: RouteConditionReason = "ResolvedRefs";

    /// Route parent: ResolvedRefs is False because a backend lives in another namespace and no
    /// ReferenceGrant there allows the route to use it.
    reason ROUTE_REASON_REF_NOT_PERMITTED: RouteConditionReason = "RefNotPermitted";

    /// Route parent: ResolvedRefs is False because a rule refers to a group or kind that the
    /// implementation does not know or support.
    reason ROUTE_REASON_INVALID_KIND: RouteConditionReason = "InvalidKind";

    /// Route parent: ResolvedRefs is False because a rule refers to an object that does not exist,
    /// typically a Service.
    reason ROUTE_REASON_BACKEND_NOT_FOUND: RouteConditionReason = "BackendNotFound";

    /// Route parent: ResolvedRefs is False because a backend declares an appProtocol that the
    /// implementation or this kind of route cannot speak.
    reason ROUTE_REASON_UNSUPPORTED_PROTOCOL: RouteConditionReason = "UnsupportedProtocol";

    /// Route parent warning, only ever True: some rules are invalid, others fine. The message starts
    /// with 'Dropped Rule' (bad rules left out) or 'Fall Back' (last good state of the route kept).
    condition ROUTE_CONDITION_PARTIALLY_INVALID: RouteConditionType = "PartiallyInvalid";

    /// Finalizer that a controller puts on its GatewayClass while Gateways of the class exist, so that
    /// the class is not deleted before them.
    constant GATEWAY_CLASS_FINALIZER_GATEWAYS_EXIST = "gateway-exists-finalizer.gateway.networking.k8s.io";

    /// Label on the CRD of a policy. `Inherited`: the policy also affects what is below its target;
    /// `Direct`: only the target itself.
    constant POLICY_LABEL_KEY = "gateway.networking.k8s.io/policy";
}
