//! Names of elements on the command line.
//!
//! Invariants: a name finds one row, or those of one marker or feature gate.

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::count;
use crd_graduation::{Row, Table, id};

use crate::arguments::did_you_mean;

/// The rows with a name: those of a feature gate, or the one with the whole name, or else the only one with this end.
pub(crate) fn rows<'t>(table: &'t Table, name: &str) -> Result<Vec<&'t Row>, Diagnostic> {
    // As the table prints a row with a gate.
    let name = name.split_once(": ").map_or(name, |(_, name)| name);
    let of_gate = table.rows.iter().filter(|row| row.gate.as_deref() == Some(name)).collect::<Vec<_>>();
    if of_gate.is_empty() { row(table, name).map(|row| vec![row]) } else { Ok(of_gate) }
}

fn row<'t>(table: &'t Table, name: &str) -> Result<&'t Row, Diagnostic> {
    let plain = name.replace("[*]", "").replace("[]", "");
    let exact = |row: &&Row| id(&row.element) == plain;
    if let Some(row) = table.rows.iter().find(exact) {
        return Ok(row);
    }
    let has_end = |row: &&Row| {
        let name = id(&row.element);
        name.strip_suffix(&plain).is_some_and(|rest| rest.ends_with(['/', '.', '=', '@', ':']))
    };
    let found = table.rows.iter().filter(has_end).collect::<Vec<_>>();
    match found[..] {
        // The elements of one marker graduate together.
        [row, ref others @ ..] if others.iter().all(|other| row.source.is_some() && other.source == row.source) => {
            Ok(row)
        }
        [] => {
            let names = table.rows.iter().map(|row| id(&row.element)).collect::<Vec<_>>();
            let error =
                Diagnostic::error("graduate::unknown", format!("`{name}` is not the name of an experimental element"));
            let all = "`graduate` lists all names".to_owned();
            Err(error.help(did_you_mean(&plain, names.iter().map(String::as_str), all)))
        }
        _ => {
            let names = found.iter().map(|row| format!("`{}`", id(&row.element))).collect::<Vec<_>>().join(", ");
            let error = Diagnostic::error(
                "graduate::ambiguous",
                format!("{} end with `{name}`", count(found.len(), "element")),
            );
            Err(error.help(format!("write the whole name: {names}")))
        }
    }
}
