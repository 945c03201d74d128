//! `bundles/unreleased/graduation.json`: writing it, and checking that it is up to date.
//!
//! Invariants: a project without an experimental element has no such file.

use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_generator::exit::Exit;
use crd_generator::file;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_graduation::{Table, document};

use crate::input;

/// The path of the file.
pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(BUNDLES).join("unreleased").join(document::FILE_NAME)
}

/// Whether the file differs from the table, or is missing.
pub(crate) fn is_stale(table: &Table, root: &Path) -> Result<bool, Diagnostic> {
    Ok(input::committed_text(&path(root))? != expected(table))
}

fn expected(table: &Table) -> Option<String> {
    (!table.rows.is_empty()).then(|| document::text(table))
}

/// Writes the file, or checks it.
pub(crate) fn write(
    table: &Table,
    root: &Path,
    check: bool,
    prints: bool,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let path = path(root);
    let folder = path.parent().unwrap_or(root);
    // No other run may write the file between the comparison and the renaming.
    let mut locked = (!check).then(|| LockedFolder::lock(folder, root, session)).transpose()?;
    let shown = session.shown(&path).display().to_string();
    let print = |words: &str, session: &mut Session<'_>| {
        if prints {
            session.print(format_args!("{shown} {words}\n"));
        }
    };
    let (known, expected) = (input::committed_text(&path)?, expected(table));
    if known == expected {
        let words =
            if expected.is_some() { "is up to date" } else { "is not needed: experimental has no element of its own" };
        print(words, session);
        return Ok(Exit::Fine);
    }
    let Some(locked) = &mut locked else {
        let call = session.program.call();
        let predicate = if path.exists() { "is out of date" } else { "does not exist" };
        let stale = file::error("graduate::stale", &path, predicate).help(format!("run `{call} graduate --write`"));
        session.diagnostic(&stale);
        return Ok(Exit::Stale);
    };
    let mut transaction = Transaction::new(locked);
    let words = match (expected, known.map(Content::of)) {
        (Some(text), old) => transaction.write(path.clone(), old, text).map(|()| "is written")?,
        (None, old) => {
            old.into_iter().for_each(|old| transaction.remove(path.clone(), old));
            "is removed: experimental has no element of its own"
        }
    };
    transaction.commit()?;
    print(words, session);
    Ok(Exit::Fine)
}
