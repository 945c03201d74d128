//! `print-column-path`: brackets, braces and quotes in the path of a print column are balanced.
//!
//! Ours. The server takes any text that starts with a dot; where it then cannot read one path, it silently drops all
//! the columns of the version and prints names and ages only.

use super::{ExaminedVersion, Report};

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    for (index, column) in version.version.columns.iter().enumerate() {
        if let Some(problem) = problem(&column.json_path) {
            let message = format!(
                "{} {problem}; the server would accept it and then print none of the version's columns",
                column.json_path
            );
            report.version(version, format!("additionalPrinterColumns[{index}].jsonPath"), message);
        }
    }
}

fn problem(path: &str) -> Option<&'static str> {
    let mut open = Vec::new();
    let mut quote = None;
    let mut characters = path.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => {
                characters.next();
            }
            (Some(end), character) if character == end => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if !open.is_empty() => quote = Some(character),
            (None, '{' | '}') => return Some("has a brace outside quotes"),
            (None, '[' | '(') => open.push(character),
            (None, ']') if open.pop() != Some('[') => return Some("has a `]` without its `[`"),
            (None, ')') if !open.is_empty() && open.pop() != Some('(') => return Some("has a `)` without its `(`"),
            (None, _) => {}
        }
    }
    if quote.is_some() {
        return Some("has a quote without its end");
    }
    (!open.is_empty()).then_some("has a bracket without its end")
}
