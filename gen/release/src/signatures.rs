//! Signatures of a release: of the files in `dist/`, and their provenance.
//!
//! Invariants: each file has a signature of its own, and the provenance is about all files, so that none can be swapped for that of another release.

use crd_bundle::Digest;
use crd_oci::signature::{Build, SigningKey, Statement, Subject, provenance};

use crate::{Artefact, Release};

/// The folder of the signatures in `dist/`.
pub const FOLDER: &str = "signatures";

/// A key, and what the signed provenance names.
#[derive(Debug)]
pub struct Signer<'a> {
    pub key: &'a SigningKey,
    /// The files that decide what is built, each by its path in the repository.
    pub dependencies: Vec<(String, Digest)>,
}

impl Signer<'_> {
    /// The provenance of these files or manifests.
    pub(crate) fn provenance(&self, release: &Release, subjects: Vec<Subject>) -> Statement {
        provenance(&Build {
            subjects,
            name: release.name.clone(),
            version: release.version.to_string(),
            dependencies: self.dependencies.clone(),
        })
    }

    /// A signature of each file, and the provenance of all of them and of the sums of folders.
    pub fn files(&self, release: &Release, files: &[Artefact], folders: &[Artefact]) -> Vec<Artefact> {
        let signed =
            |name: &str, text: String| Artefact { name: format!("{name}.sigstore.json"), bytes: text.into_bytes() };
        let mut all = files.iter().map(|file| signed(&file.name, self.key.sign_file(&file.bytes))).collect::<Vec<_>>();
        let subject = |file: &Artefact| Subject { name: file.name.clone(), sha256: Digest::of(&file.bytes) };
        let sums = folders.iter().filter(|file| file.name.ends_with("/SHA256SUMS"));
        let provenance = self.provenance(release, files.iter().chain(sums).map(subject).collect());
        all.push(signed("provenance", self.key.sign_statement(&provenance)));
        all
    }
}
