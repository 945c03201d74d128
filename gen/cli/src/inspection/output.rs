//! A report in each format. The objects of a large cluster are printed one by one.

use crd_diagnostics::{Diagnostic, github, json};
use crd_generator::session::Session;
use crd_upgrade::inspect::Report;

use super::spool::{self, Spool};
use super::{document, text};

/// Prints a report, and with JSON or `is_verbose` each object.
pub(crate) fn print(
    report: &Report,
    spool: Spool,
    format: Option<&str>,
    is_verbose: bool,
    session: &mut Session<'_>,
) -> Result<(), Diagnostic> {
    match format {
        Some("json") => {
            let document = json::line(&document::report(report));
            session.print(document.trim_end().strip_suffix('}').unwrap_or_default());
            session.print(r#","objects":["#);
            for (index, line) in spool.lines()?.enumerate() {
                let separator = if index == 0 { "" } else { "," };
                session.print(format_args!("{separator}{}", line?));
            }
            session.print("]}\n");
        }
        Some("github") => {
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
