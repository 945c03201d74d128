//! Requests to an API server and its complete answers. `kube::Api` cannot request strict field validation of a create, and does not return
//! warnings or complete errors.
//!
//! Invariants: all answers are returned, except 429, which a server sends for a moment after a CRD changed. Such a request is repeated until
//! a time limit.

use std::time::{Duration, Instant};

use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// How long a server may take until a changed CRD has taken effect.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The collection of CRDs.
pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The group of admission policies and webhooks.
pub(crate) const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

/// The header of a server-side apply.
pub(crate) const APPLY: (&str, &str) = ("content-type", "application/apply-patch+yaml");

/// The answer of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    /// The object, the list or the `Status`; a string if it is not JSON.
    pub(crate) body: Value,
    /// The texts of the `Warning` headers.
    pub(crate) warnings: Vec<String>,
    /// All headers except those that differ between equal answers; names in lower case, sorted.
    pub(crate) headers: Vec<(String, String)>,
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

    /// The object, if the answer has this code.
    #[track_caller]
    pub(crate) fn with_code(self, code: u16) -> Value {
        assert_eq!(self.code, code, "{:#}", self.body);
        self.body
    }

    /// The `spec` of the object, if the answer has this code; `null` if it has none.
    #[track_caller]
    pub(crate) fn spec(self, code: u16) -> Value {
        self.with_code(code)["spec"].take()
    }

    /// Asserts that this is an error with this code and a message that contains these words.
    #[track_caller]
    pub(crate) fn refuses(&self, code: u16, words: &str) {
        let is_refused = self.code == code && self.message().contains(words);
        assert!(is_refused, "not {code} {words:?}: {} {:#}", self.code, self.body);
    }

    /// The message of an error.
    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().or(self.body.as_str()).unwrap_or_default()
    }

    /// The causes of an error: (field, message).
    pub(crate) fn causes(&self) -> Vec<(&str, &str)> {
        let causes = self.body["details"]["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |cause: &Value, key: &str| cause[key].as_str().map(str::len).unwrap_or_default();
        causes
            .iter()
            .filter(|cause| text(cause, "message") > 0)
            .map(|cause| (cause["field"].as_str().unwrap_or_default(), cause["message"].as_str().unwrap_or_default()))
            .collect()
    }

    /// The paths of the unknown fields in the error (strict validation) or in the warnings, in their order.
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

/// Sends a request once. These headers replace the default content type: JSON, or a merge patch. Returns an error if the connection breaks.
pub(crate) async fn send_once(
    client: &Client,
    method: &str,
    path: &str,
    headers: &[(&'static str, &str)],
    body: Option<&Value>,
) -> Result<Answer, kube::Error> {
    let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
    let content = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let mut request = http::Request::builder().method(method).uri(path);
    for (name, value) in [("content-type", content), ("accept", "application/json")].iter().chain(headers) {
        // Headers of the caller come last and replace the defaults.
        request.headers_mut().expect("a request").insert(*name, value.parse().expect("a header"));
    }
    let response = client.send(request.body(Body::from(bytes)).expect("a request")).await?;
    let code = response.status().as_u16();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let warnings = response.headers().get_all("warning").iter().map(|value| warning(&text(value.as_bytes()))).collect();
    let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())));
    let mut headers: Vec<_> = headers.filter(|(name, _)| name != "audit-id" && name != "date").collect();
    headers.sort();
    let bytes = response.into_body().collect_bytes().await.expect("the answer arrives");
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| json!(text(&bytes)));
    Ok(Answer { code, body, warnings, headers })
}

/// [`send_with`] without headers.
pub(crate) async fn send(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Answer {
    send_with(client, method, path, &[], body).await
}

/// Sends a request and returns the answer. A request without effect is repeated if a busy server dropped the connection.
pub(crate) async fn send_with(
    client: &Client,
    method: &str,
    path: &str,
    headers: &[(&'static str, &str)],
    body: Option<&Value>,
) -> Answer {
    let start = Instant::now();
    let has_no_effect = method == "GET" || path.contains("dryRun=All");
    loop {
        match send_once(client, method, path, headers, body).await {
            Ok(answer) if answer.code != 429 || start.elapsed() > TIME_LIMIT => return answer,
            Err(error) if !has_no_effect || start.elapsed() > TIME_LIMIT => panic!("{method} {path}: {error}"),
            _ => {}
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Creates an object, and writes its status if it has one. Returns the last answer, with all warnings.
pub(crate) async fn create_whole(client: &Client, collection: &str, object: &Value, validation: &str) -> Answer {
    let created = send(client, "POST", &format!("{collection}?fieldValidation={validation}"), Some(object)).await;
    if !created.is_success() || object["status"].is_null() {
        return created;
    }
    let mut whole = created.body;
    whole["status"] = object["status"].clone();
    let path = format!("{collection}/{}/status", object["metadata"]["name"].as_str().expect("a name"));
    let mut written = send(client, "PUT", &format!("{path}?fieldValidation={validation}"), Some(&whole)).await;
    written.warnings.extend(created.warnings);
    written
}

/// Waits until the condition is true.
#[track_caller]
pub(crate) fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < TIME_LIMIT, "not true within {TIME_LIMIT:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until these collections are served.
pub(crate) async fn wait_for(client: &Client, collections: &[String]) {
    for path in collections {
        // A busy server takes long for many, and serves one after the other.
        let start = Instant::now();
        while send(client, "GET", &format!("{path}?limit=1"), None).await.code != 200 {
            assert!(start.elapsed() < TIME_LIMIT, "{path} is not served");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// Creates a namespace, unless it exists.
pub(crate) async fn create_namespace(client: &Client, name: &str) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let created = send(client, "POST", "/api/v1/namespaces", Some(&namespace)).await;
    assert!(matches!(created.code, 201 | 409), "{name}: {} {:#}", created.code, created.body);
}

/// The metadata that a server writes, for an object that is not being deleted.
const SERVER_METADATA: [&str; 5] = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];

/// The object as its author wrote it: without metadata of the server.
pub(crate) fn authored(object: &Value) -> Value {
    without(object, &SERVER_METADATA)
}

/// The object without these entries of its metadata.
pub(crate) fn without(object: &Value, keys: &[&str]) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|key, _| !keys.contains(&key.as_str()));
    }
    object
}
