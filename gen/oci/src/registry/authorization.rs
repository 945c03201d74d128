//! The header that answers a challenge: a password, or a token of the server that the registry names.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crd_diagnostics::{Diagnostic, printable};
use serde_json::Value;
use ureq::http::{Uri, header};

use super::client::{Answer, Call, Client, is_local};
use super::{Credentials, codes};

/// The most bytes of the answer of a token server.
const MOST_OF_TOKEN: u64 = 256 << 10;

impl Client<'_> {
    /// The answer to a request. If the registry asks for credentials, they are sent once.
    pub(crate) fn send(&self, call: &Call<'_>) -> Result<Answer, Diagnostic> {
        let answer = self.redirected(call)?;
        if answer.status != 401 || answer.url.authority().is_none_or(|asks| asks.as_str() != self.host) {
            return Ok(answer);
        }
        let Some(header) = of(self, &answer, call.scope)? else { return Ok(answer) };
        self.authorization.replace(Some(header));
        self.redirected(call)
    }
}

/// The header, if the challenge is understood.
fn of(client: &Client<'_>, answer: &Answer, scope: &str) -> Result<Option<String>, Diagnostic> {
    let credentials = (client.credentials)(&client.host)?;
    let challenges = answer.headers.get_all(header::WWW_AUTHENTICATE).iter().filter_map(|text| text.to_str().ok());
    for challenge in challenges {
        let (scheme, parameters) = challenge.split_once(' ').unwrap_or((challenge, ""));
        match (&*scheme.to_ascii_lowercase(), &credentials) {
            ("basic", Some(Credentials::Password { name, password })) => return Ok(Some(basic(name, password))),
            ("bearer", credentials) => return token(client, parameters, scope, credentials.as_ref()).map(Some),
            _ => {}
        }
    }
    Ok(None)
}

fn basic(name: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
}

fn token(
    client: &Client<'_>,
    parameters: &str,
    scope: &str,
    credentials: Option<&Credentials>,
) -> Result<String, Diagnostic> {
    let parameter = |name: &str| parameters.split_once(&format!("{name}=\""))?.1.split('"').next();
    let (realm, service) = (parameter("realm").unwrap_or_default(), parameter("service").unwrap_or_default());
    let is_allowed = |url: &Uri| match (url.scheme_str(), url.authority()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(server)) => is_local(server.as_str()) && is_local(&client.host),
        _ => false,
    };
    let wrong = |why: &str| {
        let message = format!("{} asks for a token of `{}`, {why}", client.host, printable(realm));
        codes::CREDENTIALS.finding(message).help("report it to the operator of the registry")
    };
    let url = realm.parse().ok().filter(is_allowed).ok_or_else(|| wrong("which is not an encrypted address"))?;
    let response = match credentials {
        Some(Credentials::Token(token)) => client.agent.post(&url).send_form([
            ("grant_type", "refresh_token"),
            ("client_id", "crd-channels"),
            ("service", service),
            ("scope", scope),
            ("refresh_token", token),
        ]),
        credentials => {
            let request = client.agent.get(&url).query("service", service).query("scope", scope);
            let request = match credentials {
                Some(Credentials::Password { name, password }) => {
                    request.header(header::AUTHORIZATION, basic(name, password))
                }
                _ => request,
            };
            request.call()
        }
    };
    let answer = client.answer(response, url, MOST_OF_TOKEN)?;
    if answer.status != 200 {
        return Err(answer.refusal("the token"));
    }
    let document = serde_json::from_slice::<Value>(&answer.bytes).unwrap_or_default();
    let token = ["token", "access_token"].iter().find_map(|key| document[key].as_str());
    token.map(|token| format!("Bearer {token}")).ok_or_else(|| wrong("which sends none"))
}
