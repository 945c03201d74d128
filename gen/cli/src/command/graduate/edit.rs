//! `graduate NAME`: prints elements and the edit that graduates them, and writes it.
//!
//! Invariants: without `--write`, and if `check` would refuse the types, nothing is written.

use std::path::Path;

use crd_diagnostics::layout::count;
use crd_diagnostics::style::NAME;
use crd_diagnostics::{Diagnostic, all, json};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_graduation::{Row, Table, document, id};

use super::Request;
use super::document::GraduateDocument;
use crate::arguments::Format;
use crate::element_name;
use crate::graduation::GraduationsOfTypes;
use crate::marker_edit::{self, Edit};

/// How the call ends, and its document.
pub(super) fn edit<'n>(
    graduations: &GraduationsOfTypes<'_>,
    table: &Table,
    names: impl IntoIterator<Item = &'n String>,
    root: &Path,
    request: &Request,
    session: &mut Session<'_>,
) -> Result<(Exit, String), Vec<Diagnostic>> {
    let rows = all(names.into_iter().map(|name| element_name::rows(table, name).map_err(|error| vec![error])))?;
    let rows = rows.into_iter().flatten().collect::<Vec<_>>();
    let edit = marker_edit::edit(graduations, table, &rows, root, session)?;
    let exit = if edit.is_accepted() { Exit::Fine } else { Exit::Findings };
    let (is_text, writes) = (request.format == Format::Text, request.writes);
    if is_text {
        print(&rows, &edit, request.is_verbose, session);
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
                graduations.graduations.bundle
            )),
            false => session.print("Nothing was written, because `check` would refuse the types.\n"),
        }
    }
    let named = Table { rows: rows.into_iter().cloned().collect(), ..table.clone() };
    let (table, edit) = (Some(document::document(&named)), Some(edit.document(is_written)));
    Ok((exit, json::line(&GraduateDocument { table, edit, ..GraduateDocument::default() })))
}

fn print(rows: &[&Row], edit: &Edit, verbose: bool, session: &mut Session<'_>) {
    rows.iter().for_each(|row| session.print(crd_graduation::details(row, session.width)));
    session.print(edit.difference());
    let is_other = |name: &&String| rows.iter().all(|row| id(&row.element) != **name);
    let others = edit.elements.iter().filter(is_other).collect::<Vec<_>>();
    if !others.is_empty() {
        session.print(format_args!("{} with these markers:\n", count(others.len(), "other element")));
        others.iter().for_each(|other| session.print(format_args!("  {NAME}{other}{NAME:#}\n")));
        session.print("\n");
    }
    session.print(edit.report(verbose, session));
    session.diagnostics(edit.warnings());
}
