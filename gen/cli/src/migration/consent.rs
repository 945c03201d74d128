//! The consent of a person to a plan.

use crd_diagnostics::Diagnostic;

use crd_generator::session::Session;

/// Whether a person consents.
///
/// # Errors
/// A diagnostic if there is no terminal to ask at, or the answer cannot be read.
pub(crate) fn consent(session: &mut Session<'_>) -> Result<bool, Diagnostic> {
    let message = match session.ask("Change the cluster? [y/N] ") {
        Ok(Some(answer)) => return Ok(["y", "yes"].iter().any(|yes| answer.eq_ignore_ascii_case(yes))),
        Ok(None) => "the plan is not confirmed, and there is no terminal to ask at".to_owned(),
        Err(error) => format!("the answer cannot be read: {error}"),
    };
    Err(Diagnostic::error("usage::confirmation", message).help("read the plan, and add `--yes`"))
}
