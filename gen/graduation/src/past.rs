//! Past graduations: every element that a release moved from experimental to standard, and what an assessment said about it.
//!
//! Invariants: the outermost elements are listed. An element that is in standard from its first release on has not graduated, and is not listed.

use std::collections::BTreeSet;

use crd_bundle::{Bump, BundleVersion};
use crd_model::channel::Channel;
use crd_model::graduation::{Criterion, Graduation};

use crate::assessment::{Assessment, Basis, State};
use crate::element::{Element, Kind};
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
    /// Its word.
    pub fn word(&self) -> &'static str {
        match self {
            Timing::OnTime => "on time",
            Timing::Early(_) => "early",
            Timing::Late(_) => "late",
            Timing::Unknown => "unknown",
        }
    }
}

/// A graduation.
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
    /// The criteria.
    pub graduation: &'b Graduation,
    /// Conformance reports.
    pub evidence: Option<&'b Evidence>,
    /// The conformance features of an element.
    pub features: &'b dyn Fn(&Element) -> Vec<String>,
}

/// Every graduation, by release and element.
pub fn past(lives: &Lives<'_>, basis: PastBasis<'_>) -> Vec<PastGraduation> {
    let mut found = Vec::new();
    for (index, release) in lives.releases().iter().enumerate().skip(1) {
        let new = new_in_standard(lives, index);
        for element in &new {
            // Elements below a new one are part of it.
            let is_below = |above: &Element| match above.kind {
                Kind::Resource => above.crd == element.crd && above != element,
                Kind::Field => above.crd == element.crd && above != element && above.covers(&element.path),
                _ => false,
            };
            if new.iter().any(is_below) {
                continue;
            }
            let Some((previous, old)) = lives.earlier(index, element) else { continue };
            let Some(life) = lives.of(previous, &old) else { continue };
            let (Some(before), Some(features)) = (lives.releases().get(previous), Some((basis.features)(element)))
            else {
                continue;
            };
            let assess = |graduation: &crd_bundle::timeline::TimelineRelease, last: BundleVersion| {
                let basis = Basis {
                    graduation: basis.graduation,
                    as_of: graduation.released,
                    last: Some(last),
                    bundle: graduation.version,
                    bump: Bump::Minor,
                    evidence: basis.evidence,
                    approvals: &[],
                };
                basis.assess(&old, &life, &features)
            };
            let assessment = assess(release, before.version);
            let timing = match missing(&assessment) {
                Missing::Criteria(missing) => Timing::Early(missing),
                Missing::Unknown => Timing::Unknown,
                Missing::Nothing => {
                    let minors = lives.releases().iter().take(index);
                    let mut minors = minors
                        .filter(|earlier| earlier.version.patch == 0 && earlier.version > life.unchanged_since.bundle);
                    let first =
                        minors.find(|earlier| matches!(missing(&assess(earlier, life.first.bundle)), Missing::Nothing));
                    first.map_or(Timing::OnTime, |first| Timing::Late(first.version))
                }
            };
            found.push(PastGraduation {
                element: element.clone(),
                release: Dated { bundle: release.version, date: release.released },
                before: Dated { bundle: before.version, date: before.released },
                changes: lives.changes(index, element),
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

/// The deciding criteria that were not met. Conformance reports exist for newer releases only, so an unknown number of implementations decides nothing.
fn missing(assessment: &Assessment) -> Missing {
    let deciding = assessment.outcomes.iter().filter(|outcome| DECIDING.contains(&outcome.criterion));
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
