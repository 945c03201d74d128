//! `verify`: whether published files are complete and unchanged, and signed with a key.
//!
//! Invariants: nothing is written. All errors are reported together, up to a limit. What exists and was not checked is named. What a signature is
//! about is compared with the digests of the bytes that were read, never with what a list states about them.

mod artifact;
mod bundle;
mod layout;
mod release;
pub(crate) mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crd_bundle::{Digest, json, manifest};
use crd_diagnostics::{Diagnostic, printable};
use crd_release::sums::FILE as SUMS;
use crd_signature::{PublicKey, Statement, release_of};

use crate::session::WorkingFolder;
use crate::{file, input};

/// How the name of the bundle of a file ends.
const BUNDLE: &str = ".sigstore.json";

/// The most findings that are kept.
const MOST_FINDINGS: usize = 10_000;

/// The result.
pub(crate) struct Verification<'v> {
    key: Option<PublicKey>,
    from: WorkingFolder<'v>,
    /// What the path is.
    kind: &'static str,
    /// The numbers of what was verified, by what it is.
    verified: BTreeMap<&'static str, usize>,
    /// What exists and was not checked.
    unchecked: Vec<String>,
    /// What must not be used.
    findings: Vec<Diagnostic>,
    /// The releases that signed provenance names.
    releases: BTreeSet<String>,
    /// The number of bytes of layers that were looked into.
    opened: u64,
}

impl<'v> Verification<'v> {
    /// Verifies a file or folder.
    ///
    /// # Errors
    /// The path is nothing that can be verified.
    pub(crate) fn of(
        path: &Path,
        bundle: Option<&Path>,
        key: Option<PublicKey>,
        from: WorkingFolder<'v>,
    ) -> Result<Self, Diagnostic> {
        let metadata = fs::metadata(path).map_err(|error| file::cannot(path, "read", &error))?;
        let (verified, unchecked, findings, releases) = Default::default();
        let mut result = Self { key, from, kind: "file", verified, unchecked, findings, releases, opened: 0 };
        if !metadata.is_dir() {
            release::file(path, bundle, &mut result);
        } else if bundle.is_some() {
            return Err(Diagnostic::error("usage::conflict", "`--bundle` is for one file").help("name the file"));
        } else if path.join("oci-layout").is_file() {
            result.kind = "layout";
            layout::layout(path, &mut result);
        } else if path.join(manifest::FILE_NAME).is_file() && result.key.is_some() {
            let error = Diagnostic::error("usage::conflict", "a bundle has no signatures, so `--key` has no effect");
            return Err(error.help("leave it out, or verify the release in `dist`"));
        } else if path.join(manifest::FILE_NAME).is_file() {
            result.kind = "bundle";
            bundle::bundle(path, &mut result);
        } else if path.join(SUMS).is_file() {
            result.kind = "release";
            release::release(path, &mut result);
        } else {
            let error = file::error("verify::nothing", path, "is not a release, a bundle or a layout");
            return Err(error.help("name a folder with `SHA256SUMS`, `bundle.yaml` or `oci-layout`, or a file"));
        }
        if result.verified.is_empty() && result.findings.is_empty() {
            let error = file::error("verify::nothing", path, "has nothing that can be verified without a key");
            return Err(error.help("pass the public key: `--key PUBLIC`"));
        }
        Ok(result)
    }

    /// Counts what is right, and adds what is wrong.
    fn check<T, E: Into<Vec<Diagnostic>>>(&mut self, what: &'static str, result: Result<T, E>) -> Option<T> {
        let value = self.read(result);
        value.is_some().then(|| self.pass(what));
        value
    }

    fn pass(&mut self, what: &'static str) {
        *self.verified.entry(what).or_default() += 1;
    }

    /// The value, or its errors are added.
    fn read<T, E: Into<Vec<Diagnostic>>>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|errors| self.add(errors)).ok()
    }

    fn refuse(&mut self, code: &'static str, path: &Path, predicate: &str, help: &str) {
        self.add(file::error(code, path, predicate).help(help));
    }

    /// Checks that a document has one meaning for all its readers.
    fn json(&mut self, code: &'static str, path: &Path, bytes: &[u8]) {
        if let Err(error) = json::check(bytes) {
            let predicate = format!("is malformed: {}", printable(&error.to_string()));
            self.refuse(code, path, &predicate, "do not use it: download it again");
        }
    }

    fn add(&mut self, errors: impl Into<Vec<Diagnostic>>) {
        let left = MOST_FINDINGS.saturating_sub(self.findings.len());
        self.findings.extend(errors.into().into_iter().take(left));
    }

    /// Verifies the signature of a file with this digest.
    fn file_signature(&mut self, path: &Path, digest: Digest, bundle: &Path) {
        let Some(text) = self.bundle_text(path, bundle) else { return };
        let Some(key) = &self.key else { return };
        let verified = key.verify_file(&text, digest).map_err(|error| error.at_file(path));
        self.check("signature", verified);
    }

    /// The statement of a bundle, if the signature is of the key.
    fn signed_statement(&mut self, text: &str, at: &Path) -> Option<Statement> {
        let verified = self.key.as_ref()?.verify_statement(text).map_err(|error| error.at_file(at));
        let statement = self.check("signature", verified)?;
        self.releases.extend(release_of(&statement));
        Some(statement)
    }

    /// The text of a bundle that is to be verified.
    fn bundle_text(&mut self, of: &Path, bundle: &Path) -> Option<String> {
        let text = self.read(input::text(bundle))?;
        match (&text, &self.key) {
            (None, Some(_)) => {
                let predicate = format!("has no signature: `{}` is missing", self.from.shown(bundle).display());
                self.refuse("verify::unsigned", of, &predicate, "do not use it, or leave out `--key`");
            }
            (Some(_), None) => self.unchecked.push(format!("the signature `{}`", self.from.shown(bundle).display())),
            _ => {}
        }
        text.filter(|_| self.key.is_some())
    }
}
