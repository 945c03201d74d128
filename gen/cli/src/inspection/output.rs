//! A report in each format. The objects of a large cluster are printed one by one.

use crd_diagnostics::{Diagnostic, Format, github, json};
use crd_generator::session::Session;
use crd_upgrade::inspect::Report;

use super::spool::{self, Spool};
use super::{document, text};

/// Prints a document whose objects are those of the spool, one by one.
pub(crate) fn print_document(document: &str, spool: Spool, session: &mut Session<'_>) -> Result<(), Diagnostic> {
    let (before, after) = document.split_once(document::OBJECTS).unwrap_or((document, ""));
    session.print(format_args!(r#"{before}"objects":["#));
    for (index, line) in spool.lines()?.enumerate() {
        let separator = if index == 0 { "" } else { "," };
        session.print(format_args!("{separator}{}", line?));
    }
    session.print(format_args!("]{after}"));
    Ok(())
}

/// Prints a report, and with JSON or `is_verbose` each object.
pub(crate) fn print(
    report: &Report,
    spool: Spool,
    format: Format,
    is_verbose: bool,
    session: &mut Session<'_>,
) -> Result<(), Diagnostic> {
    match format {
        Format::Json => print_document(&json::line(&document::inspection(report)), spool, session)?,
        Format::Github => {
            report.findings().for_each(|finding| session.print_unchanged(&github::about_crd(finding, None)));
            report.failures.iter().for_each(|failure| session.print_unchanged(&github::annotation(failure)));
        }
        _ => {
            session.diagnostics(&report.failures);
            session.print(text::report(report, session.width));
            if is_verbose {
                session.print(text::clients(report));
            }
            let mut crd = String::new();
            for line in spool.lines()?.filter(|_| is_verbose) {
                let object = text::object(&spool::value(&line?), &mut crd);
                session.print(object);
            }
        }
    }
    Ok(())
}
