//! Validation of objects: what a server would answer to each object.
//!
//! Steps: arguments → files (`files`) → texts → objects with findings (`crd-suite`) → a report (`report`).
//!
//! Invariants: nothing is written. All errors and findings of all files are reported together, in the order of the files. Only one document
//! of a file is in memory as a value, and only the CRDs of kinds that occur are prepared. An object counts as accepted only if every
//! requested minor surely accepts it.

mod crds;
pub(crate) mod report;

use std::ffi::OsString;
use std::sync::Arc;

use crd_diagnostics::layout::count;
use crd_generator::session::Session;
use crd_model::parallel;
use crd_suite::objects::document::no_objects;
use crd_suite::objects::validation::crds::ReadCrds;
use crd_suite::objects::validation::{Settings, Validation, Validator};

use crate::objects::files::{self, ObjectFile};

pub(crate) use crds::{Against, crds};

#[derive(Debug)]
pub(crate) struct Inputs {
    /// Files, folders, or `-`.
    pub(crate) objects: Vec<OsString>,
    /// The same, with the stored objects.
    pub(crate) old: Vec<OsString>,
}

/// Validates the objects of the inputs.
pub(crate) fn validate(inputs: &Inputs, crds: ReadCrds, settings: Settings, session: &Session<'_>) -> Validation {
    let ReadCrds { crds, unreadable, warnings, left_out } = crds;
    let mut validation = Validation { minors: settings.minors.clone(), warnings, left_out, ..Validation::default() };
    session.begin("reading the stored objects");
    let old = files::files(&inputs.old, session, &mut validation.errors);
    let old = old.iter().map(ObjectFile::texts);
    let validator = Validator::new(crds, unreadable, old, Arc::new(settings), &mut validation.errors);
    session.begin("reading the files");
    let files = files::files(&inputs.objects, session, &mut validation.errors);
    session.begin(format_args!("validating {}", count(files.len(), "file")));
    let checked = parallel::each(&files, |file| validator.file(file.texts()));
    validation.files = checked.into_iter().flatten().collect();
    validation.errors.extend(validator.errors());
    validation.warnings.extend(validator.unmatched(&validation.files));
    if validation.files.iter().all(|file| file.objects.is_empty() && file.errors.is_empty())
        && validation.errors.is_empty()
    {
        validation.errors.push(no_objects("the inputs contain no objects"));
    }
    validation
}
