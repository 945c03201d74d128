//! The file of the page of `docs`.
//!
//! Invariants: the file is replaced as a whole, or not at all. A file that the command has not written is never replaced.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::for_shell;
use crd_model::document::SchemaVersion;
use crd_model::words;
use crd_site::{Counts, GENERATED, Page};
use serde::Serialize;

use crd_generator::file;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;

use super::request::Request;

/// The file in the output directory.
pub(super) const FILE: &str = "index.html";

words! {
    /// What happened to the file.
    pub(crate) enum State {
        /// It was written.
        Written = "written",
        /// It is up to date.
        Unchanged = "unchanged",
        /// With `--check`, it is out of date.
        Stale = "stale",
        /// With `--check`, it does not exist.
        Missing = "missing",
    }
}

/// What `docs` prints with `--format json`: one document, on one line. Exit code 3: with `--check`, the page is out of date.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Docs {
    pub(super) schema_version: SchemaVersion<1>,
    /// The file.
    pub(super) file: String,
    pub(super) state: State,
    /// The size of the page.
    pub(super) bytes: usize,
    #[serde(flatten)]
    pub(super) counts: Counts,
}

impl State {
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
