//! The files of a folder that can contain CRDs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crd_bundle::manifest;
use crd_diagnostics::{Diagnostic, successes};
use crd_graduation::document;
use crd_model::constants;

use crate::{file, walk};

/// The visible contents of a folder.
#[derive(Default)]
pub(crate) struct CrdFiles {
    /// The YAML and JSON files, by name. A `kustomization.yaml`, a manifest, constants, conversions and graduation contain no CRDs.
    pub(crate) files: Vec<PathBuf>,
    /// The names of the folders.
    folders: Vec<String>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// How many folders are named.
const FOLDERS: usize = 5;

impl CrdFiles {
    /// Lists a folder, without folders below.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut found = Self::default();
        for entry in successes(walk::entries(folder), &mut found.errors) {
            let path = entry.into_path();
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            if name.starts_with('.') {
                continue;
            }
            // Symlinks are followed.
            if path.is_dir() {
                found.folders.push(name.to_owned());
            } else if ["yaml", "yml", "json"].contains(&extension)
                && ![
                    "kustomization.yaml",
                    "kustomization.yml",
                    manifest::FILE_NAME,
                    constants::FILE_NAME,
                    crd_convert::FILE_NAME,
                    document::FILE_NAME,
                ]
                .contains(&name)
                && path.is_file()
            {
                found.files.push(path);
            }
        }
        found
    }

    /// The error of a folder that has folders and no files. `channels` are the names to suggest first.
    pub(crate) fn missing(&self, folder: &Path, channels: &[&str]) -> Option<Diagnostic> {
        if !self.files.is_empty() || self.folders.is_empty() || !self.errors.is_empty() {
            return None;
        }
        let names = self.folders.iter().map(String::as_str);
        let mut suggested = names.clone().filter(|name| channels.contains(name)).collect::<Vec<_>>();
        if suggested.is_empty() {
            suggested = names.take(FOLDERS).collect();
        }
        let more = if suggested.len() < self.folders.len() && suggested.len() == FOLDERS { " and more" } else { "" };
        let help = format!("folders below it are not read; name one of them: {}{more}", suggested.join(", "));
        Some(file::error("bundle::no-files", folder, "contains no YAML or JSON file").help(help))
    }
}
