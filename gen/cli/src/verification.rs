//! `verify`: whether published files are complete and unchanged, and signed with a key.
//!
//! Invariants: nothing is written. What is in a folder and in no list is reported.

mod bundle;
mod layout;
mod release;
pub(crate) mod report;

use std::fs;
use std::path::Path;

use crd_bundle::{Digest, manifest};
use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_generator::session::WorkingFolder;
use crd_oci::signature::PublicKey;
use crd_release::sums::FILE as SUMS;
use crd_release::verification::{Names, Verification};

use crate::input;

/// How the name of the bundle of a file ends.
const BUNDLE: &str = ".sigstore.json";

/// Files are named as the user sees them.
struct Shown<'v>(WorkingFolder<'v>);

impl Names for Shown<'_> {
    fn shown(&self, path: &Path) -> String {
        self.0.shown(path).display().to_string()
    }

    fn error(&self, code: &'static str, path: &Path, predicate: &str) -> Diagnostic {
        file::error(code, path, predicate)
    }
}

/// Verifies a file or folder.
///
/// # Errors
/// The path is nothing that can be verified.
pub(crate) fn verify<'v>(
    path: &Path,
    bundle: Option<&Path>,
    key: Option<PublicKey>,
    from: WorkingFolder<'v>,
) -> Result<Verification<'v>, Diagnostic> {
    let metadata = fs::metadata(path).map_err(|error| file::cannot(path, "read", &error))?;
    let mut result = Verification::new(key, Box::new(Shown(from)));
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
        bundle::bundle(path, from, &mut result);
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

/// Verifies the signature of a file with this digest.
fn file_signature(path: &Path, digest: Digest, bundle: &Path, result: &mut Verification<'_>) {
    if let Some(text) = bundle_text(path, bundle, result) {
        result.file_signature(path, digest, &text);
    }
}

/// The text of a bundle that is to be verified.
fn bundle_text(of: &Path, bundle: &Path, result: &mut Verification<'_>) -> Option<String> {
    let text = result.read(input::text(bundle))?;
    result.bundle_text(of, bundle, text)
}
