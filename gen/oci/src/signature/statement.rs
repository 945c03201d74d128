//! Statements about files and artefacts: in-toto Statement v1.

use crd_bundle::Digest;
use crd_bundle::json::read;
use crd_diagnostics::Diagnostic;
use serde_json::{Value, json};

use super::error::malformed;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// The type of the statement that cosign signs of an artefact: its digest, and nothing about it.
pub const COSIGN_SIGNATURE: &str = "https://sigstore.dev/cosign/sign/v1";

/// A file or an artefact that a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Its name; may be empty.
    pub name: String,
    pub sha256: Digest,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is about.
    pub subjects: Vec<Subject>,
    /// The type of what it states.
    pub predicate_type: String,
    pub predicate: Value,
}

impl Statement {
    /// The statement that cosign signs of an artefact whose manifest has this digest.
    pub fn of_artifact(manifest: Digest) -> Self {
        let subjects = vec![Subject { name: String::new(), sha256: manifest }];
        Self { subjects, predicate_type: COSIGN_SIGNATURE.to_owned(), predicate: json!({}) }
    }

    /// The annotations that cosign gives to the manifest of a referrer with the signed statement, in addition to the time.
    pub fn annotations(&self) -> [(String, String); 2] {
        let predicate_type = ("dev.sigstore.bundle.predicateType".to_owned(), self.predicate_type.clone());
        [("dev.sigstore.bundle.content".to_owned(), "dsse-envelope".to_owned()), predicate_type]
    }

    /// The statement as JSON.
    pub fn to_json(&self) -> String {
        let subjects = self.subjects.iter().map(|subject| {
            let digest = json!({ "sha256": subject.sha256.to_string() });
            if subject.name.is_empty() {
                json!({ "digest": digest })
            } else {
                json!({ "name": subject.name, "digest": digest })
            }
        });
        let subjects = subjects.collect::<Vec<_>>();
        json!({ "_type": STATEMENT, "subject": subjects, "predicateType": self.predicate_type, "predicate": self.predicate })
            .to_string()
    }

    /// Reads a statement.
    ///
    /// # Errors
    /// The bytes are something else, or a subject has no SHA-256.
    pub fn from_json(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let value: Value = read(bytes).map_err(|error| malformed(format!("the statement is not JSON: {error}")))?;
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if text(&value, "_type") != STATEMENT {
            return Err(malformed("the statement is not an in-toto statement v1"));
        }
        let subject = |subject: &Value| {
            let sha256 =
                subject.pointer("/digest/sha256").and_then(Value::as_str).and_then(|digest| digest.parse().ok());
            Some(Subject { name: text(subject, "name"), sha256: sha256? })
        };
        let subjects = value.get("subject").and_then(Value::as_array).filter(|subjects| !subjects.is_empty());
        let subjects = subjects.and_then(|subjects| subjects.iter().map(subject).collect());
        let subjects = subjects.ok_or_else(|| malformed("a subject of the statement has no SHA-256"))?;
        let predicate = value.get("predicate").cloned().unwrap_or(Value::Null);
        Ok(Self { subjects, predicate_type: text(&value, "predicateType"), predicate })
    }
}
