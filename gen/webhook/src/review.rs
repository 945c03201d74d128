//! AdmissionReviews: what an API server asks, and the answer.
//!
//! Invariants:
//! * Only `admission.k8s.io/v1` is read: the version that the shipped configuration names.
//! * The answer has the UID of the request. A body that is not a review has no answer, but an error, so that the server applies its failure policy.

use std::fmt;

use serde::Deserialize;
use serde_json::{Value, json};

/// The version of reviews.
const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

/// The source of refusals by the CRD of the bundle.
pub const VALIDATOR: &str = "validator";

/// A request of an API server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// Identifies the request.
    pub uid: String,
    /// The group, version and kind of the objects in the request.
    pub kind: GroupVersionKind,
    /// The same of the request of the user, which the server may have converted.
    pub request_kind: Option<GroupVersionKind>,
    /// The subresource, such as `status`.
    pub sub_resource: Option<String>,
    /// The name of the object.
    pub name: Option<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// What is done.
    pub operation: Operation,
    /// The object as it will be stored; null for a deletion.
    pub object: Value,
    /// The object as it is stored; null for a creation.
    pub old_object: Value,
    /// Whether nothing will be stored.
    pub dry_run: Option<bool>,
}

/// A kind in an API version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct GroupVersionKind {
    /// The API group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

/// What is done with an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// It is created.
    Create,
    /// It is updated.
    Update,
    /// It is deleted.
    Delete,
    /// It is connected to, or another operation.
    #[default]
    #[serde(other)]
    Connect,
}

impl Operation {
    /// The word of a label of metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Connect => "connect",
        }
    }
}

/// A review with its request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    request: Option<Request>,
}

impl Request {
    /// Reads the body of a review.
    ///
    /// # Errors
    /// Why the body is not a review of `admission.k8s.io/v1` with a request. The text contains nothing of the object.
    pub fn read(body: &[u8]) -> Result<Self, String> {
        let review = serde_json::from_slice::<Review>(body).map_err(|error| {
            // The message of a data error can quote values of the object.
            let what = match error.classify() {
                serde_json::error::Category::Eof => "the body ends too early",
                serde_json::error::Category::Data => "a field of the review has another type",
                serde_json::error::Category::Syntax | serde_json::error::Category::Io => "the body is not JSON",
            };
            format!("{what} (line {}, column {})", error.line(), error.column())
        })?;
        if (&*review.api_version, &*review.kind) != (API_VERSION, KIND) {
            return Err(format!("the body is not an {KIND} of {API_VERSION}"));
        }
        let request = review.request.ok_or("the review has no request")?;
        if request.uid.is_empty() { Err("the request has no uid".to_owned()) } else { Ok(request) }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Why the request is refused; empty if it is accepted.
    pub refusals: Vec<Refusal>,
    /// What the user should read.
    pub warnings: Vec<Warning>,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule, or `validator`.
    pub source: &'static str,
    /// The reason of a cause in a status (Kubernetes API, `StatusCause`), such as `FieldValueInvalid`.
    pub reason: &'static str,
    /// The path of the field; empty for the whole object.
    pub field: String,
    /// The message.
    pub message: String,
}

/// A warning, which `kubectl` prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The rule, or what else has found it: see [`SOURCES`](crate::SOURCES).
    pub source: &'static str,
    /// The text.
    pub text: String,
}

/// How many reasons and warnings an answer lists.
const MOST_LISTED: usize = 16;
/// The most bytes of one text. API servers pass on at most 4,096 bytes of warnings.
const MOST_BYTES: usize = 1024;

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(formatter, "{}: ", self.field)?;
        }
        formatter.write_str(&self.text())
    }
}

impl Refusal {
    /// The message without the field, and with the rule.
    fn text(&self) -> String {
        match self.source {
            VALIDATOR => self.message.clone(),
            rule => format!("{} [{rule}]", self.message),
        }
    }
}

impl Verdict {
    /// Whether the request is accepted.
    pub fn is_accepted(&self) -> bool {
        self.refusals.is_empty()
    }

    /// The body of the answer to a request.
    pub fn body(&self, request: &Request) -> Vec<u8> {
        let mut response = json!({"uid": request.uid, "allowed": self.is_accepted()});
        if !self.is_accepted() {
            let causes = self.refusals.iter().take(MOST_LISTED).map(
                |refusal| json!({"reason": refusal.reason, "field": refusal.field, "message": cut(&refusal.text())}),
            );
            let causes = causes.collect::<Vec<_>>();
            let is_unreadable = self.refusals.iter().any(|refusal| refusal.reason == "BadRequest");
            let (code, reason) = if is_unreadable { (400, "BadRequest") } else { (422, "Invalid") };
            response["status"] = json!({
                "status": "Failure",
                "code": code,
                "reason": reason,
                "message": self.message(),
                // `kubectl` prints these, and the causes.
                "details": {
                    "name": request.name,
                    "group": request.kind.group,
                    "kind": request.kind.kind,
                    "causes": causes,
                },
            });
        }
        if !self.warnings.is_empty() {
            let texts = self.warnings.iter().take(MOST_LISTED).map(|warning| cut(&warning.text));
            let more = self.warnings.len().saturating_sub(MOST_LISTED);
            let more = (more > 0).then(|| format!("{more} more warnings"));
            response["warnings"] = texts.chain(more).collect();
        }
        json!({"apiVersion": API_VERSION, "kind": KIND, "response": response}).to_string().into_bytes()
    }

    /// All reasons, a line for each if there are several.
    fn message(&self) -> String {
        if let [only] = &*self.refusals {
            return cut(&only.to_string());
        }
        let mut message = format!("{} reasons:", self.refusals.len());
        for refusal in self.refusals.iter().take(MOST_LISTED) {
            message.extend(["\n  ", &cut(&refusal.to_string())]);
        }
        if let more @ 1.. = self.refusals.len().saturating_sub(MOST_LISTED) {
            message.push_str(&format!("\n  and {more} more"));
        }
        message
    }
}

/// A text of bounded length.
fn cut(text: &str) -> String {
    match text.char_indices().find(|(index, _)| *index > MOST_BYTES) {
        Some((index, _)) => format!("{}…", &text[..index]),
        None => text.to_owned(),
    }
}
