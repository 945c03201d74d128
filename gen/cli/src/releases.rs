//! The releases of a project in a folder, an archive or the tags of a repository: read, and each compared with its predecessor.
//!
//! Invariants: a release that cannot be read does not end the command. Releases are compared on all processors. The tags before the first one with
//! the path are left out; a later one without it cannot be read.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use crd_bundle::Release;
use crd_bundle::history_archive::{HistoryArchive, INDEX, path};
use crd_bundle::published::choice::{Choice, Chosen, Used};
use crd_bundle::published::skips::Skips;
use crd_bundle::published::tree::{Entry, Tree as _};
use crd_bundle::published::{Input, Source, read_unpacked, texts};
use crd_compat::Waiver;
use crd_compat::policy::Profile;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::file;
use crd_generator::session::Session;
use crd_model::parallel;
use crd_model::yaml::SharedSchemas;
use crd_review::assembly::{Unstamped, assemble};
use crd_review::releases::{
    LeftOut, Outcome, Project, Row, Tag, compare, declared, is_tag, predecessors, releases, version,
};

use crate::commit_files::CommitFiles;
use crate::crd_files;
use crate::files::{self, Files};
use crate::release_dates::{self, Dates};
use crate::source::{read_root, refused_releases};
use crate::tags::{GitTag, stable};
use crate::waivers;
use crate::working_tree::git::Git;

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

/// Where the releases of a project are, and how they are read.
#[derive(Clone, Copy)]
pub struct ReleaseSource<'a> {
    /// A folder or an archive with a folder for each release; with tags, the path of the CRDs in each.
    pub argument: &'a OsStr,
    /// The tags of the repository that are releases, as a pattern of git.
    pub tags: Option<&'a str>,
    /// How CRDs without a channel stamp are read.
    pub unstamped: Unstamped,
    /// What is left out.
    pub choice: &'a Choice,
}

/// The code of a folder or archive without releases.
pub(crate) const NO_RELEASES: &str = "history::no-releases";

/// The file with the dates of the releases in a folder.
const DATES: &str = "dates.tsv";

/// Reads the releases of a project, and compares each with its predecessor.
pub(crate) fn project(
    source: ReleaseSource<'_>,
    dates: &Dates,
    requested: Option<Profile>,
    session: &Session<'_>,
) -> Chosen<Project> {
    read(source, session).and_then(|mut releases| {
        releases.date(dates);
        let waivers = waivers::of_releases(source.argument, session)?;
        Ok(compared(releases, &waivers, requested, session))
    })
}

impl Releases {
    /// Gives releases the dates that the user names.
    pub(crate) fn date(&mut self, dates: &Dates) {
        for (tag, _) in &mut self.read {
            tag.released = dates.get(&tag.version).copied().or(tag.released);
        }
    }
}

fn compared(releases: Releases, waivers: &[Waiver], requested: Option<Profile>, session: &Session<'_>) -> Project {
    let Releases { name, read, unread, left_out } = releases;
    session.begin(format_args!("{name}: comparing {}", count(read.len(), "release")));
    let (tags, bundles) = (
        read.iter().map(|(tag, _)| tag.clone()).collect::<Vec<_>>(),
        read.iter().map(|(_, release)| release).collect::<Vec<_>>(),
    );
    let refused = refused_releases(&bundles);
    let predecessors = predecessors(&tags);
    let declared = declared(&bundles, &predecessors);
    let pairs = predecessors.iter().zip(&read).collect::<Vec<_>>();
    let prover = &Arc::default();
    let outcomes = parallel::each(&pairs, |(predecessor, (new, candidate))| {
        let compared = predecessor.and_then(|index| {
            let (old, baseline) = read.get(index)?;
            Some(compare((old, baseline), (new, candidate), (declared.get(index)?, waivers), prover, requested))
        });
        compared.map_or(Outcome::First, |compared| Outcome::Compared(Box::new(compared)))
    });
    let is_undated = |(index, tag): (usize, &Tag)| {
        let predecessor = predecessors.get(index).copied().flatten()?;
        let skipped = tags.get(predecessor + 1..index).unwrap_or_default();
        let is_undated = |tag: &Tag| tag.released.is_none();
        (!skipped.is_empty() && (is_undated(tag) || skipped.iter().any(is_undated))).then(|| tag.name.clone())
    };
    let undated = tags.iter().enumerate().filter_map(is_undated).collect();
    let unread = unread.into_iter().map(|(tag, errors)| (tag, Outcome::Unread(errors)));
    let compared = tags.into_iter().zip(outcomes);
    let mut rows = compared.chain(unread).collect::<Vec<_>>();
    rows.sort_by_key(|(tag, _)| tag.version);
    let rows = rows.into_iter().map(|(tag, outcome)| Row { tag: tag.name, outcome });
    Project { name, rows: rows.collect(), left_out, undated, refused }
}

/// Reads the releases of a project.
pub fn read(source: ReleaseSource<'_>, session: &Session<'_>) -> Chosen<Releases> {
    let found = match source.tags {
        None => found(source, session),
        Some(pattern) => tagged(source, pattern, session),
    };
    Chosen::from(found).then(|(name, (found, left_out))| {
        let (opened, used): (Vec<_>, Vec<_>) =
            found.into_iter().map(|(tag, Chosen { kept, used })| ((tag, kept), used)).unzip();
        let used = used.into_iter().fold(Used::default(), Used::or);
        Chosen { kept: Ok(releases_of(name, opened, left_out)), used }
    })
}

/// The name of a project, and its releases.
type Named = (String, Found<Chosen<Release>>);

/// The releases in a folder or an archive.
fn found(source: ReleaseSource<'_>, session: &Session<'_>) -> Result<Named, Vec<Diagnostic>> {
    let ReleaseSource { argument, unstamped, choice, .. } = source;
    let from = session.working_folder();
    let files = crd_files::named(argument, from, true, &choice.skips)?;
    let name = name(&*files, argument);
    let (found, left_out) = match files.entry("") {
        None => return Err(crd_files::missing(&*files).into()),
        Some(Entry::Unreadable(error)) => return Err(error.into()),
        Some(Entry::Folder) => {
            let (found, left_out) = entries(&*files)?;
            let dates = match files::text(&*files, DATES)? {
                Some(text) => release_dates::dates(Path::new(&files.shown(DATES)), &text)?,
                None => Dates::new(),
            };
            session.begin(format_args!("{name}: reading {}", count(found.len(), "release")));
            let open = |(tag, entry): (Tag, String)| {
                let files = files.at(&entry);
                let released = dates.get(&tag.version).copied();
                let read = read_root(&*files, files.shown(""), from);
                (Tag { released, ..tag }, read.release(unstamped, choice))
            };
            (found.into_iter().map(open).collect::<Vec<_>>(), left_out)
        }
        Some(Entry::File) => {
            session.begin(format_args!("{name}: reading the archive"));
            archived(files.input("")?, unstamped, choice, from.schemas)?
        }
    };
    if found.is_empty() {
        let error = file::error(NO_RELEASES, files.shown(""), "contains no folder of a stable release");
        let help = "name a folder with a folder for each release, such as `v1.2.3`, or a path of a git repository with `--tags 'v*'`";
        return Err(error.help(help).into());
    }
    Ok((name, (found, left_out)))
}

/// The releases of the tags of a repository: the same path in each, without checking it out.
fn tagged(source: ReleaseSource<'_>, pattern: &str, session: &Session<'_>) -> Result<Named, Vec<Diagnostic>> {
    let ReleaseSource { argument, unstamped, choice, .. } = source;
    let from = session.working_folder();
    let path = argument
        .to_str()
        .filter(|path| !path.is_empty())
        .ok_or_else(|| Diagnostic::error("usage::missing", "the path of the CRDs is empty, or not UTF-8"))?;
    let git = Git::new(from);
    let prefix = git.folder_in_repository()?;
    let top = from.path.canonicalize().unwrap_or_else(|_| from.path.to_owned());
    let top = top.ancestors().nth(prefix.matches('/').count()).and_then(Path::file_name);
    let name = top.map_or_else(|| "releases".to_owned(), |name| name.to_string_lossy().into_owned());
    let (tags, mut left_out) = stable(&git, Some(pattern))?;
    session.begin(format_args!("{name}: reading {}", count(tags.len(), "release")));
    let commits = CommitFiles::of_each(
        &tags.iter().map(|GitTag { tag, commit }| (&*tag.name, &**commit)).collect::<Vec<_>>(),
        path,
        from,
    )?;
    let commits = commits.into_iter().map(|files| files.map(|files| files.without(&choice.skips)));
    let opened = parallel::each(&commits.collect::<Vec<_>>(), |files| {
        let files = files.as_ref().map_err(Clone::clone)?;
        let has_path = files.entry("").is_some();
        Ok::<_, Diagnostic>((
            has_path,
            match has_path {
                true => read_root(files, files.shown(""), from).release(unstamped, choice),
                false => Chosen::from(Err(crd_files::missing(files))),
            },
        ))
    });
    let mut has_path = false;
    let mut found = Vec::new();
    for (GitTag { tag, .. }, opened) in tags.into_iter().zip(opened) {
        let (has, release) = opened.unwrap_or_else(|error| (true, Chosen::from(Err(error))));
        has_path |= has;
        match has_path {
            true => found.push((tag, release)),
            false => left_out.push(LeftOut {
                reason: format!("`{path}` does not exist in it"),
                name: tag.name,
                is_prerelease: false,
            }),
        }
    }
    if found.is_empty() {
        let message = match left_out.iter().any(|left_out| !left_out.is_prerelease) {
            true => format!("no tag that matches `{pattern}` is a stable release with `{path}`"),
            false => format!("no tag matches `{pattern}` and is a stable release"),
        };
        let help = "correct the pattern or the path, which is relative to the current folder; a shallow clone has no tags: `git fetch --tags --unshallow`";
        return Err(Diagnostic::error(NO_RELEASES, message).help(help).into());
    }
    Ok((name, (found, left_out)))
}

fn releases_of(name: String, found: Vec<(Tag, Opened)>, left_out: Vec<LeftOut>) -> Releases {
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
    Releases { name, left_out: left_out.collect(), read, unread }
}

/// The name of a project: that of its folder, also if it is named as `.` or `..`, or of its archive.
fn name(files: &dyn Files, argument: &OsStr) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let path = files.disk().unwrap_or(Path::new(argument));
    let name = name(path).or_else(|| name(&path.canonicalize().ok()?)).unwrap_or_else(|| "releases".to_owned());
    let name = name.rsplit(':').next().filter(|_| files.disk().is_none()).unwrap_or(&name);
    match files.entry("") {
        Some(Entry::File) => crd_files::without_ending(name).unwrap_or(name).to_owned(),
        _ => name.to_owned(),
    }
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
            Entry::File => crd_files::without_ending(&name).filter(|tag| is_tag(tag)),
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
    let (found, left_out) = releases(tags.keys().map(|tag| (tag.clone(), version(tag))));
    let found = found.into_iter().map(|tag| {
        let name = tags.get(&tag.name).cloned().unwrap_or_default();
        (tag, name)
    });
    Ok((found.collect(), left_out))
}

/// A release, or why it cannot be read.
type Opened = Result<Release, Vec<Diagnostic>>;

/// The releases in one archive: each in a folder whose name is the tag, with the folders of channels below it.
fn archived(
    input: Input,
    unstamped: Unstamped,
    choice: &Choice,
    schemas: &SharedSchemas,
) -> Result<Found<Chosen<Release>>, Vec<Diagnostic>> {
    let shown = input.name.clone();
    let (sources, errors) = texts(input.clone());
    fail_on(errors)?;
    let index = format!("{shown}!{INDEX}");
    if sources.iter().any(|source| source.name == index) {
        let releases = HistoryArchive::read(input)?.into_releases().into_iter();
        return Ok((releases.filter_map(|release| of_archive(release, &shown, &choice.skips)).collect(), Vec::new()));
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
    let (found, left_out) = releases(files.keys().map(|tag| (tag.clone(), version(tag))));
    let opened = parallel::each(&found, |tag| {
        let name = format!("{shown}!{}", tag.name);
        let sources = files.get(&tag.name).cloned().unwrap_or_default();
        assemble(name.clone(), None, vec![read_unpacked(&name, sources, &choice.skips, schemas)], unstamped, choice)
    });
    let opened = found.into_iter().zip(opened);
    Ok((opened.collect(), left_out))
}

/// A release of a history archive, which has no files for CRDs that did not change.
fn of_archive(mut release: Release, shown: &str, skips: &Skips) -> Option<(Tag, Chosen<Release>)> {
    let tag = Tag { name: release.name, version: release.version?, released: release.released };
    for (channel, crds) in &mut release.channels {
        crds.retain(|crd| {
            let left_out = skips.left_out(&format!("{shown}!{}", path(&tag.name, *channel, &crd.name)));
            let is_kept = left_out.is_none();
            release.left_out.extend(left_out);
            is_kept
        });
    }
    release.name = format!("{shown}!{}", tag.name);
    let used = Used::of(&release.left_out);
    Some((tag, Chosen { kept: Ok(release), used }))
}
