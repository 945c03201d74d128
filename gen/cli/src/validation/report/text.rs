//! The result as text: findings, then a summary. Errors, warnings and notes go to stderr.

use crd_bundle::published::skips::notes;
use crd_diagnostics::merged;
use crd_diagnostics::text::render_all;
use crd_generator::session::Session;
use crd_suite::codes;

use super::{Validation, not_checked, skipped_in_words, stored, summary};

/// With `shows_stored`, the stored objects are the result, and everything else goes to stderr.
pub(super) fn print(validation: &Validation, shows_stored: bool, session: &mut Session<'_>) {
    session.print_err(render_all(validation.all_errors()));
    session.print_err(render_all(&merged(validation.warnings.iter().cloned())));
    session.notes(&notes(&validation.left_out));
    let notes = skipped_in_words(validation).into_iter().chain(not_checked(validation).map(str::to_owned));
    session.notes(&notes.collect::<Vec<_>>());
    // Rules that were not checked are one note for all objects.
    let (rules, findings): (Vec<_>, Vec<_>) =
        validation.findings().partition(|finding| finding.code == codes::RULES_NOT_CHECKED);
    let findings = render_all(findings) + &render_all(&merged(rules.into_iter().cloned()));
    let summary = format!("{}\n", summary(validation));
    if shows_stored {
        session.print_err(findings);
        session.print_err(summary);
        session.print(stored(validation));
    } else {
        session.print(findings);
        session.print(summary);
    }
}
