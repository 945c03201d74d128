//! `--write`: cases for what no case shows, in new files or at the end of existing ones.
//!
//! Invariants: existing cases stay as they are. All files change together, or none does.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use crd_bundle::published::choice::Choice;
use crd_diagnostics::Diagnostic;
use crd_generator::file::Content;
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_suite::file::EXTENSION;
use crd_suite::form::{added, yaml};
use crd_suite::write::Proposal;
use crd_suite::{Case, Suite};

use super::{Request, crds, files};
use crate::input::STANDARD_INPUT;
use crate::validation::Against;

/// Where to write, and whether to propose cases for mutants too.
#[derive(Debug)]
pub(crate) struct Target<'t> {
    pub(crate) path: &'t OsStr,
    pub(crate) with_mutants: bool,
}

/// Writes cases for what no case shows, and returns how many.
pub(crate) fn propose(
    request: &Request<'_>,
    against: &Against<'_>,
    choice: &Choice,
    target: &Target<'_>,
    session: &mut Session<'_>,
) -> Result<usize, Vec<Diagnostic>> {
    session.begin("reading the suites");
    let suites = match files::suites(request, session) {
        Err(errors) if errors.iter().all(|error| error.code == files::NO_SUITES) => Vec::new(),
        suites => suites?,
    };
    let read = crds::channels(against, request.channel, choice, session)?;
    let is_of_all_kinds = request.is_of_all_kinds || suites.is_empty();
    let apis = read.used(&suites, &Request { is_of_all_kinds, ..request.clone() })?;
    session.begin("searching for objects that show what no case shows");
    let known = suites.into_iter().flat_map(|suite| suite.cases).collect();
    // Rules that do not compile are reported before.
    let Ok(mut proposal) = Proposal::new(&apis, &request.minors, known) else { return Ok(0) };
    proposal.cover();
    if target.with_mutants {
        let threads = available_parallelism().map_or(1, |threads| threads.get());
        let Ok(()) = proposal.kill(threads) else { return Ok(0) };
    }
    let cases = proposal.cases();
    let number = cases.len();
    let mut by_kind: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        by_kind.entry(case.object["kind"].as_str().unwrap_or_default().to_owned()).or_default().push(case);
    }
    let texts = texts(by_kind, target, session)?;
    if target.path == STANDARD_INPUT {
        texts.into_iter().for_each(|(.., text)| session.print(text));
    } else if !texts.is_empty() {
        write(texts, request.root, session)?;
    }
    Ok(number)
}

/// A file: its path, its old text and the new one.
type Text = (PathBuf, Option<String>, String);

fn texts(
    by_kind: BTreeMap<String, Vec<Case>>,
    target: &Target<'_>,
    session: &Session<'_>,
) -> Result<Vec<Text>, Vec<Diagnostic>> {
    let path = session.folder.join(target.path);
    let is_file = Path::new(target.path).extension().is_some_and(|extension| extension == "yaml");
    if is_file && by_kind.len() > 1 {
        let kinds = by_kind.into_keys().collect::<Vec<_>>().join(", ");
        let error = Diagnostic::error("suite::update", format!("the cases are about several kinds: {kinds}"));
        return Err(error.help("name a folder, which gets a file for each kind").into());
    }
    let text = |(kind, cases): (String, Vec<Case>)| {
        let path = if is_file { path.clone() } else { path.join(format!("{}{EXTENSION}", kind.to_lowercase())) };
        let new = Suite { name: kind, cases, ..Suite::default() };
        if target.path == STANDARD_INPUT || !path.exists() {
            return Ok::<Text, Diagnostic>((path, None, yaml(&new)));
        }
        let old = files::text(&path)?;
        let text = added(&old, session.working_folder().shown(&path), &new.cases).ok_or_else(|| {
            let error = Diagnostic::error("suite::update", "cases cannot be added to this file");
            error
                .at_line(session.working_folder().shown(&path), 1)
                .help("write `cases` last, and no defaults for all cases")
        })?;
        Ok((path, Some(old), text))
    };
    crd_diagnostics::all(by_kind.into_iter().map(text))
}

fn write(texts: Vec<Text>, root: Option<&Path>, session: &mut Session<'_>) -> Result<(), Vec<Diagnostic>> {
    let root = files::root(root, session)?;
    let mut locked = LockedFolder::lock(&root, &root, session)?;
    let mut transaction = Transaction::new(&mut locked);
    for (path, old, text) in texts {
        transaction.write(path, old.map(Content::of), text)?;
    }
    transaction.commit()
}
