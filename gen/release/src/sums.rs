//! `SHA256SUMS`: the digests of everything in `dist/`.
//!
//! Invariants: a line an artefact, sorted by name, without its own; the form of GNU coreutils.

use crd_bundle::Digest;

use crate::Artefact;

/// What the file is called.
pub const FILE: &str = "SHA256SUMS";

/// The digests of these artefacts.
pub fn sha256sums(artefacts: &[Artefact]) -> Artefact {
    let mut lines: Vec<(&str, Digest)> = artefacts
        .iter()
        .filter(|artefact| artefact.name != FILE)
        .map(|artefact| (artefact.name.as_str(), Digest::of(&artefact.bytes)))
        .collect();
    lines.sort_unstable();
    let text: String = lines.iter().map(|(name, digest)| format!("{digest}  {name}\n")).collect();
    Artefact { name: FILE.to_owned(), bytes: text.into_bytes() }
}
