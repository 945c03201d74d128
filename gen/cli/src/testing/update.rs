//! `--update`: the answers of today become the expected ones.
//!
//! Invariants: all files change together, or none does. A case whose answer cannot be written is reported, and the rest is written.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_suite::update::changed;

use super::{Testing, files};

/// Writes the files of suites with failures. Returns how many cases changed, and what cannot be written.
pub(crate) fn update(
    testing: &Testing,
    root: Option<&Path>,
    session: &mut Session<'_>,
) -> Result<(usize, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut number, mut problems, mut texts) = (0, Vec::new(), Vec::new());
    for (suite, results) in testing.suites.iter().zip(&testing.results) {
        let path = session.folder.join(&suite.file);
        let old = files::text(&path)?;
        if let Some((text, cases)) = changed(suite, results, &old, &mut problems)? {
            number += cases;
            texts.push((path, old, text));
        }
    }
    if !texts.is_empty() {
        let root = files::root(root, session)?;
        let mut locked = LockedFolder::lock(&root, &root, session)?;
        let mut transaction = Transaction::new(&mut locked);
        for (path, old, text) in texts {
            transaction.write(path, Some(Content::of(old)), text)?;
        }
        transaction.commit()?;
    }
    Ok((number, problems))
}
