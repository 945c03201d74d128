//! The files that arguments name: files, folders with everything below them, and standard input.
//!
//! Invariants: a file that is named twice is read once. Hidden files and `kustomization.yaml` are left out of folders, because no server gets
//! them. A link that leads nowhere or out of the folder is an error.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use crd_bundle::published::layout::{can_have_crds, is_kustomization};
use crd_bundle::published::{Input, Source, texts};
use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_generator::session::Session;
use crd_suite::objects::document::no_objects;

use crate::crd_files::Folder;
use crate::files::visible;
use crate::input::{self, STANDARD_INPUT};

/// A file to read.
pub(crate) enum ObjectFile {
    /// Its path, and its name in messages.
    Named(PathBuf, String),
    /// Standard input, which is already read.
    Read(Input),
}

impl ObjectFile {
    /// The texts of the file: one, or those of an archive. An archive without texts, and standard input without any text, are errors.
    pub(crate) fn texts(&self) -> (Vec<Source>, Vec<Diagnostic>) {
        let (texts, mut errors) = match self {
            Self::Named(path, name) => match input::named(path, name) {
                Ok(input) => texts(input),
                Err(error) => (Vec::new(), vec![error]),
            },
            Self::Read(input) => texts(input.clone()),
        };
        match self {
            _ if !errors.is_empty() => {}
            Self::Read(_) if texts.iter().all(|source| source.text.trim().is_empty()) => {
                errors.push(no_objects("standard input contains no objects"));
            }
            Self::Named(path, _) if texts.is_empty() => {
                errors.push(file::error("bundle::no-files", path, "contains no YAML or JSON file"));
            }
            _ => {}
        }
        (texts, errors)
    }
}

/// The files, in the order of the arguments.
pub(crate) fn files(arguments: &[OsString], session: &Session<'_>, errors: &mut Vec<Diagnostic>) -> Vec<ObjectFile> {
    let mut files = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |path: PathBuf| {
        if known.insert(path.clone()) {
            let name = session.shown(&path).display().to_string();
            files.push(ObjectFile::Named(path, name));
        }
    };
    let mut standard = None;
    for argument in arguments {
        if argument == STANDARD_INPUT {
            standard = Some(input::standard(session));
            continue;
        }
        let path = session.folder.join(argument);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                let folder = Folder::new(path.clone(), session.working_folder());
                let is_object = |name: &str| !name.starts_with('.') && can_have_objects(name);
                let mut unreadable = Vec::new();
                let below = visible(&folder, "", &is_object, &mut unreadable);
                if below.is_empty() && unreadable.is_empty() {
                    errors.push(file::error("bundle::no-files", &path, "contains no YAML or JSON file"));
                }
                errors.append(&mut unreadable);
                below.iter().for_each(|below| add(path.join(below)));
            }
            Ok(_) => add(path),
            Err(error) => errors.push(file::cannot(path, "read", &error)),
        }
    }
    match standard {
        Some(Ok(input)) => files.push(ObjectFile::Read(input)),
        Some(Err(error)) => errors.push(error),
        None => {}
    }
    files
}

/// Whether a file of a folder can contain objects, by its name.
fn can_have_objects(name: &str) -> bool {
    can_have_crds(name) && !is_kustomization(name)
}
