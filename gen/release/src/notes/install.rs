//! The files of the release: what each is, and how it is installed.
//!
//! Invariants: only published files are named, by their file names.

use crd_model::policy::Policy;
use serde_json::{Value, json};

use super::Notes;
use super::markdown::{cell, code};
use crate::release::what_is;
use crate::{NOTES, archive, bindings, chart, install, oci, sbom, sums};

/// The content of the notes: the files, and for each channel the ways to install it.
pub(super) fn files_and_commands(input: &Notes<'_>) -> (Vec<Value>, Vec<Value>) {
    let release = input.release;
    let is_there = |name: &String| input.artefacts.contains(name);
    let archive = archive::file_name(release);
    let mut known = Vec::new();
    let mut ways = Vec::new();
    for released in &release.channels {
        let channel = released.channel;
        let manifest = install::file_name(channel);
        let chart = chart::file_name(release, channel);
        known.push((
            manifest.clone(),
            format!("all CRDs of the {channel} channel, and the policies that keep upgrades safe"),
        ));
        known.push((chart.clone(), format!("the {channel} channel as a Helm chart")));
        known.push((
            install::webhook_file_name(channel),
            format!("optional: the validating webhook for the {channel} channel"),
        ));
        ways.push(json!({
            "channel": channel.name(),
            "purpose": input.release.purpose(channel),
            "manifest": is_there(&manifest).then(|| json!({ "file": manifest })),
            "chart": is_there(&chart).then(|| json!({ "file": chart, "release": release.name })),
            "archive": is_there(&archive).then(|| json!({ "file": archive, "folder": archive::folder_name(release) })),
        }));
    }
    let guardrails = "opt-in policies: what is experimental is refused unless its namespace allows it";
    known.push((install::GUARDRAILS.to_owned(), guardrails.to_owned()));
    let policies = release.policies.iter().map(Policy::about).collect::<Vec<_>>().join("; ");
    known.push((install::POLICIES.to_owned(), format!("opt-in policies: {policies}")));
    known.push((archive, "CRDs, bases for kustomize and policies in one archive".to_owned()));
    known.extend(release.documents.iter().map(|document| (document.name.clone(), what_is(&document.name).to_owned())));
    known.extend(bindings::ARCHIVES.iter().map(|(name, _, what)| ((*name).to_owned(), (*what).to_owned())));
    known.push((sbom::file_name(release), "the SBOM, CycloneDX 1.6".to_owned()));
    known.push((format!("{}/", oci::FOLDER), "CRDs, charts and documents as an OCI layout, for registries".to_owned()));
    known.push((sums::FILE.to_owned(), "SHA-256 of every other file".to_owned()));
    let mut files = known
        .iter()
        .filter(|(file, _)| is_there(file))
        .map(|(file, what)| json!({ "name": cell(file), "what": what }))
        .collect::<Vec<_>>();
    // A file without a description is listed too.
    let rest = input.artefacts.iter().filter(|file| !known.iter().any(|(name, _)| name == *file) && *file != NOTES);
    files.extend(rest.map(|file| json!({ "name": cell(file), "what": "" })));
    (files, ways)
}

/// The stamps that every CRD carries.
pub(super) fn stamps(input: &Notes<'_>) -> [String; 2] {
    let prefix = &input.release.prefix;
    [code(&format!("{prefix}/{}", crd_bundle::BUNDLE_VERSION)), code(&format!("{prefix}/{}", crd_bundle::CHANNEL))]
}
