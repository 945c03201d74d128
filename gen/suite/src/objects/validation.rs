//! Validation of objects: what a server would answer to each object.
//!
//! Steps: documents and objects with their positions (`document`) → the CRD of each object (`kinds`), its stored object (`stored`) → answers by minor
//! (`answers`) → findings with a location (`check`).
//!
//! Invariants: all errors and findings are reported together, in the order of the texts. Only one document of a text is in memory as a value, and only
//! the CRDs of kinds that occur are prepared. An object counts as accepted only if every requested minor surely accepts it.

mod answers;
mod check;
pub mod crds;
mod group;
mod hint;
mod ignored;
mod kinds;
mod removed;
mod stored;

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_apiserver::objects::FieldValidation;
use crd_bundle::published::skips::LeftOut;
use crd_bundle::published::{Source, Unreadable};
use crd_compat::tombstone::Ledger;
use crd_diagnostics::{Diagnostic, ObjectName, Severity};
use crd_model::document::minors;
use crd_model::words;
use serde::Serialize;
use serde_json::Value;

use kinds::Kinds;
pub use kinds::{KnownCrd, MOST_NAMED};
use stored::Stored;

/// The texts of a file, and what cannot be read of it.
pub type Texts = (Vec<Source>, Vec<Diagnostic>);

/// CRDs and stored objects, prepared for the objects of any number of files.
pub struct Validator {
    kinds: Kinds,
    stored: Stored,
    settings: Arc<Settings>,
}

impl Validator {
    /// Prepares the CRDs, and reads the files with stored objects. `errors` has their errors after those that it had.
    pub fn new(
        crds: Vec<KnownCrd>,
        unreadable: Vec<Unreadable>,
        old: impl ExactSizeIterator<Item = Texts>,
        settings: Arc<Settings>,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let kinds = Kinds::of(crds, unreadable, &settings.minors);
        let stored = Stored::read(old, &kinds, &settings, errors);
        Self { kinds, stored, settings }
    }

    /// Checks the texts of a file: one, or those of an archive.
    pub fn file(&self, texts: Texts) -> Vec<CheckedFile> {
        check::file(texts, &self.kinds, &self.stored, &self.settings)
    }

    /// The errors of the CRDs that objects needed.
    pub fn errors(&self) -> Vec<Diagnostic> {
        self.kinds.errors()
    }

    /// A warning for each stored object that no object of the files updates.
    pub fn unmatched(&self, files: &[CheckedFile]) -> Vec<Diagnostic> {
        self.stored.unmatched(files.iter().flat_map(|file| file.updated.iter().copied()).collect())
    }
}

/// How to validate.
#[derive(Debug)]
pub struct Settings {
    /// The Kubernetes minors (1.x), lowest first.
    pub minors: Vec<u32>,
    /// What happens to unknown and repeated fields.
    pub fields: FieldValidation,
    /// Whether the requests update the status.
    pub is_status: bool,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// What happens to objects without a CRD.
    pub unknown_kinds: UnknownKinds,
    /// Whether the stored objects are part of the result.
    pub keeps_stored: bool,
    /// The names that were removed.
    pub ledger: Ledger,
}

/// What happens to objects without a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownKinds {
    /// They are findings if the CRDs have their API group, and skipped otherwise.
    OfKnownGroups,
    /// All are findings.
    Refused,
    /// All are skipped.
    Skipped,
}

/// The result.
#[derive(Debug, Default)]
pub struct Validation {
    /// The minors that were asked (1.x).
    pub minors: Vec<u32>,
    /// The texts, in the order of the inputs.
    pub files: Vec<CheckedFile>,
    /// Errors in CRDs and stored objects, and inputs that cannot be read.
    pub errors: Vec<Diagnostic>,
    /// What is not about one object.
    pub warnings: Vec<Diagnostic>,
    /// Files and CRDs that the user left out.
    pub left_out: Vec<LeftOut>,
}

/// The objects of a text, and its parts that are not objects.
#[derive(Debug, Default)]
pub struct CheckedFile {
    /// Its name in messages.
    pub name: String,
    /// Its objects, in their order.
    pub objects: Vec<CheckedObject>,
    /// Parts that are not objects.
    pub errors: Vec<Diagnostic>,
    /// The stored objects that its updates replace.
    updated: Vec<usize>,
}

/// An object with its verdict.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedObject {
    /// Its API version.
    pub api_version: String,
    /// Kind, namespace and name.
    #[serde(flatten)]
    pub name: ObjectName,
    /// The line where it begins.
    pub line: usize,
    /// The column where it begins.
    pub column: usize,
    /// What the request would do.
    pub operation: Operation,
    /// What servers answer.
    pub verdict: Verdict,
    /// Errors, warnings and notes, in the server's order.
    pub findings: Vec<Finding>,
    /// With `--stored`, as a server of the newest requested minor stores it; none if it is not accepted.
    pub stored: Option<Value>,
}

words! {
    /// What the request would do.
    pub enum Operation {
        /// Creates the object.
        Create = "create",
        /// Replaces the stored object.
        Update = "update",
        /// Replaces the status of the stored object.
        UpdateStatus = "updateStatus",
    }
}

words! {
    /// What servers answer to an object.
    pub enum Verdict {
        /// Every requested minor accepts it.
        Accepted = "accepted",
        /// A requested minor refuses it.
        Refused = "refused",
        /// No CRD has its API group.
        Skipped = "skipped",
        /// Its CRD is not valid, or its stored object may be in a part of `--old` that cannot be used.
        Unchecked = "unchecked",
    }
}

/// A diagnostic about an object.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The server's text, with further lines of this program, and its location.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// The server's name of the kind of error, such as `FieldValueRequired`; none for findings of this program.
    pub reason: Option<&'static str>,
    /// The path as the server writes it.
    #[serde(rename = "fieldPath")]
    pub field: Option<String>,
    /// The minors that report it; none for what no server reports.
    #[serde(rename = "kubernetes", serialize_with = "minors")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub minors: Vec<u32>,
}

impl Validation {
    /// The result if validation is not possible.
    pub fn failed(settings: &Settings, errors: Vec<Diagnostic>) -> Self {
        Self { minors: settings.minors.clone(), errors, ..Self::default() }
    }

    /// The objects of all files.
    pub fn objects(&self) -> impl Iterator<Item = &CheckedObject> {
        self.files.iter().flat_map(|file| &file.objects)
    }

    /// How many objects have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.objects().filter(|object| object.verdict == verdict).count()
    }

    /// All errors that are not about one object.
    pub fn all_errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.errors.iter().chain(self.files.iter().flat_map(|file| &file.errors))
    }

    /// All diagnostics about objects.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.objects().flat_map(|object| &object.findings).map(|finding| &finding.diagnostic)
    }

    /// How many objects of each API version and kind are skipped.
    pub fn skipped(&self) -> BTreeMap<(&str, &str), usize> {
        let mut skipped = BTreeMap::new();
        for object in self.objects().filter(|object| object.verdict == Verdict::Skipped) {
            *skipped.entry((&*object.api_version, &*object.name.kind)).or_default() += 1;
        }
        skipped
    }
}

impl CheckedObject {
    /// The verdict that the findings give.
    fn judged(mut self) -> Self {
        let is_error = |finding: &Finding| finding.diagnostic.severity == Severity::Error;
        if self.verdict == Verdict::Accepted && self.findings.iter().any(is_error) {
            self.verdict = Verdict::Refused;
            self.stored = None;
        }
        self
    }
}

/// Minors in words: `1.33`, `1.33 and 1.34`, `1.33 to 1.37`.
pub fn minors_in_words(minors: &[u32]) -> String {
    let version = |minor: &u32| format!("1.{minor}");
    match minors {
        [first, .., last] if minors.len() > 2 && (*first..=*last).eq(minors.iter().copied()) => {
            format!("{} to {}", version(first), version(last))
        }
        [all @ .., last] if !all.is_empty() => {
            format!("{} and {}", all.iter().map(version).collect::<Vec<_>>().join(", "), version(last))
        }
        all => all.iter().map(version).collect(),
    }
}
