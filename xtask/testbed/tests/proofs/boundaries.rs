//! Both sides of every constraint that is no CEL rule, on a real server: for each leaf constraint of each served version of each resource, in
//! both channels, an object just inside is accepted, and one just outside is refused for this constraint and nothing unforeseen.
//!
//! Invariants: what is not reached stands in a table with its reason, and the table has nothing that is reached.

pub(crate) mod subject;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use crd_apiserver::boundary::{self, Boundary, Constraint, Keyword};

use self::subject::Subject;
use self::verdict::{Beside, is_unread, judge};

/// A constraint that is not reached on both sides.
struct Gap {
    kind: &'static str,
    /// The place and the keyword.
    constraint: &'static str,
    reason: Reason,
}

/// Why a constraint is not reached on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// Nothing is outside: no text is shorter than nothing.
    SaysNothing,
    /// Nothing at the edge is accepted by the CEL rules; a value outside is refused for the constraint all the same.
    RuleAtTheEdge,
    /// The server does not look at formats of numbers; from 1.36 on it does.
    FormatUnread,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::SaysNothing => "no value is outside",
            Reason::RuleAtTheEdge => "no value at the edge passes the CEL rules; outside is refused",
            Reason::FormatUnread => "formats of numbers are not looked at before 1.36",
        }
    }
}

const GAPS: [Gap; 6] = [
    Gap { kind: "BackendTLSPolicy", constraint: "spec.options.* minLength", reason: Reason::SaysNothing },
    Gap { kind: "Gateway", constraint: "spec.infrastructure.annotations.* minLength", reason: Reason::SaysNothing },
    Gap { kind: "Gateway", constraint: "spec.infrastructure.labels.* minLength", reason: Reason::SaysNothing },
    Gap { kind: "Gateway", constraint: "spec.listeners[].tls.options.* minLength", reason: Reason::SaysNothing },
    Gap { kind: "ListenerSet", constraint: "spec.listeners[].tls.options.* minLength", reason: Reason::SaysNothing },
    // Upstream's rule compares an optional list of errors with null, which it never is: it refuses every name but the empty one.
    Gap { kind: "XBackend", constraint: "spec.port.name maxLength", reason: Reason::RuleAtTheEdge },
];

/// The first minor whose servers hold numbers against `format`.
const FORMATS_READ_FROM: u32 = 36;

/// What came of one constraint.
enum Outcome {
    Reached(Beside),
    Gap(Reason),
    /// What the server did is not what the schema says.
    Wrong(String),
}

fn outcome(subject: &Subject, constraint: &Constraint<'_>, found: Result<Boundary, boundary::Unreached>) -> Outcome {
    let boundary = match found {
        Ok(boundary) => boundary,
        Err(boundary::Unreached::NothingOutside) => return Outcome::Gap(Reason::SaysNothing),
        Err(unreached) => return Outcome::Wrong(unreached.to_string()),
    };
    let answer = subject.try_out(subject.is_in_status(&constraint.place), &boundary.outside);
    let is_number = constraint.node.kind.as_deref() == Some("integer");
    if is_number && constraint.keyword == Keyword::Format && subject.minor() < FORMATS_READ_FROM {
        return match is_unread(subject.schema(), &boundary, &answer) {
            true => Outcome::Gap(Reason::FormatUnread),
            false => Outcome::Wrong(format!("{} {}", answer.code, answer.message())),
        };
    }
    match judge(subject.schema(), constraint, &boundary, &answer) {
        Err(wrong) => Outcome::Wrong(wrong),
        Ok(_) if !boundary.is_nearest => Outcome::Gap(Reason::RuleAtTheEdge),
        Ok(beside) => Outcome::Reached(beside),
    }
}

#[derive(Default)]
struct Count {
    all: usize,
    reached: usize,
    /// By an outside object of which the server tells nothing else.
    alone: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        self.all += 1;
        if let Outcome::Reached(beside) = outcome {
            self.reached += 1;
            self.alone += usize::from(beside.is_nothing());
        }
    }
}

#[test]
fn both_sides_of_every_constraint() {
    let Some(subjects) = subject::all("boundaries") else { return };
    let results = subject::for_each(&subjects, |subject| {
        let mut search = subject.search();
        let constraints = boundary::constraints(subject.schema());
        let outcomes: Vec<(Constraint<'_>, Outcome)> = constraints
            .into_iter()
            .map(|constraint| {
                let found = search.boundary(&constraint);
                let outcome = outcome(subject, &constraint, found);
                (constraint, outcome)
            })
            .collect();
        (outcomes, search.questions())
    });
    let (mut total, mut questions) = (Count::default(), 0);
    let mut by_keyword: BTreeMap<String, Count> = BTreeMap::new();
    let mut by_kind: BTreeMap<&str, Count> = BTreeMap::new();
    let (mut wrong, mut unlisted, mut used) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut gaps: BTreeMap<Reason, usize> = BTreeMap::new();
    for (subject, (outcomes, asked)) in subjects.iter().zip(&results) {
        questions += asked;
        for (constraint, outcome) in outcomes {
            let keyword = constraint.keyword.to_string();
            let keyword = keyword.split(' ').next().unwrap_or_default().to_owned();
            for count in
                [&mut total, by_keyword.entry(keyword).or_default(), by_kind.entry(subject.place.kind()).or_default()]
            {
                count.add(outcome);
            }
            let listed = GAPS
                .iter()
                .position(|gap| gap.kind == subject.place.kind() && gap.constraint == constraint.to_string());
            match outcome {
                Outcome::Reached(_) if listed.is_none() => {}
                Outcome::Reached(_) => {
                    unlisted.insert(format!("{} {constraint}: reached, but listed", subject.name()));
                }
                Outcome::Wrong(text) => wrong.push(format!("{} {constraint}: {text}", subject.name())),
                Outcome::Gap(reason) => {
                    *gaps.entry(*reason).or_default() += 1;
                    let index = listed.filter(|index| GAPS[*index].reason == *reason);
                    used.extend(index);
                    if index.is_none() && *reason != Reason::FormatUnread {
                        unlisted.insert(format!("{} {constraint}: {}", subject.name(), reason.text()));
                    }
                }
            }
        }
    }
    for (name, count) in by_kind.into_iter().map(|(name, count)| (name.to_owned(), count)).chain(by_keyword) {
        println!(
            "{name:28} {:5} constraints, {:5} reached, {:5} of them with nothing else told",
            count.all, count.reached, count.alone
        );
    }
    println!("{questions} objects tried for the inside");
    for (reason, count) in gaps {
        println!("{count:4} not reached: {}", reason.text());
    }
    println!(
        "{} of {} constraints reached on both sides, {} of them with nothing else told",
        total.reached, total.all, total.alone
    );
    assert!(wrong.is_empty(), "{} constraints:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        unlisted.is_empty(),
        "the table of gaps is not right:\n{}",
        unlisted.into_iter().collect::<Vec<_>>().join("\n")
    );
    assert_eq!(used.len(), GAPS.len(), "a gap that is none");
    assert!(total.all > 7_000, "only {} constraints", total.all);
}
