//! Releases as Markdown: a page for each project, and an index.
//!
//! Invariants: neighbouring releases about which the same is known, such as patches that fit, are one row. Values are shown in code, shortened; messages of CEL rules are not shown. A name with
//! characters of Markdown stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::Decision;
use crd_compat::{Finding, RequiredBump};
use crd_diagnostics::layout::count;
use crd_diagnostics::markdown::{code, plain, sentence};

use super::breaks::{Break, accepted, breaks};
use super::{Compared, MARK, Outcome, Project};
use crate::report::sentence::change;
use crate::report::{summary, values};

/// How many breaks of a release are shown.
const BREAKS: usize = 100;
/// How many other places of a break are named.
const PLACES: usize = 2;
/// The length of a shown object.
const OBJECT: usize = 240;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The name of its file.
    pub file: String,
    pub text: String,
}

/// The page with a row for each project.
pub fn index(projects: &[Project]) -> Page {
    let mut text = format!("# Compatibility of releases\n\n{MARK}. ");
    text.push_str(
        "Each stable release is compared with the one before it.\n\n\
         * *declared*: the bump between the two version numbers\n\
         * *verdict*: the bump that the changes require by the policy. `crd-channels rules` lists the rules\n\
         * *more than declared*: releases whose verdict is larger than what they declare\n\
         * *breaks*: those of them with a change that is not an addition, and not about words. The page of a project shows these changes, with an \
         object that is refused from that release on\n\n\
         | project | releases compared | CRDs compared | more than declared | breaks | not read |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    let mut row = |name: &str, projects: &[&Project]| {
        let compared = || projects.iter().flat_map(|project| project.compared());
        let unread = projects.iter().flat_map(|project| &project.rows);
        text.push_str(&format!(
            "| {name} | {} | {} | {} | {} | {} |\n",
            compared().count(),
            compared().map(|compared| compared.crds).sum::<usize>(),
            compared().filter(|compared| !compared.fits()).count(),
            compared().filter(|compared| compared.breaks()).count(),
            unread.filter(|row| matches!(row.outcome, Outcome::Unread(_))).count(),
        ));
    };
    for project in projects {
        row(&format!("[{}]({})", plain(&project.name), file(project)), &[project]);
    }
    row("all", &projects.iter().collect::<Vec<_>>());
    decisions(projects, &mut text);
    Page { file: "README.md".to_owned(), text }
}

/// What decided the findings about accepted objects, and each class of findings that were not decided.
fn decisions(projects: &[Project], text: &mut String) {
    let words = Decision::ALL.map(Decision::word);
    text.push_str(&format!(
        "\n## What decided\n\n\
         Findings about the objects that are accepted: a proof that no object is refused (by the keyword itself, by CEL rules, by the schema), \
         or an object that is refused. Where neither is found, the row of the policy decides.\n\n\
         | project | {} | share not decided |\n|---|{}--:|\n",
        words.join(" | "),
        "--:|".repeat(words.len()),
    ));
    let mut row = |name: &str, projects: &[Project]| {
        let compared = || projects.iter().flat_map(Project::compared);
        let counts =
            words.iter().map(|word| compared().filter_map(|compared| compared.decided.get(word)).sum::<usize>());
        let counts = counts.collect::<Vec<_>>();
        let (all, open) = (counts.iter().sum::<usize>(), counts.last().copied().unwrap_or_default());
        let cells = counts.iter().map(|count| format!("{count} | ")).collect::<String>();
        text.push_str(&format!("| {name} | {cells}{:.1} % |\n", 100.0 * open as f64 / all.max(1) as f64));
    };
    for project in projects {
        row(&plain(&project.name), std::slice::from_ref(project));
    }
    row("all", projects);
    let mut classes: BTreeMap<&(String, &str), usize> = BTreeMap::new();
    for (class, count) in projects.iter().flat_map(Project::compared).flat_map(|compared| &compared.not_decided) {
        *classes.entry(class).or_default() += count;
    }
    let mut classes = classes.into_iter().collect::<Vec<_>>();
    classes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if !classes.is_empty() {
        text.push_str("\n| not decided | why | findings |\n|---|---|--:|\n");
    }
    for ((change, reason), count) in classes {
        text.push_str(&format!("| {change} | {reason} | {count} |\n"));
    }
}

fn file(project: &Project) -> String {
    // A link to it must end where the name ends.
    let is_plain = |character: char| character.is_alphanumeric() || "._-".contains(character);
    format!("{}.md", project.name.replace(|character| !is_plain(character), "-"))
}

/// The page of a project.
pub fn page(project: &Project) -> Page {
    let mut text = format!("# {}\n\n{MARK}. ", plain(&project.name));
    let profiles = project.compared().map(|compared| compared.report.profile.profile.name()).collect::<BTreeSet<_>>();
    let profiles = profiles.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    text.push_str(&format!(
        "{}. The profile is {profiles}.\nThe [index](README.md) explains the columns. Objects are shown without `apiVersion`, `kind` and `metadata`.\n\n",
        super::text::in_one_line(project),
    ));
    if let Some(undated) = project.undated_sentence() {
        text.push_str(&format!("{}\n\n", sentence(&undated)));
    }
    text.push_str("| release | declared | verdict | what decides |\n|---|---|---|---|\n");
    let mut like: Vec<&str> = Vec::new();
    let mut last = String::new();
    for (row, other) in project.rows.iter().zip(project.other_baselines()) {
        let cells = cells(&row.outcome, other);
        let has_section = matches!(&row.outcome, Outcome::Compared(compared) if compared.breaks());
        if !like.is_empty() && (cells != last || has_section) {
            text.push_str(&like_row(&like, &last));
            like.clear();
        }
        match has_section {
            true => text.push_str(&format!("| [{}](#{}) {cells}", plain(&row.tag), anchor(&row.tag))),
            false => like.push(&row.tag),
        }
        last = cells;
    }
    if !like.is_empty() {
        text.push_str(&like_row(&like, &last));
    }
    let unnamed = project.left_out.iter().filter(|left_out| !left_out.is_prerelease);
    let unnamed =
        unnamed.map(|left_out| format!("* {} is left out: {}\n", code(&left_out.name), sentence(&left_out.reason)));
    let unnamed = unnamed.collect::<String>();
    if !unnamed.is_empty() {
        text.push_str(&format!("\n{unnamed}"));
    }
    let mut waived = String::new();
    for row in &project.rows {
        let Outcome::Compared(compared) = &row.outcome else { continue };
        for (reason, number) in accepted(compared) {
            let (tag, number) = (plain(&row.tag), count(number, "finding"));
            waived.push_str(&format!("* {tag}: {number} accepted: {}\n", sentence(reason)));
        }
    }
    if !waived.is_empty() {
        text.push_str(&format!("\n{waived}"));
    }
    for row in &project.rows {
        if let Outcome::Compared(compared) = &row.outcome
            && compared.breaks()
        {
            of_release(&row.tag, compared, &mut text);
        }
    }
    Page { file: file(project), text }
}

/// The row of neighbouring releases about which the same is known.
fn like_row(tags: &[&str], cells: &str) -> String {
    match tags {
        [first, .., last] => {
            format!("| {} to {}, {} {cells}", plain(first), plain(last), count(tags.len(), "release"))
        }
        tags => format!("| {} {cells}", plain(&tags.concat())),
    }
}

/// The cells of a release after its name.
fn cells(outcome: &Outcome, other: Option<&str>) -> String {
    let compared = match outcome {
        Outcome::First => return "|  |  | the first release |\n".to_owned(),
        Outcome::Unread(errors) => {
            let codes = errors.iter().map(|error| error.code).collect::<BTreeSet<_>>();
            let codes = codes.into_iter().map(|code| format!("`{code}`")).collect::<Vec<_>>();
            return format!("|  |  | not read: {} |\n", codes.join(", "));
        }
        Outcome::Compared(compared) => compared,
    };
    let verdict = compared.verdict();
    let fits = compared.fits();
    let other = other.map(|other| format!("compared with {}", plain(other)));
    if fits && compared.declared == RequiredBump::Patch && other.is_none() {
        return "| patch | patch |  |\n".to_owned();
    }
    let channels = compared.channels().map(|channel| {
        let verdict = compared.report.verdict.channels.get(&channel).copied().unwrap_or(RequiredBump::None);
        format!("{channel} {verdict}")
    });
    let channels = channels.collect::<Vec<_>>();
    let mut shown = if fits { verdict.to_string() } else { format!("**{verdict}**") };
    match channels.len() {
        0 => shown = "no common channel".to_owned(),
        1 => {}
        _ => shown.push_str(&format!(" ({})", channels.join(", "))),
    }
    let deciding = (verdict != RequiredBump::None).then(|| sentence(&summary::deciding(&compared.report)));
    let deciding = deciding.into_iter().chain(other).collect::<Vec<_>>().join("; ");
    format!("| {} | {shown} | {deciding} |\n", compared.declared)
}

/// The anchor of a heading that is a tag.
fn anchor(tag: &str) -> String {
    let kept = tag.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter));
    kept.collect::<String>().to_lowercase()
}

fn of_release(tag: &str, compared: &Compared, text: &mut String) {
    text.push_str(&format!(
        "\n## {0}\n\n{0} declares {1}, and after {2} it needs {3}:\n\n",
        plain(tag),
        bundle(compared.declared),
        plain(&compared.baseline.to_string()),
        bundle(compared.verdict()),
    ));
    let with_channels = compared.channels().count() > 1;
    let all = breaks(compared);
    for found in all.iter().take(BREAKS) {
        text.push_str(&item(found, with_channels));
    }
    if all.len() > BREAKS {
        text.push_str(&format!("* and {}\n", count(all.len() - BREAKS, "more finding")));
    }
}

fn bundle(bump: RequiredBump) -> String {
    match bump {
        RequiredBump::None => "no new release".to_owned(),
        RequiredBump::Waiver => "a fix or a waiver".to_owned(),
        RequiredBump::NotAllowed => "other changes, because no release permits these".to_owned(),
        bump => format!("a {bump} release"),
    }
}

fn item(found: &Break<'_>, with_channels: bool) -> String {
    let finding = found.finding;
    let mut text = format!("* {}: {}", place(finding, with_channels), sentence(found.clause()));
    if let Some(change) = change(found.values(), code) {
        text.push_str(&format!(" ({change})"));
    }
    text.push_str(&format!(". {}, `{}`.", finding.required_bump, finding.rule));
    match found.witness() {
        Some(Ok((by, object))) => {
            let by = by.replacen('r', "R", 1);
            text.push_str(&format!(" {by}: {}", code(&values::cut(&object, OBJECT))));
        }
        Some(Err(reason)) if finding.decision() == Some(Decision::NotDecided) => {
            text.push_str(&format!(" Not decided: {}.", sentence(reason)));
        }
        Some(Err(reason)) => text.push_str(&format!(" No object: {}.", sentence(reason))),
        None => {}
    }
    if !found.others.is_empty() {
        let named = found.others.iter().take(PLACES).map(|finding| place(finding, with_channels)).collect::<Vec<_>>();
        let more = found.others.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.push_str(&format!("\n  Also at {}{more}.", named.join("; ")));
    }
    text.push('\n');
    text
}

/// Where a finding is.
fn place(finding: &Finding, with_channel: bool) -> String {
    let mut text = code(&finding.crd);
    if let Some(version) = &finding.version {
        text.push_str(&format!(" {}", plain(version)));
    }
    if with_channel {
        text.push_str(&format!(" {}", finding.channel));
    }
    if !finding.path.is_empty() {
        text.push_str(&format!(" {}", code(&finding.path)));
    }
    text
}
