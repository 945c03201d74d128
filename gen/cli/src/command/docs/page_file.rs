//! The file of the page of `docs`.
//!
//! Invariants: the file is replaced as a whole, or not at all. A file that the command has not written is never replaced.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::for_shell;
use crd_site::{GENERATED, Page};

use crd_generator::file;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;

use super::request::Request;

/// The file in the output directory.
pub(super) const FILE: &str = "index.html";

/// What happened to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Written,
    Unchanged,
    /// With `--check`.
    Stale,
    /// With `--check`.
    Missing,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Written => "written",
            State::Unchanged => "unchanged",
            State::Stale => "stale",
            State::Missing => "missing",
        }
    }

    pub(super) fn predicate(self) -> &'static str {
        match self {
            State::Written => "is written",
            State::Unchanged => "is up to date",
            State::Stale => "is out of date",
            State::Missing => "is missing",
        }
    }
}

/// Writes the file, or compares it.
pub(super) fn write(
    page: &Page,
    folder: &Path,
    is_check: bool,
    session: &mut Session<'_>,
) -> Result<State, Vec<Diagnostic>> {
    let folder = session.folder.join(folder);
    let target = folder.join(FILE);
    // No other run may write the file between the comparison and the renaming.
    let mut locked = (!is_check).then(|| LockedFolder::lock(&folder, &folder, session)).transpose()?;
    let old = file::existing(&target)?;
    match &old {
        Some(old) if old == page.html.as_bytes() => return Ok(State::Unchanged),
        Some(old) if !is_generated(old) => {
            let error = file::error("page::other-file", target, "is not a page of `docs`, so it is not replaced");
            return Err(error.help("choose another folder with `--out DIR`, or move the file away").into());
        }
        _ => {}
    }
    let Some(locked) = &mut locked else {
        return Ok(if old.is_some() { State::Stale } else { State::Missing });
    };
    session.begin(format_args!("writing {}", session.shown(&target).display()));
    let mut transaction = Transaction::new(locked);
    transaction.write(target, old.map(Content::of), &page.html)?;
    transaction.commit()?;
    Ok(State::Written)
}

/// Whether the command has written these bytes: the last line of the page states it. An empty file has nothing to lose.
fn is_generated(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty() || bytes.trim_ascii_end().ends_with(GENERATED.trim_end().as_bytes())
}

/// The call that writes the file.
pub(super) fn again(request: &Request, out: &Path, session: &Session<'_>) -> String {
    let paths = request.crds.iter().map(|path| for_shell(Path::new(path)));
    let tags = request.tags.iter().flat_map(|tags| ["--tags".to_owned(), for_shell(Path::new(tags))]);
    let words = paths.chain(tags).chain(["--out".to_owned(), for_shell(out)]);
    format!("{} docs {}", session.program.call(), words.collect::<Vec<_>>().join(" "))
}
