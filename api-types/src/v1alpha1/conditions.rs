//! Condition types and reasons that controllers write into the status of XMesh, XBackend and
//! XTelemetryPolicy, for use by controllers and by tools that read it.

crd_channels::conditions! {
    /// XBackend, per ancestor: True when the controller recognized the backend and can connect to it.
    condition BACKEND_CONDITION_ACCEPTED: BackendConditionType = "Accepted";

    /// Goes with Accepted=True on an XBackend: the controller found nothing wrong with it.
    reason BACKEND_REASON_ACCEPTED: BackendConditionReason = "Accepted";

    /// Condition type that tells whether the controller named by the XMesh has taken it on with its
    /// present configuration.
    condition MESH_CONDITION_ACCEPTED: MeshConditionType = "Accepted";

    /// Reason for Accepted being True: the controller knows the XMesh and found nothing wrong with it.
    reason MESH_REASON_ACCEPTED: MeshConditionReason = "Accepted";

    /// Reason for Accepted being False: parametersRef points to an object that is missing, of an
    /// unsupported kind or malformed.
    reason MESH_REASON_INVALID_PARAMETERS: MeshConditionReason = "InvalidParameters";

    /// Reason for Accepted being Unknown, set by default until a controller has looked at the XMesh.
    reason MESH_REASON_PENDING: MeshConditionReason = "Pending";

    /// XTelemetryPolicy, per ancestor: True once every reference to a collector of telemetry leads to
    /// something usable.
    condition TELEMETRY_POLICY_CONDITION_RESOLVED_REFS: v1::PolicyConditionType = "ResolvedRefs";

    /// Goes with ResolvedRefs=True on an XTelemetryPolicy ancestor: all references were resolved.
    reason TELEMETRY_POLICY_REASON_RESOLVED_REFS: v1::PolicyConditionReason = "ResolvedRefs";

    /// XTelemetryPolicy: ResolvedRefs is False since the collector is in another namespace and no
    /// ReferenceGrant there permits the reference.
    reason TELEMETRY_POLICY_REASON_REF_NOT_PERMITTED: v1::PolicyConditionReason = "RefNotPermitted";

    /// XTelemetryPolicy: ResolvedRefs is False since the reference uses a group or kind that the
    /// implementation does not know or support.
    reason TELEMETRY_POLICY_REASON_INVALID_KIND: v1::PolicyConditionReason = "InvalidKind";

    /// XTelemetryPolicy: ResolvedRefs is False since the collector does not exist.
    reason TELEMETRY_POLICY_REASON_BACKEND_NOT_FOUND: v1::PolicyConditionReason = "BackendNotFound";
}
