//! Findings as text: a summary, the findings that decide, by CRD and location, and how many other findings there are.
//!
//! Invariants: colours are always written, and removed if the output does not show them; paths and names are never wrapped.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anstyle::Style;
use crd_compat::{Decision, Finding, STATES, Section, Witness};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::entries::Entries;
use crd_diagnostics::layout::{MOST_LISTED, count, first_of_each, hanging, not_shown};
use crd_diagnostics::style::{ADDED, FAINT, REMOVED};
use crd_diagnostics::text::more_of;

use super::fold::{Fold, Over, fold, unfolded};
use super::values::{self, cut, shortened};
use super::{Report, section, sentence, summary, waivers};

pub(super) fn render(report: &Report, width: usize, verbose: bool) -> String {
    // Always the last line, so it is not wrapped.
    let gate = summary::gate(report).map(|gate| gate + "\n").unwrap_or_default();
    if report.lists_nothing(verbose) {
        return nothing(report, width) + &gate;
    }
    let mut page =
        Page { report, verbose, entries: Entries::new(&report.title(), width), said: HashSet::new(), file: None };
    page.entries.heading("Summary");
    for sentence in summary::sentences(report) {
        page.entries.paragraph(&sentence, Style::new());
    }
    page.sections();
    let blank = if gate.is_empty() { "" } else { "\n" };
    page.entries.finish() + blank + &gate
}

/// The text after the summary.
pub(super) fn details(report: &Report, width: usize, verbose: bool) -> String {
    let mut page = Page { report, verbose, entries: Entries::new("Details", width), said: HashSet::new(), file: None };
    page.sections();
    page.entries.finish()
}

/// One line for a report without anything in it.
fn nothing(report: &Report, width: usize) -> String {
    let left_out = report.findings.len();
    if report.baseline.is_none() {
        return hanging(&format!("{}: nothing to report", report.title()), 0, 2, width);
    }
    let compared = report.channels.iter().filter(|channel| channel.skipped.is_none());
    let compared = compared.map(|channel| channel.channel.name()).collect::<Vec<_>>().join(" and ");
    let compared = if compared.is_empty() { "no channel".to_owned() } else { compared };
    let compared = if report.has_channels { format!(" in {compared}") } else { String::new() };
    let mut line = format!("{}: nothing to report{compared}", report.title());
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

/// What orders findings by how much they break: the largest bump first, and what is gone before what was changed.
fn breaking(finding: &Finding) -> impl Ord + use<> {
    use Section::{Added, Changed, Deprecated, Documentation, Graduated, Loosened, Removed, Stamps, States, Versions};
    let rank = match section(finding) {
        Some(Removed) => 0,
        Some(Changed) => 1,
        Some(Versions | States) | None => 2,
        Some(Added | Deprecated | Documentation | Graduated | Loosened | Stamps) => 3,
    };
    (Reverse(finding.effective()), rank)
}

struct Page<'r> {
    report: &'r Report,
    verbose: bool,
    entries: Entries,
    /// Long texts of the section, which are printed once.
    said: HashSet<String>,
    /// The file of the finding before, which is printed once.
    file: Option<PathBuf>,
}

impl Page<'_> {
    fn sections(&mut self) {
        let [deciding, rest] = self.report.sections(self.verbose);
        let each = (!rest.is_empty()).then(|| "`--verbose` lists each finding.".to_owned());
        if self.verbose {
            self.section("Deciding findings", unfolded(deciding));
            self.problems();
            self.section("Other findings", unfolded(rest));
        } else {
            self.section("Deciding findings", fold(deciding, Over::Bundle));
            self.problems();
            self.counts("Other findings", &fold(rest, Over::Change));
        }
        self.waivers();
        if let Some(left_out) = summary::left_out(self.report).or(each).filter(|_| !self.verbose) {
            self.entries.paragraph("", Style::new());
            self.entries.paragraph(&left_out, FAINT);
        }
    }

    /// The findings of a section, by CRD: those with the largest required bump first.
    fn section(&mut self, title: &str, mut folds: Vec<Fold<'_>>) {
        if folds.is_empty() {
            return;
        }
        self.entries.heading(title);
        (self.said, self.file) = (HashSet::new(), None);
        // The CRD with what breaks most is first, and so is this in the CRD.
        folds.sort_by_key(|fold| breaking(fold.finding()));
        let mut crds = HashMap::new();
        for fold in &folds {
            let next = crds.len();
            crds.entry(&*fold.finding().crd).or_insert(next);
        }
        folds.sort_by_key(|fold| {
            let finding = fold.finding();
            (crds.get(&*finding.crd), breaking(finding), finding.channel, finding.version.as_deref(), &*finding.path)
        });
        let mut numbers = HashMap::new();
        let (first, more): (Vec<_>, Vec<_>) = folds.into_iter().partition(|fold| {
            let number = numbers.entry(fold.finding().rule).or_insert(0);
            *number += 1;
            self.verbose || *number <= MOST_LISTED
        });
        let mut unlisted = BTreeMap::<_, usize>::new();
        more.iter().for_each(|fold| *unlisted.entry(fold.finding().rule).or_default() += fold.count());
        let (mut crd, mut last) = (None, None);
        for fold in first {
            let finding = fold.finding();
            if crd != Some(&finding.crd) {
                self.entries.name(&finding.crd);
                (crd, last, self.file) = (Some(&finding.crd), None, None);
            }
            let location = (finding.channel, finding.version.clone(), finding.path.clone());
            if last.as_ref() != Some(&location) {
                self.entries.location(&self.report.side(finding), &finding.path, "");
                last = Some(location);
            }
            self.fold(&fold);
        }
        for (rule, number) in unlisted {
            self.entries.paragraph(&format!("`{rule}`: {}", not_shown(number, "finding", "`--verbose`")), FAINT);
        }
    }

    /// How many findings there are of each change, and some of their places.
    fn counts(&mut self, title: &str, folds: &[Fold<'_>]) {
        if !folds.is_empty() {
            self.entries.heading(title);
        }
        for fold in folds {
            let finding = fold.finding();
            let message = format!("{} ({})", sentence::clause(&finding.message), count(fold.count(), "finding"));
            let diagnostic = Diagnostic { message, ..self.report.diagnostic(fold.first) };
            // The reason for less than usual names one version.
            let bump = sentence::required_bump(&Finding { lowered: None, ..finding.clone() });
            self.entries.message(&bump, &diagnostic);
            let (places, more) = fold.places(sentence::MOST_NAMED);
            places.iter().for_each(|place| self.entries.copied("", Style::new(), place));
            if more > 0 {
                self.entries.detail(&format!("and {}", count(more, "more location")));
            }
            sentence::waived(finding).iter().for_each(|waived| self.entries.detail(waived));
            // A warning asks for a decision, although it decides nothing.
            if finding.warning && fold.findings().all(|other| other.fix == finding.fix) {
                self.entries.fix(&diagnostic);
            }
        }
    }

    fn waivers(&mut self) {
        let waivers = waivers::entries(self.report);
        if waivers.is_empty() {
            return;
        }
        self.entries.heading("Waivers");
        self.entries.paragraph(waivers::PURPOSE, Style::new());
        let most = if self.verbose { usize::MAX } else { MOST_LISTED };
        waivers.iter().take(most).for_each(|entry| self.entries.copied("", Style::new(), entry));
        if waivers.len() > most {
            let more = not_shown(waivers.len() - most, "entry", "`--verbose`");
            self.entries.paragraph(&more, FAINT);
        }
    }

    /// Whether a text is the first of its section. With `verbose`, each is printed.
    fn is_new(&mut self, text: &str) -> bool {
        self.said.insert(text.to_owned()) || self.verbose
    }

    fn fold(&mut self, fold: &Fold<'_>) {
        let finding = fold.finding();
        let mut diagnostic = self.report.diagnostic(fold.first);
        let is_known_reason = finding.why_lowered().is_some_and(|why| !self.is_new(&why));
        let lowered = finding.lowered.filter(|_| !is_known_reason);
        self.entries.message(&sentence::required_bump(&Finding { lowered, ..finding.clone() }), &diagnostic);
        self.values(fold);
        let needs = sentence::needs(finding, self.report).map(|needs| format!("needs a {needs}"));
        let waived = sentence::waived(finding);
        let waived = waived.map(|text| if self.is_new(&text) { text } else { "accepted: as above".to_owned() });
        let details = [fold.elsewhere(sentence::MOST_NAMED), needs, waived];
        details.iter().flatten().for_each(|detail| self.entries.detail(detail));
        if finding.waived.is_some() {
            diagnostic.help = None;
        }
        if diagnostic.help.as_ref().is_some_and(|help| !self.is_new(help)) {
            diagnostic.help = Some("as above".to_owned());
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
        if self.verbose
            && let [first @ .., last] = &finding.grounds[..]
        {
            let first = first.iter().map(|ground| format!("{ground}, ")).collect::<String>();
            self.entries.detail(&format!("proven by {first}{last}"));
        }
        // The title has the whole path already.
        let candidate = Path::new(&self.report.candidate.name);
        let is_long = candidate.is_absolute() && !self.verbose;
        let diagnostic = if is_long { diagnostic.relative_to(candidate) } else { diagnostic };
        let is_same = self.file.is_some() && self.file == diagnostic.location.file;
        match diagnostic.location.line {
            Some(line) if is_same => self.entries.copied("", FAINT, &format!("line {line}")),
            _ => self.entries.source(&diagnostic),
        }
        // The lines of types are read one by one, those of a bundle below the name of its CRD.
        self.file = diagnostic.location.file.filter(|_| self.report.gate.is_some() && !self.verbose);
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
