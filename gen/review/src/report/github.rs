//! Findings as annotations of GitHub, at the Rust line that causes them if it is known.
//!
//! Invariants: errors come first, because GitHub shows only the first few annotations of a step.

use std::cmp::Reverse;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::github::{about_crd, annotation, line};

use super::fold::{Over, by_cause, fold};
use super::{Report, sentence, summary};
use crate::profile::ChosenProfile;

/// How many locations of a folded finding are named.
const MOST_NAMED: usize = 10;

/// Every annotation, and the summary.
pub(super) fn render(report: &Report) -> String {
    let mut text = report.problems.iter().map(|problem| about_crd(problem, None)).collect::<String>();
    let mut shown = report.ordered();
    shown.retain(|located| !report.leaves_out(&located.finding));
    shown.sort_by_key(|located| Reverse(report.severity(&located.finding)));
    for fold in fold(by_cause(shown), Over::Line) {
        let message = sentence::message(fold.finding(), report);
        let diagnostic = Diagnostic { message, ..report.diagnostic(fold.first) };
        text.push_str(&about_crd(&diagnostic, fold.elsewhere(MOST_NAMED)));
    }
    text.extend(report.warnings.iter().map(annotation));
    let ChosenProfile { profile, reason } = &report.profile;
    text.push_str(&line(&format!("profile {profile}: {}", reason.text())));
    text.extend(summary::sentences(report).iter().map(|sentence| line(sentence)));
    text.extend(report.notes.iter().map(|note| line(&format!("note: {note}"))));
    text.extend(summary::gate(report).map(|gate| line(&gate)));
    text
}
