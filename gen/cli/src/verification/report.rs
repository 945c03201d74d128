//! The result of `verify` as text and as JSON. Of what was not checked, the text names some, and the JSON all.

use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::layout::{count, hanging, some_of};
use crd_diagnostics::{Diagnostic, json, text};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use crd_oci::signature::WRONG_SIGNATURE;
use crd_release::verification::{Verification, WRONG_CHECKSUM, WRONG_PROVENANCE};
use serde::Serialize;

use crate::arguments::Format;

/// How many things that were not checked the text names.
const NAMED: usize = 3;

/// What `verify` prints with `--format json`: one document, on one line. Exit code 1: there are findings.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Verification"))]
pub(crate) struct VerificationDocument<'v> {
    schema_version: SchemaVersion<1>,
    /// What was verified, as the user named it.
    path: &'v str,
    /// What the path is: `file`, `release`, `bundle` or `layout`; null if nothing was verified.
    kind: Option<&'static str>,
    /// The SHA-256 of the public key in base64, as Sigstore bundles name it; null without `--key`.
    key: Option<String>,
    /// The numbers of what was verified, by what it is: `signature`, `checksum`, `blob`, …
    verified: Option<&'v BTreeMap<&'static str, usize>>,
    /// The name and version of the releases that signed provenance names: compare it with the version that you wanted.
    releases: Option<&'v BTreeSet<String>>,
    /// What was not checked: signatures without `--key`, and missing files that can be absent.
    unchecked: &'v [String],
    /// What is not as it was published, at most 10,000.
    findings: Vec<Diagnostic>,
    /// The result, in words.
    summary: String,
    /// Why nothing was verified.
    errors: Vec<Diagnostic>,
}

/// Prints the result of a path. Returns how the command ends.
pub(crate) fn print(
    path: &str,
    result: Result<Verification<'_>, Vec<Diagnostic>>,
    format: Format,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let errors = session.errors(&result);
    let result = match result {
        Err(errors) if format == Format::Text => return Err(errors),
        result => result.ok(),
    };
    let exit = match &result {
        None => Exit::Unusable,
        Some(result) if result.findings.is_empty() => Exit::Fine,
        Some(_) => Exit::Findings,
    };
    let folder = session.folder.clone();
    let findings = result.iter().flat_map(|result| &result.findings);
    let findings = findings.map(|finding| finding.clone().relative_to(&folder)).collect::<Vec<_>>();
    let summary = result.as_ref().map(|result| summary(path, result)).unwrap_or_default();
    let unchecked = result.as_ref().map(|result| &*result.unchecked).unwrap_or_default();
    if format == Format::Json {
        session.print(json::line(&VerificationDocument {
            schema_version: SchemaVersion,
            path,
            kind: result.as_ref().map(|result| result.kind),
            key: result.as_ref().and_then(|result| result.key.as_ref()).map(crd_oci::signature::PublicKey::hint),
            verified: result.as_ref().map(|result| &result.verified),
            releases: result.as_ref().map(|result| &result.releases),
            unchecked,
            findings,
            summary,
            errors,
        }));
        return Ok(exit);
    }
    let (first, more): (Vec<_>, Vec<_>) = findings.iter().cloned().partition(|finding| !is_implied(finding, &findings));
    session.print(text::render_all(&first));
    if !more.is_empty() {
        let text =
            format!("{} about files that were changed: `--format json` lists all", count(more.len(), "more error"));
        session.print(hanging(&text, 0, 2, session.width));
    }
    if !unchecked.is_empty() {
        let text = format!("not checked: {}", some_of(unchecked, NAMED));
        session.print(hanging(&text, 0, 2, session.width));
    }
    session.print(format_args!("{summary}\n"));
    Ok(exit)
}

/// Whether it is about a file whose checksum is wrong: then its signature and the provenance are about other bytes too.
fn is_implied(finding: &Diagnostic, findings: &[Diagnostic]) -> bool {
    let changed =
        findings.iter().filter(|other| other.code == WRONG_CHECKSUM).filter_map(|other| other.location.file.as_ref());
    let mut changed = changed.filter_map(|file| Some((file, file.file_name()?.to_string_lossy())));
    changed.any(|(file, name)| match finding.code {
        WRONG_SIGNATURE => finding.location.file.as_ref() == Some(file),
        WRONG_PROVENANCE => finding.message.contains(&format!("not about `{name}`")),
        _ => false,
    })
}

/// `dist: a release, verified (31 checksums, 12 signatures), widgets v1.0.0`
fn summary(path: &str, result: &Verification<'_>) -> String {
    let verified = result.verified.iter().map(|(what, number)| count(*number, what)).collect::<Vec<_>>().join(", ");
    let verified = if verified.is_empty() { verified } else { format!(" ({verified})") };
    let end = match result.findings.len() {
        0 if result.key.is_none() && result.kind != "bundle" => "verified without signatures".to_owned(),
        0 => "verified".to_owned(),
        errors => format!("not verified: {}", count(errors, "error")),
    };
    let releases = result.releases.iter().map(|release| format!(", {release}")).collect::<String>();
    format!("{path}: a {}, {end}{verified}{releases}", result.kind)
}
