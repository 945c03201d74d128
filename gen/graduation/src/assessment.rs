//! The assessment of an element: each criterion met, missing or unknown, and from when on the element may graduate.
//!
//! Invariants: a criterion is met only if data show it. What depends on time names the moment from which it is met, so that an assessment is the same at any time
//! except for its states.

use crd_bundle::{Bump, BundleVersion, Released};
use crd_model::graduation::{Criterion, Graduation, Requirement};
use crd_model::inventory::Element;
use crd_model::words;
use serde::Serialize;

use crate::approval::Approval;
use crate::day::{day, day_if_known};
use crate::element::{has_conformance, id};
use crate::evidence::Evidence;
use crate::life::{Dated, Life};

words! {
    /// Whether a criterion is met.
    pub enum State {
        /// Data show that it is.
        Met = "met",
        /// Data show that it is not, or not yet.
        Missing = "missing",
        /// Data are missing.
        Unknown = "unknown",
    }
}

/// A criterion and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    /// The criterion.
    #[serde(rename = "name")]
    pub criterion: Criterion,
    /// What the project requires.
    #[serde(rename = "requires")]
    pub requirement: Requirement,
    /// The state on the date of the assessment.
    pub state: State,
    /// Since when it is met, or will be if nothing changes.
    #[serde(serialize_with = "day_if_known")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub since: Option<Released>,
    /// The facts, in one sentence without a full stop.
    pub text: String,
}

/// The earliest graduation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Eligible {
    /// From this date on, all criteria are met that time alone meets, and all that are met already.
    #[serde(serialize_with = "day")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub date: Released,
    /// The first bundle that may graduate the element.
    pub bundle: BundleVersion,
}

/// The probation of an element: how long it may be in experimental without being ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probation {
    /// Its end.
    #[serde(serialize_with = "day")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub ends: Released,
    /// Whether it is over and the element is not ready.
    #[serde(rename = "overdue")]
    pub is_overdue: bool,
}

/// An assessment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The criteria of the project, in the order of tables.
    pub outcomes: Vec<Outcome>,
    /// The earliest graduation; none if a release date is unknown.
    pub eligible: Option<Eligible>,
    /// The probation, if it has an end.
    pub probation: Option<Probation>,
}

impl Assessment {
    /// Whether all criteria are met.
    pub fn is_ready(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.state == State::Met)
    }
}

/// What an assessment is based on.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'b> {
    /// The criteria.
    pub graduation: &'b Graduation,
    /// The date of the assessment; none if it is unknown. Then what depends on time is unknown too.
    pub as_of: Option<Released>,
    /// The newest release; the bundle of a graduation is above it.
    pub last: Option<BundleVersion>,
    /// The bundle in question: the next one, or the one that graduated the element.
    pub bundle: BundleVersion,
    /// The bump that a graduation requires.
    pub bump: Bump,
    /// Conformance reports.
    pub evidence: Option<&'b Evidence>,
    /// Approvals.
    pub approvals: &'b [Approval],
}

impl Basis<'_> {
    /// Assesses an element. `features` are its conformance features.
    pub fn assess(&self, element: &Element, life: &Life, features: &[String]) -> Assessment {
        let required = self.graduation.required();
        let required = required.filter(|(criterion, _)| {
            let is_about_tests = matches!(criterion, Criterion::Conformance | Criterion::Implementations);
            !is_about_tests || has_conformance(element.kind)
        });
        let outcomes = required.map(|(criterion, requirement)| {
            let number = match requirement {
                Requirement::AtLeast(number) => number,
                Requirement::Exists | Requirement::Off => 1,
            };
            let (state, since, text) = match criterion {
                Criterion::Soak => self.months_since(life.first, number, "in experimental since"),
                Criterion::UnchangedMonths => self.months_since(life.unchanged_since, number, "unchanged since"),
                Criterion::UnchangedMinors => self.minors_since(life.unchanged_since, number),
                Criterion::Conformance => self.conformance(features),
                Criterion::Implementations => self.implementations(features, usize::from(number)),
                Criterion::Usage | Criterion::Approval => self.approved(element, criterion),
            };
            Outcome { criterion, requirement, state, since, text }
        });
        let outcomes = outcomes.collect::<Vec<_>>();
        let eligible = self.eligible(&outcomes, life);
        let is_ready = outcomes.iter().all(|outcome| outcome.state == State::Met);
        let months = i32::from(self.graduation.probation_months());
        let ends = life.first.date.and_then(|date| date.plus_months(months)).filter(|_| months > 0);
        let is_overdue = |ends| !is_ready && self.as_of.is_some_and(|date| date > ends);
        let probation = ends.map(|ends| Probation { ends, is_overdue: is_overdue(ends) });
        Assessment { outcomes, eligible, probation }
    }

    fn months_since(&self, from: Dated, months: u16, words: &str) -> (State, Option<Released>, String) {
        let Dated { bundle, date } = from;
        let Some(date) = date else {
            // The candidate has no date, and is not below the newest release.
            let is_unreleased = self.last.is_none_or(|last| bundle > last);
            return match is_unreleased {
                true => (State::Missing, None, format!("{words} {bundle}, which is not released")),
                false => (State::Unknown, None, format!("{words} {bundle}, whose release date is unknown")),
            };
        };
        let since = date.plus_months(i32::from(months));
        let state = match (self.as_of, since) {
            (Some(now), Some(since)) if now >= since => State::Met,
            (Some(_), _) => State::Missing,
            (None, _) => State::Unknown,
        };
        (state, since, format!("{words} {bundle} of {}", date.date()))
    }

    fn minors_since(&self, from: Dated, minors: u16) -> (State, Option<Released>, String) {
        let first = first_after(from.bundle, minors);
        let state = if self.bundle.core() >= first { State::Met } else { State::Missing };
        (state, None, format!("unchanged since {}, so {first} or later", from.bundle))
    }

    fn conformance(&self, features: &[String]) -> (State, Option<Released>, String) {
        if features.is_empty() {
            return (State::Missing, None, "no conformance feature".to_owned());
        }
        let names = features.join(", ");
        let Some(evidence) = self.evidence else {
            return (State::Unknown, None, format!("{names}: no conformance reports were read"));
        };
        let unlisted = features.iter().filter(|feature| !evidence.lists(feature, self.as_of)).collect::<Vec<_>>();
        match unlisted.first() {
            None => (State::Met, None, format!("{names} in conformance reports")),
            Some(feature) => (State::Missing, None, format!("no conformance report lists {feature}")),
        }
    }

    fn implementations(&self, features: &[String], number: usize) -> (State, Option<Released>, String) {
        let Some(evidence) = self.evidence.filter(|_| !features.is_empty()) else {
            return match features.is_empty() {
                true => (State::Missing, None, "no conformance feature".to_owned()),
                false => (State::Unknown, None, "no conformance reports were read".to_owned()),
            };
        };
        // A project must pass every feature of the element.
        let passing = evidence.passing(features, self.as_of);
        let projects = passing.iter().map(|passing| &*passing.project).collect::<Vec<_>>();
        let count = match &*projects {
            [] => "no project passes".to_owned(),
            [one] => format!("one project passes: {one}"),
            many => format!("{} projects pass: {}", many.len(), many.join(", ")),
        };
        match number.checked_sub(1).and_then(|index| passing.get(index)) {
            Some(decisive) => (State::Met, decisive.first, count),
            None => (State::Missing, None, count),
        }
    }

    fn approved(&self, element: &Element, criterion: Criterion) -> (State, Option<Released>, String) {
        let name = id(element);
        let approval = self.approvals.iter().filter(|approval| approval.name == name);
        let approval = approval.filter(|approval| self.as_of.is_none_or(|now| approval.date <= now));
        let approval = approval.filter(|approval| approval.criterion == criterion).min_by_key(|approval| approval.date);
        match (approval, criterion) {
            (Some(approval), _) => {
                let text = format!("{} on {}, {}", approval.who, approval.date.date(), approval.location);
                (State::Met, Some(approval.date), text)
            }
            (None, Criterion::Usage) => (State::Unknown, None, "no person has stated it".to_owned()),
            (None, _) => (State::Missing, None, "no approval".to_owned()),
        }
    }

    /// The earliest date and bundle, as far as time decides.
    fn eligible(&self, outcomes: &[Outcome], life: &Life) -> Option<Eligible> {
        let mut date = life.first.date?;
        for outcome in outcomes {
            match (outcome.criterion, outcome.since) {
                (Criterion::Soak | Criterion::UnchangedMonths, None) => return None,
                (_, Some(since)) => date = date.max(since),
                (_, None) => {}
            }
        }
        let next = match (self.last, self.bump) {
            (None, _) => self.bundle.core(),
            (Some(last), Bump::Minor | Bump::Major) => BundleVersion::new(last.major, last.minor.checked_add(1)?, 0),
            (Some(last), Bump::None | Bump::Patch) => {
                BundleVersion::new(last.major, last.minor, last.patch.checked_add(1)?)
            }
        };
        let minors = match self.graduation.requirement(Criterion::UnchangedMinors) {
            Requirement::AtLeast(minors) => minors,
            Requirement::Exists | Requirement::Off => 0,
        };
        Some(Eligible { date, bundle: next.max(first_after(life.unchanged_since.bundle, minors)) })
    }
}

/// The first bundle that is so many minors after another one.
fn first_after(bundle: BundleVersion, minors: u16) -> BundleVersion {
    match minors {
        0 => bundle.core(),
        minors => BundleVersion::new(bundle.major, bundle.minor.saturating_add(minors.into()), 0),
    }
}
