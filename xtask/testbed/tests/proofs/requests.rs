//! Requests as an API server gets them, and everything that it says back: what `kube::Api` cannot ask for (strict field validation of a
//! create) or does not show (warnings, the whole refusal).
//!
//! Fed with paths and JSON. Read by the proofs of examples, channels and resources.
//!
//! Invariants: nothing is hidden but 429, which a server says for a moment after a CRD changed; that is asked again until a deadline.

use std::time::{Duration, Instant};

use kube::Client;
use kube::api::PostParams;
use kube::client::Body;
use serde_json::{Value, json};

/// How long a server may take to come to rest after a CRD changed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What a server said.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    /// The object, the list or the `Status`; a string where it was no JSON.
    pub(crate) body: Value,
    /// The texts of the `Warning` headers.
    pub(crate) warnings: Vec<String>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// The object, if it succeeded.
    pub(crate) fn expect(self, what: &str) -> Value {
        assert!(self.is_success(), "{what}: {} {:#}", self.code, self.body);
        self.body
    }

    /// What a refusal says.
    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().or(self.body.as_str()).unwrap_or_default()
    }

    /// What a refusal says about single fields: (field, message).
    pub(crate) fn causes(&self) -> Vec<(&str, &str)> {
        let causes = self.body["details"]["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |cause: &Value, key: &str| cause[key].as_str().map(str::len).unwrap_or_default();
        causes
            .iter()
            .filter(|cause| text(cause, "message") > 0)
            .map(|cause| (cause["field"].as_str().unwrap_or_default(), cause["message"].as_str().unwrap_or_default()))
            .collect()
    }

    /// The paths of the unknown fields that the refusal (strict validation) or the warnings name, in their order.
    pub(crate) fn unknown_fields(&self) -> Vec<String> {
        let texts: Vec<&str> =
            if self.is_success() { self.warnings.iter().map(String::as_str).collect() } else { vec![self.message()] };
        let mut paths = Vec::new();
        for text in texts {
            for part in text.split("unknown field \"").skip(1) {
                paths.extend(part.split_once('"').map(|(path, _)| path.to_owned()));
            }
        }
        paths
    }
}

/// The text of a `Warning` header: `299 - "text"`.
fn warning(header: &str) -> String {
    let text = header.split_once('"').map_or(header, |(_, rest)| rest.strip_suffix('"').unwrap_or(rest));
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// Sends a request once. A connection that breaks is no answer: the error is the caller's.
async fn send_once(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, kube::Error> {
    let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
    let mut request = kube::core::Request::new("/").create(&PostParams::default(), bytes).expect("a request");
    *request.method_mut() = method.parse().expect("a method");
    *request.uri_mut() = path.parse().expect("a path");
    let response = client.send(request.map(Body::from)).await?;
    let code = response.status().as_u16();
    let headers = response.headers().get_all("warning").iter();
    let warnings = headers.map(|value| warning(&String::from_utf8_lossy(value.as_bytes()))).collect();
    let bytes = response.into_body().collect_bytes().await.expect("the answer arrives");
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes)));
    Ok(Answer { code, body, warnings })
}

/// Sends a request and returns whatever the server said. One that changes nothing is sent again if a busy server dropped the connection.
pub(crate) async fn send(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let start = Instant::now();
    let changes_nothing = method == "GET" || path.contains("dryRun=All");
    loop {
        match send_once(client, method, path, body).await {
            Ok(answer) if answer.code != 429 || start.elapsed() > PATIENCE => return answer,
            Err(error) if !changes_nothing || start.elapsed() > PATIENCE => panic!("{method} {path}: {error}"),
            _ => {}
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until these collections are served.
pub(crate) async fn wait_for(client: &Client, collections: &[String]) {
    let start = Instant::now();
    for path in collections {
        while send(client, "GET", &format!("{path}?limit=1"), None).await.code != 200 {
            assert!(start.elapsed() < PATIENCE, "{path} is not served");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// Makes a namespace, unless it is there.
pub(crate) async fn make_namespace(client: &Client, name: &str) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let made = send(client, "POST", "/api/v1/namespaces", Some(&namespace)).await;
    assert!(matches!(made.code, 201 | 409), "{name}: {} {:#}", made.code, made.body);
}

/// What a server writes into the metadata of an object that nobody deletes.
const MADE_BY_THE_SERVER: [&str; 5] = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];

/// The object as its author knows it: without what the server wrote into its metadata.
pub(crate) fn authored(object: &Value) -> Value {
    without(object, &MADE_BY_THE_SERVER)
}

/// The object without these entries of its metadata.
pub(crate) fn without(object: &Value, keys: &[&str]) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|key, _| !keys.contains(&key.as_str()));
    }
    object
}
