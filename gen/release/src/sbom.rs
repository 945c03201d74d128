//! The SBOM: CycloneDX 1.6 as JSON, of the bundle and of what made it.
//!
//! Its subject is the bundle. That is data, by CycloneDX's words of the kind `definition` ("used to create new instances of what the
//! definition defines"): nothing in it runs, so it is neither an application nor a platform. The CRDs and the documents next to
//! them are parts of the subject, by their paths in `bundles/VERSION/` and in the archive; the files of `dist/` are the components, and the
//! subject depends on them. The program that wrote them and the crates that it may be built from are tools.
//!
//! Invariants: no clock, and no random number: `timestamp` is when the bundle was released, and the serial number comes from the digests; keys
//! and lists are sorted; every `bom-ref` is there once; the order in which files or crates are given does not matter.

mod crates;
mod purl;
mod serial;

use std::collections::BTreeSet;

use crd_bundle::Digest;
use crd_diagnostics::{Diagnostic, fail_on, json};
use serde_json::{Value, json};

use crate::{Artefact, Release};

/// What wrote the bundle.
const TOOL: &str = "crd-channels";

/// The name of the SBOM in `dist/`.
pub fn file_name(release: &Release) -> String {
    format!("{}-{}.cdx.json", release.name, release.version)
}

/// The SBOM of a release. `shipped` is every file of `dist/` but the SBOM and `SHA256SUMS`, which come after them; `cargo_lock` is the text of
/// the lock file that the release's program was built with, if there is one.
///
/// # Errors
/// The lock file cannot be read; or a crate or a file is there twice. All that is wrong at once.
pub fn sbom(
    release: &Release,
    shipped: &[Artefact],
    cargo_lock: Option<&str>,
    tool_version: &str,
) -> Result<Artefact, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let files = sorted_by_name(shipped.iter().map(|file| (file.name.clone(), Digest::of(&file.bytes))), &mut errors);
    let parts = release.channels.iter().flat_map(|released| {
        let folder = released.channel.name();
        released.files.iter().map(move |file| (format!("{folder}/{}", file.name), Digest::of(&file.text)))
    });
    let parts = sorted_by_name(parts, &mut errors);
    let documents = release.documents.iter().map(|file| (file.name.clone(), Digest::of(&file.bytes)));
    let documents = sorted_by_name(documents, &mut errors);
    let crates = cargo_lock.map_or_else(|| Ok(Vec::new()), crates::crates).unwrap_or_else(|more| {
        errors.extend(more);
        Vec::new()
    });
    fail_on(errors)?;
    let parts = parts.iter().map(|(path, digest)| file("crd", path, *digest));
    let parts = parts.chain(documents.iter().map(|(name, digest)| file("document", name, *digest)));
    let version = release.version.to_string();
    let subject = purl::purl("generic", Some(&release.prefix), &release.name, &version, &[]);
    let tool = json!({
        "bom-ref": format!("tool:{TOOL}@{tool_version}"),
        "description": "Writes the CRDs of both channels and everything that they are published as",
        "name": TOOL,
        "type": "application",
        "version": tool_version,
    });
    let tools = std::iter::once(tool).chain(crates).collect::<Vec<_>>();
    let mut document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "components": files.iter().map(|(name, digest)| file("file", name, *digest)).collect::<Vec<_>>(),
        "dependencies": dependencies(&subject, &files),
        "metadata": {
            "component": {
                "bom-ref": subject,
                "components": parts.collect::<Vec<_>>(),
                "data": [{ "name": "CustomResourceDefinitions", "type": "definition" }],
                "description": format!(
                    "CustomResourceDefinitions of {}, with the manifests, charts and policies that install them",
                    release.name
                ),
                "group": release.prefix,
                "name": release.name,
                "purl": subject,
                "type": "data",
                "version": version,
            },
            "timestamp": release.released.to_string(),
            "tools": { "components": tools },
        },
        "specVersion": "1.6",
        "version": 1,
    });
    let serial = serial::serial_number(Digest::of(json::line(&document)));
    document["serialNumber"] = serial.into();
    Ok(Artefact { name: file_name(release), bytes: json::line(&document).into_bytes() })
}

/// Why there can be no SBOM.
fn error(message: String) -> Diagnostic {
    Diagnostic::error("release::sbom", message)
}

/// The files by name; duplicates are errors.
fn sorted_by_name(
    files: impl Iterator<Item = (String, Digest)>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<(String, Digest)> {
    let mut files = files.collect::<Vec<_>>();
    files.sort();
    let twice = files.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0.clone());
    errors.extend(twice.collect::<BTreeSet<_>>().into_iter().map(|name| {
        error(format!(
            "Two files of the release are called {name}, and dist/ can hold only one of them. \
             Please report it: names come from the version and the name of the API."
        ))
    }));
    files
}

/// A file as a component.
fn file(kind: &str, name: &str, digest: Digest) -> Value {
    json!({
        "bom-ref": format!("{kind}:{name}"),
        "hashes": [{ "alg": "SHA-256", "content": digest.to_string() }],
        "name": name,
        "type": "file",
    })
}

/// The bundle depends on its files, and the files on nothing. Crates are not installed, so they are not listed here.
fn dependencies(subject: &str, files: &[(String, Digest)]) -> Vec<Value> {
    let references = files.iter().map(|(name, _)| format!("file:{name}")).collect::<Vec<_>>();
    let mut dependencies = vec![json!({ "dependsOn": references, "ref": subject })];
    dependencies.extend(references.iter().map(|reference| json!({ "ref": reference })));
    dependencies
}
