//! Diagnostics instead of a report: why two bundles could not be compared, in each format.

use crd_diagnostics::{Diagnostic, Severity, github};

use super::{FindingsFormat, json, sarif};
use crate::exit::Exit;
use crate::session::Session;

/// Prints why there is no report. Returns how the command ends.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic], format: FindingsFormat, session: &mut Session<'_>) -> Exit {
    match format {
        FindingsFormat::Text => session.diagnostics(diagnostics),
        FindingsFormat::Json => {
            let errors = diagnostics.iter().map(|diagnostic| session.json(diagnostic)).collect();
            session.print(crate::json::line(&json::refusal(errors)));
        }
        FindingsFormat::Github => {
            for diagnostic in diagnostics {
                let diagnostic = diagnostic.clone().relative_to(session.folder());
                // Without a line, GitHub shows no file.
                let text = session.in_one_line(&diagnostic);
                session.print(match diagnostic.location.line {
                    Some(_) => github::annotation(&diagnostic, diagnostic.code),
                    None => github::command(Severity::Error, &diagnostic.location, diagnostic.code, &text),
                });
            }
        }
        FindingsFormat::Sarif => {
            let texts = diagnostics.iter().map(|diagnostic| session.in_one_line(diagnostic)).collect::<Vec<_>>();
            session.print(crate::json::line(&sarif::refusal(&texts)));
        }
    }
    Exit::Unusable
}
