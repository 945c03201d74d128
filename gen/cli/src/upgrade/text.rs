//! The outlook for people: what installers make of the CRDs, what breaks, and what to do.
//!
//! Invariant: text and Markdown have the same lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crd_diagnostics::entries::Entries;
use crd_diagnostics::layout::{count, hanging, some_of};
use crd_diagnostics::style::{FAINT, HEADING, NAME};
use crd_diagnostics::{Diagnostic, Severity, markdown, printable};
use crd_upgrade::fate::{Change, Fate};

use super::Outlook;

/// How many CRDs a line names.
const MOST_NAMED: usize = 4;

/// What it means that a CRD has this fate.
fn in_words(fate: Fate) -> (&'static str, &'static str) {
    match fate {
        Fate::Stale => ("stale", "succeeds, and the old CRD stays"),
        Fate::Changes => {
            ("changes", "installs the new CRD, and keeps what other programs wrote outside of `spec.versions`")
        }
        Fate::Overwritten => ("overwritten", "installs the new CRD, and everything that other programs wrote is lost"),
        Fate::Deleted => ("deleted", "deletes the CRD, with all its objects"),
        Fate::Refused => ("refused", "fails, and the old CRD stays"),
        Fate::Safe => ("safe", "changes nothing"),
    }
}

/// The numbers of CRDs and objects, in words.
fn title(outlook: &Outlook) -> String {
    let number = |change| outlook.crds.iter().filter(|crd| crd.change == change).count();
    let changes =
        [(Change::Changed, "changed"), (Change::Added, "new"), (Change::Absent, "removed"), (Change::Equal, "equal")];
    let changes = changes.into_iter().filter(|(change, _)| number(*change) > 0);
    let changes = changes.map(|(change, word)| format!("{} {word}", number(change))).collect::<Vec<_>>().join(", ");
    format!("{} → {}: {} ({changes})", outlook.from, outlook.to, count(outlook.crds.len(), "CRD"))
}

/// Each fate of CRDs that change, with its installers and its CRDs.
fn fates(outlook: &Outlook) -> Vec<(Fate, Vec<String>, Vec<&str>)> {
    // CRDs with the same fates by the same installers are one line.
    let mut by_fate: BTreeMap<(Fate, Vec<String>), Vec<&str>> = BTreeMap::new();
    for crd in outlook.crds.iter().filter(|crd| crd.change != Change::Equal) {
        let mut of_crd: BTreeMap<Fate, Vec<String>> = BTreeMap::new();
        for it in &crd.installers {
            let source = if it.source.is_some() { " (from source)" } else { "" };
            of_crd.entry(it.fate).or_default().push(format!("{}{source}", it.installer));
        }
        for (fate, installers) in of_crd {
            by_fate.entry((fate, installers)).or_default().push(&crd.name);
        }
    }
    by_fate.into_iter().map(|((fate, installers), crds)| (fate, installers, crds)).collect()
}

/// The findings by CRD, those with errors first.
fn by_crd(outlook: &Outlook) -> Vec<(&str, Vec<&Diagnostic>)> {
    let mut by_crd: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in outlook.report.findings() {
        by_crd.entry(finding.location.crd.as_ref().map_or("", |crd| &*crd.name)).or_default().push(finding);
    }
    let mut by_crd = by_crd.into_iter().collect::<Vec<_>>();
    by_crd.iter_mut().for_each(|(_, findings)| findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity)));
    by_crd.sort_by_key(|(_, findings)| std::cmp::Reverse(findings.iter().map(|finding| finding.severity).max()));
    by_crd
}

/// The numbers of objects and findings.
fn summary(outlook: &Outlook) -> String {
    let report = &outlook.report;
    let objects = count(usize::try_from(report.objects()).unwrap_or(usize::MAX), "object");
    let [errors, warnings, notes] =
        [Severity::Error, Severity::Warning, Severity::Note].map(|severity| report.number(severity));
    let [errors, warnings, notes] =
        [(errors, "error"), (warnings, "warning"), (notes, "note")].map(|(number, word)| count(number, word));
    format!("{objects}, {errors}, {warnings}, {notes}")
}

/// The outlook as text. Notes and rights are there if `is_verbose`.
pub(crate) fn text(outlook: &Outlook, width: usize, is_verbose: bool) -> String {
    let mut text = format!("{NAME}{}{NAME:#}\n", printable(&title(outlook)));
    for (fate, installers, crds) in fates(outlook) {
        let (word, effect) = in_words(fate);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{HEADING}{word}{HEADING:#} {FAINT}(the installer {effect}){FAINT:#}");
        let _ = write!(text, "{}", hanging(&format!("by {}", installers.join("; ")), 2, 5, width));
        let _ = write!(text, "{}", hanging(&printable(&some_of(&crds, MOST_NAMED)), 2, 2, width));
    }
    for (crd, mut findings) in by_crd(outlook) {
        findings.retain(|finding| is_verbose || finding.severity > Severity::Note);
        if findings.is_empty() {
            continue;
        }
        let mut entries = Entries::new(if crd.is_empty() { "the installation" } else { crd }, width);
        entries.by_code(findings);
        text.push('\n');
        text.push_str(&entries.finish());
    }
    let _ = writeln!(text, "\n{HEADING}in this order{HEADING:#}");
    for (index, command) in outlook.steps.commands.iter().enumerate() {
        let _ = writeln!(text, "  {}. {command}", index + 1);
    }
    if is_verbose {
        let _ = write!(text, "\n{HEADING}rights{HEADING:#}\n{}", outlook.steps.rights_in_yaml());
    }
    let more = if is_verbose { "" } else { " (`--verbose` lists notes)" };
    let _ = writeln!(text, "\n{}{more}", summary(outlook));
    text
}

/// The outlook as a comment on a pull request.
pub(crate) fn markdown(outlook: &Outlook) -> String {
    let mut text =
        format!("### {}\n\n| installer | CRDs | effect |\n|---|---|---|\n", markdown::plain(&title(outlook)));
    for (fate, installers, crds) in fates(outlook) {
        let crds = crds.iter().take(MOST_NAMED).map(|name| markdown::cell(name)).collect::<Vec<_>>().join(", ")
            + &crds.len().checked_sub(MOST_NAMED + 1).map(|more| format!(" and {} more", more + 1)).unwrap_or_default();
        let (word, effect) = in_words(fate);
        let installers = markdown::cell_sentence(&installers.join("; "));
        let _ = writeln!(text, "| {installers} | {crds} | **{word}**: {} |", markdown::cell_sentence(effect));
    }
    for (crd, findings) in by_crd(outlook) {
        let _ = writeln!(
            text,
            "\n#### {}\n",
            if crd.is_empty() { "the installation".to_owned() } else { markdown::code(crd) }
        );
        for finding in findings {
            let _ = writeln!(text, "- **{}** {}", finding.severity.word(), markdown::sentence(&finding.message));
        }
    }
    let _ = writeln!(text, "\n```sh\n{}\n```\n\n{}", outlook.steps.commands.join("\n"), summary(outlook));
    text
}
