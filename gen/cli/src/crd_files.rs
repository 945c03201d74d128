//! The files that a user names as CRDs, on disk or in a commit: reading the CRDs in them, and the files of a folder on disk.
//!
//! Invariants: on disk, a symlink is followed inside the folder that the user named, or inside the git repository around it. One that leads out,
//! to nothing, or to a folder that it is in is an error. Files are read on all processors.

use std::ffi::OsStr;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use crd_bundle::BundleVersion;
use crd_bundle::published::skips::Skips;
use crd_bundle::published::tree::{Entry, Tree, Unpacked};
use crd_bundle::published::{Part, Source, read_tree};
use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_generator::session::{Fetched, WorkingFolder};
use crd_model::channel::Channel;
use crd_oci::source::{Blobs, Content, content};
use crd_review::releases::version;

use crate::archive_file::ArchiveFile;
use crate::chart;
use crate::commit_files::{self, CommitFiles};
use crate::files::Files;
use crate::oci_layout::{self, OciLayout};
use crate::walk;

/// What an argument names: a path on disk, which may not exist, or the files of another source. Such a source with several releases has each in a folder
/// if `by_release`. What is left out by name is not read.
pub(crate) fn named<'f>(
    argument: &OsStr,
    from: WorkingFolder<'f>,
    by_release: bool,
    skips: &Skips,
) -> Result<Box<dyn Files + 'f>, Vec<Diagnostic>> {
    let text = argument.to_str().unwrap_or_default();
    if argument.as_encoded_bytes().starts_with(commit_files::PREFIX.as_bytes()) {
        return Ok(Box::new(CommitFiles::named(argument, from)?.without(skips)));
    }
    let fetched = if let Some(source) = from.sources.iter().find(|source| text.starts_with(source.prefix)) {
        (source.read)(text, by_release, from.charts)?
    } else if text.starts_with(oci_layout::PREFIX) {
        fetched(&OciLayout::named(text, from), by_release)?
    } else if let Some(prefix) = ELSEWHERE.into_iter().find(|prefix| text.starts_with(prefix)) {
        let error = Diagnostic::error("usage::source", format!("`{}` cannot read `{prefix}`", from.program.call()));
        return Err(error.help("use the program `crd-channels`").into());
    } else {
        return Ok(Box::new(Folder::new(from.path.join(argument), from).without(skips)));
    };
    let source = |(path, content): (String, String)| Source {
        name: format!("{text}!{path}"),
        path,
        ..Source::new(String::new(), content)
    };
    Ok(match fetched {
        Fetched::Texts(texts) => Box::new(Unpacked::new(text, texts.into_iter().map(source)).without(skips)),
        Fetched::Archive(bytes) => Box::new(ArchiveFile { name: text.to_owned(), bytes, skips: skips.clone() }),
    })
}

/// What a registry or a layout has.
pub(crate) fn fetched(blobs: &dyn Blobs, by_release: bool) -> Result<Fetched, Vec<Diagnostic>> {
    Ok(match content(blobs, by_release)? {
        Content::Files(texts) => Fetched::Texts(texts),
        Content::Chart(archive) => Fetched::Archive(archive),
    })
}

/// What can be named.
pub(crate) const SOURCES: &str = "a folder, a file, an archive, `git:REF:PATH`, `oci-layout:DIR`, `oci://HOST/REPOSITORY:TAG`, `chart:NAME@VERSION`, `cluster:CONTEXT`";

/// The sources that only some programs have.
const ELSEWHERE: [&str; 3] = ["oci://", "chart:", "cluster:"];

/// The error of a root that does not exist.
pub(crate) fn missing(files: &dyn Files) -> Diagnostic {
    match files.disk() {
        Some(path) => {
            let cause = fs::metadata(path).err().unwrap_or_else(|| ErrorKind::NotFound.into());
            file::cannot(path, "read", &cause).help(format!("correct the path; a source is {SOURCES}"))
        }
        None => commit_files::missing(&files.shown("")),
    }
}

/// Reads the CRDs of a root.
pub(crate) fn read(files: &dyn Files, from: WorkingFolder<'_>) -> Vec<Part> {
    if files.entry("").is_none() {
        return vec![missing(files).into()];
    }
    match chart::read(files, from) {
        Ok(Some(rendered)) => vec![rendered],
        Ok(None) => read_tree(files, from.schemas),
        Err(errors) => errors.into_iter().map(Part::from).collect(),
    }
}

/// A folder or file on disk.
pub(crate) struct Folder<'f> {
    root: PathBuf,
    /// The root without links.
    real: PathBuf,
    from: WorkingFolder<'f>,
    /// Links are followed inside this folder.
    boundary: PathBuf,
    skips: Skips,
}

impl<'f> Folder<'f> {
    pub(crate) fn new(root: PathBuf, from: WorkingFolder<'f>) -> Self {
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        let is_repository = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
        let boundary = real.ancestors().find(is_repository).unwrap_or(&real).to_owned();
        Self { root, real, from, boundary, skips: Skips::default() }
    }

    /// The same without what is left out by name.
    pub(crate) fn without(self, skips: &Skips) -> Self {
        Self { skips: skips.clone(), ..self }
    }

    fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    /// The path and the folders above it, up to the root.
    fn below_root<'p>(&self, path: &'p Path) -> impl Iterator<Item = &'p Path> {
        path.ancestors().take_while(|above| above.starts_with(&self.root) && **above != *self.root)
    }

    /// What a path with links leads to.
    fn linked(&self, path: &Path) -> Entry {
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) => return Entry::Unreadable(file::cannot(path, "read", &error)),
        };
        let is_target = |above: &Path| above.canonicalize().is_ok_and(|above| above == target);
        let above = path.parent().into_iter().flat_map(|parent| self.below_root(parent)).chain([&*self.root]);
        if !target.starts_with(&self.boundary) {
            let boundary = self.from.shown(&self.boundary).display();
            let error = file::error("file::io", path, format!("is a symlink that leads out of `{boundary}`"));
            let help = "replace it with what it leads to, or name the folder that contains both";
            return Entry::Unreadable(error.help(help));
        }
        if target.is_dir() && above.into_iter().any(is_target) {
            return Entry::Unreadable(file::error("file::io", path, "is a symlink to a folder that it is in"));
        }
        entry_at(path)
    }
}

impl Files for Folder<'_> {
    fn at<'s>(&'s self, path: &str) -> Box<dyn Files + 's> {
        Box::new(Folder {
            root: self.path(path),
            real: self.real(path).into(),
            from: self.from,
            boundary: self.boundary.clone(),
            skips: self.skips.clone(),
        })
    }

    fn disk(&self) -> Option<&Path> {
        Some(&self.root)
    }

    /// That of a folder or an archive such as `v1.2.3`, as `history` reads them; of a folder of a channel, that of the folder above it.
    fn version(&self) -> Option<BundleVersion> {
        let name = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
        let last = name(&self.root)?;
        match self.root.is_dir() {
            false => version(without_ending(&last)?),
            true if Channel::named(&last).is_some() => version(&name(self.root.parent()?)?),
            true => version(&last),
        }
    }
}

/// How names of archives end.
const ARCHIVES: [&str; 4] = [".tar.gz", ".tar.xz", ".tgz", ".tar"];

/// The name of an archive without its ending.
pub(crate) fn without_ending(name: &str) -> Option<&str> {
    ARCHIVES.iter().find_map(|ending| name.strip_suffix(ending))
}

impl Tree for Folder<'_> {
    fn entries(&self, folder: &str) -> Result<Vec<(String, Entry)>, Diagnostic> {
        let folder = self.path(folder);
        let entries = walk::entries(&folder).map(|entry| {
            let path = entry?.into_path();
            let name = path.file_name().unwrap_or_default();
            let entry = match name.to_str() {
                None => Entry::Unreadable(file::error("file::io", &path, "has a name that is not UTF-8")),
                Some(_) if path.is_symlink() => self.linked(&path),
                Some(_) => entry_at(&path),
            };
            Ok((name.to_string_lossy().into_owned(), entry))
        });
        entries.collect()
    }

    /// The root may be a pipe, as `<(command)` is.
    fn entry(&self, path: &str) -> Option<Entry> {
        let path = self.path(path);
        let is_link = self.below_root(&path).any(Path::is_symlink);
        match fs::metadata(&path) {
            Err(error) if is_missing(&error) && !file::leads_nowhere(&path) => None,
            Ok(metadata) if path == self.root && !metadata.is_dir() => Some(Entry::File),
            _ if is_link => Some(self.linked(&path)),
            _ => Some(entry_at(&path)),
        }
    }

    fn bytes(&self, file: &str) -> Result<Vec<u8>, Diagnostic> {
        crate::input::named(&self.path(file), "").map(|input| input.bytes)
    }

    fn shown(&self, path: &str) -> String {
        self.from.shown(&self.path(path)).display().to_string()
    }

    fn real(&self, path: &str) -> String {
        let path = self.path(path);
        // Without a link below the root, only the root is looked up: `canonicalize` looks up every folder above it.
        let real = match path.strip_prefix(&self.root) {
            Ok(below) if !self.below_root(&path).any(Path::is_symlink) => Ok(self.real.join(below)),
            _ => path.canonicalize(),
        };
        real.unwrap_or(path).to_string_lossy().into_owned()
    }

    fn skips(&self) -> &Skips {
        &self.skips
    }
}

fn entry_at(path: &Path) -> Entry {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Entry::Folder,
        Ok(metadata) if metadata.is_file() => Entry::File,
        Ok(metadata) => Entry::Unreadable(file::wrong_kind(path, metadata.file_type(), "file")),
        Err(error) => Entry::Unreadable(file::cannot(path, "read", &error)),
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
