//! The files that a release reads and writes.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crd_diagnostics::{Diagnostic, successes};
use crd_generate::settings::{FILE_NAME, Settings};
use crd_generator::file;
use crd_generator::folder::present;
use crd_generator::root::BUNDLES;
use crd_release::template::EMBEDDED;
use crd_review::gate::Files;

use super::Options;
use crate::{publication, walk};

/// The folders of a release.
pub(super) struct Folders<'o> {
    options: &'o Options,
    /// `bundles/VERSION`.
    pub(super) bundle: PathBuf,
    pub(super) dist: PathBuf,
    /// The folder of templates that replace the embedded ones, relative to the root.
    templates: String,
}

/// The templates of a workspace.
#[derive(Default)]
pub(super) struct Overrides {
    /// The texts that replace embedded ones, by their path.
    pub(super) texts: Vec<(String, String)>,
    /// A note for each folder that is not read.
    pub(super) notes: Vec<String>,
}

impl<'o> Folders<'o> {
    pub(super) fn of(options: &'o Options, settings: &Settings) -> Self {
        Self {
            options,
            bundle: options.root.join(BUNDLES).join(options.version.to_string()),
            dist: options.root.join(&options.dist),
            templates: settings.folder("templates").to_owned(),
        }
    }

    /// The files of the bundle, if it exists.
    pub(super) fn existing_bundle(&self) -> Result<Option<Files>, Vec<Diagnostic>> {
        match fs::symlink_metadata(&self.bundle) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(file::cannot(&self.bundle, "read", &error).into()),
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => return Err(file::wrong_kind(&self.bundle, metadata.file_type(), "folder").into()),
        }
        publication::files(walk::visible(&self.bundle), &self.bundle).map(Some)
    }

    /// The files that a release reads, relative to the root: templates, `Cargo.lock`, the settings, and `bundles/` without the files that `generate` and the
    /// release write.
    pub(super) fn inputs(&self) -> Vec<String> {
        let templates = template_folders().into_iter().map(|name| self.options.root.join(&self.templates).join(name));
        let unreleased = format!("{BUNDLES}/unreleased/");
        let mut inputs = Vec::new();
        for folder in templates.chain([self.options.root.join(BUNDLES)]) {
            // Whatever reads these files reports the errors.
            let files = walk::visible(&folder).flatten().filter(|entry| match entry.path_is_symlink() {
                // git compares a symlink with the committed link, and not with its target.
                true => entry.path().is_file(),
                false => entry.file_type().is_file(),
            });
            let paths = files.map(|entry| walk::relative(&self.options.root, entry.path()));
            inputs.extend(paths.filter(|path| !path.starts_with(&unreleased) && !self.is_output(path)));
        }
        let single = ["Cargo.lock", FILE_NAME].into_iter().filter(|name| self.options.root.join(name).is_file());
        inputs.extend(single.map(str::to_owned));
        inputs.sort();
        inputs
    }

    /// Whether this release writes a path, which is relative to the root.
    pub(super) fn is_output(&self, path: &str) -> bool {
        let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        below(&self.options.dist) || below(&format!("{BUNDLES}/{}", self.options.version)) || publication::is_own(path)
    }

    /// The templates of the workspace.
    pub(super) fn templates(&self) -> Result<Overrides, Vec<Diagnostic>> {
        let folder = self.options.root.join(&self.templates);
        let (mut overrides, mut files, mut errors) = (Overrides::default(), Files::new(), Vec::new());
        if !folder.is_dir() {
            return Ok(overrides);
        }
        let known = template_folders();
        for entry in successes(walk::entries(&folder), &mut errors) {
            let name = entry.file_name().to_string_lossy();
            if known.contains(&*name) {
                let read = present(entry.path(), &self.options.root)
                    .map_err(Vec::from)
                    .and_then(|_| publication::files(walk::visible(entry.path()), &folder));
                files.extend(successes([read], &mut errors).into_iter().flatten());
            } else if name != "init" && !name.starts_with('.') {
                // `init` contains the texts of that command. Other tools have folders of this name too.
                let templates = &self.templates;
                let known = known.iter().map(|name| format!("{templates}/{name}")).collect::<Vec<_>>().join(", ");
                overrides
                    .notes
                    .push(format!("{templates}/{name} is not read: the templates of a release are in {known}"));
            }
        }
        // A symlink above several folders is reported once.
        errors.dedup();
        for (path, bytes) in files {
            match String::from_utf8(bytes) {
                Ok(text) => overrides.texts.push((path, text)),
                Err(_) => errors.push(file::error("release::template", folder.join(path), "is not UTF-8 text")),
            }
        }
        if errors.is_empty() { Ok(overrides) } else { Err(errors) }
    }
}

/// The names of the folders with embedded templates.
fn template_folders() -> BTreeSet<&'static str> {
    EMBEDDED.iter().filter_map(|row| row.path.split('/').next()).collect()
}
