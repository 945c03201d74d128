//! The releases of a project in a folder: read, and each compared with the one before it.
//!
//! Invariants: a release that cannot be read does not end the command. Releases are compared on all processors.

use std::ffi::OsStr;
use std::path::Path;

use crd_bundle::published::choice::Choice;
use crd_compat::policy::Profile;
use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_model::parallel;
use crd_review::assembly::Unstamped;
use crd_review::releases::{LeftOut, Outcome, Project, Release, Row, compare, declared, releases};

use crate::session::Session;
use crate::source::open;
use crate::{file, walk};

/// Reads the releases of a project, and compares each with the one before it.
pub(crate) fn project(
    argument: &OsStr,
    unstamped: Unstamped,
    requested: Option<Profile>,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<Project, Vec<Diagnostic>> {
    let folder = session.folder.join(argument);
    let name = name(&folder);
    let (releases, left_out) = folders(&folder)?;
    session.begin(format_args!("{name}: reading {} releases", releases.len()));
    let (mut read, mut rows) = (Vec::new(), Vec::new());
    for release in releases {
        let path = Path::new(argument).join(&release.tag).into_os_string();
        match open(&path, unstamped, choice, None, session) {
            Ok(bundle) => read.push((release, bundle)),
            Err(errors) => rows.push((release.version, Row { tag: release.tag, outcome: Outcome::Unread(errors) })),
        }
    }
    session.begin(format_args!("{name}: comparing {} releases", read.len()));
    let declared = declared(read.iter().map(|(_, bundle)| bundle));
    let pairs = read.windows(2).zip(declared).collect::<Vec<_>>();
    let compared = parallel::each(&pairs, |(pair, declared)| match pair {
        [(old, baseline), (new, candidate)] => Some(compare((old, baseline), (new, candidate), declared, requested)),
        _ => None,
    });
    let outcomes = compared.into_iter().flatten().map(|compared| Outcome::Compared(Box::new(compared)));
    let outcomes = std::iter::once(Outcome::First).chain(outcomes);
    rows.extend(
        read.iter()
            .zip(outcomes)
            .map(|((release, _), outcome)| (release.version, Row { tag: release.tag.clone(), outcome })),
    );
    rows.sort_by_key(|(version, _)| *version);
    Ok(Project { name, rows: rows.into_iter().map(|(_, row)| row).collect(), left_out })
}

/// The name of a project: that of its folder, also if it is named as `.` or `..`.
fn name(folder: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    name(folder).or_else(|| name(&folder.canonicalize().ok()?)).unwrap_or_else(|| "releases".to_owned())
}

/// The releases in a folder, and the folders that are none.
fn folders(folder: &Path) -> Result<(Vec<Release>, Vec<LeftOut>), Vec<Diagnostic>> {
    let metadata = std::fs::metadata(folder).map_err(|error| file::cannot(folder, "read", &error))?;
    if !metadata.is_dir() {
        return Err(file::wrong_kind(folder, metadata.file_type(), "folder").into());
    }
    let mut errors = Vec::new();
    let entries = successes(walk::entries(folder), &mut errors);
    let names = entries
        .into_iter()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names = names.filter(|name| !name.starts_with('.')).collect::<Vec<_>>();
    fail_on(errors)?;
    let (releases, left_out) = releases(names);
    if releases.is_empty() {
        let error = file::error("history::no-releases", folder, "contains no folder of a stable release");
        return Err(error.help("name a folder with a folder for each release, such as `v1.2.3`").into());
    }
    Ok((releases, left_out))
}
