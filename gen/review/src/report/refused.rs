//! Diagnostics instead of a report: why two bundles could not be compared, in each format.

use crd_diagnostics::text::one_line;
use crd_diagnostics::{Diagnostic, Format, github, json, text};

use super::{Findings, markdown, sarif};

/// The errors that prevented a comparison, in a format. Paths are printed as they are.
pub fn render_diagnostics(diagnostics: &[Diagnostic], format: Format) -> String {
    match format {
        Format::Json => json::line(&Findings::refusal(diagnostics)),
        Format::Github => diagnostics.iter().map(github::annotation).collect(),
        Format::Markdown => markdown::refusal(diagnostics),
        Format::Sarif => json::line(&sarif::refusal(diagnostics.iter().map(one_line).collect())),
        _ => text::render_all(diagnostics),
    }
}
