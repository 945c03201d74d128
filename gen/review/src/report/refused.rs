//! Diagnostics instead of a report: why two bundles could not be compared, in each format.

use crd_diagnostics::text::one_line;
use crd_diagnostics::{Diagnostic, Severity, github, text};

use super::{ReportFormat, json, sarif};

/// Why there is no report, in a format. Paths are printed as they are.
pub fn render_diagnostics(diagnostics: &[Diagnostic], format: ReportFormat) -> String {
    match format {
        ReportFormat::Text => text_of(diagnostics),
        ReportFormat::Json => {
            let errors = diagnostics.iter().map(crd_diagnostics::json::error).collect();
            crd_diagnostics::json::line(&json::refusal(errors))
        }
        ReportFormat::Github => diagnostics.iter().map(annotation).collect(),
        ReportFormat::Sarif => {
            let texts = diagnostics.iter().map(one_line).collect::<Vec<_>>();
            crd_diagnostics::json::line(&sarif::refusal(&texts))
        }
    }
}

/// Diagnostics as text with colours.
pub fn text_of(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(text::render).collect()
}

fn annotation(diagnostic: &Diagnostic) -> String {
    match diagnostic.location.line {
        Some(_) => github::annotation(diagnostic, diagnostic.code),
        // Without a line, GitHub shows no file.
        None => github::command(Severity::Error, &diagnostic.location, diagnostic.code, &one_line(diagnostic)),
    }
}
