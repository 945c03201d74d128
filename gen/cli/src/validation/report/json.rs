//! The result as a JSON document.

use crd_bundle::published::skips::LeftOut;
use crd_diagnostics::Diagnostic;
use crd_generator::exit::Exit;
use crd_model::document::{SchemaVersion, minors};
use crd_suite::objects::validation::{CheckedObject, Validation};
use serde::Serialize;

use super::{exit, not_checked, summary};

/// What `validate` prints with `--format json`: one document, on one line. Exit code 0: `valid` is true. 1: a server would refuse an object. 2: an input
/// or a CRD cannot be used; then `errors` has the reasons, and `objects` has the other objects.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Validation"))]
pub(crate) struct ValidationDocument<'v> {
    schema_version: SchemaVersion<1>,
    /// The Kubernetes minors that were asked, such as 1.36; the lowest first.
    #[serde(serialize_with = "minors")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    kubernetes: &'v [u32],
    /// True if every object that has a CRD is accepted by every minor, and every input is readable.
    valid: bool,
    /// Every object, in the order of the inputs.
    objects: Vec<ObjectOfFile<'v>>,
    /// How many objects were skipped, by API version and kind.
    skipped: Vec<SkippedKind<'v>>,
    /// Stored objects that no input updates, and parts of CRDs that servers leave out.
    warnings: &'v [Diagnostic],
    /// Files and CRDs that `--skip` and `--select` left out.
    left_out: &'v [LeftOut],
    /// Inputs and CRDs that cannot be used.
    errors: Vec<&'v Diagnostic>,
    /// The verdicts in a sentence.
    summary: String,
    /// What a server may refuse the accepted objects for, although their CRDs allow them; null if no object is accepted.
    not_checked: Option<&'static str>,
}

/// An object and its verdict.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ObjectOfFile<'v> {
    /// The file, relative to the current folder, or `-`.
    file: &'v str,
    #[serde(flatten)]
    object: &'v CheckedObject,
}

/// A kind without a CRD.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SkippedKind<'v> {
    /// The API version.
    api_version: &'v str,
    /// The kind.
    kind: &'v str,
    /// How many objects of it were skipped.
    objects: usize,
}

pub(super) fn document(validation: &Validation) -> ValidationDocument<'_> {
    let skipped = validation.skipped().into_iter();
    let objects = validation.files.iter().flat_map(|file| {
        let objects = file.objects.iter();
        objects.map(|object| ObjectOfFile { file: &file.name, object })
    });
    ValidationDocument {
        schema_version: SchemaVersion,
        kubernetes: &validation.minors,
        valid: exit(validation) == Exit::Fine,
        objects: objects.collect(),
        skipped: skipped.map(|((api_version, kind), objects)| SkippedKind { api_version, kind, objects }).collect(),
        warnings: &validation.warnings,
        left_out: &validation.left_out,
        errors: validation.all_errors().collect(),
        summary: summary(validation),
        not_checked: not_checked(validation),
    }
}
