//! The history archive, `bundles/history.tar.xz`: reading it, and writing it from published releases and their dates.
//!
//! Invariants: a past release never changes: an archive is only replaced by one that has all its releases as they are. An archive with the
//! same releases is not written again, so its bytes stay.

use std::path::Path;

use crd_bundle::Release;
use crd_bundle::history_archive::{HistoryArchive, is_same};
use crd_bundle::published::Input;
use crd_diagnostics::layout::{count, for_shell};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::exit::Exit;
use crd_generator::file;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_review::releases::{LeftOut, Tag};

use crate::releases::Releases;

/// The archive of these releases, whose dates are in the file that is shown.
///
/// # Errors
/// A release cannot be read, or has no date.
pub(crate) fn of_releases(
    releases: Releases,
    shown: Option<&Path>,
) -> Result<(HistoryArchive, Vec<LeftOut>), Vec<Diagnostic>> {
    let mut errors = releases.unread.into_iter().flat_map(|(_, errors)| errors).collect::<Vec<_>>();
    let mut dated = Vec::new();
    for (Tag { name, version, released }, release) in releases.read {
        match released {
            Some(released) => dated.push(Release { released: Some(released), ..release }),
            None => {
                let error = Diagnostic::error("history::dates", format!("the date of {name} is unknown"));
                errors.push(match shown {
                    Some(shown) => error.at_file(shown).help(format!("add the line `{version} DATE`")),
                    None => {
                        error.help(format!("write the line `{version} DATE` into a file, and name it with `--dates`"))
                    }
                });
            }
        }
    }
    fail_on(errors)?;
    Ok((HistoryArchive::new(dated), releases.left_out))
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
