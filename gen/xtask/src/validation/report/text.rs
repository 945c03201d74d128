//! The result as text: findings, then a summary. Errors, warnings and notes go to stderr.

use crd_diagnostics::merged;
use crd_diagnostics::text::render_all;

use super::Validation;
use crate::session::Session;

/// With `shows_stored`, the stored objects are the result, and everything else goes to stderr.
pub(super) fn print(validation: &Validation, shows_stored: bool, session: &mut Session<'_>) {
    session.print_err(render_all(validation.all_errors()));
    session.print_err(render_all(&merged(validation.warnings.iter().cloned())));
    session.notes(&validation.left_out_in_words());
    let notes = validation.skipped_in_words().into_iter().chain(validation.not_checked().map(str::to_owned));
    session.notes(&notes.collect::<Vec<_>>());
    let findings = render_all(validation.findings());
    let summary = format!("{}\n", validation.summary());
    if shows_stored {
        session.print_err(findings);
        session.print_err(summary);
        session.print(validation.stored());
    } else {
        session.print(findings);
        session.print(summary);
    }
}
