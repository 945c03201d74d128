//! `graduate NAME`: prints elements and the edit that graduates them, and writes it.
//!
//! Invariants: without `--write`, and if `check` would refuse the types, nothing is written.

use std::path::Path;

use clap::ArgMatches;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, all};
use crd_graduation::{Row, Table, document};
use serde_json::Value;

use super::WRITE;
use crate::arguments::{Format, VERBOSE, format};
use crate::element_name;
use crate::exit::Exit;
use crate::graduation::Graduations;
use crate::marker_edit::{self, Edit};
use crate::session::Session;

/// How the call ends, and its document.
pub(super) fn edit<'n>(
    graduations: &Graduations<'_>,
    table: &Table,
    names: impl IntoIterator<Item = &'n String>,
    root: &Path,
    matches: &ArgMatches,
    session: &mut Session<'_>,
) -> Result<(Exit, Value), Vec<Diagnostic>> {
    let rows = all(names.into_iter().map(|name| element_name::row(table, name).map_err(|error| vec![error])))?;
    let edit = marker_edit::edit(graduations, table, &rows, root, session)?;
    let exit = if edit.is_accepted() { Exit::Fine } else { Exit::Findings };
    let (is_text, writes) = (format(matches) == Format::Text, matches.get_flag(WRITE));
    if is_text {
        print(&rows, &edit, matches.get_flag(VERBOSE), session);
    }
    let is_written = writes && edit.is_accepted();
    if is_written {
        edit.write(root, session)?;
    }
    if is_text && writes {
        let files = edit.files().collect::<Vec<_>>().join(", ");
        let call = session.program.call();
        match is_written {
            true => session.print(format_args!(
                "Changed {files}. Now run `{call} generate`; the version of the next bundle is {}.\n",
                graduations.bundle
            )),
            false => session.print("Nothing was written, because `check` would refuse the types.\n"),
        }
    }
    let mut text = document::document(&Table { rows: rows.into_iter().cloned().collect(), ..table.clone() });
    if let Value::Object(map) = &mut text {
        map.insert("edit".to_owned(), edit.document(is_written, session));
    }
    Ok((exit, text))
}

fn print(rows: &[&Row], edit: &Edit, verbose: bool, session: &mut Session<'_>) {
    rows.iter().for_each(|row| session.print(crd_graduation::details(row, session.width)));
    session.print(edit.difference());
    let is_other = |name: &&String| rows.iter().all(|row| row.element.to_string() != **name);
    let others = edit.elements.iter().filter(is_other).collect::<Vec<_>>();
    if !others.is_empty() {
        session.print(format_args!("{} with these markers:\n", count(others.len(), "other element")));
        others.iter().for_each(|other| session.print(format_args!("  {NAME}{other}{NAME:#}\n")));
        session.print("\n");
    }
    session.print(edit.report(verbose, session));
    session.diagnostics(edit.warnings());
}
