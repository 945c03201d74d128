//! Sources: what a user names as a bundle, opened and read.
//!
//! Invariants: files are only read. All errors of all files are reported together. Files are read on all processors, in the order of their
//! names.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crd_apiserver::refusal::COSTS;
use crd_bundle::published::choice::{Choice, Chosen};
use crd_bundle::published::skips::Skips;
use crd_bundle::published::tree::Entry;
use crd_bundle::published::{Part, Published, Unreadable, join, join_readable, read_one, refused};
use crd_bundle::{BundleVersion, Release};
use crd_diagnostics::{Diagnostic, Severity, fail_on, merged, successes};
use crd_generator::root::BUNDLES;
use crd_generator::session::{Session, WorkingFolder};
use crd_model::parallel;
use crd_review::assembly::{Unstamped, assemble};

use crate::bundle_folder::{ReadBundle, open_version};
use crate::chart;
use crate::crd_files;
use crate::files::Files;
use crate::input::{self, STANDARD_INPUT};

/// Opens what an argument names.
pub fn open(
    argument: &OsStr,
    unstamped: Unstamped,
    choice: &Choice,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Chosen<Release> {
    chosen(read(argument, &choice.skips, root, session), unstamped, choice)
}

/// Opens what two arguments name, both at once unless one is standard input.
pub(crate) fn open_both(
    [old, new]: [&OsStr; 2],
    unstamped: Unstamped,
    choice: &Choice,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Chosen<(Release, Release)> {
    if old == STANDARD_INPUT || new == STANDARD_INPUT {
        let open = |argument| open(argument, unstamped, choice, root, session);
        return open(old).and(open(new));
    }
    let from = session.working_folder();
    let open = |argument| chosen(read_files(argument, &choice.skips, root, from), unstamped, choice);
    let (old, new) = parallel::both(|| open(old), || open(new));
    old.and(new)
}

/// What was read, before the choice between CRDs of one name.
enum Opened {
    /// A bundle of the history, of which nothing is left out.
    Released(Release),
    /// A folder, a file, or another source.
    Read(ReadBundle),
}

/// The release of what was read.
fn chosen(opened: Result<Opened, Vec<Diagnostic>>, unstamped: Unstamped, choice: &Choice) -> Chosen<Release> {
    match opened {
        Ok(Opened::Read(bundle)) => bundle.release(unstamped, choice),
        Ok(Opened::Released(bundle)) => Chosen::from(Ok::<_, Diagnostic>(bundle)),
        Err(errors) => Chosen::from(Err(errors)),
    }
}

/// Reads what an argument names, without what is left out by name.
fn read(
    argument: &OsStr,
    skips: &Skips,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Opened, Vec<Diagnostic>> {
    if argument == STANDARD_INPUT {
        let part = read_one(input::standard(session)?.without(skips), session.working_folder().schemas);
        return Ok(Opened::Read(ReadBundle::new(STANDARD_INPUT.to_owned(), vec![part])));
    }
    read_files(argument, skips, root, session.working_folder())
}

/// Reads what an argument names that is not standard input.
fn read_files(
    argument: &OsStr,
    skips: &Skips,
    root: Option<&Path>,
    from: WorkingFolder<'_>,
) -> Result<Opened, Vec<Diagnostic>> {
    Ok(match named(argument, skips, root, from)? {
        Named::Version(version, root) => Opened::Released(open_version(version, root, from)?),
        Named::Files(files) => {
            let read = read_root(&*files, argument.to_string_lossy().into_owned(), from);
            Opened::Read(read.with_version_of_name(files.version().or_else(|| chart::version(&*files))))
        }
    })
}

/// What an argument that is not standard input names.
enum Named<'f> {
    /// A bundle of the history, in this root.
    Version(BundleVersion, &'f Path),
    /// A folder, a file, or another source.
    Files(Box<dyn Files + 'f>),
}

fn named<'f>(
    argument: &OsStr,
    skips: &Skips,
    root: Option<&'f Path>,
    from: WorkingFolder<'f>,
) -> Result<Named<'f>, Vec<Diagnostic>> {
    let name = argument.to_string_lossy().into_owned();
    let path = from.path.join(Path::new(argument));
    if let Ok(version) = name.parse::<BundleVersion>() {
        match root {
            // A bundle of the history is preferred to a folder of the same name.
            Some(root) if root.join(BUNDLES).join(&name).is_dir() || !path.exists() => {
                return Ok(Named::Version(version, root));
            }
            None if !path.exists() => {
                let message = format!("`{name}` is a bundle version, and there is no workspace with `{BUNDLES}`");
                let help = "name a folder or file, or the root with `--root DIR`";
                return Err(Diagnostic::error("bundle::unknown", message).help(help).into());
            }
            _ => {}
        }
    }
    let files = crd_files::named(argument, from, false, skips)?;
    if files.entry("").is_none() {
        let help = match format!("v{name}").parse::<BundleVersion>() {
            Ok(version) => format!("did you mean {version}?"),
            Err(_) => format!(
                "a bundle is a version in `bundles/` such as v1.6.0, {}, or `-` for standard input",
                crd_files::SOURCES
            ),
        };
        return Err(crd_files::missing(&*files).help(help).into());
    }
    Ok(Named::Files(files))
}

/// Reads a folder or a file.
pub(crate) fn read_root(files: &dyn Files, name: String, from: WorkingFolder<'_>) -> ReadBundle {
    match files.entry("") {
        Some(Entry::Folder) => ReadBundle::read(files, &name, None, from),
        _ => ReadBundle::new(name, crd_files::read(files, from)),
    }
}

/// All CRDs that arguments name together, of any channel.
pub(crate) fn published(arguments: &[OsString], choice: &Choice, session: &Session<'_>) -> Chosen<Published> {
    parts(arguments, &choice.skips, session).then(|parts| join(&together(arguments), parts, choice))
}

/// The same, with the CRDs that cannot be read next to those that can.
pub(crate) fn readable(
    arguments: &[OsString],
    choice: &Choice,
    session: &Session<'_>,
) -> Chosen<(Published, Vec<Unreadable>)> {
    parts(arguments, &choice.skips, session).then(|parts| join_readable(&together(arguments), parts, choice))
}

/// The bundle of all that arguments name together, with the channels of folders and stamps.
pub(crate) fn bundle(
    arguments: &[OsString],
    unstamped: Unstamped,
    choice: &Choice,
    session: &Session<'_>,
) -> Chosen<Release> {
    parts(arguments, &choice.skips, session).then(|parts| assemble(together(arguments), None, parts, unstamped, choice))
}

/// What servers refuse of the CRDs of a bundle, without those that a newer bundle has too. CRDs of the history archive are structures, and have no
/// lines.
fn refusals(bundle: &Release, newer: Option<&Release>) -> Vec<Diagnostic> {
    let crds = bundle.channels.iter().flat_map(|(channel, crds)| {
        let newer = newer.and_then(|newer| newer.channels.get(channel)).map(Vec::as_slice).unwrap_or_default();
        let origins = bundle.origins.get(channel).into_iter().flatten();
        crds.iter().zip(origins).filter(|(crd, _)| !newer.contains(crd))
    });
    let crds = crds.collect::<Vec<_>>();
    merged(parallel::each(&crds, |(crd, origin)| refused(crd, origin)).into_iter().flatten())
}

/// Refusals of released bundles as one warning, because they cannot be changed.
fn folded(refusals: Vec<Diagnostic>) -> Option<Diagnostic> {
    let more = refusals.len().saturating_sub(1);
    let first = refusals.into_iter().next()?;
    let more = if more == 0 { String::new() } else { format!(" ({more} more)") };
    let message = format!("servers of today refuse this: {}{more}", first.message);
    Some(Diagnostic { severity: Severity::Warning, message, related: Vec::new(), ..first })
}

/// What servers refuse of releases, oldest first. The newest is a candidate, and what they refuse of it is an error; older releases are the baselines
/// of the next, with one warning.
pub(crate) fn refused_releases(releases: &[&Release]) -> Vec<Diagnostic> {
    let mut newer = None;
    let mut found = releases.iter().rev().map(|bundle| match newer.replace(*bundle) {
        // What has a manifest was asked about before it was written.
        Some(_) if bundle.manifest.is_some() => Vec::new(),
        newer => refusals(bundle, newer),
    });
    let (mut errors, mut others) =
        found.next().into_iter().flatten().partition::<Vec<_>, _>(|refusal| refusal.severity == Severity::Error);
    // Where the baseline has them, servers have taken the CRD: they do not ask again about what stays.
    let is_cost = |refusal: &Diagnostic| COSTS.contains(&refusal.code);
    if errors.iter().any(is_cost)
        && let [.., baseline, _] = releases
    {
        let before = refusals(baseline, None);
        let is_known = |refusal: &Diagnostic| {
            let crd = |refusal: &Diagnostic| (refusal.code, refusal.location.crd.clone());
            is_cost(refusal) && before.iter().any(|known| crd(known) == crd(refusal))
        };
        others.extend(errors.extract_if(.., |refusal| is_known(refusal)));
    }
    others.extend(found.flatten());
    folded(others).into_iter().chain(errors).collect()
}

/// A baseline and its candidate, unless servers refuse a CRD of the candidate.
pub(crate) fn sides((old, mut new): (Release, Release)) -> Result<(Release, Release), Vec<Diagnostic>> {
    let found = refused_releases(&[&old, &new]);
    let (errors, warnings) = found.into_iter().partition(|refusal| refusal.severity == Severity::Error);
    fail_on(errors)?;
    new.warnings.extend::<Vec<_>>(warnings);
    Ok((old, new))
}

fn together(arguments: &[OsString]) -> String {
    arguments.iter().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// What the arguments name.
fn parts(arguments: &[OsString], skips: &Skips, session: &Session<'_>) -> Chosen<Vec<Part>> {
    let parts_of = |argument: &OsString| -> Result<Vec<Part>, Vec<Diagnostic>> {
        if argument == STANDARD_INPUT {
            return Ok(vec![read_one(input::standard(session)?.without(skips), session.working_folder().schemas)]);
        }
        let from = session.working_folder();
        let files = crd_files::named(argument, from, false, skips)?;
        match files.entry("") {
            None => Err(crd_files::missing(&*files)
                .help(format!("name {}, or `-` for standard input", crd_files::SOURCES))
                .into()),
            Some(_) => Ok(crd_files::read(&*files, from)),
        }
    };
    let mut errors = Vec::new();
    let parts = successes(arguments.iter().map(parts_of), &mut errors).into_iter().flatten().collect::<Vec<_>>();
    let used = Part::used(&parts);
    Chosen { kept: fail_on(errors).map(|()| parts), used }
}
