//! `not-installable`: a version that API servers refuse, because its CEL rules cost too much.
//!
//! The estimated cost of a rule depends on the bounds of the values that it reads and of the lists around it. A bound that grows can make a
//! CRD unusable without a change of its rules.
//!
//! Invariant: the estimates are those of a creation, for each minor. A version whose schema stays the same is left out: in an update, servers
//! ignore the limit of single rules there (`validateCustomResourceDefinitionVersion` of Kubernetes 1.32 to 1.37), and the baseline has the sum.

use std::collections::BTreeMap;

use crd_apiserver::objects::MINORS;
use crd_cel::Expression;
use crd_cel::estimate::{CRD_LIMIT, Estimator, RULE_LIMIT, grouped};
use crd_markers::value::shortened;
use crd_model::crd::Version;

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "not-installable",
        row: "not-installable",
        cells: Cells::everywhere(&[RequiredBump::Waiver]),
        one: "reason why servers refuse a version",
        many: "reasons why servers refuse a version",
        section: Section::States,
    },
    found,
};

const FIX: &str =
    "Lower the bounds of the values that the rules read and of the lists around them, or write simpler rules.";

fn found<'a>(&Subject { crd, former, .. }: &Subject<'a>) -> Vec<Occurrence<'a>> {
    let is_former = |version: &&Version| {
        let same = former.and_then(|former| former.versions.iter().find(|known| known.name == version.name));
        same.is_some_and(|same| same.schema == version.schema)
    };
    let changed = crd.versions.iter().filter(|version| !is_former(version));
    changed.flat_map(|version| of_version(&crd.name, version)).collect()
}

fn of_version<'a>(crd: &str, version: &Version) -> Vec<Occurrence<'a>> {
    let estimator = Estimator::new(&version.schema);
    if estimator.is_accepted() {
        return Vec::new();
    }
    let occurrence = |path: &str, identity: String, what: &str, (costs, limit): (&BTreeMap<u32, u64>, u64)| {
        let highest = costs.values().copied().max().unwrap_or(0);
        let minors = costs.keys().copied().collect::<Vec<_>>();
        Occurrence {
            crd: crd.to_owned(),
            version: Some(version.name.to_string()),
            path: path.to_owned(),
            message: format!(
                "the estimated cost of {what} is {}: servers of Kubernetes {} refuse to install it",
                match highest / limit {
                    0..100 => format!("{}, and the limit is {}", grouped(highest), grouped(limit)),
                    _ => format!("more than 100 times the limit of {}", grouped(limit)),
                },
                listed(&minors),
            ),
            fix: Some(FIX.to_owned()),
            identity,
            minors,
            ..Occurrence::default()
        }
    };
    let (mut rules, mut sums) = (BTreeMap::new(), BTreeMap::new());
    for minor in MINORS.0..=MINORS.1 {
        let estimate = estimator.estimate(minor);
        if estimate.total > CRD_LIMIT {
            sums.insert(minor, estimate.total);
        }
        for rule in estimate.rules.into_iter().filter(|rule| rule.cost > RULE_LIMIT) {
            let (_, costs) = rules.entry(rule.field()).or_insert_with(|| (rule.clone(), BTreeMap::new()));
            costs.insert(minor, rule.cost);
        }
    }
    let mut found = Vec::new();
    for (rule, costs) in rules.values() {
        let source = rule.source.trim();
        let what = match rule.expression {
            Expression::Rule => format!("the CEL rule `{}`", shortened(source)),
            Expression::Message => format!("the message expression `{}`", shortened(source)),
        };
        // A rule may move in its list.
        found.push(occurrence(
            &rule.path,
            format!("{} {:?} {source}", rule.path, rule.expression),
            &what,
            (costs, RULE_LIMIT),
        ));
    }
    if !sums.is_empty() {
        found.push(occurrence("", "sum".to_owned(), "all CEL rules of this version together", (&sums, CRD_LIMIT)));
    }
    found
}

/// Minors in words: `1.35`, `1.32 to 1.37`, `1.32, 1.37`.
fn listed(minors: &[u32]) -> String {
    match minors {
        [first, .., last] if (*first..=*last).eq(minors.iter().copied()) => format!("1.{first} to 1.{last}"),
        _ => minors.iter().map(|minor| format!("1.{minor}")).collect::<Vec<_>>().join(", "),
    }
}
