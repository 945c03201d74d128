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

/// Every code: its meaning in one sentence, why it matters and how to fix it, and an example.
pub const CODES: &[(&str, &str, &str, &str)] = &[
    (
        NO_KUBECONFIG,
        "A kubeconfig was not found.",
        "Files are read from `$KUBECONFIG`, then from `~/.kube/config`. In a pod, the service account is used.",
        "KUBECONFIG=/missing crd-channels inspect",
    ),
    (KUBECONFIG, "The kubeconfig cannot be read.", "`kubectl config view` reads the same files.", "clusters: 1"),
    (
        NO_CONTEXT,
        "The kubeconfig has several contexts, and none of them is the current one.",
        "Choose one: the wrong cluster would give a wrong report.",
        "contexts: [{name: staging, …}, {name: production, …}]     # without `current-context`",
    ),
    (
        UNKNOWN_CONTEXT,
        "The kubeconfig does not have this context.",
        "`kubectl config get-contexts` lists all contexts.",
        "crd-channels inspect --context stagin",
    ),
    (
        PROXY,
        "The proxy of the cluster cannot be used.",
        "Its address is not a URL, or of another kind than `http`, `https` and `socks5`. As for kubectl, `proxy-url` of the kubeconfig is always used; proxies of the environment are not used for this machine and for the hosts of `NO_PROXY`.",
        "HTTPS_PROXY=ftp://proxy.example.com:3128 crd-channels inspect",
    ),
    (
        CREDENTIALS,
        "The credentials of the kubeconfig cannot be used.",
        "A credential plugin failed, or a certificate or token file cannot be read.",
        "users: [{name: me, user: {exec: {command: missing-plugin, …}}}]",
    ),
    (
        UNREACHABLE,
        "The server cannot be reached, or the connection broke.",
        "The request was repeated before this was reported.",
        "server: https://127.0.0.1:1",
    ),
    (
        SLOW,
        "The server did not answer in time.",
        "A connection and each request have a deadline, so that a command always ends.",
        "server: https://192.0.2.1     # an address that answers nothing",
    ),
    (
        CERTIFICATE,
        "The certificate of the server, or of the client, is not valid.",
        "The `certificate-authority` of the kubeconfig may belong to another cluster.",
        "certificate-authority: other-cluster.crt",
    ),
    (
        UNAUTHORIZED,
        "The server does not accept the credentials (401).",
        "A token or client certificate is missing or has expired.",
        "users: [{name: me, user: {token: expired}}]",
    ),
    (
        FORBIDDEN,
        "A permission is missing (403).",
        "The message names the verb and the resource. Everything else is still read.",
        "kubectl auth can-i list customresourcedefinitions     # no",
    ),
    (
        NOT_SERVED,
        "The server does not serve this resource (404).",
        "The API version is not served, or the CRD was deleted in the meantime.",
        "versions: [{name: v1, served: false, …}]",
    ),
    (
        EXPIRED,
        "The objects changed for longer than the server keeps a listing (410).",
        "The listing was continued or started again once before this was reported.",
        "etcd compacts its history every five minutes",
    ),
    (
        BUSY,
        "The server has too many requests, or still prepares this resource (429).",
        "The request was repeated as the server asked. A resource whose CRD lost a stored version answers 429 forever.",
        "kubectl get --raw /apis/example.com/v1/widgets     # storage is (re)initializing",
    ),
    (
        SERVER_ERROR,
        "The server failed (5xx).",
        "The request was repeated before this was reported. A conversion webhook that does not answer is a frequent cause.",
        "conversion: {strategy: Webhook, …}     # without a running webhook",
    ),
    (REFUSED, "The server refuses the request.", "The message contains the answer of the server.", "400 Bad Request"),
    (
        UNREADABLE,
        "The answer is not what an API server sends.",
        "A proxy or login page may have answered instead.",
        "<html>Sign in</html>",
    ),
    (
        TOO_LARGE,
        "An answer is larger than the limit, even with one object.",
        "The rest of this listing is not read.",
        "one object of 9 MiB",
    ),
    (
        UNREADABLE_CRD,
        "A CRD in the cluster cannot be read.",
        "It is reported, and left out of every comparison.",
        "spec: {scope: Galaxy}",
    ),
    (
        UNREADABLE_OBJECT,
        "An object in the cluster cannot be read.",
        "It is reported, and left out. Objects nested deeper than 128 levels are not read.",
        "spec: {a: {a: {a: …}}}",
    ),
];
