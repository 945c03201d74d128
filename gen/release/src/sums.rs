//! `SHA256SUMS`: the digests of everything in `dist/`.
//!
//! Invariants: a line an artefact, sorted by name, without its own; the form of GNU coreutils.

use std::collections::BTreeMap;

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

/// A folder of `dist/` with these files, and sums of its own, because releases on the web have no folders.
pub fn folder(name: &str, mut files: Vec<Artefact>) -> impl Iterator<Item = Artefact> {
    files.push(sha256sums(&files));
    files.into_iter().map(move |file| Artefact { name: format!("{name}/{}", file.name), ..file })
}

/// The files that a `SHA256SUMS` lists: lines of a digest, a space, a space or `*`, and a name.
pub fn listed(sums: &str) -> BTreeMap<&str, Digest> {
    let file = |line| {
        let (digest, name) = str::split_once(line, ' ')?;
        Some((name.strip_prefix([' ', '*']).filter(|name| !name.is_empty())?, digest.parse().ok()?))
    };
    sums.lines().filter_map(file).collect()
}
