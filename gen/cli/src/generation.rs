//! Diagnostics of types that cannot become CRDs.

use crd_diagnostics::Diagnostic;
use crd_generate::GenerationError;

/// One diagnostic for each error.
pub(crate) fn diagnostics(errors: Vec<GenerationError>) -> Vec<Diagnostic> {
    errors.into_iter().map(diagnostic).collect()
}

fn diagnostic(error: GenerationError) -> Diagnostic {
    let GenerationError { location, type_name, field, channel, rule, message } = error;
    let mut diagnostic = Diagnostic::error(rule.unwrap_or("types::generation"), message).of_rust(type_name, field);
    if let Some(location) = location {
        diagnostic = diagnostic.at_line(location.file, usize::try_from(location.line).ok());
    }
    diagnostic.location.channel = channel;
    diagnostic
}
