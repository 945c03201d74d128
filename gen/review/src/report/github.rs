//! Findings as workflow commands of GitHub: annotations, at the Rust line that causes them where one is known.
//!
//! Invariants: text from CRDs and types is escaped, so that no text of a CRD becomes a command or a property of its own; a line that is no command
//! never begins like one; errors come first, since GitHub shows only the first few of a step.

use crd_compat::Severity;

use super::fold::fold;
use super::{Located, Report, SourceLine, sentence, summary};

/// So many places of a folded finding are named.
const PLACES: usize = 10;

/// Every annotation, and the summary below.
pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    for problem in &report.problems {
        let about = problem.crd.as_deref().map(|crd| format!(": {crd}")).unwrap_or_default();
        let title = format!("{}{about}", problem.kind.row().id);
        text.push_str(&annotation("error", problem.source.as_ref(), &title, &sentence::problem(problem)));
    }
    let mut shown = report.ordered();
    shown.retain(|located| !report.leaves_out(&located.finding));
    shown.sort_by_key(|located: &&Located| std::cmp::Reverse(report.severity(&located.finding)));
    for fold in fold(shown, true) {
        let finding = fold.finding();
        let command = match report.severity(finding) {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let mut message = sentence::finding(finding);
        if let Some(elsewhere) = fold.elsewhere(PLACES) {
            message.push_str(&format!("\n{elsewhere}"));
        }
        let title = format!("{}: {}", finding.rule, finding.crd);
        text.push_str(&annotation(command, fold.first.source.as_ref(), &title, &message));
    }
    for sentence in summary::sentences(report) {
        text.push_str(&line(&sentence));
    }
    for note in &report.notes {
        text.push_str(&line(&format!("note: {note}")));
    }
    text
}

/// One command.
pub(super) fn annotation(command: &str, source: Option<&SourceLine>, title: &str, message: &str) -> String {
    let place = source.map(|SourceLine { file, line }| format!("file={},line={line},", property(file)));
    format!("::{command} {}title={}::{}\n", place.unwrap_or_default(), property(title), data(message))
}

/// A text behind the last `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text behind a `=`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line of the log that the runner does not take for a command.
fn line(text: &str) -> String {
    let text = super::values::printable(text);
    let text = text.trim_start();
    // Commands begin with `::`, the old ones contain `##[`.
    let text = text.replace("##[", "# #[");
    if text.starts_with("::") { format!("- {text}\n") } else { format!("{text}\n") }
}
