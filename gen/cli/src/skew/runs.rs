//! The matrix in short: neighbouring bundles with the same verdict are one run, and neighbouring clients with the same runs are one group.
//!
//! Invariant: each cause has one number, in the order in which it first appears.

use std::collections::BTreeSet;

use crd_stamps::skew::{Bundle, Cell, Verdict};

use super::Row;

/// Clients with the same verdicts.
pub(crate) struct Group {
    /// Their names: one, or the first and the last.
    pub(crate) name: String,
    /// The runs, by channel and then by version.
    pub(crate) runs: Vec<Run>,
}

/// Neighbouring bundles of a channel with the same verdict.
pub(crate) struct Run {
    pub(crate) channel: &'static str,
    /// `v1.0.0`, or `v1.0.0 … v1.4.1`.
    pub(crate) bundles: String,
    pub(crate) verdict: Verdict,
    /// The numbers of the causes.
    pub(crate) causes: BTreeSet<usize>,
}

fn range(first: Bundle, last: Bundle) -> String {
    if first == last { first.0.to_string() } else { format!("{} … {}", first.0, last.0) }
}

/// The groups, and the causes of all of them. If not `lists_all`, a run has only the causes of its own verdict: what fails does not list the fields that it would
/// also lack.
pub(crate) fn groups(rows: &[Row], lists_all: bool) -> (Vec<Group>, Vec<String>) {
    let mut sorted = rows.iter().map(|row| (row.client.built_for, runs(row))).zip(rows).collect::<Vec<_>>();
    sorted.sort_by_key(|((built_for, _), _)| built_for.map(|(version, channel)| (channel, version)));
    let channel = |built_for: Option<Bundle>| built_for.map(|(_, channel)| channel);
    let shape = |runs: &[Vec<(Bundle, &Cell)>]| {
        let of = |run: &Vec<(Bundle, &Cell)>| Some((run.first()?.0, run.last()?.0, run.first()?.1.verdict));
        runs.iter().map(of).collect::<Vec<_>>()
    };
    let mut causes: Vec<String> = Vec::new();
    let mut number = |text: String| {
        let known = causes.iter().position(|known| *known == text);
        known.unwrap_or_else(|| {
            causes.push(text);
            causes.len() - 1
        }) + 1
    };
    let groups = sorted.chunk_by(|((one, runs), _), ((other, others), _)| {
        channel(*one) == channel(*other) && shape(runs) == shape(others)
    });
    let groups = groups.filter_map(|group| {
        let (((first, shape), row), ((last, _), _)) = (group.first()?, group.last()?);
        let name = match first.zip(*last) {
            Some((first, last)) if group.len() > 1 => format!("{} {}", range(first, last), first.1),
            _ => row.client.name.clone(),
        };
        let runs = shape.iter().enumerate().filter_map(|(index, run)| {
            let (first, cell) = *run.first()?;
            let cells = group.iter().flat_map(|((_, runs), _)| runs.get(index)).flatten().map(|(_, cell)| *cell);
            let findings = cells.flat_map(|cell| &cell.findings);
            let counts = |finding: &&crd_stamps::skew::Finding| {
                lists_all || Verdict::of(&finding.kind, &finding.verdict) == cell.verdict
            };
            let causes = findings.filter(counts).map(|finding| number(finding.text())).collect();
            let bundles = range(first, run.last()?.0);
            Some(Run { channel: first.1.name(), bundles, verdict: cell.verdict, causes })
        });
        let runs = runs.collect();
        Some(Group { name, runs })
    });
    let groups = groups.collect();
    (groups, causes)
}

/// The cells of a row by channel and version, in runs of the same verdict.
fn runs(row: &Row) -> Vec<Vec<(Bundle, &Cell)>> {
    let mut cells = row.cells.iter().filter_map(|cell| Some((cell.bundle?, cell))).collect::<Vec<_>>();
    cells.sort_by_key(|((version, channel), _)| (*channel, *version));
    let is_same = |(one, left): &(Bundle, &Cell), (other, right): &(Bundle, &Cell)| {
        (one.1, left.verdict) == (other.1, right.verdict)
    };
    cells.chunk_by(is_same).map(<[_]>::to_vec).collect()
}
