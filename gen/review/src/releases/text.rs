//! Releases as text: a line for each, and what its version does not permit.
//!
//! Invariants: paths, names and objects are never wrapped; of a long list the first are printed.

use crd_compat::RequiredBump;
use crd_diagnostics::layout::{count, hanging, not_shown};
use crd_diagnostics::style::{ADDED, FAINT, NAME, REMOVED};
use crd_diagnostics::{printable, text::one_line};

use super::breaks::{accepted, breaks};
use super::{Compared, MOST_LEFT_OUT, Outcome, Project};
use crate::report::summary;

/// How many breaks of a release are printed.
const BREAKS: usize = 5;

/// The text of projects.
pub fn render(projects: &[Project], width: usize) -> String {
    let mut text = String::new();
    for project in projects {
        let head = hanging(&format!("{}: {}", project.name, in_one_line(project)), 0, 2, width);
        let name = printable(&project.name);
        text.push_str(&head.replacen(&name, &format!("{NAME}{name}{NAME:#}"), 1));
        let tags = project.rows.iter().map(|row| row.tag.chars().count()).max().unwrap_or_default();
        if let Some(undated) = project.undated_sentence() {
            text.push_str(&hanging(&format!("  {undated}"), 2, 4, width));
        }
        for (row, other) in project.rows.iter().zip(project.other_baselines()) {
            let tag = format!("  {:<tags$}", printable(&row.tag));
            match &row.outcome {
                Outcome::First => text.push_str(&format!("{tag}  {FAINT}first{FAINT:#}\n")),
                Outcome::Unread(errors) => {
                    let first = errors.first().map(one_line).unwrap_or_default();
                    let column = tag.chars().count() + 12;
                    text.push_str(&format!("{tag}  {REMOVED}not read{REMOVED:#}: {}", behind(&first, column, width)));
                }
                Outcome::Compared(compared) => of_release(&tag, compared, other, &mut text, width),
            }
        }
        for left_out in project.left_out.iter().take(MOST_LEFT_OUT) {
            text.push_str(&format!(
                "  {FAINT}{} is left out: {}{FAINT:#}\n",
                printable(&left_out.name),
                left_out.reason
            ));
        }
        if let Some(more) = project.left_out.len().checked_sub(MOST_LEFT_OUT + 1) {
            text.push_str(&format!("  {FAINT}{}{FAINT:#}\n", not_shown(more + 1, "left-out name", "`--format json`")));
        }
    }
    text
}

/// What is known about a project, in numbers.
pub(super) fn in_one_line(project: &Project) -> String {
    let number = |is_counted: fn(&Compared) -> bool| project.compared().filter(|compared| is_counted(compared)).count();
    let crds = project.compared().map(|compared| compared.crds).sum();
    format!(
        "{} and {} compared; releases that need more than their version declares: {}, of which {} can break users",
        count(number(|_| true), "release"),
        count(crds, "CRD"),
        number(|compared| !compared.fits()),
        number(Compared::breaks),
    )
}

/// Words from a column on, which continue on the next lines.
fn behind(words: &str, column: usize, width: usize) -> String {
    hanging(words, column, 6, width).trim_start().to_owned()
}

fn of_release(tag: &str, compared: &Compared, other: Option<&str>, text: &mut String, width: usize) {
    let style = if compared.fits() { ADDED } else { REMOVED };
    let verdict = compared.verdict();
    text.push_str(&format!("{tag}  declared {:<5}  {style}{verdict}{style:#}", compared.declared.word()));
    let deciding = Some(summary::deciding(&compared.report)).filter(|_| verdict != RequiredBump::None);
    let other = other.map(|other| format!("compared with {}", printable(other)));
    match deciding.into_iter().chain(other).collect::<Vec<_>>().join("; ") {
        words if words.is_empty() => text.push('\n'),
        words => {
            let column = tag.chars().count() + 20 + verdict.to_string().len();
            text.push_str(&format!("  {}", behind(&words, column, width)));
        }
    }
    let all = breaks(compared);
    for found in all.iter().take(BREAKS) {
        let finding = found.finding;
        let place = [&*finding.crd, finding.version.as_deref().unwrap_or_default(), &finding.path];
        let place = place.into_iter().filter(|part| !part.is_empty()).map(printable).collect::<Vec<_>>().join(" ");
        text.push_str(&format!("    {NAME}{place}{NAME:#}\n"));
        text.push_str(&hanging(&format!("{}: {}", finding.required_bump, found.clause()), 6, 8, width));
        match found.values() {
            (Some(before), Some(after)) => {
                text.push_str(&format!("      {REMOVED}{before}{REMOVED:#} → {ADDED}{after}{ADDED:#}\n"))
            }
            (Some(before), None) => text.push_str(&format!("      was {REMOVED}{before}{REMOVED:#}\n")),
            (None, Some(after)) => text.push_str(&format!("      now {ADDED}{after}{ADDED:#}\n")),
            (None, None) => {}
        }
        if let Some(Ok((by, object))) = found.witness() {
            text.push_str(&format!("      {by}: {object}\n"));
        }
        if !found.others.is_empty() {
            text.push_str(&format!("      {FAINT}also at {}{FAINT:#}\n", count(found.others.len(), "other place")));
        }
    }
    for (reason, number) in accepted(compared) {
        text.push_str(&hanging(
            &format!("accepted: {} ({})", printable(reason), count(number, "finding")),
            4,
            6,
            width,
        ));
    }
    if all.len() > BREAKS {
        text.push_str(&format!(
            "    {FAINT}{}{FAINT:#}\n",
            not_shown(all.len() - BREAKS, "finding", "`--format json`")
        ));
    }
}
