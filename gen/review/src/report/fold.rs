//! Folding: equal findings at several places of one CRD become one.
//!
//! Published bundles repeat a type in several API versions and at many paths, so that one change of a type is found many times.
//!
//! Invariants: only what a reader would read twice word by word is folded, and never over CRDs or channels; no place is lost; a fold is
//! at the position of its first finding.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crd_compat::policy::Need;
use crd_compat::{Finding, Lowered, RequiredBump};
use crd_descriptors::channel::Channel;
use serde_json::Value;

use super::{Located, SourceLine, values};

/// Findings that say the same.
pub(super) struct Fold<'r> {
    /// The one at the first place.
    pub(super) first: &'r Located,
    /// The remaining findings.
    pub(super) others: Vec<&'r Located>,
}

/// What must be equal.
#[derive(PartialEq, Eq, Hash)]
struct Sameness<'r> {
    place: (Channel, &'r str),
    rule: (&'r str, RequiredBump, Option<Lowered>, bool, bool),
    values: [Option<&'r Value>; 2],
    message: &'r str,
    fix: Option<&'r str>,
    needs: &'r [Need],
    waived: Option<(RequiredBump, &'r str)>,
    source: Option<&'r SourceLine>,
}

impl<'r> Sameness<'r> {
    fn of(located: &'r Located, by_source: bool) -> Self {
        let finding = &located.finding;
        Self {
            place: (finding.channel, &finding.crd),
            rule: (finding.rule, finding.required_bump, finding.lowered, finding.warning, finding.known),
            values: [finding.before.as_ref(), finding.after.as_ref()],
            message: &finding.message,
            fix: finding.fix.as_deref(),
            needs: &finding.needs,
            waived: finding.waived.as_ref().map(|waived| (waived.to, &*waived.reason)),
            source: located.source.as_ref().filter(|_| by_source),
        }
    }
}

/// Folds findings. With `by_source`, only those that the same line causes.
pub(super) fn fold<'r>(findings: impl IntoIterator<Item = &'r Located>, by_source: bool) -> Vec<Fold<'r>> {
    let mut folds: Vec<Fold<'r>> = Vec::new();
    let mut known: HashMap<Sameness<'r>, usize> = HashMap::new();
    for located in findings {
        let next = folds.len();
        match known.entry(Sameness::of(located, by_source)).or_insert(next) {
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

impl<'r> Fold<'r> {
    /// The places after the first, in words; at most `most` of them are named. None if there are none.
    pub(super) fn elsewhere(&self, most: usize) -> Option<String> {
        let first = &self.first.finding;
        if self.others.is_empty() {
            return None;
        }
        let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for finding in std::iter::once(first).chain(self.others.iter().map(|located| &located.finding)) {
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
        let named = places.iter().take(most).map(|(path, versions)| match even {
            true => at(path),
            false => format!("{} ({})", at(path), versions.iter().copied().collect::<Vec<_>>().join(", ")),
        });
        let named = named.collect::<Vec<_>>();
        if !named.is_empty() {
            let rest = places.len() - named.len();
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            parts.push(format!("at {}{rest}", named.join(", ")));
        }
        // The same place twice, so it has no other name.
        (!parts.is_empty()).then(|| format!("also {}", parts.join(" and ")))
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

/// A path, also where it is that of the whole.
fn at(path: &str) -> String {
    if path.is_empty() { "the top".to_owned() } else { values::printable(path) }
}
