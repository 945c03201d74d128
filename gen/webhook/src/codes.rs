//! The kinds of diagnostics of a webhook, and their pages for `explain`.

crd_diagnostics::codes! {
    "webhook"
    VERSION "version" Error
    LENSES "lenses" Error
    CHANNEL "channel" Error
    CRD "crd" Error
    ADDRESS "address" Error
    SIGNALS "signals" Error
    UNKNOWN_CODE "unknown-code" Error
    MISSING "certificate-missing" Error
    UNREADABLE "certificate-unreadable" Error
    MISMATCH "certificate-mismatch" Error
    CLIENTS "client-ca" Error
    EXPIRED "certificate-expired" Error
    NOT_YET_VALID "certificate-not-yet-valid" Error
    CERTS_SETTINGS "certs-settings" Error
    CERTS_MANAGED "certs-managed-elsewhere" Error
    CERTS_CONFIGURATION "certs-configuration-missing" Error
    CERTS_NAMESPACE "certs-namespace-missing" Error
    CERTS_FORBIDDEN "certs-forbidden" Error
    CERTS_REQUEST "certs-request-failed" Error
    CERTS_CONFLICT "certs-conflict" Error
    CERTS_ISSUE "certs-issue" Error
}

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
