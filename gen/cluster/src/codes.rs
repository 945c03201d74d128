//! The codes of this crate's diagnostics, and their pages for `explain`.

pub(crate) const NO_KUBECONFIG: &str = "cluster::no-kubeconfig";
pub(crate) const KUBECONFIG: &str = "cluster::kubeconfig";
pub(crate) const NO_CONTEXT: &str = "cluster::no-context";
pub(crate) const UNKNOWN_CONTEXT: &str = "cluster::unknown-context";
pub(crate) const PROXY: &str = "cluster::proxy";
pub(crate) const CREDENTIALS: &str = "cluster::credentials";
pub(crate) const UNREACHABLE: &str = "cluster::unreachable";
pub(crate) const SLOW: &str = "cluster::slow";
pub(crate) const CERTIFICATE: &str = "cluster::certificate";
pub(crate) const UNAUTHORIZED: &str = "cluster::unauthorized";
pub(crate) const FORBIDDEN: &str = "cluster::forbidden";
/// The code of a request to a resource or version that the server does not serve.
pub const NOT_SERVED: &str = "cluster::not-served";
pub(crate) const EXPIRED: &str = "cluster::expired";
pub(crate) const BUSY: &str = "cluster::busy";
pub(crate) const SERVER_ERROR: &str = "cluster::server-error";
pub(crate) const REFUSED: &str = "cluster::refused";
pub(crate) const UNREADABLE: &str = "cluster::unreadable-answer";
pub(crate) const TOO_LARGE: &str = "cluster::too-large";
pub(crate) const UNREADABLE_CRD: &str = "cluster::unreadable-crd";
pub(crate) const UNREADABLE_OBJECT: &str = "cluster::unreadable-object";

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
