//! `--update`: the answers of today become the expected ones.
//!
//! Invariants: all files change together, or none does. A case whose answer cannot be written is reported, and the rest is written.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_suite::Suite;
use crd_suite::update::{today, updated};

use super::outcome::Outcome;
use super::{Tested, Testing, files};
use crate::file::Content;
use crate::locked_folder::LockedFolder;
use crate::session::Session;
use crate::transaction::Transaction;

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

/// The new text of a file, and how many of its cases change.
fn changed(
    suite: &Suite,
    results: &[Tested],
    text: &str,
    problems: &mut Vec<Diagnostic>,
) -> Result<Option<(String, usize)>, Vec<Diagnostic>> {
    let path = Path::new(&suite.file);
    let problem = |line: usize, message: String, help: &str| {
        Diagnostic::error("suite::update", message).at_line(path, line).help(help)
    };
    // The cases of the file, because those of the suite may be some of them.
    let all = crd_suite::read(text, path)?;
    let mut changes = Vec::new();
    let failed = suite.cases.iter().zip(results).filter(|(_, tested)| tested.outcome() == Outcome::Failed);
    for (case, tested) in failed {
        if suite.selection.is_some() {
            problems.push(problem(
                case.line,
                "a suite of OpenShift cannot be updated".to_owned(),
                "write the suite in our form",
            ));
            return Ok(None);
        }
        // The newest minor is the last one.
        let answers = tested.runs.iter().rev().filter_map(|(.., result)| result.answer.as_deref()).collect::<Vec<_>>();
        let index = all.cases.iter().position(|known| known.name == case.name);
        match index.zip(today(case, &answers)) {
            Some(change) => changes.push(change),
            None => problems.push(problem(
                case.line,
                format!("{}: channels or minors give different answers", case.name),
                "write one case for each answer, with `channel` or `kubernetes`",
            )),
        }
    }
    if changes.is_empty() {
        return Ok(None);
    }
    let text = updated(text, path, &changes);
    if text.is_none() {
        let help = "write each case, and each of its keys, on lines of its own";
        problems.push(problem(1, "the file is not laid out in lines".to_owned(), help));
    }
    Ok(text.map(|text| (text, changes.len())))
}
