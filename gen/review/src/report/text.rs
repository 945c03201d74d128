//! Findings as text: those that decide, then the remaining findings, each by CRD and location; and a summary.
//!
//! Invariants: colours are always written, and removed if the output does not show them; paths and names are never wrapped.

use std::collections::{BTreeMap, HashMap};

use anstyle::Style;
use crd_compat::{Decision, STATES, Witness};
use crd_diagnostics::entries::Entries;
use crd_diagnostics::layout::{count, first_of_each, hanging, not_shown};
use crd_diagnostics::style::{ADDED, FAINT, REMOVED};
use crd_diagnostics::text::more_of;

use super::fold::{Fold, fold, unfolded};
use super::values::{self, cut, shortened};
use super::{Located, Report, sentence, summary};

/// How many locations of a folded finding are named.
const MOST_NAMED: usize = 4;

/// The whole text.
pub(super) fn render(report: &Report, width: usize, verbose: bool) -> String {
    let shown = report.ordered().into_iter().filter(|located| verbose || !report.leaves_out(&located.finding));
    let (deciding, rest): (Vec<_>, Vec<_>) = shown.partition(|located| report.decides(&located.finding));
    let left_out = report.findings.iter().filter(|located| report.leaves_out(&located.finding));
    let (known, silent): (Vec<_>, Vec<_>) = left_out.partition(|located| located.finding.known);
    let (known, silent) = (known.len(), silent.len());
    // Always the last line, so it is not wrapped.
    let gate = summary::gate(report).map(|gate| gate + "\n").unwrap_or_default();
    if deciding.is_empty() && rest.is_empty() && report.problems.is_empty() {
        return nothing(report, silent + known, width) + &gate;
    }
    let mut page = Page { report, verbose, entries: Entries::new(&title(report), width) };
    page.section("Deciding findings", deciding);
    page.section("Other findings", rest);
    page.problems();
    let mut entries = page.entries;
    entries.heading("Summary");
    for sentence in summary::sentences(report) {
        entries.paragraph(&sentence, Style::new());
    }
    if silent + known > 0 && !verbose {
        let require = if silent == 1 { "requires no bump" } else { "require no bump" };
        let hidden = match (silent, known) {
            (silent, 0) => format!("{} that {require}", count(silent, "finding")),
            (0, known) => count(known, "known finding"),
            (silent, known) => {
                format!("{} that {require} and {}", count(silent, "finding"), count(known, "known finding"))
            }
        };
        let are = if silent + known == 1 { "is" } else { "are" };
        entries.paragraph(&format!("{hidden} {are} left out; `--verbose` lists all."), FAINT);
    }
    entries.finish() + &gate
}

fn title(report: &Report) -> String {
    let candidate = report.candidate.shown();
    match &report.baseline {
        Some(baseline) => format!("{} → {candidate}, profile {}", baseline.shown(), report.profile.profile),
        None => format!("{candidate} without a baseline, profile {}", report.profile.profile),
    }
}

/// One line for a report without anything in it.
fn nothing(report: &Report, left_out: usize, width: usize) -> String {
    if report.baseline.is_none() {
        return hanging(&format!("{}: nothing to report", title(report)), 0, 2, width);
    }
    let compared = report.channels.iter().filter(|channel| channel.skipped.is_none());
    let compared = compared.map(|channel| channel.channel.name()).collect::<Vec<_>>().join(" and ");
    let compared = if compared.is_empty() { "no channel".to_owned() } else { compared };
    let compared = if report.has_channels { format!(" in {compared}") } else { String::new() };
    let mut line = format!("{}: nothing to report{compared}", title(report));
    if left_out > 0 {
        line.push_str(&format!(" ({}, which `--verbose` lists)", count(left_out, "finding")));
    }
    for channel in &report.channels {
        if let Some(reason) = &channel.skipped {
            line.push_str(&format!("; {} was not checked: {}", channel.channel, reason.trim_end_matches('.')));
        }
    }
    hanging(&line, 0, 2, width)
}

struct Page<'r> {
    report: &'r Report,
    verbose: bool,
    entries: Entries,
}

impl Page<'_> {
    /// The findings of a section, by CRD: those with the largest required bump first.
    fn section(&mut self, title: &str, findings: Vec<&Located>) {
        if findings.is_empty() {
            return;
        }
        self.entries.heading(title);
        let mut crds: Vec<(&str, Vec<&Located>)> = Vec::new();
        let mut known = HashMap::new();
        for located in findings {
            let crd = &*located.finding.crd;
            let index = *known.entry(crd).or_insert(crds.len());
            match crds.get_mut(index) {
                Some((_, findings)) => findings.push(located),
                None => crds.push((crd, vec![located])),
            }
        }
        let mut folds = Vec::new();
        for (_, mut findings) in crds {
            findings.sort_by_key(|located| {
                (located.finding.channel, located.finding.version.as_deref(), &*located.finding.path)
            });
            folds.extend(if self.verbose { unfolded(findings) } else { fold(findings, false) });
        }
        let (first, more) = match self.verbose {
            true => (folds, BTreeMap::new()),
            false => first_of_each(folds, |fold| fold.finding().rule),
        };
        let (mut crd, mut last) = (None, None);
        for fold in first {
            let finding = fold.finding();
            if crd != Some(&finding.crd) {
                self.entries.name(&finding.crd);
                (crd, last) = (Some(&finding.crd), None);
            }
            let location = (finding.channel, finding.version.clone(), finding.path.clone());
            if last.as_ref() != Some(&location) {
                let channel = if self.report.has_channels { finding.channel.name() } else { "" };
                let before = format!("{channel} {}", finding.version.as_deref().unwrap_or_default());
                self.entries.location(before.trim(), &finding.path, "");
                last = Some(location);
            }
            self.fold(&fold);
        }
        for (rule, number) in more {
            self.entries.paragraph(&format!("`{rule}`: {}", not_shown(number, "finding", "`--verbose`")), FAINT);
        }
    }

    fn fold(&mut self, fold: &Fold<'_>) {
        let finding = fold.finding();
        let diagnostic = self.report.diagnostic(fold.first);
        self.entries.message(&sentence::required_bump(finding), &diagnostic);
        self.values(fold);
        if let Some(elsewhere) = fold.elsewhere(MOST_NAMED) {
            self.entries.detail(&elsewhere);
        }
        if let Some(needs) = sentence::needs(finding, self.report) {
            self.entries.detail(&format!("needs a {needs}"));
        }
        if let Some(waived) = &finding.waived {
            self.entries.detail(&format!("waived: {}", waived.reason));
        }
        self.entries.fix(&diagnostic);
        let version = finding.version.as_ref().filter(|_| STATES.iter().any(|state| state.rule.id == finding.rule));
        let by = match (matches!(finding.witness, Some(Witness::Status { .. })), version) {
            (false, None) => "refused now: ".to_owned(),
            (false, Some(version)) => format!("refused by {version}: "),
            // A creation drops the status of such an object, and is not refused.
            (true, None) => "refused by `/status`: ".to_owned(),
            (true, Some(version)) => format!("refused by `/status` of {version}: "),
        };
        match &finding.witness {
            // On one line, so that it can be copied.
            Some(Witness::Object(object) | Witness::Status { stored: None, object }) => {
                self.entries.copied(&by, Style::new(), &values::text(object));
            }
            Some(Witness::Update { old, new } | Witness::Status { stored: Some(old), object: new }) => {
                self.entries.copied("stored: ", Style::new(), &values::text(old));
                self.entries.copied(&format!("this update is {by}"), Style::new(), &values::text(new));
            }
            Some(Witness::None(reason)) if finding.decision() == Some(Decision::NotDecided) => {
                self.entries.detail(&format!("not decided: {reason}"));
            }
            Some(Witness::None(reason)) if self.verbose => self.entries.detail(&format!("no example: {reason}")),
            Some(Witness::None(_)) | None => {}
        }
        self.entries.source(&diagnostic);
    }

    /// The old and the new value: on one line, or below each other.
    fn values(&mut self, fold: &Fold<'_>) {
        let room = self.entries.room();
        match sentence::values(fold.finding()) {
            (Some(before), Some(after)) if before.chars().count() + after.chars().count() + 3 <= room => {
                let words = format!("{REMOVED}{before}{REMOVED:#} → ");
                self.entries.copied(&words, ADDED, &after);
            }
            (Some(before), Some(after)) => {
                let (before, after) = shortened(&before, &after, room.saturating_sub(4));
                self.entries.copied("was ", REMOVED, &before);
                self.entries.copied("now ", ADDED, &after);
            }
            (Some(before), None) => self.entries.copied("was ", REMOVED, &cut(&before, room.saturating_sub(4))),
            (None, Some(after)) => self.entries.copied("now ", ADDED, &cut(&after, room.saturating_sub(4))),
            (None, None) => {}
        }
    }

    fn problems(&mut self) {
        if self.report.problems.is_empty() {
            return;
        }
        self.entries.heading("Other errors");
        let (first, more) = first_of_each(&self.report.problems, |problem| problem.code);
        for problem in first {
            if let Some(crd) = &problem.location.crd {
                self.entries.location("", &crd.name, &crd.path);
            }
            self.entries.message(problem.severity.word(), problem);
            self.entries.fix(problem);
            self.entries.source(problem);
        }
        for (code, number) in more {
            self.entries.paragraph(&more_of(code, number), FAINT);
        }
    }
}
