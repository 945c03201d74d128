//! Lenses as a JSON document, in words and in examples.

use crd_convert::{Code, Document, Example, Lens, Removed};
use crd_model::document::SchemaVersion;
use crd_stamps::BundleVersion;
use serde::Serialize;
use serde_json::Value;

/// What `conversions` prints with `--format json`: one document, on one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Conversions<'c> {
    schema_version: SchemaVersion<1>,
    /// The lenses.
    conversions: Vec<ListedLens<'c>>,
    /// Resources that were removed without a conversion.
    removed: Vec<RemovedResource<'c>>,
}

/// A lens with its example.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedLens<'c> {
    #[serde(flatten)]
    lens: LensInWords<'c>,
    /// An object in both forms; null if there is none.
    example: Option<LensExample>,
}

/// A lens in words.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LensInWords<'c> {
    /// Its name.
    name: &'c str,
    /// The resource: `PLURAL.GROUP`.
    resource: &'c str,
    /// The kind of the resource.
    kind: &'c str,
    /// The bundle that has the new form.
    since: BundleVersion,
    /// What it does.
    words: Vec<String>,
    /// What it loses.
    loses: Vec<String>,
    /// What it keeps in the annotation.
    keeps: Vec<String>,
}

/// An object in the forms of a lens.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LensExample {
    /// The old form.
    old: Value,
    /// The new form.
    new: Value,
    /// The old form again, from the new one.
    back: Value,
}

/// A resource that was removed without a conversion.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RemovedResource<'c> {
    /// The API group.
    group: &'c str,
    /// The kind.
    kind: &'c str,
    /// The name of the CRD.
    name: String,
    /// The bundle that lacks it.
    since: BundleVersion,
    /// Why.
    reason: &'c str,
}

impl<'c> Conversions<'c> {
    pub(crate) fn new(document: &'c Document, functions: &[Code]) -> Self {
        let lenses = document.lenses.iter().map(|lens| {
            let example = document.example(lens, functions);
            let example = example.map(|Example { old, new, back, .. }| LensExample { old, new, back });
            ListedLens { lens: lens.into(), example }
        });
        let removed = document.removed.iter().map(|removed| {
            let Removed { group, kind, since, reason, .. } = removed;
            RemovedResource { group, kind, name: removed.name(), since: *since, reason }
        });
        Self { schema_version: SchemaVersion, conversions: lenses.collect(), removed: removed.collect() }
    }
}

impl<'c> From<&'c Lens> for LensInWords<'c> {
    fn from(lens: &'c Lens) -> Self {
        Self {
            name: &lens.name,
            resource: &lens.resource,
            kind: &lens.kind,
            since: lens.since,
            words: lens.words(),
            loses: lens.loses(),
            keeps: lens.keeps(),
        }
    }
}
