//! Both sides of every constraint except CEL rules, on a real server. For each leaf constraint of each served version of each resource, in both
//! channels: an object just inside is accepted, and one just outside is refused for this constraint, without unexpected causes. A sample of the
//! constraints, with all listed ones; `cargo xtask prove boundaries-server` tries all.
//!
//! Invariants: a table lists exactly the constraints that are not reached, with reasons.

pub(crate) mod subject;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use crd_boundary::{Boundary, Constraint, Keyword};

use self::subject::Subject;
use self::verdict::{OtherCauses, is_not_checked, refusal};

/// A constraint that is not reached on both sides.
struct Gap {
    kind: &'static str,
    /// The schema path and the keyword.
    constraint: &'static str,
    reason: Reason,
}

/// Why a constraint is not reached on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// No value is outside: no text is shorter than the empty text.
    NothingOutside,
    /// CEL rules refuse all values at the edge. A value outside is still refused for the constraint.
    RuleAtTheEdge,
    /// Servers before 1.36 do not check formats of numbers.
    FormatNotChecked,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::NothingOutside => "no value is outside",
            Reason::RuleAtTheEdge => "CEL rules refuse all values at the edge; values outside are refused",
            Reason::FormatNotChecked => "servers before 1.36 do not check formats of numbers",
        }
    }
}

const GAPS: [Gap; 5] = [
    Gap { kind: "BackendTLSPolicy", constraint: "spec.options[*] minLength", reason: Reason::NothingOutside },
    Gap { kind: "Gateway", constraint: "spec.infrastructure.annotations[*] minLength", reason: Reason::NothingOutside },
    Gap { kind: "Gateway", constraint: "spec.infrastructure.labels[*] minLength", reason: Reason::NothingOutside },
    Gap { kind: "Gateway", constraint: "spec.listeners[*].tls.options[*] minLength", reason: Reason::NothingOutside },
    Gap {
        kind: "ListenerSet",
        constraint: "spec.listeners[*].tls.options[*] minLength",
        reason: Reason::NothingOutside,
    },
];

/// The first minor that checks the `format` of numbers.
const FORMATS_CHECKED_FROM: u32 = 36;

/// The result for one constraint.
enum Outcome {
    Reached(OtherCauses),
    Gap(Reason),
    /// The server's answer differs from the schema.
    Difference(String),
}

fn outcome(
    subject: &Subject,
    constraint: &Constraint<'_>,
    found: Result<Boundary, crd_boundary::Unreached>,
) -> Outcome {
    let boundary = match found {
        Ok(boundary) => boundary,
        Err(crd_boundary::Unreached::NothingOutside) => return Outcome::Gap(Reason::NothingOutside),
        Err(unreached) => return Outcome::Difference(unreached.to_string()),
    };
    let answer = subject.try_out(subject.is_in_status(&constraint.path), &boundary.outside);
    let is_number = constraint.node.kind.as_deref() == Some("integer");
    if is_number && constraint.keyword == Keyword::Format && subject.minor() < FORMATS_CHECKED_FROM {
        return match is_not_checked(subject.schema(), &boundary, &answer) {
            true => Outcome::Gap(Reason::FormatNotChecked),
            false => Outcome::Difference(format!("{} {}", answer.code, answer.message())),
        };
    }
    match refusal(subject.schema(), constraint, &boundary, &answer) {
        Err(difference) => Outcome::Difference(difference),
        Ok(_) if !boundary.is_nearest => Outcome::Gap(Reason::RuleAtTheEdge),
        Ok(others) => Outcome::Reached(others),
    }
}

#[derive(Default)]
struct Count {
    all: usize,
    reached: usize,
    /// Reached by an outside object without other causes.
    alone: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        self.all += 1;
        if let Outcome::Reached(others) = outcome {
            self.reached += 1;
            self.alone += usize::from(others.is_none());
        }
    }
}

#[test]
fn both_sides_of_every_constraint() {
    let Some(subjects) = subject::all("boundaries") else { return };
    let results = subject::for_each(&subjects, |subject| {
        let mut search = subject.search();
        let is_gap = |constraint: &Constraint<'_>| {
            let text = constraint.to_string();
            GAPS.iter().any(|gap| gap.kind == subject.versioned.kind() && gap.constraint == text)
        };
        let constraints = crd_testdata::sample_of(crd_boundary::constraints(subject.schema()), is_gap);
        let outcomes: Vec<(Constraint<'_>, Outcome)> = constraints
            .into_iter()
            .map(|constraint| {
                let found = search.boundary(&constraint);
                let outcome = outcome(subject, &constraint, found);
                (constraint, outcome)
            })
            .collect();
        (outcomes, search.checks())
    });
    let (mut total, mut checks) = (Count::default(), 0);
    let mut by_keyword: BTreeMap<String, Count> = BTreeMap::new();
    let mut by_kind: BTreeMap<&str, Count> = BTreeMap::new();
    let (mut differences, mut unlisted, mut used) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut gaps: BTreeMap<Reason, usize> = BTreeMap::new();
    for (subject, (outcomes, checked)) in subjects.iter().zip(&results) {
        checks += checked;
        for (constraint, outcome) in outcomes {
            let keyword = constraint.keyword.to_string();
            let keyword = keyword.split(' ').next().unwrap_or_default().to_owned();
            for count in [
                &mut total,
                by_keyword.entry(keyword).or_default(),
                by_kind.entry(subject.versioned.kind()).or_default(),
            ] {
                count.add(outcome);
            }
            let listed = GAPS
                .iter()
                .position(|gap| gap.kind == subject.versioned.kind() && gap.constraint == constraint.to_string());
            match outcome {
                Outcome::Reached(_) if listed.is_none() => {}
                Outcome::Reached(_) => {
                    unlisted.insert(format!("{} {constraint}: reached, but listed", subject.name()));
                }
                Outcome::Difference(text) => differences.push(format!("{} {constraint}: {text}", subject.name())),
                Outcome::Gap(reason) => {
                    *gaps.entry(*reason).or_default() += 1;
                    let index = listed.filter(|index| GAPS[*index].reason == *reason);
                    used.extend(index);
                    if index.is_none() && *reason != Reason::FormatNotChecked {
                        unlisted.insert(format!("{} {constraint}: {}", subject.name(), reason.text()));
                    }
                }
            }
        }
    }
    for (name, count) in by_kind.into_iter().map(|(name, count)| (name.to_owned(), count)).chain(by_keyword) {
        println!(
            "{name:28} {:5} constraints, {:5} reached, {:5} of them without other causes",
            count.all, count.reached, count.alone
        );
    }
    println!("{checks} requests for objects inside");
    for (reason, count) in gaps {
        println!("{count:4} not reached: {}", reason.text());
    }
    println!(
        "{} of {} constraints reached on both sides, {} of them without other causes",
        total.reached, total.all, total.alone
    );
    assert!(differences.is_empty(), "{} constraints:\n{}", differences.len(), differences.join("\n"));
    assert!(
        unlisted.is_empty(),
        "the table of gaps is wrong:\n{}",
        unlisted.into_iter().collect::<Vec<_>>().join("\n")
    );
    assert_eq!(used.len(), GAPS.len(), "an unused gap");
    let least = if crd_testdata::is_proof() { 7_000 } else { 280 };
    assert!(total.all > least, "only {} constraints", total.all);
}
