//! Why a request failed, and the diagnostic of it.

use std::error::Error;
use std::io;
use std::time::Duration;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::cut;
use kube::client::AuthError;
use serde::Deserialize;

use crate::codes;

/// The longest text of a server that is repeated, in characters.
const LONGEST_TEXT: usize = 300;

/// What is requested, for messages.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The path on the server.
    pub(crate) path: String,
    /// The verb of the permission, such as `get` or `list`.
    pub(crate) verb: &'static str,
    /// The name of the resource: `widgets.example.com`; nothing for a path that is not a resource.
    pub(crate) resource: Option<String>,
}

impl Target {
    /// A path that is not a resource.
    pub(crate) fn path(path: &str) -> Self {
        Self { path: path.to_owned(), verb: "get", resource: None }
    }

    fn name(&self) -> &str {
        self.resource.as_deref().unwrap_or(&self.path)
    }
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The server refused or failed.
    Status {
        code: u16,
        /// The text of the server.
        message: String,
        /// The token of a listing that can go on without being consistent (410).
        token: Option<String>,
        /// When to try again.
        retry_after: Option<Duration>,
    },
    /// The connection was refused, or it broke.
    Unreachable(String),
    /// A certificate is not valid.
    Certificate(String),
    /// No answer in time.
    Slow(Duration),
    /// The credentials cannot be used.
    Credentials(String),
    /// The answer is not JSON of the expected form.
    Unreadable(String),
    /// The answer has more bytes than this.
    TooLarge(usize),
}

#[derive(Deserialize)]
struct Status {
    message: Option<String>,
    metadata: Option<StatusMetadata>,
}

#[derive(Deserialize)]
struct StatusMetadata {
    #[serde(rename = "continue")]
    token: Option<String>,
}

/// Why credentials cannot be used. The output of a plugin is left out: it can contain a token.
fn of_credentials(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecRun { cmd, out } => {
            let text = String::from_utf8_lossy(&out.stderr);
            cut(
                format!("the plugin `{cmd}` failed ({}): {}", out.status, text.trim()).trim_end_matches(": "),
                LONGEST_TEXT,
            )
        }
        AuthError::AuthExecParse(_) => "the output of the plugin is not an `ExecCredential`".to_owned(),
        error => cut(&error.to_string(), LONGEST_TEXT),
    }
}

impl Failure {
    /// The answer of a server that is not a success.
    pub(crate) fn of_answer(code: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let status = serde_json::from_slice::<Status>(body).ok();
        let token = status.as_ref().and_then(|status| status.metadata.as_ref()?.token.clone());
        let message = status.and_then(|status| status.message);
        let message = message.unwrap_or_else(|| String::from_utf8_lossy(body).trim().to_owned());
        Self::Status {
            code,
            message: cut(&message, LONGEST_TEXT),
            token: token.filter(|token| !token.is_empty()),
            retry_after,
        }
    }

    /// An error of the client. `connect` is the deadline of connections.
    pub(crate) fn of_error(error: &(dyn Error + 'static), connect: Duration) -> Self {
        let mut deepest = error.to_string();
        let mut next = Some(error);
        while let Some(error) = next {
            deepest = error.to_string();
            if let Some(error) = error.downcast_ref::<AuthError>() {
                return Self::Credentials(of_credentials(error));
            }
            if let Some(error) = error.downcast_ref::<rustls::Error>() {
                use rustls::Error as Tls;
                if matches!(error, Tls::InvalidCertificate(_) | Tls::NoCertificatesPresented | Tls::AlertReceived(_)) {
                    return Self::Certificate(deepest);
                }
            }
            // The error inside an `io::Error` is not its source.
            next = match error.downcast_ref::<io::Error>() {
                Some(error) if error.kind() == io::ErrorKind::TimedOut => return Self::Slow(connect),
                Some(error) => error.get_ref().map(|inner| inner as &(dyn Error + 'static)),
                None => error.source(),
            };
        }
        Self::Unreachable(cut(&deepest, LONGEST_TEXT))
    }

    /// Whether the server has no such path or object.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Status { code: 404, .. })
    }

    /// Whether the server has no object of this name. If it does not serve the resource, the text has no name in quotes.
    pub(crate) fn is_absence_of(&self, name: &str) -> bool {
        matches!(self, Self::Status { code: 404, message, .. } if message.contains(&format!("\"{name}\"")))
    }

    /// The diagnostic. `server` is the address of the server.
    pub(crate) fn diagnostic(&self, target: &Target, server: &str) -> Diagnostic {
        let (verb, name) = (target.verb, target.name());
        match self {
            Self::Unreachable(text) => codes::UNREACHABLE
                .finding(format!("cannot reach the server {server}: {text}"))
                .help("check the address in the kubeconfig, the network and the VPN"),
            Self::Certificate(text) => codes::CERTIFICATE
                .finding(format!("no trusted connection to the server {server}: {text}"))
                .help("check `certificate-authority` and the client certificate in the kubeconfig"),
            Self::Slow(limit) => {
                let message = format!("no answer of the server {server} within {limit:?}: {verb} `{name}`");
                codes::SLOW.finding(message).help("try again when the server is less busy")
            }
            Self::Credentials(text) => codes::CREDENTIALS
                .finding(format!("the credentials for {server} cannot be used: {text}"))
                .help("log in again; `kubectl auth whoami` uses the same credentials"),
            Self::Unreadable(text) => {
                let message = format!("the answer of the server {server} to {verb} `{name}` cannot be read: {text}");
                codes::UNREADABLE.finding(message).help("check that the address in the kubeconfig is an API server")
            }
            Self::TooLarge(limit) => {
                let message = format!("an answer to {verb} `{name}` has more than {limit} bytes; the rest is not read");
                codes::TOO_LARGE
                    .finding(message)
                    .help(format!("find the large objects: `kubectl get --raw {}?limit=1`", target.path))
            }
            Self::Status { code, message, .. } => of_status(*code, message, target, server),
        }
    }
}

fn of_status(code: u16, text: &str, target: &Target, server: &str) -> Diagnostic {
    let (verb, name) = (target.verb, target.name());
    let answered = |what: String| if text.is_empty() { what } else { format!("{what}: {text}") };
    match code {
        401 => codes::UNAUTHORIZED.finding(format!("the server {server} does not accept the credentials"))
            .help("log in again; `kubectl auth whoami` uses the same credentials"),
        403 => {
            let on = match &target.resource {
                Some(resource) => format!("--resource={resource}"),
                None => format!("--non-resource-url={}", target.path),
            };
            let user = text.split_once("User \"").and_then(|(_, rest)| rest.split_once('"')).map_or("NAME", |(user, _)| user);
            codes::FORBIDDEN.finding(answered(format!("no permission to {verb} `{name}`"))).help(format!(
                "grant the verb `{verb}`, for example:\nkubectl create clusterrole read-crds --verb={verb} {on}\n\
                 kubectl create clusterrolebinding read-crds --clusterrole=read-crds --user={user}"
            ))
        }
        404 => codes::UNSERVED.finding(format!("the server does not serve `{}`", target.path))
            .help("`kubectl api-resources` lists what it serves"),
        410 => codes::EXPIRED.finding(format!("the listing of `{name}` expired before its end"))
            .help("try again when fewer objects change"),
        429 => codes::BUSY.finding(answered(format!("the server is too busy to {verb} `{name}`"))).help(
            "try again later; if the answer stays the same, compare `status.storedVersions` of the CRD with its versions",
        ),
        500.. => codes::SERVER_ERROR.finding(answered(format!("the server cannot {verb} `{name}` ({code})")))
            .help("check the log of the API server, and the conversion webhook of the CRD"),
        _ => codes::REFUSED.finding(answered(format!("the server refuses to {verb} `{name}` ({code})")))
            .help(format!("compare with `kubectl get --raw {}`", target.path)),
    }
}
