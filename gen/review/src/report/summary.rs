//! The summary: a few sentences for a reader who is new to findings.
//!
//! Invariants: findings are counted as they are folded, so that a change of a type counts once for each CRD that has it; the verdict
//! without waivers is always printed.

use std::collections::BTreeMap;

use crd_compat::RequiredBump;
use crd_model::channel::Channel;

use super::catalogue::counted;
use super::fold::{Fold, Over, fold};
use super::problem::PROBLEMS;
use super::sentence::bundle;
use super::{GateReason, Report, is_silent, values};
use crd_diagnostics::layout::{are, count};
use crd_diagnostics::text::full_stop;

/// A sentence for each channel, then one each for the bundle, the waivers and the problems.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut verdict = of_bundle(report);
    for channel in &report.channels {
        match &channel.skipped {
            Some(reason) => {
                sentences.push(format!("{}: not checked: {}.", channel.channel, reason.trim_end_matches('.')));
            }
            None if report.has_channels => {
                let mut words = format!("{}: {}", channel.channel, of_channel(report, channel.channel));
                full_stop(&mut words);
                sentences.push(words);
            }
            // The verdict about the only channel is that about the release.
            None => {
                let reasons = reasons(report, report.verdict.bundle, &folds(report, channel.channel));
                verdict.push_str(&reasons);
            }
        }
    }
    full_stop(&mut verdict);
    sentences.push(verdict);
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
    let folds = folds(report, channel);
    let asked = report.verdict.channels.get(&channel).copied().unwrap_or(RequiredBump::None);
    let words = match asked {
        RequiredBump::None if folds.iter().all(|fold| is_silent(fold.finding())) => "no change affects users",
        RequiredBump::None => &format!("no change requires a new {}", report.noun()),
        RequiredBump::Patch | RequiredBump::Minor | RequiredBump::Major => {
            &format!("needs {}", bundle(asked, report.noun()))
        }
        RequiredBump::Waiver => "to be fixed or waived",
        RequiredBump::NotAllowed => "refused",
    };
    format!("{words}{}", reasons(report, asked, &folds))
}

/// The findings of a channel, equal ones of a CRD once.
fn folds(report: &Report, channel: Channel) -> Vec<Fold<'_>> {
    let findings = report.ordered().into_iter().filter(|located| located.finding.channel == channel);
    fold(findings, Over::Crd)
}

/// What decides about a channel, and how many other findings it has: `: 3 names added; also 2 smaller changes`.
fn reasons(report: &Report, asked: RequiredBump, folds: &[Fold<'_>]) -> String {
    let that_ask =
        |required_bump: RequiredBump| folds.iter().filter(move |fold| fold.finding().effective() == required_bump);
    let mut reasons = match asked {
        RequiredBump::None => String::new(),
        asked => format!(": {}", phrases(that_ask(asked))),
    };
    if asked == RequiredBump::NotAllowed && that_ask(RequiredBump::Waiver).next().is_some() {
        reasons.push_str(&format!("; to be fixed or waived: {}", phrases(that_ask(RequiredBump::Waiver))));
    }
    let lesser = folds.iter().filter(|fold| {
        let effective = fold.finding().effective();
        effective > RequiredBump::None && effective < asked && !effective.blocks()
    });
    let lesser = lesser.count();
    if lesser > 0 {
        reasons.push_str(&format!("; also {}", count(lesser, "smaller change")));
    }
    let known = folds.iter().filter(|fold| fold.finding().known).map(Fold::count).sum::<usize>();
    if known > 0 {
        let them = if known == 1 { "it" } else { "them" };
        let reason = match report.baseline {
            Some(_) => format!("the baseline has {them}"),
            None => format!("there is no baseline that could lack {them}"),
        };
        reasons.push_str(&format!(". {} not counted, since {reason}", are(known, "known finding")));
    }
    reasons
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

/// The verdict, after which the findings that decide are named where there is one channel.
fn of_bundle(report: &Report) -> String {
    let asked = report.verdict.bundle;
    let noun = report.noun();
    if report.baseline.is_none() {
        return match asked.blocks() {
            true => "There is no baseline to compare with, and as it is this fits no version".to_owned(),
            false => format!("There is no baseline to compare with, only the {noun} itself was checked"),
        };
    }
    let needs = match asked {
        RequiredBump::NotAllowed => "no version permits this".to_owned(),
        RequiredBump::Waiver => "no version permits this until it is fixed or waived".to_owned(),
        RequiredBump::None => format!("no new {noun} needed"),
        asked => format!("{asked} {noun} needed"),
    };
    let other_errors = if report.problems.is_empty() { "" } else { ", apart from the other errors" };
    let Some(permitted) = report.permitted.filter(|_| !asked.blocks()) else {
        let mark = if asked.blocks() { "✗ " } else { "" };
        let needed = report.needed.as_deref().filter(|_| !asked.blocks() && asked > RequiredBump::None);
        return format!("{mark}{needs}{}", needed.map(|needed| format!(" ({needed} or later)")).unwrap_or_default());
    };
    let mark = if asked > permitted { "✗" } else { "✓" };
    let permits = if permitted == RequiredBump::None { "none" } else { permitted.word() };
    if asked == RequiredBump::None {
        return format!("✓ {needs}{other_errors}");
    }
    let by_versions = report.gate.as_ref().is_none_or(|gate| matches!(gate.reason, GateReason::Versions(_)));
    let smallest = match &report.needed {
        Some(needed) if asked > permitted || !by_versions => format!(" ({needed} or later)"),
        Some(needed) if asked < permitted => format!(" ({needed} would do)"),
        _ => String::new(),
    };
    format!("{mark} {needs}, {permits} permitted{other_errors}{smallest}")
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
