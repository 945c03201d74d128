//! The codes of the client's diagnostics, and their pages for `explain`.

crd_diagnostics::codes! {
    "registry"
    REFERENCE "reference" Error
    UNREACHABLE "unreachable" Error
    SLOW "slow" Error
    CERTIFICATE "certificate" Error
    PROXY "proxy" Error
    CREDENTIALS "credentials" Error
    FORBIDDEN "forbidden" Error
    UNKNOWN "unknown" Error
    REFUSED "refused" Error
    REDIRECT "redirect" Error
    TOO_LARGE "too-large" Error
    TAG_EXISTS "tag-exists" Error
    UNNAMED "unnamed" Error
}

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
