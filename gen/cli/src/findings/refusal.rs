//! What is said in each format where nothing could be judged: the same document with what is wrong instead of findings.
//!
//! Fed with faults by the commands. Read by people, by programs, and by CI.

use super::{FindingsFormat, SourceLine, github, json, sarif};
use crate::fault::Fault;
use crate::session::{Exit, Session};

/// Prints why nothing could be judged. Returns how the command ends.
pub(crate) fn print_faults(faults: &[Fault], format: FindingsFormat, session: &mut Session<'_>) -> Exit {
    let texts = faults.iter().map(|fault| fault.text(session)).collect::<Vec<_>>();
    match format {
        FindingsFormat::Text => {
            for text in texts {
                session.error(text);
            }
        }
        FindingsFormat::Json => {
            let errors = faults.iter().map(|fault| fault.json(session)).collect();
            session.print(crate::json::line(&json::refusal(errors)));
        }
        FindingsFormat::Github => {
            for fault in faults {
                session.print(annotation(fault, session));
            }
        }
        FindingsFormat::Sarif => session.print(crate::json::line(&sarif::refusal(&texts))),
    }
    Exit::Unusable
}

/// A fault at the line that it names, if it names one.
fn annotation(fault: &Fault, session: &Session<'_>) -> String {
    let source =
        fault.place(session).map(|(file, line)| SourceLine { file, line: u32::try_from(line).unwrap_or(u32::MAX) });
    github::annotation("error", source.as_ref(), "nothing could be judged", &fault.text(session))
}
