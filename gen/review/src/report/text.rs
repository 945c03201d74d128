//! Findings as text: what decides, then the rest, each by CRD and place; and a summary below.
//!
//! Invariants: colours are always written, and removed if the output does not show them; paths and names stay whole, so that they can be copied.

use anstyle::{AnsiColor, Style};
use crd_compat::{Severity, Witness};

use super::fold::{Fold, fold, unfolded};
use super::values::{self, cut, printable, shortened};
use super::{Located, Report, SourceLine, sentence, summary};
use crd_diagnostics::layout::count;
use crd_diagnostics::style::{ADDED, ERROR, FAINT, HEADING, NAME, NOTE, REMOVED};

/// What is permitted, and still likely to hurt.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// So many places of a folded finding are named.
const PLACES: usize = 4;

/// The columns before a place, before its message, and before the details.
const PLACE: usize = 2;
const SAID: usize = 4;
const DETAIL: usize = 6;

/// The whole text.
pub(super) fn render(report: &Report, width: usize, verbose: bool) -> String {
    let shown = report.ordered().into_iter().filter(|located| verbose || !report.leaves_out(&located.finding));
    let (deciding, rest): (Vec<_>, Vec<_>) = shown.partition(|located| report.decides(&located.finding));
    let left_out = report.findings.iter().filter(|located| report.leaves_out(&located.finding));
    let (known, silent): (Vec<_>, Vec<_>) = left_out.partition(|located| located.finding.known);
    let (known, silent) = (known.len(), silent.len());
    if deciding.is_empty() && rest.is_empty() && report.problems.is_empty() {
        return nothing(report, silent + known, width);
    }
    let page = Page { report, width, verbose };
    let mut text = format!("{HEADING}{}{HEADING:#}\n", printable(&title(report)));
    page.section("What decides", deciding, &mut text);
    page.section("What else there is", rest, &mut text);
    page.problems(&mut text);
    text.push_str(&format!("\n{HEADING}Summary{HEADING:#}\n"));
    for sentence in summary::sentences(report) {
        text.push_str(&hanging(&sentence, 0, 2, width));
    }
    if silent + known > 0 && !verbose {
        let asks = if silent == 1 { "asks for nothing" } else { "ask for nothing" };
        let hidden = match (silent, known) {
            (silent, 0) => format!("{} that {asks}", count(silent, "finding")),
            (0, known) => count(known, "known finding"),
            (silent, known) => format!("{} that {asks} and {}", count(silent, "finding"), count(known, "known one")),
        };
        let are = if silent + known == 1 { "is" } else { "are" };
        let lines = hanging(&format!("{hidden} {are} left out; `--verbose` lists all."), 0, 2, width);
        text.push_str(&format!("{FAINT}{}{FAINT:#}\n", lines.trim_end()));
    }
    text
}

fn title(report: &Report) -> String {
    let candidate = report.candidate.shown();
    match &report.baseline {
        Some(baseline) => format!("{} → {candidate}, profile {}", baseline.shown(), report.profile.name()),
        None => format!("{candidate} without a baseline, profile {}", report.profile.name()),
    }
}

/// One line for a report without anything in it.
fn nothing(report: &Report, left_out: usize, width: usize) -> String {
    if report.baseline.is_none() {
        return hanging(&printable(&format!("{}: nothing to report", title(report))), 0, 2, width);
    }
    let judged = report.channels.iter().filter(|channel| channel.skipped.is_none());
    let judged = judged.map(|channel| channel.channel.name()).collect::<Vec<_>>().join(" and ");
    let judged = if judged.is_empty() { "no channel".to_owned() } else { judged };
    let mut line = format!("{}: nothing to report in {judged}", title(report));
    if left_out > 0 {
        line.push_str(&format!(" ({}, which `--verbose` lists)", count(left_out, "finding")));
    }
    for channel in &report.channels {
        if let Some(reason) = &channel.skipped {
            line.push_str(&format!("; {} was not judged: {}", channel.channel, reason.trim_end_matches('.')));
        }
    }
    hanging(&printable(&line), 0, 2, width)
}

struct Page<'r> {
    report: &'r Report,
    width: usize,
    verbose: bool,
}

impl Page<'_> {
    /// The findings of a section, by CRD: those first whose findings ask most.
    fn section(&self, title: &str, findings: Vec<&Located>, text: &mut String) {
        if findings.is_empty() {
            return;
        }
        text.push_str(&format!("\n{HEADING}{title}{HEADING:#}\n"));
        let mut crds: Vec<(&str, Vec<&Located>)> = Vec::new();
        for located in findings {
            let crd = &*located.finding.crd;
            match crds.iter_mut().find(|(known, _)| *known == crd) {
                Some((_, findings)) => findings.push(located),
                None => crds.push((crd, vec![located])),
            }
        }
        for (crd, mut findings) in crds {
            text.push_str(&format!("{NAME}{}{NAME:#}\n", printable(crd)));
            findings.sort_by_key(|located| {
                (located.finding.channel, located.finding.version.as_deref(), &*located.finding.path)
            });
            let folds = if self.verbose { unfolded(findings) } else { fold(findings, false) };
            let mut place = String::new();
            for fold in folds {
                let here = self.place(&fold);
                if here != place {
                    text.push_str(&here);
                    place = here;
                }
                self.fold(&fold, text);
            }
        }
    }

    fn place(&self, fold: &Fold<'_>) -> String {
        let finding = fold.finding();
        let version = finding.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let path = match finding.path.is_empty() {
            true => String::new(),
            false => format!(" {NAME}{}{NAME:#}", printable(&finding.path)),
        };
        format!("{:PLACE$}{}{}{path}\n", "", finding.channel, printable(&version))
    }

    fn fold(&self, fold: &Fold<'_>, text: &mut String) {
        let finding = fold.finding();
        let style = match self.report.severity(finding) {
            Severity::Error => ERROR,
            Severity::Warning => WARNING,
            Severity::Note => NOTE,
        };
        self.said(&sentence::required_bump(finding), style, &finding.message, finding.rule, text);
        self.values(fold, text);
        if let Some(elsewhere) = fold.elsewhere(PLACES) {
            self.detail(&elsewhere, text);
        }
        if let Some(needs) = sentence::needs(finding) {
            self.detail(&format!("needs a {needs}"), text);
        }
        if let Some(waived) = &finding.waived {
            self.detail(&format!("waived: {}", waived.reason), text);
        }
        if let Some(fix) = &finding.fix {
            self.detail(&format!("fix: {fix}"), text);
        }
        match &finding.witness {
            // In one line, so that it can be copied.
            Some(Witness::Object(object)) => {
                text.push_str(&format!("{:DETAIL$}refused now: {}\n", "", printable(&values::text(object))));
            }
            Some(Witness::None(reason)) if self.verbose => self.detail(&format!("no example: {reason}"), text),
            Some(Witness::None(_)) | None => {}
        }
        self.source(fold.first.source.as_ref(), text);
    }

    /// `refused: the type was changed … [type-changed]`, with the first words in colour.
    fn said(&self, words: &str, style: Style, message: &str, rule: &str, text: &mut String) {
        let begin = format!("{words}:");
        let end = format!("[{rule}]");
        let lines = hanging(&format!("{begin} {message} {end}"), SAID, DETAIL, self.width);
        // Both stand in the text as they are, unless the first words did not fit into a line.
        let lines = match lines.trim_start().strip_prefix(&begin) {
            Some(rest) => format!("{:SAID$}{style}{begin}{style:#}{rest}", ""),
            None => lines,
        };
        match lines.strip_suffix(&format!("{end}\n")) {
            Some(rest) => text.push_str(&format!("{rest}{FAINT}{end}{FAINT:#}\n")),
            None => text.push_str(&lines),
        }
    }

    /// How it was and how it is: in one line, or below each other.
    fn values(&self, fold: &Fold<'_>, text: &mut String) {
        let room = self.width.saturating_sub(DETAIL);
        let line = |word: &str, style: Style, value: &str| format!("{:DETAIL$}{word}{style}{value}{style:#}\n", "");
        match sentence::values(fold.finding()) {
            (Some(before), Some(after)) if before.chars().count() + after.chars().count() + 3 <= room => {
                text.push_str(&format!("{:DETAIL$}{REMOVED}{before}{REMOVED:#} → {ADDED}{after}{ADDED:#}\n", ""));
            }
            (Some(before), Some(after)) => {
                let (before, after) = shortened(&before, &after, room.saturating_sub(4));
                text.push_str(&line("was ", REMOVED, &before));
                text.push_str(&line("now ", ADDED, &after));
            }
            (Some(before), None) => text.push_str(&line("was ", REMOVED, &cut(&before, room.saturating_sub(4)))),
            (None, Some(after)) => text.push_str(&line("now ", ADDED, &cut(&after, room.saturating_sub(4)))),
            (None, None) => {}
        }
    }

    fn problems(&self, text: &mut String) {
        if self.report.problems.is_empty() {
            return;
        }
        text.push_str(&format!("\n{HEADING}What is wrong beside{HEADING:#}\n"));
        for problem in &self.report.problems {
            let about = match &problem.crd {
                Some(crd) if problem.path.is_empty() => format!("{NAME}{}{NAME:#}", printable(crd)),
                Some(crd) => format!("{NAME}{}{NAME:#} {}", printable(crd), printable(&problem.path)),
                None => String::new(),
            };
            if !about.is_empty() {
                text.push_str(&format!("{:PLACE$}{about}\n", ""));
            }
            self.said("error", ERROR, &problem.message, problem.kind.row().id, text);
            if let Some(fix) = &problem.fix {
                let (said, exact) = fix.split_once('\n').unwrap_or((fix, ""));
                self.detail(&format!("fix: {said}"), text);
                // What is to be copied stays as it is.
                for line in exact.lines() {
                    text.push_str(&format!("{:DETAIL$}{ADDED}{}{ADDED:#}\n", "", printable(line)));
                }
            }
            self.source(problem.source.as_ref(), text);
        }
    }

    fn detail(&self, said: &str, text: &mut String) {
        text.push_str(&hanging(said, DETAIL, DETAIL + 2, self.width));
    }

    fn source(&self, source: Option<&SourceLine>, text: &mut String) {
        if let Some(SourceLine { file, line }) = source {
            text.push_str(&format!("{:DETAIL$}{FAINT}{}:{line}{FAINT:#}\n", "", printable(file)));
        }
    }
}

/// Words in lines of at most `width` characters; the first line is indented by `first`, the remaining lines by `then`. A longer word has a line of
/// its own.
fn hanging(said: &str, first: usize, then: usize, width: usize) -> String {
    let said = printable(said);
    let mut lines = String::new();
    let mut column = 0;
    for word in said.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            lines.push('\n');
            column = 0;
        }
        let gap = match (column, lines.is_empty()) {
            (0, true) => first,
            (0, false) => then,
            _ => 1,
        };
        lines.extend(std::iter::repeat_n(' ', gap));
        lines.push_str(word);
        column += gap + length;
    }
    lines.push('\n');
    lines
}
