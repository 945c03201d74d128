//! Condition types and reasons that mesh controllers write into the status of an XMesh, for use by
//! controllers and by tools that read it.

crd_channels::conditions! {
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
}
