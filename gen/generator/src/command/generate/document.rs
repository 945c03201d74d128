//! The report of `generate` as a JSON document.
//!
//! Invariants: it contains the facts of the text.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_inclusion::Excess;
use crd_model::channel::Channel;
use crd_model::constants;
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::costs;
use crate::generated_tree::TreeDocument;
use crate::generation::{Generation, Options};
use crate::session::Session;

/// The path of a file next to the channels, if it is missing or differs.
fn changed(generation: &Generation, name: &str, session: &Session<'_>) -> Option<String> {
    let (path, _) = generation.documents.iter().find(|(_, change)| change.name == name)?;
    Some(session.shown(path).to_string_lossy().into_owned())
}

/// What `generate` prints with `--format json`: one document, on one line. Exit code 3: with `--check`, a file is out of date.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Generated<'g> {
    schema_version: SchemaVersion<1>,
    /// The channels.
    channels: Vec<ChannelDocument<'g>>,
    /// The file with constants, if it was missing or differs.
    constants: Option<String>,
    /// The file with lenses, if it was missing or differs.
    conversions: Option<String>,
    /// The file with conformance features, if it was missing or differs.
    features: Option<String>,
    /// The Go module, if the settings have one.
    go: Option<TreeDocument<'g>>,
    /// Where standard exceeds experimental, or may exceed it.
    containment: &'g [Excess],
    /// Warnings about the types.
    warnings: Vec<Diagnostic>,
    /// Additional notes, each a sentence.
    notes: &'g [String],
    /// The costs of CEL rules, with `--costs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<Vec<costs::VersionCosts<'g>>>,
    /// Why nothing was generated.
    errors: Vec<Diagnostic>,
}

/// The CRDs of a channel.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ChannelDocument<'g> {
    channel: Channel,
    /// The folder.
    folder: String,
    /// How many CRDs it has.
    crds: usize,
    /// How many API versions they have.
    versions: usize,
    /// Their size.
    bytes: usize,
    /// Files that were missing or differ.
    changed: Vec<&'g str>,
    /// Generated files that it should not contain.
    removed: Vec<&'g str>,
    /// Whether files are out of date, with `--check`.
    stale: bool,
}

pub(super) fn document<'g>(
    result: &'g Result<Generation, Vec<Diagnostic>>,
    options: &Options,
    session: &Session<'_>,
) -> Generated<'g> {
    let Ok(generation) = result else { return Generated { errors: session.errors(result), ..Generated::default() } };
    let check = options.check;
    let folder = |folder: &Path| session.shown(folder).to_string_lossy().into_owned();
    let channels = generation.channels.iter().map(|channel| ChannelDocument {
        channel: channel.channel,
        folder: folder(&channel.folder),
        crds: channel.names.len(),
        versions: channel.versions,
        bytes: channel.bytes,
        changed: channel.changed.iter().map(|change| &*change.name).collect(),
        removed: channel.removed.keys().map(String::as_str).collect(),
        stale: check && channel.has_changes(),
    });
    Generated {
        schema_version: SchemaVersion,
        channels: channels.collect(),
        constants: changed(generation, constants::FILE_NAME, session),
        conversions: changed(generation, crd_convert::FILE_NAME, session),
        features: changed(generation, crd_stamps::features::FILE_NAME, session),
        go: generation.go.as_ref().map(|go| go.document(folder(&go.folder), check)),
        containment: &generation.breaches,
        warnings: generation.warnings.iter().map(|warning| session.relative(warning)).collect(),
        notes: &generation.notes,
        costs: options.costs.then(|| costs::document(&generation.costs)),
        errors: Vec::new(),
    }
}
