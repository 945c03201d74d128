//! `bundles/unreleased/graduation.json`: writing it, and checking that it is up to date.
//!
//! Invariants: a project without an experimental element has no such file.

use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use crd_graduation::{Table, document};

use crate::exit::Exit;
use crate::locked_folder::LockedFolder;
use crate::root::BUNDLES;
use crate::session::Session;
use crate::transaction::Transaction;
use crate::{file, input};

/// The path of the file.
pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(BUNDLES).join("unreleased").join(document::FILE_NAME)
}

/// Whether the file differs from the table, or is missing.
pub(crate) fn is_stale(table: &Table, root: &Path) -> Result<bool, Diagnostic> {
    let known = input::committed_text(&path(root))?;
    Ok(known != expected(table))
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
    let shown = session.shown(&path).display().to_string();
    let print = |words: &str, session: &mut Session<'_>| {
        if prints {
            session.print(format_args!("{shown} {words}\n"));
        }
    };
    let expected = expected(table);
    if !is_stale(table, root)? {
        let words =
            if expected.is_some() { "is up to date" } else { "is not needed: experimental has no element of its own" };
        print(words, session);
        return Ok(Exit::Fine);
    }
    if check {
        let call = session.program.call();
        let predicate = if path.exists() { "is out of date" } else { "does not exist" };
        let stale = file::error("graduate::stale", &path, predicate).help(format!("run `{call} graduate --write`"));
        session.diagnostic(&stale);
        return Ok(Exit::Stale);
    }
    let folder = path.parent().unwrap_or(root);
    // No other run may write the file between the comparison and the renaming.
    let _locked = LockedFolder::lock(folder, root, session)?;
    let mut transaction = Transaction::default();
    let words = match expected {
        Some(text) => transaction.write(path.clone(), text).map(|()| "is written")?,
        None => {
            transaction.remove(path.clone());
            "is removed: experimental has no element of its own"
        }
    };
    transaction.commit()?;
    print(words, session);
    Ok(Exit::Fine)
}
