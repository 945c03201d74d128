//! The errors of bundles and statements.

use crd_diagnostics::Diagnostic;

/// What was read is not a bundle or statement that this crate reads.
pub(crate) fn malformed(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("signature::bundle", message)
}

/// The code of a signature that is not of these bytes and this key.
pub const WRONG_SIGNATURE: &str = "signature::wrong";

/// The signature is not of these bytes and this key.
pub(crate) fn wrong(message: &str) -> Diagnostic {
    Diagnostic::error(WRONG_SIGNATURE, message)
}
