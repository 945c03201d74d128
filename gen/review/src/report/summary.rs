//! The summary: a few sentences for a reader who is new to findings.
//!
//! Invariants: findings are counted as they are folded, so that a change of a type counts once for each CRD that has it; the verdict
//! without waivers is always printed.

use std::collections::BTreeMap;

use crd_compat::RequiredBump;
use crd_descriptors::channel::Channel;

use super::catalogue::counted;
use super::fold::{Fold, Over, fold};
use super::problem::PROBLEMS;
use super::sentence::bundle;
use super::{GateReason, Named, Report, is_silent, values};
use crd_diagnostics::layout::{are, count};
use crd_diagnostics::text::capital;

/// A sentence for each channel, then one each for the bundle, the waivers and the problems.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let mut sentences = Vec::new();
    for channel in &report.channels {
        sentences.push(match &channel.skipped {
            Some(reason) => format!("{}: not checked: {}.", channel.channel, reason.trim_end_matches('.')),
            None => {
                let words = of_channel(report, channel.channel);
                if report.has_channels { format!("{}: {words}", channel.channel) } else { capital(&words) }
            }
        });
    }
    sentences.push(of_bundle(report));
    sentences.extend(of_waivers(report));
    sentences.extend(of_problems(report));
    sentences.iter().map(|sentence| values::printable(sentence)).collect()
}

/// How many findings are not listed, if there are any.
pub(super) fn left_out(report: &Report) -> Option<String> {
    let left_out = report.findings.iter().filter(|located| report.leaves_out(&located.finding));
    let (known, silent): (Vec<_>, Vec<_>) = left_out.partition(|located| located.finding.known);
    let require = if silent.len() == 1 { "requires no bump" } else { "require no bump" };
    let hidden = match (silent.len(), known.len()) {
        (0, 0) => return None,
        (silent, 0) => format!("{} that {require}", count(silent, "finding")),
        (0, known) => count(known, "known finding"),
        (silent, known) => format!("{} that {require} and {}", count(silent, "finding"), count(known, "known finding")),
    };
    let are = if silent.len() + known.len() == 1 { "is" } else { "are" };
    Some(format!("{hidden} {are} left out; `--verbose` lists all."))
}

/// The gate, if the report has one.
pub(super) fn gate(report: &Report) -> Option<String> {
    report.gate.as_ref().map(|gate| values::printable(&gate.line()))
}

fn of_channel(report: &Report, channel: Channel) -> String {
    let findings = report.ordered().into_iter().filter(|located| located.finding.channel == channel);
    let folds = fold(findings, Over::Crd);
    let asked = report.verdict.channels.get(&channel).copied().unwrap_or(RequiredBump::None);
    let that_ask =
        |required_bump: RequiredBump| folds.iter().filter(move |fold| fold.finding().effective() == required_bump);
    let deciding = phrases(that_ask(asked));
    let words = match asked {
        RequiredBump::None if folds.iter().all(|fold| is_silent(fold.finding())) => "no change affects users",
        RequiredBump::None => &format!("no change requires a new {}", report.noun()),
        RequiredBump::Patch | RequiredBump::Minor | RequiredBump::Major => {
            &format!("needs {}: {deciding}", bundle(asked, report.noun()))
        }
        RequiredBump::Waiver => &format!("fits no {} until this is fixed or waived: {deciding}", report.noun()),
        RequiredBump::NotAllowed => match phrases(that_ask(RequiredBump::Waiver)) {
            rest if rest.is_empty() => &format!("refused: {deciding}"),
            rest => &format!("refused: {deciding}; to be fixed or waived: {rest}"),
        },
    };
    let lesser = folds.iter().filter(|fold| {
        let effective = fold.finding().effective();
        effective > RequiredBump::None && effective < asked && !effective.blocks()
    });
    let smaller = match lesser.count() {
        0 => String::new(),
        lesser => format!("; also {}", count(lesser, "smaller change")),
    };
    let known = folds.iter().filter(|fold| fold.finding().known).map(Fold::count).sum::<usize>();
    let known = match known {
        0 => String::new(),
        known => {
            let them = if known == 1 { "it" } else { "them" };
            let reason = match report.baseline {
                Some(_) => format!("the baseline has {them}"),
                None => format!("there is no baseline that could lack {them}"),
            };
            format!(". {} not counted, since {reason}", are(known, "known finding"))
        }
    };
    format!("{words}{smaller}{known}.")
}

/// The findings that decide, in words: `6 constraints loosened`. Those of all channels count together.
pub(crate) fn deciding(report: &Report) -> String {
    let verdict = report.verdict.bundle;
    let folds = fold(report.ordered(), Over::Crd);
    phrases(folds.iter().filter(|fold| fold.finding().effective() == verdict))
}

/// How many of each rule: `15 names graduated, 6 constraints loosened`; the most frequent first.
fn phrases<'f, 'r: 'f>(folds: impl Iterator<Item = &'f Fold<'r>>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for fold in folds {
        *counts.entry(fold.finding().rule).or_default() += 1;
    }
    let mut counts = counts.into_iter().collect::<Vec<_>>();
    counts.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    counts.into_iter().map(|(rule, number)| counted(number, rule)).collect::<Vec<_>>().join(", ")
}

fn of_bundle(report: &Report) -> String {
    let asked = report.verdict.bundle;
    let needed = report.needed.as_deref();
    let Some(baseline) = &report.baseline else {
        return match asked.blocks() {
            true => "There is no baseline to compare with, and as it is this fits no version.".to_owned(),
            false => "There is no baseline to compare with: only the bundle itself was checked.".to_owned(),
        };
    };
    // By their versions, if they have one: a folder permits nothing.
    let called = |named: &Named| named.version.clone().unwrap_or_else(|| named.name.clone());
    let (baseline, candidate) = (called(baseline), called(&report.candidate));
    let noun = report.noun();
    let needs = match (asked, needed) {
        (RequiredBump::None, _) => format!("No new {noun} is needed"),
        (asked, Some(needed)) => format!("This needs {}: {needed} or later", bundle(asked, noun)),
        (asked, None) => format!("This needs {}", bundle(asked, noun)),
    };
    let gate = report.gate.as_ref().filter(|gate| !matches!(gate.reason, GateReason::Versions(_)));
    match (report.permitted, gate) {
        _ if asked == RequiredBump::NotAllowed => "As it is, this fits no version.".to_owned(),
        _ if asked == RequiredBump::Waiver => "As it is, this fits no version until it is fixed or waived.".to_owned(),
        (None, _) => format!("{needs}."),
        (Some(permitted), Some(gate)) => {
            let permits = if asked > permitted { "does not permit" } else { "permits" };
            format!("{needs}. `{}` {permits} it.", gate.name)
        }
        (Some(permitted), None) if asked > permitted => {
            let smallest = needed.map(|needed| format!(": {needed} is the smallest version that fits"));
            format!(
                "This does not fit {candidate}: over {baseline} that permits {}, and {} is needed{}.",
                bundle(permitted, noun),
                bundle(asked, noun),
                smallest.unwrap_or_default()
            )
        }
        (Some(permitted), None) => {
            let less = needed
                .filter(|_| asked > RequiredBump::None && asked < permitted)
                .map(|needed| format!(" ({needed} would do)"));
            let this = if report.problems.is_empty() { "This" } else { "Apart from the other errors, this" };
            format!(
                "{this} fits {candidate}: over {baseline} that permits {}, and {} is needed{}.",
                bundle(permitted, noun),
                bundle(asked, noun),
                less.unwrap_or_default()
            )
        }
    }
}

/// What it would be without waivers. A plain diff that uses none has nothing to say of them.
fn of_waivers(report: &Report) -> Option<String> {
    let waived = report.findings.iter().filter(|located| located.finding.waived.is_some()).collect::<Vec<_>>();
    let without = report.verdict.without_waivers;
    if waived.is_empty() {
        return report.uses_waivers().then(|| "Nothing is waived.".to_owned());
    }
    let reasons = fold(waived, Over::Crd).len();
    let would = match without {
        same if same == report.verdict.bundle => "the verdict would be the same".to_owned(),
        blocks if blocks.blocks() => "this would fit no version".to_owned(),
        other => format!("this would need {}", bundle(other, report.noun())),
    };
    Some(format!("{} waived; without waivers {would}.", are(reasons, "finding")))
}

fn of_problems(report: &Report) -> Option<String> {
    let counts =
        PROBLEMS.iter().map(|row| (row.id, report.problems.iter().filter(|problem| problem.code == row.id).count()));
    let counts = counts.filter(|(_, number)| *number > 0).map(|(id, number)| counted(number, id)).collect::<Vec<_>>();
    (!counts.is_empty()).then(|| format!("To fix in any case: {}.", counts.join(", ")))
}
