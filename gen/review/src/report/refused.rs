//! Diagnostics instead of a report: why two bundles could not be compared, in each format.

use crd_diagnostics::text::one_line;
use crd_diagnostics::{Diagnostic, github, text};

use super::{ReportFormat, json, markdown, sarif};

/// The errors that prevented a comparison, in a format. Paths are printed as they are.
pub fn render_diagnostics(diagnostics: &[Diagnostic], format: ReportFormat) -> String {
    match format {
        ReportFormat::Text => text::render_all(diagnostics),
        ReportFormat::Json => {
            let errors = diagnostics.iter().map(crd_diagnostics::json::error).collect();
            crd_diagnostics::json::line(&json::refusal(errors))
        }
        ReportFormat::Github => diagnostics.iter().map(github::annotation).collect(),
        ReportFormat::Markdown => markdown::refusal(diagnostics),
        ReportFormat::Sarif => crd_diagnostics::json::line(&sarif::refusal(diagnostics.iter().map(one_line).collect())),
    }
}
