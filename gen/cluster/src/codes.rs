//! The codes of this crate's diagnostics, and their pages for `explain`.

/// The code of a request to a resource or version that the server does not serve.
pub const NOT_SERVED: &str = UNSERVED.name;

crd_diagnostics::codes! {
    "cluster"
    NO_KUBECONFIG "no-kubeconfig" Error
    KUBECONFIG "kubeconfig" Error
    NO_CONTEXT "no-context" Error
    UNKNOWN_CONTEXT "unknown-context" Error
    PROXY "proxy" Error
    CREDENTIALS "credentials" Error
    UNREACHABLE "unreachable" Error
    SLOW "slow" Error
    CERTIFICATE "certificate" Error
    UNAUTHORIZED "unauthorized" Error
    FORBIDDEN "forbidden" Error
    UNSERVED "not-served" Error
    EXPIRED "expired" Error
    BUSY "busy" Error
    SERVER_ERROR "server-error" Error
    REFUSED "refused" Error
    UNREADABLE "unreadable-answer" Error
    TOO_LARGE "too-large" Error
    UNREADABLE_CRD "unreadable-crd" Error
    UNREADABLE_OBJECT "unreadable-object" Error
    HELM_RELEASE "helm-release" Error
}

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
