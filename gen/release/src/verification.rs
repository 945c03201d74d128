//! Whether published files are complete, unchanged and signed with a key: what the bytes of files decide.
//!
//! Invariants: all errors are kept, up to a limit, and what exists and was not checked is named. What a signature is about is compared with the
//! digests of the bytes that were read, never with what a list states about them.

mod artifact;
mod layout;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_bundle::{Digest, json};
use crd_diagnostics::{Diagnostic, printable};
use crd_oci::signature::{PublicKey, Statement, release_of};

pub use layout::layout;

/// A file does not have its checksum.
pub const WRONG_CHECKSUM: &str = "verify::checksum";

/// Signed provenance is about other files.
pub const WRONG_PROVENANCE: &str = "verify::provenance";

/// The most findings that are kept.
const MOST_FINDINGS: usize = 10_000;

/// The names of files in messages.
pub trait Names {
    /// The name of a file or folder.
    fn shown(&self, path: &Path) -> String;

    /// The error of a file or folder; `predicate` follows its name.
    fn error(&self, code: &'static str, path: &Path, predicate: &str) -> Diagnostic;
}

pub struct Verification<'v> {
    /// The key of signatures.
    pub key: Option<PublicKey>,
    names: Box<dyn Names + 'v>,
    /// What the path is.
    pub kind: &'static str,
    /// The numbers of what was verified, by what it is.
    pub verified: BTreeMap<&'static str, usize>,
    /// What exists and was not checked.
    pub unchecked: Vec<String>,
    /// What must not be used.
    pub findings: Vec<Diagnostic>,
    /// The releases that signed provenance names.
    pub releases: BTreeSet<String>,
    /// The number of bytes of layers that were looked into.
    opened: u64,
}

impl<'v> Verification<'v> {
    /// A result about a file, with nothing in it.
    pub fn new(key: Option<PublicKey>, names: Box<dyn Names + 'v>) -> Self {
        let (verified, unchecked, findings, releases) = Default::default();
        Self { key, names, kind: "file", verified, unchecked, findings, releases, opened: 0 }
    }

    /// The name of a file or folder in messages.
    pub fn shown(&self, path: &Path) -> String {
        self.names.shown(path)
    }

    /// Counts what is right, and adds what is wrong.
    pub fn check<T, E: Into<Vec<Diagnostic>>>(&mut self, what: &'static str, result: Result<T, E>) -> Option<T> {
        let value = self.read(result);
        value.is_some().then(|| self.pass(what));
        value
    }

    /// Counts what is right.
    pub fn pass(&mut self, what: &'static str) {
        *self.verified.entry(what).or_default() += 1;
    }

    /// The value, or its errors are added.
    pub fn read<T, E: Into<Vec<Diagnostic>>>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|errors| self.add(errors)).ok()
    }

    /// Adds what is wrong with a file.
    pub fn refuse(&mut self, code: &'static str, path: &Path, predicate: &str, help: &str) {
        self.add(self.names.error(code, path, predicate).help(help));
    }

    /// Checks that a document has one meaning for all its readers.
    pub fn json(&mut self, code: &'static str, path: &Path, bytes: &[u8]) {
        if let Err(error) = json::check(bytes) {
            let predicate = format!("is malformed: {}", printable(&error.to_string()));
            self.refuse(code, path, &predicate, "do not use it: download it again");
        }
    }

    fn add(&mut self, errors: impl Into<Vec<Diagnostic>>) {
        let left = MOST_FINDINGS.saturating_sub(self.findings.len());
        self.findings.extend(errors.into().into_iter().take(left));
    }

    /// Verifies the signature of a file with this digest. `text` is that of its bundle.
    pub fn file_signature(&mut self, path: &Path, digest: Digest, text: &str) {
        let Some(key) = &self.key else { return };
        let verified = key.verify_file(text, digest).map_err(|error| error.at_file(path));
        self.check("signature", verified);
    }

    /// The statement of a bundle, if the signature is of the key.
    pub fn signed_statement(&mut self, text: &str, at: &Path) -> Option<Statement> {
        let verified = self.key.as_ref()?.verify_statement(text).map_err(|error| error.at_file(at));
        let statement = self.check("signature", verified)?;
        self.releases.extend(release_of(&statement));
        Some(statement)
    }

    /// The text of a bundle that is to be verified: that of this file, which may be missing.
    pub fn bundle_text(&mut self, of: &Path, bundle: &Path, text: Option<String>) -> Option<String> {
        match (&text, &self.key) {
            (None, Some(_)) => {
                let predicate = format!("has no signature: `{}` is missing", self.shown(bundle));
                self.refuse("verify::unsigned", of, &predicate, "do not use it, or leave out `--key`");
            }
            (Some(_), None) => self.unchecked.push(format!("the signature `{}`", self.shown(bundle))),
            _ => {}
        }
        text.filter(|_| self.key.is_some())
    }
}
