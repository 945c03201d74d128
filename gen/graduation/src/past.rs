//! Past graduations: every element that a release moved from experimental to standard, with its assessment on that date.
//!
//! Invariants: the outermost elements are listed. An element that is in standard from its first release on has not graduated, and is not listed.

use std::collections::BTreeSet;

use crd_bundle::{Bump, BundleVersion};
use crd_model::channel::Channel;
use crd_model::graduation::{Criterion, Graduation};
use crd_model::inventory::Element;

use crate::assessment::{Assessment, Basis, Outcome, State};
use crate::evidence::Evidence;
use crate::life::{Change, Dated, Life, Lives};

/// Whether an element graduated when the criteria permitted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timing {
    /// In the first minor bundle that the criteria permitted.
    OnTime,
    /// Before these criteria were met.
    Early(Vec<Criterion>),
    /// After this bundle, which the criteria permitted already.
    Late(BundleVersion),
    /// A release date that decides is unknown.
    Unknown,
}

impl Timing {
    pub fn word(&self) -> &'static str {
        match self {
            Timing::OnTime => "on time",
            Timing::Early(_) => "early",
            Timing::Late(_) => "late",
            Timing::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Debug)]
pub struct PastGraduation {
    /// The element, with its name in standard.
    pub element: Element,
    /// The release that has it in standard.
    pub release: Dated,
    /// The release before it.
    pub before: Dated,
    /// The life up to the release before.
    pub life: Life,
    /// What changed in the release that graduated it.
    pub changes: Vec<Change>,
    /// The conformance features of the element.
    pub features: Vec<String>,
    /// The assessment of the release before, on the date of the graduation.
    pub assessment: Assessment,
    /// Whether it was the right time.
    pub timing: Timing,
}

/// The criteria that decide whether it was the right time: what people state is not recorded for the past.
const DECIDING: [Criterion; 4] =
    [Criterion::Soak, Criterion::UnchangedMinors, Criterion::UnchangedMonths, Criterion::Implementations];

/// What past graduations are assessed with.
#[derive(Clone, Copy)]
pub struct PastBasis<'b> {
    pub graduation: &'b Graduation,
    pub evidence: Option<&'b Evidence>,
    /// The conformance features of an element.
    pub features: &'b dyn Fn(&Element) -> Vec<String>,
}

/// An element that a release moved to standard.
struct Graduated {
    element: Element,
    /// The index of the release before.
    previous: usize,
    old: Element,
    /// Its life up to there.
    life: Life,
}

/// The outermost elements that a release moved to standard.
fn graduated(lives: &Lives<'_>, release: usize) -> Vec<Graduated> {
    let new = new_in_standard(lives, release);
    let is_outermost = |element: &&Element| {
        // Elements below a new one are part of it.
        let is_above = |above: &Element| above != *element && above.covers(element);
        !new.iter().any(is_above)
    };
    let found = new.iter().filter(is_outermost).filter_map(|element| {
        let (previous, old) = lives.earlier(release, element)?;
        let life = lives.of(previous, &old)?;
        Some(Graduated { element: element.clone(), previous, old, life })
    });
    found.collect()
}

/// A graduation of the candidate that does not meet the criteria.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Early {
    pub element: Element,
    /// The criteria that are missing or unknown.
    pub outcomes: Vec<Outcome>,
}

/// The graduations of the last release of `lives`, which is the candidate, that do not meet all criteria.
pub fn early(lives: &Lives<'_>, basis: Basis<'_>, features: &dyn Fn(&Element) -> Vec<String>) -> Vec<Early> {
    let candidate = lives.releases().len().saturating_sub(1);
    let found = graduated(lives, candidate).into_iter().filter_map(|Graduated { element, life, .. }| {
        let outcomes = basis.assess(&element, &life, &features(&element)).outcomes.into_iter();
        let outcomes = outcomes.filter(|outcome| outcome.state != State::Met).collect::<Vec<_>>();
        (!outcomes.is_empty()).then_some(Early { element, outcomes })
    });
    found.collect()
}

/// Every graduation, by release and element.
pub fn past(lives: &Lives<'_>, basis: PastBasis<'_>) -> Vec<PastGraduation> {
    let mut found = Vec::new();
    for index in 1..lives.releases().len() {
        for Graduated { element, previous, old, life } in graduated(lives, index) {
            let (Some(release), Some(before)) = (lives.dated(index), lives.dated(previous)) else { continue };
            let features = (basis.features)(&element);
            let assess = |graduation: Dated, last: BundleVersion| {
                let basis = Basis {
                    graduation: basis.graduation,
                    as_of: graduation.date,
                    last: Some(last),
                    bundle: graduation.bundle,
                    bump: Bump::Minor,
                    evidence: basis.evidence,
                    approvals: &[],
                };
                basis.assess(&old, &life, &features)
            };
            let assessment = assess(release, before.bundle);
            let missing = |assessment: &Assessment| {
                let has_tests = basis.evidence.is_some_and(|evidence| evidence.has_report(release.date));
                missing(assessment, has_tests && !features.is_empty())
            };
            let timing = match missing(&assessment) {
                Missing::Criteria(missing) => Timing::Early(missing),
                Missing::Unknown => Timing::Unknown,
                Missing::Nothing => {
                    let changed = life.unchanged_since.bundle;
                    let minors = (0..index).filter_map(|earlier| lives.dated(earlier));
                    let mut minors = minors.filter(|earlier| earlier.bundle.patch == 0 && earlier.bundle > changed);
                    let is_permitted =
                        |earlier: &Dated| matches!(missing(&assess(*earlier, life.first.bundle)), Missing::Nothing);
                    minors.find(is_permitted).map_or(Timing::OnTime, |first| Timing::Late(first.bundle))
                }
            };
            found.push(PastGraduation {
                release,
                before,
                changes: lives.changes(index, &element),
                element,
                life,
                features,
                assessment,
                timing,
            });
        }
    }
    found
}

enum Missing {
    Nothing,
    Criteria(Vec<Criterion>),
    Unknown,
}

/// The deciding criteria that were not met. The number of implementations decides if the element has a feature and there were conformance reports at that time.
fn missing(assessment: &Assessment, has_tests: bool) -> Missing {
    let decides = |criterion| DECIDING.contains(&criterion) && (has_tests || criterion != Criterion::Implementations);
    let deciding = assessment.outcomes.iter().filter(|outcome| decides(outcome.criterion));
    let deciding = deciding.collect::<Vec<_>>();
    let missing = deciding.iter().filter(|outcome| outcome.state == State::Missing);
    let missing = missing.map(|outcome| outcome.criterion).collect::<Vec<_>>();
    let is_unknown =
        |criterion| deciding.iter().any(|outcome| outcome.criterion == criterion && outcome.state == State::Unknown);
    match missing.is_empty() {
        false => Missing::Criteria(missing),
        true if is_unknown(Criterion::Soak) || is_unknown(Criterion::UnchangedMonths) => Missing::Unknown,
        true => Missing::Nothing,
    }
}

/// The elements that standard has in a release, and not in the one before it.
fn new_in_standard(lives: &Lives<'_>, release: usize) -> BTreeSet<Element> {
    let previous = release.saturating_sub(1);
    let new = lives.elements(release, Channel::Standard);
    let new = new.filter(|element| !lives.has(previous, Channel::Standard, element));
    new.cloned().collect()
}
