//! Condition types and reasons that mesh controllers write into the status of an XMesh, for use by
//! controllers and by tools that read it.

/// Condition type that tells whether the controller named by the XMesh has taken it on with its
/// present configuration.
pub const MESH_CONDITION_ACCEPTED: &str = "Accepted";

/// Reason for Accepted being True: the controller knows the XMesh and found nothing wrong with it.
pub const MESH_REASON_ACCEPTED: &str = "Accepted";

/// Reason for Accepted being False: parametersRef points to an object that is missing, of an
/// unsupported kind or malformed.
pub const MESH_REASON_INVALID_PARAMETERS: &str = "InvalidParameters";

/// Reason for Accepted being Unknown, set by default until a controller has looked at the XMesh.
pub const MESH_REASON_PENDING: &str = "Pending";
