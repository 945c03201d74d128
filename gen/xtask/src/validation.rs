//! Validation of objects: what a server would answer to each object.
//!
//! Steps: arguments → files (`files`) → documents and objects with their positions (`document`) → the CRD of each object (`kinds`), its stored
//! object (`stored`) → answers by minor (`answers`) → findings with a location (`check`) → a report (`report`).
//!
//! Invariants: nothing is written. All errors and findings of all files are reported together, in the order of the files. Only one document
//! of a file is in memory as a value, and only the CRDs of kinds that occur are prepared. An object counts as accepted only if every
//! requested minor surely accepts it.

mod answers;
mod check;
mod crds;
mod group;
mod hint;
mod ignored;
mod kinds;
mod removed;
pub(crate) mod report;
mod stored;

use std::collections::BTreeMap;
use std::ffi::OsString;

use crd_apiserver::objects::FieldValidation;
use crd_bundle::published::choice::LeftOut;
use crd_compat::tombstone::Ledger;
use crd_diagnostics::{Diagnostic, ObjectName, Severity};
use crd_model::parallel;
use serde_json::Value;

use crate::objects::files;
use crate::session::Session;

pub(crate) use crds::{Against, ReadCrds, crds};
use kinds::Kinds;
pub(crate) use kinds::KnownCrd;
use stored::Stored;

/// What to validate.
#[derive(Debug)]
pub(crate) struct Inputs {
    /// Files, folders, or `-`.
    pub(crate) objects: Vec<OsString>,
    /// The same, with the stored objects.
    pub(crate) old: Vec<OsString>,
}

/// How to validate.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The Kubernetes minors (1.x), lowest first.
    pub(crate) minors: Vec<u32>,
    pub(crate) fields: FieldValidation,
    /// Whether the requests update the status.
    pub(crate) is_status: bool,
    /// The namespace of objects that name none.
    pub(crate) namespace: String,
    pub(crate) unknown_kinds: UnknownKinds,
    /// Whether the stored objects are part of the result.
    pub(crate) keeps_stored: bool,
    /// The names that were removed.
    pub(crate) ledger: Ledger,
}

/// What happens to objects without a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownKinds {
    /// They are findings if the CRDs have their API group, and skipped otherwise.
    OfKnownGroups,
    /// All are findings.
    Refused,
    /// All are skipped.
    Skipped,
}

/// The result.
#[derive(Debug, Default)]
pub(crate) struct Validation {
    pub(crate) minors: Vec<u32>,
    pub(crate) files: Vec<CheckedFile>,
    /// Errors in CRDs and stored objects, and inputs that cannot be read.
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// Files and CRDs that the user left out.
    pub(crate) left_out: Vec<LeftOut>,
}

/// The objects of a text, and its parts that are not objects.
#[derive(Debug, Default)]
pub(crate) struct CheckedFile {
    pub(crate) name: String,
    pub(crate) objects: Vec<CheckedObject>,
    pub(crate) errors: Vec<Diagnostic>,
    /// The stored objects that its updates replace.
    updated: Vec<usize>,
}

/// An object with its verdict.
#[derive(Debug)]
pub(crate) struct CheckedObject {
    pub(crate) api_version: String,
    pub(crate) name: ObjectName,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) operation: Operation,
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<Finding>,
    /// As a server of the newest requested minor stores it.
    pub(crate) stored: Option<Value>,
}

/// What the request would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    UpdateStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    Refused,
    /// No CRD has its API group.
    Skipped,
    /// Its CRD is not valid, or its stored object may be in a part of `--old` that cannot be used.
    Unchecked,
}

/// A diagnostic about an object.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) diagnostic: Diagnostic,
    /// The server's name of the kind of error.
    pub(crate) reason: Option<&'static str>,
    /// The path as the server writes it.
    pub(crate) field: Option<String>,
    /// The minors that report it; none for what no server reports.
    pub(crate) minors: Vec<u32>,
}

/// Validates the objects of the inputs.
pub(crate) fn validate(inputs: &Inputs, crds: ReadCrds, settings: &Settings, session: &Session<'_>) -> Validation {
    let ReadCrds { crds, unreadable, warnings, left_out } = crds;
    let mut validation = Validation { minors: settings.minors.clone(), warnings, left_out, ..Validation::default() };
    let kinds = Kinds::of(crds, unreadable, &settings.minors);
    session.begin("reading the stored objects");
    let old = files::files(&inputs.old, session, &mut validation.errors);
    let stored = Stored::read(&old, &kinds, settings, &mut validation.errors);
    session.begin("reading the files");
    let files = files::files(&inputs.objects, session, &mut validation.errors);
    session.begin(format_args!("validating {}", crd_diagnostics::layout::count(files.len(), "file")));
    let checked = parallel::each(&files, |file| check::file(file, &kinds, &stored, settings));
    validation.files = checked.into_iter().flatten().collect();
    validation.errors.extend(kinds.errors());
    let updated = validation.files.iter().flat_map(|file| file.updated.iter().copied());
    validation.warnings.extend(stored.unmatched(updated.collect()));
    if validation.files.iter().all(|file| file.objects.is_empty() && file.errors.is_empty())
        && validation.errors.is_empty()
    {
        validation.errors.push(files::none("the inputs contain no objects"));
    }
    validation
}

impl Validation {
    /// The result if validation is not possible.
    pub(crate) fn failed(settings: &Settings, errors: Vec<Diagnostic>) -> Self {
        Self { minors: settings.minors.clone(), errors, ..Self::default() }
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = &CheckedObject> {
        self.files.iter().flat_map(|file| &file.objects)
    }

    /// How many objects have a verdict.
    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.objects().filter(|object| object.verdict == verdict).count()
    }

    /// All errors that are not about one object.
    pub(crate) fn all_errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.errors.iter().chain(self.files.iter().flat_map(|file| &file.errors))
    }

    /// All diagnostics about objects.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.objects().flat_map(|object| &object.findings).map(|finding| &finding.diagnostic)
    }

    /// How many objects of each API version and kind are skipped.
    pub(crate) fn skipped(&self) -> BTreeMap<(&str, &str), usize> {
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
pub(crate) fn minors_in_words(minors: &[u32]) -> String {
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
