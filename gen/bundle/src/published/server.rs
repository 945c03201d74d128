//! What an API server does with CRDs that are not exactly as they should be, and what reading does with them.
//!
//! Invariants: [`SERVER_ANSWERS`] is the only place that decides whether an oddity of a published CRD is a warning or an error. The proofs of the
//! testbed put each example to a server.

use crd_diagnostics::Severity;
use crd_model::schema::ReadErrorKind;

/// What is odd about a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// A part that cannot be read as it should be.
    Part(ReadErrorKind),
    /// A key that its map already has.
    RepeatedKey,
}

/// What a server does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerAnswer {
    /// It accepts the CRD without a warning.
    Accepts,
    /// It accepts the CRD with a warning.
    Warns,
    /// It refuses the CRD.
    Refuses,
}

#[derive(Clone, Copy, Debug)]
pub struct ServerRow {
    pub oddity: Oddity,
    /// A schema of a field that is an example, as JSON.
    pub example: &'static str,
    /// The answer with `fieldValidation=Warn`, the default of servers.
    pub warn: ServerAnswer,
    /// The answer with `fieldValidation=Strict`, which `kubectl` asks for.
    pub strict: ServerAnswer,
    /// What reading a published CRD makes of it.
    pub severity: Severity,
    /// What reading does, if it goes on: the end of the message.
    pub outcome: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

use ServerAnswer::{Accepts, Refuses, Warns};

/// Every oddity with the answers of Kubernetes 1.36.
///
/// A missing `served` or `storage` counts as `false` on a server. Here it is an error, because a file that was cut off must not be read.
pub const SERVER_ANSWERS: [ServerRow; 6] = [
    ServerRow {
        oddity: Oddity::Part(ReadErrorKind::Unknown),
        example: r#"{"type": "string", "optional": true}"#,
        warn: Warns,
        strict: Refuses,
        severity: Severity::Warning,
        outcome: "servers drop it with a warning, and refuse it if they validate strictly",
        fix: "Remove it, or correct its spelling",
    },
    ServerRow {
        oddity: Oddity::Part(ReadErrorKind::Absent),
        example: r#"{"type": "string", "anyOf": null}"#,
        warn: Accepts,
        strict: Accepts,
        severity: Severity::Warning,
        outcome: "servers accept it",
        fix: "Remove it, or give it a value",
    },
    ServerRow {
        oddity: Oddity::RepeatedKey,
        example: r#"{"type": "integer", "type": "string"}"#,
        warn: Warns,
        strict: Refuses,
        severity: Severity::Warning,
        outcome: "the last one counts on servers, and they refuse it if they validate strictly",
        fix: "Remove one",
    },
    ServerRow {
        oddity: Oddity::Part(ReadErrorKind::NotStructural),
        example: r##"{"type": "string", "$ref": "#/definitions/a"}"##,
        warn: Refuses,
        strict: Refuses,
        severity: Severity::Error,
        outcome: "",
        fix: "Replace it with the schema that it means: Kubernetes follows no references, and has no such keyword",
    },
    ServerRow {
        oddity: Oddity::Part(ReadErrorKind::Missing),
        example: r#"{"type": "string", "x-kubernetes-validations": [{"message": "a rule is missing"}]}"#,
        warn: Refuses,
        strict: Refuses,
        severity: Severity::Error,
        outcome: "",
        fix: "Add it; if the file was cut off, fetch it again",
    },
    ServerRow {
        oddity: Oddity::Part(ReadErrorKind::Unexpected),
        example: r#"{"type": "string", "maxLength": "5"}"#,
        warn: Refuses,
        strict: Refuses,
        severity: Severity::Error,
        outcome: "",
        fix: "Write what is expected there",
    },
];

/// The row of an oddity.
pub(super) fn row(oddity: Oddity) -> &'static ServerRow {
    // The table has all of them; a test compares.
    SERVER_ANSWERS.iter().find(|row| row.oddity == oddity).unwrap_or(&SERVER_ANSWERS[SERVER_ANSWERS.len() - 1])
}
