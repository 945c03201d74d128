//! Condition types and reasons that controllers write into the status of XMesh, XBackend and
//! XTelemetryPolicy, for use by controllers and by tools that read it.

crd_channels::conditions! {
    /// XBackend, per ancestor: True when the controller recognized the backend and can connect to it.
    condition BACKEND_CONDITION_ACCEPTED = "Accepted";

    /// Goes with Accepted=True on an XBackend: the controller found nothing wrong with it.
    reason BACKEND_REASON_ACCEPTED = "Accepted";

    /// Condition type that tells whether the controller named by the XMesh has taken it on with its
    /// present configuration.
    condition MESH_CONDITION_ACCEPTED = "Accepted";

    /// Reason for Accepted being True: the controller knows the XMesh and found nothing wrong with it.
    reason MESH_REASON_ACCEPTED = "Accepted";

    /// Reason for Accepted being False: parametersRef points to an object that is missing, of an
    /// unsupported kind or malformed.
    reason MESH_REASON_INVALID_PARAMETERS = "InvalidParameters";

    /// Reason for Accepted being Unknown, set by default until a controller has looked at the XMesh.
    reason MESH_REASON_PENDING = "Pending";

    /// XTelemetryPolicy, per ancestor: True once every reference to a collector of telemetry leads to
    /// something usable.
    condition TELEMETRY_POLICY_CONDITION_RESOLVED_REFS = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on an XTelemetryPolicy ancestor: all references were resolved.
    reason TELEMETRY_POLICY_REASON_RESOLVED_REFS = "ResolvedRefs";

    /// XTelemetryPolicy: ResolvedRefs is False since the collector is in another namespace and no
    /// ReferenceGrant there permits the reference.
    reason TELEMETRY_POLICY_REASON_REF_NOT_PERMITTED = "RefNotPermitted";

    /// XTelemetryPolicy: ResolvedRefs is False since the reference uses a group or kind that the
    /// implementation does not know or support.
    reason TELEMETRY_POLICY_REASON_INVALID_KIND = "InvalidKind";

    /// XTelemetryPolicy: ResolvedRefs is False since the collector does not exist.
    reason TELEMETRY_POLICY_REASON_BACKEND_NOT_FOUND = "BackendNotFound";
}
