//! A `dist/` folder, and one file of it: checksums, signatures, provenance.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crd_bundle::Digest;
use crd_generator::file::folder_of;
use crd_oci::signature::PROVENANCE;
use crd_release::sums::{FILE as SUMS, listed};
use crd_release::verification::{Verification, WRONG_CHECKSUM, WRONG_PROVENANCE};

use super::{BUNDLE, bundle_text, file_signature, layout};
use crate::{input, walk};

/// The folder of signatures.
const SIGNATURES: &str = "signatures";
const DO_NOT_USE: &str = "do not use the release: download it again, and compare it with its signatures";

/// Verifies a file: its checksum, if a list is next to it, and its signature.
pub(super) fn file(path: &Path, bundle: Option<&Path>, result: &mut Verification<'_>) {
    let Some(bytes) = result.read(input::bytes(path)).flatten() else { return };
    let (digest, folder) = (Digest::of(&bytes), folder_of(path));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let sums = result.read(input::text(&folder.join(SUMS))).flatten().unwrap_or_default();
    if let Some(expected) = listed(&sums).get(&*name) {
        compare(path, digest, *expected, result);
    }
    let candidates = [folder.join(format!("{name}{BUNDLE}")), signature_of(folder, &name)];
    let [adjacent, below] = &candidates;
    let found = bundle.unwrap_or(if below.exists() && !adjacent.exists() { below } else { adjacent });
    file_signature(path, digest, found, result);
}

/// Verifies everything in a `dist/`.
pub(super) fn release(dist: &Path, result: &mut Verification<'_>) {
    let files = folder(dist, true, result);
    let signatures = dist.join(SIGNATURES);
    if signatures.is_dir() {
        for (name, digest) in files.iter().filter(|(name, _)| !name.contains('/')) {
            file_signature(&dist.join(name), *digest, &signature_of(dist, name), result);
        }
        provenance(dist, &files, &signatures.join(format!("provenance{BUNDLE}")), result);
    } else if result.key.is_some() {
        result.refuse("verify::unsigned", dist, "has no folder `signatures`", "do not use it, or leave out `--key`");
    }
    let oci = dist.join("oci");
    if oci.is_dir() {
        layout::layout(&oci, result);
    }
}

/// Compares the subjects of the signed provenance with the files. Where only files are published, its folders are missing.
fn provenance(dist: &Path, files: &BTreeMap<String, Digest>, bundle: &Path, result: &mut Verification<'_>) {
    let statement = bundle_text(dist, bundle, result).and_then(|text| result.signed_statement(&text, bundle));
    let Some(statement) = statement else { return };
    let stated: BTreeSet<_> = statement.subjects.into_iter().map(|subject| (subject.name, subject.sha256)).collect();
    let found: BTreeSet<_> = files.iter().map(|(name, digest)| (name.clone(), *digest)).collect();
    if statement.predicate_type != PROVENANCE {
        result.refuse(WRONG_PROVENANCE, bundle, "is signed, and not a provenance of SLSA v1", DO_NOT_USE);
    }
    let differing = stated.symmetric_difference(&found).map(|(name, _)| name).collect::<BTreeSet<_>>();
    for name in differing {
        match name.strip_suffix("/SHA256SUMS").filter(|folder| !dist.join(folder).exists()) {
            Some(folder) => result.unchecked.push(format!("the folder `{folder}`, which does not exist")),
            None => {
                let predicate = format!("is not about `{name}` as it is in the folder");
                result.refuse(WRONG_PROVENANCE, bundle, &predicate, DO_NOT_USE);
            }
        }
    }
}

/// Compares the files of a folder with its `SHA256SUMS`, and those of folders in it with theirs. Returns the files of the folder itself.
fn folder(path: &Path, is_top: bool, result: &mut Verification<'_>) -> BTreeMap<String, Digest> {
    let mut found = BTreeMap::new();
    let Some(sums) = result.read(input::text(&path.join(SUMS))) else { return found };
    if sums.is_none() {
        result.refuse("verify::files", path, "has no SHA256SUMS", DO_NOT_USE);
    }
    let sums = sums.unwrap_or_default();
    let mut listed = listed(&sums);
    for entry in walk::walk(path, if is_top { 1 } else { usize::MAX }, |_| true) {
        let Some(entry) = result.read(entry) else { continue };
        let (name, kind) = (walk::relative(path, entry.path()), entry.file_type());
        if kind.is_dir() {
            if is_top {
                let sums = folder(entry.path(), false, result).remove(SUMS);
                // The signatures cannot sign themselves.
                found.extend(sums.filter(|_| name != SIGNATURES).map(|sums| (format!("{name}/{SUMS}"), sums)));
            }
        } else if !kind.is_file() {
            result.refuse("verify::files", entry.path(), "is not a file", DO_NOT_USE);
        } else if let Some(bytes) = result.read(input::bytes(entry.path())).flatten() {
            let digest = Digest::of(&bytes);
            match listed.remove(&*name) {
                Some(expected) => compare(entry.path(), digest, expected, result),
                // It does not list itself, and is signed.
                None if name == SUMS => {}
                None => result.refuse("verify::files", entry.path(), "is not in SHA256SUMS", DO_NOT_USE),
            }
            if [BUNDLE, ".cdx.json"].iter().any(|end| name.ends_with(end)) {
                result.json("verify::files", entry.path(), &bytes);
            }
            found.insert(name, digest);
        }
    }
    for name in listed.into_keys() {
        result.refuse("verify::files", &path.join(name), "is in SHA256SUMS, and does not exist", DO_NOT_USE);
    }
    found
}

fn compare(path: &Path, digest: Digest, expected: Digest, result: &mut Verification<'_>) {
    match digest == expected {
        true => result.pass("checksum"),
        false => result.refuse(WRONG_CHECKSUM, path, "does not have the checksum in SHA256SUMS", DO_NOT_USE),
    }
}

fn signature_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(SIGNATURES).join(format!("{name}{BUNDLE}"))
}
