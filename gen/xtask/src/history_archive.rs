//! The history archive, `bundles/history.tar.xz`: reading it, and writing it from published releases and their dates.
//!
//! Invariants: a past release never changes: an archive is only replaced by one that has all its releases as they are. An archive with the
//! same releases is not written again, so its bytes stay.

use std::collections::BTreeMap;
use std::path::Path;

use crd_bundle::history_archive::{HistoryArchive, is_same};
use crd_bundle::published::Input;
use crd_bundle::{BundleVersion, Release, Released};
use crd_diagnostics::layout::{count, for_shell};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_review::releases::{LeftOut, Tag};

use crate::exit::Exit;
use crate::file::Content;
use crate::locked_folder::LockedFolder;
use crate::releases::Releases;
use crate::session::Session;
use crate::transaction::Transaction;
use crate::{file, input};

/// The archive of these releases.
///
/// # Errors
/// A release cannot be read, has no date, or its tag is not a bundle version.
pub(crate) fn of_releases(
    releases: Releases,
    dates: &BTreeMap<BundleVersion, Released>,
    shown: &Path,
) -> Result<(HistoryArchive, Vec<LeftOut>), Vec<Diagnostic>> {
    let mut errors = releases.unread.into_iter().flat_map(|(_, errors)| errors).collect::<Vec<_>>();
    let mut dated = Vec::new();
    for (Tag { version, .. }, release) in releases.read {
        match dates.get(&version) {
            Some(released) => dated.push(Release { released: Some(*released), ..release }),
            None => {
                let error = file::error("history::dates", shown, format!("has no date of {version}"));
                errors.push(error.help(format!("add the line `{version} DATE`")));
            }
        }
    }
    fail_on(errors)?;
    Ok((HistoryArchive::new(dated), releases.left_out))
}

/// Release dates: a version and a date in each line. A first line with the names of the columns is skipped, and so are empty lines.
pub(crate) fn dates(path: &Path) -> Result<BTreeMap<BundleVersion, Released>, Vec<Diagnostic>> {
    let Some(text) = input::text(path)? else {
        return Err(file::error("file::io", path, "does not exist").into());
    };
    let (mut dates, mut errors) = (BTreeMap::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let words = line.split_whitespace().collect::<Vec<_>>();
        let mut wrong = |message: String| {
            let error = Diagnostic::error("history::dates", message).at_line(path, index + 1);
            errors.push(error.help("write a version and a date in each line, such as `v1.0.0 2023-10-31`"));
        };
        match words[..] {
            [] | ["version", _] if words.is_empty() || index == 0 => {}
            [version, released] => match (version.parse::<BundleVersion>(), released.parse::<Released>()) {
                (Ok(version), Ok(_)) if dates.contains_key(&version) => wrong(format!("{version} has two dates")),
                (Ok(version), Ok(released)) => drop(dates.insert(version, released)),
                (version, released) => {
                    version.err().into_iter().chain(released.err()).for_each(|error| wrong(error.to_string()))
                }
            },
            _ => wrong(format!("this line has {}, not two", count(words.len(), "word"))),
        }
    }
    if errors.is_empty() { Ok(dates) } else { Err(errors) }
}

/// Writes the archive, or checks that it is up to date.
pub(crate) fn write(
    archive: &HistoryArchive,
    out: &Path,
    again: &str,
    check: bool,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let target = session.folder.join(out);
    let folder = target.parent().unwrap_or(&session.folder).to_owned();
    // No other run may write the archive between the comparison and the renaming.
    let mut locked = match check {
        true => None,
        false if folder.is_dir() => Some(LockedFolder::lock(&folder, &folder, session)?),
        false => {
            let error = file::error("file::kind", target, "cannot be written: its folder does not exist");
            return Err(error.help("create the folder, or choose another file").into());
        }
    };
    let old = file::existing(&target)?;
    let content = old.as_ref().map(Content::of);
    let known = match old {
        Some(bytes) => Some(HistoryArchive::read(Input::new(out.display().to_string(), bytes))?),
        None => None,
    };
    let shown = out.display();
    let releases = count(archive.releases().len(), "release");
    if known.as_ref() == Some(archive) {
        session.print(format_args!("{shown} is up to date: {releases}\n"));
        return Ok(Exit::Fine);
    }
    let Some(locked) = &mut locked else {
        let message = if known.is_some() { "the archive is out of date" } else { "the archive is missing" };
        let stale = Diagnostic::error("history::stale", message).at_file(&target);
        session.diagnostic(&stale.help(format!("run `{again}`")));
        return Ok(Exit::Stale);
    };
    fail_on(known.iter().flat_map(|known| changed(known, archive, &target)).collect())?;
    let bytes = archive.to_bytes().map_err(|error| file::cannot(&target, "written", &error))?;
    // The bytes are read as every command reads them.
    if HistoryArchive::read(Input::new(out.display().to_string(), &*bytes))? != *archive {
        let error = file::error("file::read-back", target, "would not be read back as the same releases");
        return Err(error.help("this is a bug in this tool; please report it").into());
    }
    let mut transaction = Transaction::new(locked);
    transaction.write(target, content, &bytes)?;
    transaction.commit()?;
    session.print(format_args!("{shown} is written: {releases}, {} bytes\n", bytes.len()));
    Ok(Exit::Fine)
}

/// The releases of an archive that the new one does not have as they are.
fn changed(known: &HistoryArchive, new: &HistoryArchive, target: &Path) -> Vec<Diagnostic> {
    let changed = known.releases().iter().filter_map(|release| {
        let same = new.releases().iter().find(|new| new.name == release.name);
        let what = match same {
            Some(same) if is_same(same, release) => return None,
            Some(_) => "has another structure or date of",
            None => "has the release",
        };
        let predicate = format!("{what} {}, and a past release never changes", release.name);
        let help = format!("name releases that contain it, or move `{}` away", for_shell(target));
        Some(file::error("history::changed", target, predicate).help(help))
    });
    changed.collect()
}
