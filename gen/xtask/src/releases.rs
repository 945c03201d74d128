//! The releases of a project in a folder or an archive: read, and each compared with the one before it.
//!
//! Invariants: a release that cannot be read does not end the command. Releases are compared on all processors.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use crd_bundle::Release;
use crd_bundle::history_archive::{HistoryArchive, INDEX, path};
use crd_bundle::published::choice::Choice;
use crd_bundle::published::tree::Entry;
use crd_bundle::published::{Input, Source, read_unpacked, texts};
use crd_compat::policy::Profile;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::parallel;
use crd_review::assembly::{Unstamped, assemble};
use crd_review::releases::{LeftOut, Outcome, Project, Row, Tag, compare, declared, is_tag, releases};

use crate::files::Files;
use crate::session::Session;
use crate::source::{open_root, refused_releases};
use crate::{crd_files, file, files};

/// The releases of a project.
pub struct Releases {
    /// The name of the project.
    pub name: String,
    /// Those that are read, oldest first.
    pub read: Vec<(Tag, Release)>,
    /// The errors of those that cannot be read.
    pub unread: Vec<(Tag, Vec<Diagnostic>)>,
    /// What is not a stable release.
    pub left_out: Vec<LeftOut>,
}

/// The code of a folder or archive without releases.
pub(crate) const NO_RELEASES: &str = "history::no-releases";

/// How names of archives end.
const ARCHIVES: [&str; 4] = [".tar.gz", ".tar.xz", ".tgz", ".tar"];

/// Reads the releases of a project, and compares each with the one before it.
pub(crate) fn project(
    argument: &OsStr,
    unstamped: Unstamped,
    requested: Option<Profile>,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<Project, Vec<Diagnostic>> {
    let Releases { name, read, unread, left_out } = read(argument, unstamped, choice, session)?;
    session.begin(format_args!("{name}: comparing {}", count(read.len(), "release")));
    let refused = refused_releases(&read.iter().map(|(_, release)| release).collect::<Vec<_>>());
    let declared = declared(read.iter().map(|(_, bundle)| bundle));
    let pairs = read.windows(2).zip(declared).collect::<Vec<_>>();
    let prover = &Arc::default();
    let compared = parallel::each(&pairs, |(pair, declared)| match pair {
        [(old, baseline), (new, candidate)] => {
            Some(compare((old, baseline), (new, candidate), declared, prover, requested))
        }
        _ => None,
    });
    let outcomes = compared.into_iter().flatten().map(|compared| Outcome::Compared(Box::new(compared)));
    let outcomes = std::iter::once(Outcome::First).chain(outcomes);
    let unread = unread.into_iter().map(|(tag, errors)| (tag, Outcome::Unread(errors)));
    let compared = read.into_iter().map(|(tag, _)| tag).zip(outcomes);
    let mut rows = compared.chain(unread).collect::<Vec<_>>();
    rows.sort_by_key(|(tag, _)| tag.version);
    let rows = rows.into_iter().map(|(tag, outcome)| Row { tag: tag.name, outcome });
    Ok(Project { name, rows: rows.collect(), left_out, refused })
}

/// Reads the releases of a project.
pub fn read(
    argument: &OsStr,
    unstamped: Unstamped,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<Releases, Vec<Diagnostic>> {
    let from = session.working_folder();
    let files = crd_files::named(argument, from, true)?;
    let name = name(&*files, argument);
    let (found, left_out) = match files.entry("") {
        None => return Err(crd_files::missing(&*files).into()),
        Some(Entry::Unreadable(error)) => return Err(error.into()),
        Some(Entry::Folder) => {
            let (found, left_out) = entries(&*files)?;
            session.begin(format_args!("{name}: reading {}", count(found.len(), "release")));
            let open = |(tag, entry): (Tag, String)| {
                let files = files.at(&entry);
                (tag, open_root(&*files, files.shown(""), unstamped, choice, from))
            };
            (found.into_iter().map(open).collect::<Vec<_>>(), left_out)
        }
        Some(Entry::File) => {
            session.begin(format_args!("{name}: reading the archive"));
            archived(files::input(&*files, "")?, unstamped, choice)?
        }
    };
    if found.is_empty() {
        let error = file::error(NO_RELEASES, files.shown(""), "contains no folder of a stable release");
        return Err(error.help("name a folder with a folder for each release, such as `v1.2.3`").into());
    }
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for (tag, release) in found {
        match release {
            Ok(release) => read.push((tag.clone(), Release { version: Some(tag.version), ..release })),
            Err(errors) => unread.push((tag, errors)),
        }
    }
    let left_out =
        left_out.into_iter().chain(read.iter().flat_map(|(_, release): &(_, Release)| &release.left_out).map(
            |left_out| LeftOut { name: left_out.file.clone(), reason: left_out.reason.clone(), is_prerelease: false },
        ));
    Ok(Releases { name, left_out: left_out.collect(), read, unread })
}

/// The name of a project: that of its folder, also if it is named as `.` or `..`, or of its archive.
fn name(files: &dyn Files, argument: &OsStr) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let path = files.disk().unwrap_or(Path::new(argument));
    let name = name(path).or_else(|| name(&path.canonicalize().ok()?)).unwrap_or_else(|| "releases".to_owned());
    let name = name.rsplit(':').next().filter(|_| files.disk().is_none()).unwrap_or(&name);
    match files.entry("") {
        Some(Entry::File) => without_ending(name).unwrap_or(name).to_owned(),
        _ => name.to_owned(),
    }
}

/// The name of an archive without its ending.
fn without_ending(name: &str) -> Option<&str> {
    ARCHIVES.iter().find_map(|ending| name.strip_suffix(ending))
}

/// The tags of releases, each with what is known about it, and folders that are none.
type Found<T> = (Vec<(Tag, T)>, Vec<LeftOut>);

/// The releases in a folder with the names of their folders or archives.
fn entries(files: &dyn Files) -> Result<Found<String>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut tags: BTreeMap<String, String> = BTreeMap::new();
    for (name, entry) in files.entries("")?.into_iter().filter(|(name, _)| !name.starts_with('.')) {
        let tag = match entry {
            Entry::Folder => Some(&*name),
            Entry::File => without_ending(&name).filter(|tag| is_tag(tag)),
            Entry::Unreadable(error) => {
                errors.push(error);
                None
            }
        };
        // A folder is preferred to an archive of the same name.
        if let Some(tag) = tag.filter(|tag| *tag == name || !tags.contains_key(*tag)) {
            tags.insert(tag.to_owned(), name.clone());
        }
    }
    fail_on(errors)?;
    let (found, left_out) = releases(tags.keys().cloned());
    let found = found.into_iter().map(|tag| {
        let name = tags.get(&tag.name).cloned().unwrap_or_default();
        (tag, name)
    });
    Ok((found.collect(), left_out))
}

/// A release, or why it cannot be read.
type Opened = Result<Release, Vec<Diagnostic>>;

/// The releases in one archive: each in a folder whose name is the tag, with the folders of channels below it.
fn archived(input: Input, unstamped: Unstamped, choice: &Choice) -> Result<Found<Opened>, Vec<Diagnostic>> {
    let shown = input.name.clone();
    let (sources, errors) = texts(input.clone());
    fail_on(errors)?;
    let index = format!("{shown}!{INDEX}");
    if sources.iter().any(|source| source.name == index) {
        let releases = HistoryArchive::read(input)?.into_releases().into_iter();
        return Ok((releases.filter_map(|release| of_archive(release, &shown, choice)).collect(), Vec::new()));
    }
    let mut files: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for mut source in sources {
        let path = std::mem::take(&mut source.path);
        let mut names = path.split('/');
        let Some(tag) = names.find(|name| is_tag(name)) else { continue };
        source.path = names.collect::<Vec<_>>().join("/");
        // A file can have the name of a tag.
        if !source.path.is_empty() {
            files.entry(tag.to_owned()).or_default().push(source);
        }
    }
    let (found, left_out) = releases(files.keys().cloned());
    let opened = parallel::each(&found, |tag| {
        let name = format!("{shown}!{}", tag.name);
        let sources = files.get(&tag.name).cloned().unwrap_or_default();
        assemble(name.clone(), None, vec![read_unpacked(&name, sources, choice)], unstamped, choice)
    });
    let opened = found.into_iter().zip(opened);
    Ok((opened.collect(), left_out))
}

/// A release of a history archive, which has no files for CRDs that did not change.
fn of_archive(mut release: Release, shown: &str, choice: &Choice) -> Option<(Tag, Opened)> {
    let tag = Tag { name: release.name, version: release.version? };
    for (channel, crds) in &mut release.channels {
        crds.retain(|crd| {
            let left_out = choice.left_out(&format!("{shown}!{}", path(&tag.name, *channel, &crd.name)));
            let is_kept = left_out.is_none();
            release.left_out.extend(left_out);
            is_kept
        });
    }
    release.name = format!("{shown}!{}", tag.name);
    Some((tag, Ok(release)))
}
