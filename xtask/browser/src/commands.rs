//! Commands of chromedriver that are not in WebDriver: the protocol of Chromium's developer tools, and logs.

use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// A command with a body, at an endpoint of the session.
#[derive(Debug)]
pub(crate) struct SessionCommand {
    endpoint: &'static str,
    body: Value,
}

impl SessionCommand {
    /// A method of the developer tools, such as `Emulation.setEmulatedMedia`.
    pub(crate) fn developer_tools(method: &str, parameters: Value) -> Self {
        Self { endpoint: "goog/cdp/execute", body: json!({"cmd": method, "params": parameters}) }
    }

    /// The entries of a log since the last such command.
    pub(crate) fn log(kind: &str) -> Self {
        Self { endpoint: "se/log", body: json!({"type": kind}) }
    }
}

impl WebDriverCompatibleCommand for SessionCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.endpoint))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
