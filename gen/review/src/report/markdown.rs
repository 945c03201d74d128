//! Findings as Markdown, for a comment on a pull request: the summary, a table of the findings that decide, and the text as a section that is
//! closed at first.
//!
//! Invariants: texts of inputs stay texts. The text has at most [`MOST`] characters; what has no room is counted.

use anstream::adapter::strip_str;
use crd_diagnostics::layout::count;
use crd_diagnostics::markdown::{cell, cell_sentence, plain, sentence};
use crd_diagnostics::{Diagnostic, printed, text};

use super::fold::{Fold, Over, fold};
use super::{Report, sentence as words, summary, text as details};

/// The length of a comment of GitHub.
const MOST: usize = 65_536;
/// What is kept free for the ends of the sections and the last line.
const KEPT: usize = 1_000;
/// The width of the text.
const WIDTH: usize = 120;

/// The text, its length, and how many findings and lines have no room in it.
#[derive(Default)]
struct Page {
    text: String,
    length: usize,
    findings: usize,
    lines: usize,
}

impl Page {
    /// Adds a line, which is about so many findings that no other line is about.
    fn line(&mut self, line: &str, findings: usize) {
        let line = printed(&format!("{line}\n"));
        let length = self.length + line.chars().count();
        if length > MOST - KEPT {
            (self.findings, self.lines) = (self.findings + findings, self.lines + 1);
            return;
        }
        self.length = length;
        self.text.push_str(&line);
    }

    fn finish(mut self) -> String {
        if self.lines > 0 {
            let (lines, findings) = (count(self.lines, "line"), count(self.findings, "deciding finding"));
            self.text
                .push_str(&format!("\n{lines} and {findings} are left out: the length of a comment is limited.\n"));
        }
        self.text
    }
}

pub(super) fn render(report: &Report, verbose: bool) -> String {
    let mut page = Page::default();
    page.line(&format!("## {}\n", plain(&report.title())), 0);
    for words in summary::sentences(report).into_iter().chain(summary::gate(report)) {
        page.line(&format!("* {}", sentence(&words)), 0);
    }
    if report.lists_nothing(verbose) {
        return page.finish();
    }
    let [deciding, _] = report.sections(verbose);
    if !deciding.is_empty() {
        page.line("\n| Required bump | Deciding findings | Where | Number |\n|---|---|---|--:|", 0);
        fold(deciding, Over::Bundle).iter().for_each(|fold| page.line(&row(report, fold), fold.count()));
    }
    page.text.push_str("\n<details>\n<summary>Details</summary>\n\n");
    // Indented lines are code, whatever is in them. The first two are the title.
    let details = strip_str(&details::details(report, WIDTH, verbose)).to_string();
    details.lines().skip(2).for_each(|line| page.line(format!("    {line}").trim_end(), 0));
    page.text.push_str("\n</details>\n");
    page.finish()
}

fn row(report: &Report, fold: &Fold<'_>) -> String {
    let finding = fold.finding();
    let bump = plain(&words::required_bump(finding));
    let path = if finding.path.is_empty() { String::new() } else { cell(&finding.path) };
    let place = [cell(&finding.crd), plain(&report.side(finding)), path].join(" ");
    format!("| {bump} | {} | {} | {} |", cell_sentence(&finding.message), place.trim_end(), fold.count())
}

/// The errors that prevented a comparison.
pub(super) fn refusal(diagnostics: &[Diagnostic]) -> String {
    let mut page = Page::default();
    page.line("## The CRDs were not compared\n", 0);
    diagnostics.iter().for_each(|error| page.line(&format!("* error: {}", sentence(&text::one_line(error))), 0));
    page.finish()
}
