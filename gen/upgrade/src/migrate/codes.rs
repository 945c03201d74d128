//! The codes of this crate's diagnostics, and their pages for `explain`.

crd_diagnostics::codes! {
    "migrate"
    NOT_INSTALLED "not-installed" Error
    UNREADY "unready" Error
    WEBHOOK "conversion-webhook" Error
    MISSING_VERSION "missing-version" Error
    HIDDEN_FIELDS "hidden-fields" Error
    LOST "lost-values" Error
    CHANGED "crd-changed" Error
    HELD "held" Error
    LEASE_LOST "lease-lost" Error
    UNKNOWN_VERSION "unknown-version" Error
    LAST_VERSION "last-version" Error
    NOT_USED "crd-not-used" Error
    TARGET_REFUSED "target-refused" Error
    OTHER_MIGRATION "other-migration" Error
    NO_MIGRATION "no-migration" Error
    UNKNOWN_FORM "unknown-form" Error
    BLOCKED "blocked-object" Error
    NO_CONTROLLER "no-controller" Error
    SERVER_FAILED "server-failed" Error
    EXISTS "successor-exists" Error
    DIFFERS "successor-differs" Error
}

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
