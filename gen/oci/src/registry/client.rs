//! Requests to a registry, with limits of bytes, time and redirects.
//!
//! Invariants: plain HTTP is for this machine only. Credentials go to the registry, and to the token server that it names; a redirect to another host
//! has none.

use std::cell::RefCell;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use crd_diagnostics::{Code, Diagnostic, printable};
use serde_json::Value;
use ureq::http::{HeaderMap, Method, Request, Response, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Error};

use super::{Lookup, Timeouts, codes};

/// The most bytes of an error that are read.
const MOST_OF_ERROR: u64 = 16 << 10;
/// The most bytes of the headers of an answer.
const MOST_HEADERS: usize = 64 << 10;
const MOST_REDIRECTS: usize = 5;

/// A client of one host.
pub(crate) struct Client<'c> {
    pub(crate) host: String,
    pub(crate) credentials: Lookup<'c>,
    pub(crate) agent: Agent,
    /// The header for the host, after its first challenge.
    pub(crate) authorization: RefCell<Option<String>>,
}

pub(crate) struct Call<'c> {
    pub(crate) method: Method,
    pub(crate) url: Uri,
    pub(crate) headers: &'c [(&'static str, &'c str)],
    pub(crate) body: Option<&'c [u8]>,
    /// The most bytes of the answer.
    pub(crate) most: u64,
    /// What a token must permit.
    pub(crate) scope: &'c str,
}

/// An answer, whose body was read.
pub(crate) struct Answer {
    pub(crate) url: Uri,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

/// Whether a host, which may have a port, is this machine: plain HTTP is used, as by other clients.
pub(crate) fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')).map_or(host, |(name, _)| name);
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

impl<'c> Client<'c> {
    pub(crate) fn new(host: &str, timeouts: &Timeouts, credentials: Lookup<'c>) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
        let config = Agent::config_builder()
            .tls_config(tls.unversioned_rustls_crypto_provider(provider).build())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_response_header_size(MOST_HEADERS)
            .timeout_connect(Some(timeouts.connect))
            .timeout_per_read(Some(timeouts.read))
            .timeout_per_write(Some(timeouts.read))
            .timeout_global(Some(timeouts.request));
        // Otherwise, proxies are those of the environment.
        let config = if is_local(host) { config.proxy(None) } else { config };
        Self { host: host.to_owned(), credentials, agent: config.build().into(), authorization: RefCell::default() }
    }

    /// The answer to a request, after redirects.
    pub(crate) fn redirected(&self, call: &Call<'_>) -> Result<Answer, Diagnostic> {
        let mut url = call.url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let mut request = Request::builder().method(&call.method).uri(&url);
            for (name, value) in call.headers {
                request = request.header(*name, *value);
            }
            if let Some(header) = &*self.authorization.borrow()
                && url.authority().is_some_and(|to| to.as_str() == self.host)
            {
                request = request.header(header::AUTHORIZATION, header);
            }
            let response = match call.body {
                Some(body) => request.body(body).map_err(Error::from).and_then(|request| self.agent.run(request)),
                None => request.body(()).map_err(Error::from).and_then(|request| self.agent.run(request)),
            };
            let answer = self.answer(response, url, call.most)?;
            match answer.header(header::LOCATION) {
                Some(location) if (300..400).contains(&answer.status) && call.body.is_none() => {
                    url = target(&answer.url, location)?;
                }
                _ => return Ok(answer),
            }
        }
        Err(codes::REDIRECT.finding(format!("{} redirects more than {MOST_REDIRECTS} times", self.host)))
    }

    /// Reads an answer. Of an error, only the beginning is read.
    pub(crate) fn answer(
        &self,
        response: Result<Response<Body>, Error>,
        url: Uri,
        most: u64,
    ) -> Result<Answer, Diagnostic> {
        let (parts, body) = response.map_err(|error| self.failure(&error, &url))?.into_parts();
        let most = if parts.status.is_success() { most } else { MOST_OF_ERROR };
        let mut bytes = Vec::new();
        let read = body.into_reader().take(most + 1).read_to_end(&mut bytes);
        if parts.status.is_success() {
            read.map_err(|error| self.failure(&error.into(), &url))?;
            if bytes.len() as u64 > most {
                let message = format!("an answer of {} is larger than {most} bytes", host(&url));
                return Err(codes::TOO_LARGE.finding(message));
            }
        }
        Ok(Answer { url, status: parts.status.as_u16(), headers: parts.headers, bytes })
    }

    fn failure(&self, error: &Error, url: &Uri) -> Diagnostic {
        let is_of_tls = |error: &std::io::Error| error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
        let (code, what, help): (&Code, _, _) = match error {
            Error::Timeout(_) => (&codes::SLOW, "does not answer in time", "try again later, or from another network"),
            Error::Rustls(_) | Error::Tls(_) => (&codes::CERTIFICATE, CERTIFICATE.0, CERTIFICATE.1),
            Error::Io(error) if is_of_tls(error) => (&codes::CERTIFICATE, CERTIFICATE.0, CERTIFICATE.1),
            Error::LargeResponseHeader(..) => (&codes::TOO_LARGE, "sends headers that are too large", ""),
            _ if self.agent.config().proxy().is_some_and(|proxy| !proxy.is_no_proxy(url)) => {
                let help = "check the host, correct HTTPS_PROXY, or add the host to NO_PROXY";
                (&codes::PROXY, "cannot be reached through the proxy", help)
            }
            _ => (&codes::UNREACHABLE, "cannot be reached", "check the host and the network"),
        };
        let cause = error.to_string();
        let cause = printable(cause.strip_prefix("io: ").unwrap_or(&cause));
        code.finding(format!("{} {what}: {cause}", host(url))).help(help)
    }
}

const CERTIFICATE: (&str, &str) = (
    "has no certificate that this machine trusts",
    "add the authority of the certificate to the trust store of this machine, or name its file in SSL_CERT_FILE",
);

impl Answer {
    pub(crate) fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The error of a status that was not expected. `what` was asked for.
    pub(crate) fn refusal(&self, what: &str) -> Diagnostic {
        let document = serde_json::from_slice::<Value>(&self.bytes).unwrap_or_default();
        let error = &document["errors"][0];
        let texts = [&error["code"], &error["message"]].into_iter().filter_map(Value::as_str);
        let reason = texts.flat_map(|text| [": ", text]).collect::<String>();
        let reason = printable(&reason.chars().take(300).collect::<String>());
        let (code, help): (&Code, _) = match self.status {
            401 | 403 => {
                (&codes::FORBIDDEN, "log in with `docker login HOST`, and check the rights to this repository")
            }
            404 => (&codes::UNKNOWN, "check the name and the tag; a private repository is unknown without credentials"),
            429 => (&codes::REFUSED, "the registry limits requests: log in, or try again later"),
            500.. => (&codes::REFUSED, "try again later"),
            _ => (&codes::REFUSED, "check the name: the registry does not accept the request"),
        };
        code.finding(format!("{what}: {} answers {}{reason}", host(&self.url), self.status)).help(help)
    }
}

fn host(url: &Uri) -> String {
    printable(url.authority().map_or("", |authority| authority.as_str()))
}

/// Where a redirect or a link leads.
pub(crate) fn target(from: &Uri, location: &str) -> Result<Uri, Diagnostic> {
    let refused = |why: &str| {
        // The address is not shown: it can contain a signature.
        codes::REDIRECT
            .finding(format!("{} redirects to an address {why}", host(from)))
            .help("report it to the operator of the registry")
    };
    let origin =
        format!("{}://{}", from.scheme_str().unwrap_or("https"), from.authority().map_or("", |it| it.as_str()));
    let whole = if location.starts_with('/') { format!("{origin}{location}") } else { location.to_owned() };
    let url = whole.parse::<Uri>().map_err(|_| refused("that is malformed"))?;
    match (url.scheme_str(), url.authority()) {
        (_, Some(authority)) if authority.as_str().contains('@') => Err(refused("that contains credentials")),
        (Some("https"), Some(_)) => Ok(url),
        (Some("http"), Some(to)) if is_local(to.as_str()) && from.scheme_str() == Some("http") => Ok(url),
        _ => Err(refused("that is not encrypted")),
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        let [connect, read, request] = [10, 30, 600].map(Duration::from_secs);
        Self { connect, read, request }
    }
}
