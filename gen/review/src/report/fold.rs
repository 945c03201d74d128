//! Folding: equal findings at several places become one.
//!
//! Published bundles repeat a type in several API versions, CRDs and channels and at many paths, so that one change of a type is found many
//! times.
//!
//! Invariants: only what a reader would read twice word by word is folded, or counted as the same change; every finding is in one fold; no
//! place is lost; a fold is at the position of its first finding.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crd_compat::{Direction, Finding};
use crd_diagnostics::SourceLine;
use crd_diagnostics::layout::{count, some_of};
use crd_model::channel::Channel;
use serde_json::Value;

use super::values::printable;
use super::{Located, sentence};

/// Findings that say the same.
pub(super) struct Fold<'r> {
    /// The one at the first place.
    pub(super) first: &'r Located,
    pub(super) others: Vec<&'r Located>,
}

/// Which findings are folded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// Equal ones of one CRD and channel.
    Crd,
    /// Equal ones that the same line causes.
    Line,
    /// Equal ones of the bundle.
    Bundle,
    /// Those of the bundle that differ in values and details only.
    Change,
}

/// What must be equal: the finding without its place, and without what the place decides.
fn sameness(located: &Located, over: Over) -> (Finding, Option<&SourceLine>) {
    let same = located.finding.clone();
    let mut same = Finding {
        version: None,
        path: String::new(),
        direction: None,
        grounds: Vec::new(),
        proof: None,
        witness: None,
        ..same
    };
    if over != Over::Crd {
        (same.crd, same.channel) = (String::new(), Channel::Standard);
    }
    if over == Over::Change {
        let message = sentence::clause(&same.message).to_owned();
        same = Finding { message, before: None, after: None, fix: None, needs: Vec::new(), lowered: None, ..same };
    }
    (same, located.source.as_ref().filter(|_| over == Over::Line))
}

pub(super) fn fold<'r>(findings: impl IntoIterator<Item = &'r Located>, over: Over) -> Vec<Fold<'r>> {
    let mut folds: Vec<Fold<'r>> = Vec::new();
    let mut known = HashMap::new();
    for located in findings {
        let next = folds.len();
        match known.entry(sameness(located, over)).or_insert(next) {
            index if *index < next => folds[*index].others.push(located),
            _ => folds.push(Fold { first: located, others: Vec::new() }),
        }
    }
    folds
}

/// Every finding by itself.
pub(super) fn unfolded<'r>(findings: impl IntoIterator<Item = &'r Located>) -> Vec<Fold<'r>> {
    findings.into_iter().map(|first| Fold { first, others: Vec::new() }).collect()
}

/// As many findings, with the removal or the new name of a field instead of each loosening at the field or below it, which these imply.
pub(super) fn by_cause<'r>(findings: Vec<&'r Located>) -> Vec<&'r Located> {
    let place = |finding: &'r Finding| (finding.channel, &*finding.crd, finding.version.as_deref());
    let is_removed_field = |finding: &Finding| {
        let name = finding.before.as_ref().and_then(Value::as_str);
        ["name-removed", "renamed"].contains(&finding.rule)
            && name.is_some_and(|name| finding.path.rsplit('.').next() == Some(name))
    };
    let removed = findings.iter().filter(|located| is_removed_field(&located.finding));
    let removed = removed.map(|located| ((place(&located.finding), &*located.finding.path), *located));
    let removed = removed.collect::<HashMap<_, _>>();
    let cause = |located: &'r Located| {
        let finding = &located.finding;
        let is_implied = finding.direction == Some(Direction::Loosened) && finding.waived.is_none();
        let ends = finding.path.match_indices(['.', '[']).map(|(end, _)| end).chain([finding.path.len()]);
        let mut above = ends.filter_map(|end| removed.get(&(place(finding), &finding.path[..end])).copied());
        above.next().filter(|cause| is_implied && cause.finding.effective() >= finding.effective()).unwrap_or(located)
    };
    findings.iter().map(|located| cause(located)).collect()
}

impl<'r> Fold<'r> {
    /// The places after the first, in words; at most `most` of them are named. None if there are none.
    pub(super) fn elsewhere(&self, most: usize) -> Option<String> {
        let first = self.finding();
        if self.others.is_empty() {
            return None;
        }
        let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let is_own = |finding: &&Finding| (&finding.crd, finding.channel) == (&first.crd, first.channel);
        for finding in self.findings().filter(is_own) {
            places.entry(&finding.path).or_default().insert(finding.version.as_deref().unwrap_or_default());
        }
        let own = places.remove(&*first.path).unwrap_or_default();
        // Where every path has the same versions, they are not repeated after each.
        let even = places.values().all(|versions| *versions == own);
        let versions = own.iter().filter(|version| Some(**version) != first.version.as_deref()).copied();
        let mut parts = Vec::new();
        let more = versions.filter(|version| !version.is_empty()).collect::<Vec<_>>();
        if !more.is_empty() {
            parts.push(format!("in {}", more.join(", ")));
        }
        let named = places.iter().map(|(path, versions)| match even {
            true => at(path),
            false => format!("{} ({})", at(path), versions.iter().copied().collect::<Vec<_>>().join(", ")),
        });
        let named = named.collect::<Vec<_>>();
        if !named.is_empty() {
            parts.push(format!("at {}", some_of(&named, most)));
        }
        let (of_crd, of_others): (Vec<_>, Vec<_>) =
            self.findings().filter(|finding| !is_own(finding)).partition(|finding| finding.crd == first.crd);
        let channels = of_crd.iter().map(|finding| finding.channel.name()).collect::<BTreeSet<_>>();
        let crds = of_others.iter().map(|finding| printable(short(&finding.crd, &first.crd)));
        for names in [channels.into_iter().map(str::to_owned).collect(), crds.collect::<BTreeSet<_>>()] {
            if !names.is_empty() {
                parts.push(format!("in {}", some_of(&names.into_iter().collect::<Vec<_>>(), most)));
            }
        }
        let number = count(self.count(), "finding");
        // The same place several times has no other name.
        Some(match parts.is_empty() {
            true => format!("{number} at this location"),
            false => format!("also {} ({number})", parts.join("; ")),
        })
    }

    /// The first places, and how many more there are.
    pub(super) fn places(&self, most: usize) -> (Vec<String>, usize) {
        let of = &self.finding().crd;
        let place = |finding: &Finding| format!("{} {}", short(&finding.crd, of), finding.path).trim_end().to_owned();
        let places = self.findings().map(place).collect::<BTreeSet<_>>();
        let more = places.len().saturating_sub(most);
        (places.into_iter().take(most).collect(), more)
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = &'r Finding> {
        std::iter::once(self.first).chain(self.others.iter().copied()).map(|located| &located.finding)
    }

    /// How many findings it represents.
    pub(super) fn count(&self) -> usize {
        self.others.len() + 1
    }

    /// What all of them say.
    pub(super) fn finding(&self) -> &'r Finding {
        &self.first.finding
    }
}

/// The name of a CRD without its group, if that is the group of another one.
pub(super) fn short<'c>(crd: &'c str, other: &str) -> &'c str {
    match (crd.split_once('.'), other.split_once('.')) {
        (Some((plural, group)), Some((_, same))) if group == same => plural,
        _ => crd,
    }
}

/// A path, also where it is that of the whole.
fn at(path: &str) -> String {
    if path.is_empty() { "the top".to_owned() } else { printable(path) }
}
