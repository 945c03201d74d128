//! The matrix for people, as text and as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anstyle::Style;
use crd_diagnostics::layout::hanging;
use crd_diagnostics::markdown::cell as escaped;
use crd_diagnostics::printable;
use crd_diagnostics::style::{ERROR, NAME, NOTE, WARNING};
use crd_stamps::skew::Verdict;

use super::Row;
use super::runs::{Group, Run, groups};

/// The runs of each group, then the causes.
pub(crate) fn text(rows: &[Row], lists_all: bool, title: &str, width: usize) -> String {
    let (groups, causes) = groups(rows, lists_all);
    let mut text = String::new();
    let longest =
        |word: &dyn Fn(&Run) -> usize| groups.iter().flat_map(|group| &group.runs).map(word).max().unwrap_or(0);
    let channels = longest(&|run| run.channel.len());
    let bundles = longest(&|run| run.bundles.chars().count());
    for Group { name, runs } in &groups {
        let _ = writeln!(text, "{NAME}{}{NAME:#}", printable(&format!("{title}{name}")));
        let mut channel = "";
        for run in runs {
            let shown = if channel == run.channel { "" } else { run.channel };
            channel = run.channel;
            let (style, verdict) = (style(run.verdict), run.verdict.words());
            let head = format!("  {shown:channels$}  {:bundles$}  ", run.bundles);
            let _ = writeln!(text, "{head}{style}{verdict}{style:#}{}", numbers(&run.causes));
        }
        text.push('\n');
    }
    for (number, cause) in causes.iter().enumerate() {
        let label = format!("{:>4}  ", number + 1);
        let _ = write!(text, "{label}{}", hanging(cause, 0, label.len(), width.saturating_sub(label.len())));
    }
    text
}

fn style(verdict: Verdict) -> Style {
    [Style::new(), NOTE, WARNING, ERROR][verdict as usize]
}

/// ` [1, 2]`: neighbouring numbers are a range.
fn numbers(causes: &BTreeSet<usize>) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for cause in causes {
        match parts.last_mut().filter(|(_, last)| last + 1 == *cause) {
            Some((_, last)) => *last = *cause,
            None => parts.push((*cause, *cause)),
        }
    }
    let part =
        |(first, last): (usize, usize)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    let parts = parts.into_iter().map(part).collect::<Vec<_>>().join(", ");
    if parts.is_empty() { parts } else { format!(" [{parts}]") }
}

/// The same as a table and a list.
pub(crate) fn markdown(rows: &[Row], lists_all: bool) -> String {
    let (groups, causes) = groups(rows, lists_all);
    let mut text = "| client | channel | bundles | verdict | causes |\n|---|---|---|---|---|\n".to_owned();
    for Group { name, runs } in &groups {
        for run in runs {
            let (Run { channel, bundles, .. }, verdict) = (run, run.verdict.words());
            let causes = numbers(&run.causes);
            let causes = causes.trim_matches([' ', '[', ']']);
            let _ = writeln!(text, "| {} | {channel} | {bundles} | {verdict} | {causes} |", escaped(name));
        }
    }
    text.push_str(if causes.is_empty() { "" } else { "\n" });
    for (number, cause) in causes.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", number + 1, crd_diagnostics::markdown::plain(cause));
    }
    text
}

/// A client on a cluster, and what it does not find.
pub(crate) fn cluster(rows: &[Row], server: &str) -> String {
    let cells = rows.iter().flat_map(|row| row.cells.iter().map(|cell| (&row.client.name, cell)));
    let text = cells.map(|(name, cell)| {
        let bundle = cell.bundle.map(|(version, channel)| format!(" ({version} {channel})")).unwrap_or_default();
        let (style, title) = (style(cell.verdict), printable(&format!("{name} on {server}{bundle}: ")));
        let findings = cell.findings.iter().map(|finding| format!("  {}\n", printable(&finding.text())));
        format!("{NAME}{title}{NAME:#}{style}{}{style:#}\n{}", cell.verdict.words(), findings.collect::<String>())
    });
    text.collect()
}
