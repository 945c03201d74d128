//! An OCI layout on disk, as a source of artefacts: `oci-layout:DIR`, or `oci-layout:DIR:NAME` for those with a name or tag.
//!
//! Invariants: a path is made from a digest only. Symlinks in the layout are not followed, because they could lead to anything. No more is read than
//! what a descriptor states, and one byte.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crd_bundle::Digest;
use crd_diagnostics::layout::some_of;
use crd_diagnostics::{Diagnostic, printable};
use crd_oci::layout::{REF_NAME, TAG};
use crd_oci::source::{Blobs, MOST_INDEX, parse};
use crd_oci::{Descriptor, Index};

use crd_generator::file;
use crd_generator::session::WorkingFolder;

/// A folder with `oci-layout`.
pub(crate) struct OciLayout {
    folder: PathBuf,
    /// What it is called in messages.
    name: String,
    /// The name or tag of the artefacts that the user chose.
    chosen: Option<String>,
}

/// How an argument begins that names a layout.
pub(crate) const PREFIX: &str = "oci-layout:";

impl OciLayout {
    pub(crate) fn new(folder: PathBuf, name: String) -> Self {
        Self { folder, name, chosen: None }
    }

    /// The layout of an argument. The prefix may be missing.
    pub(crate) fn named(argument: &str, from: WorkingFolder<'_>) -> Self {
        let path = argument.strip_prefix(PREFIX).unwrap_or(argument);
        let (path, chosen) = match path.rsplit_once(':') {
            Some((folder, name)) if !from.path.join(path).is_dir() => (folder, Some(name.to_owned())),
            _ => (path, None),
        };
        Self { folder: from.path.join(path), name: format!("{PREFIX}{path}"), chosen }
    }

    /// Those with the name that the user chose.
    fn chosen(&self, all: Vec<Descriptor>) -> Result<Vec<Descriptor>, Diagnostic> {
        let Some(chosen) = &self.chosen else { return Ok(all) };
        let has = |one: &Descriptor, key| one.annotations.get(key).is_some_and(|name| name == chosen);
        let (found, rest) = all.into_iter().partition::<Vec<_>, _>(|one| has(one, REF_NAME) || has(one, TAG));
        if found.is_empty() {
            let names = rest.iter().filter_map(|one| one.annotations.get(REF_NAME).map(|name| printable(name)));
            let error = Diagnostic::error("oci::unknown", format!("has no artefact `{}`", printable(chosen)));
            let help = format!("its artefacts are {}", some_of(&names.collect::<Vec<_>>(), 5));
            return Err(error.at_file(&self.name).help(help));
        }
        Ok(found)
    }
}

impl Blobs for OciLayout {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn manifests(&self) -> Result<Vec<Descriptor>, Diagnostic> {
        let version = document(&self.folder.join("oci-layout"), &self.name);
        let version: serde_json::Value =
            version.map_err(|error: Diagnostic| error.help("name a folder with an OCI layout, such as `dist/oci`"))?;
        if version.get("imageLayoutVersion").is_none_or(|version| version != "1.0.0") {
            let error = file::error("oci::malformed", self.folder.join("oci-layout"), "has not the version 1.0.0");
            return Err(error.help("write the layout with a tool for image-spec 1.0 or 1.1"));
        }
        let index: Index = document(&self.folder.join("index.json"), &self.name)?;
        self.chosen(index.manifests)
    }

    fn unchecked(&self, descriptor: &Descriptor, digest: Digest) -> Result<Vec<u8>, Diagnostic> {
        bytes(&self.folder.join(format!("blobs/sha256/{digest}")), descriptor.size)
    }
}

fn document<T: serde::de::DeserializeOwned>(path: &Path, source: &str) -> Result<T, Diagnostic> {
    let bytes = bytes(path, MOST_INDEX)?;
    if bytes.len() as u64 > MOST_INDEX {
        return Err(file::error("oci::too-large", path, format!("has more than {MOST_INDEX} bytes")));
    }
    parse(&bytes, source, &path.file_name().unwrap_or_default().to_string_lossy())
}

/// The bytes of a file, at most one more than `most`.
fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, Diagnostic> {
    let metadata = fs::symlink_metadata(path).map_err(|error| file::cannot(path, "read", &error))?;
    if !metadata.is_file() {
        return Err(file::wrong_kind(path, metadata.file_type(), "file"));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| file::cannot(path, "read", &error))
}
