//! `not-installable`: a CRD that API servers refuse: its structure, or CEL rules that do not compile or cost too much.
//!
//! The estimated cost of a rule depends on the bounds of the values that it reads and of the lists around it. A bound that grows can make a
//! CRD unusable without a change of its rules, and so can a removed field that a rule reads.
//!
//! Invariants: the answers are those about a creation. A rule does not compile if no minor compiles it, and costs are those of each minor. The
//! rules of a version whose schema stays the same are left out: in an update, servers ignore the limit of single rules there
//! (`validateCustomResourceDefinitionVersion` of Kubernetes 1.32 to 1.37), and the baseline has the sum.

use std::collections::BTreeMap;

use crd_apiserver::objects::MINORS;
use crd_apiserver::refusal::{Part, Refusal, without_costs};
use crd_cel::estimate::{CRD_LIMIT, Estimator, RULE_LIMIT, grouped};
use crd_cel::{Expression, SchemaChecks, SchemaProblem};
use crd_model::crd::Version;
use crd_names::shortened;

use crate::policy::Cells;
use crate::required_bump::RequiredBump;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "not-installable",
        row: "not-installable",
        cells: Cells::everywhere(&[RequiredBump::Waiver]),
        one: "reason why servers refuse a CRD",
        many: "reasons why servers refuse a CRD",
        section: Section::States,
        summary: "\
            API servers refuse to install a CRD, for its structure or for CEL rules that do not compile or cost \
            too much.",
        explanation: "\
            The reference of refusals lists what servers refuse in the structure. A CEL rule does not compile if \
            it reads a field that the schema lacks, for example because the field was removed, or mixes types. A \
            server estimates the cost of each CEL rule from the bounds of the schema, and refuses a CRD if one \
            rule or the sum of a version is too expensive. A larger `maxItems` or `maxLength` of another field \
            is enough for that. The estimates differ between Kubernetes minors, so the finding lists those that \
            refuse it. It is known if the baseline has it in the same minors. A version whose schema does not \
            change is not reported: servers do not check the cost of its single rules again in an update. \
            `diff`, `gate`, `history` and `docs` refuse such a candidate before they compare it, so they have \
            this finding only for older releases, and for costs that the baseline has too.",
        example: "\
            new: { field: { type: array, maxItems: 200000, items: { type: string, maxLength: 1000, \
            x-kubernetes-validations: [{ rule: \"self.matches('^a+$')\" }] } } }",
    },
    found,
};

const FIX: &str =
    "Lower the bounds of the values that the rules read and of the lists around them, or write simpler rules.";

/// The refusals that are not reported here: costs have their minors, and installers write labels, annotations and addresses of webhooks.
const ELSEWHERE: [&str; 3] = ["metadata-labels", "metadata-annotations", "conversion"];
/// The loss of an approval is `api-approved-lost`.
const APPROVAL: &str = "api-approved";

fn found<'a>(&Subject { crd, former, .. }: &Subject<'a>) -> Vec<Occurrence<'a>> {
    if former == Some(crd) {
        return Vec::new();
    }
    let is_own =
        |refusal: &Refusal| !(ELSEWHERE.contains(&refusal.rule) || refusal.rule == APPROVAL && former.is_some());
    // Servers accepted each structure in `apiextensions.k8s.io/v1beta1` where all unknown fields are preserved.
    let refusals = if crd.preserve_unknown_fields == Some(true) { Vec::new() } else { without_costs(crd) };
    let mut found = refusals.into_iter().filter(is_own).map(|refusal| refused(&crd.name, refusal)).collect::<Vec<_>>();
    let is_former = |version: &&Version| {
        let same = former.and_then(|former| former.versions.iter().find(|known| known.name == version.name));
        same.is_some_and(|same| same.schema == version.schema)
    };
    let mut checks = SchemaChecks::default();
    for version in crd.versions.iter().filter(|version| !is_former(version)) {
        found.extend(checks.check(&version.schema).iter().map(|problem| not_compiled(&crd.name, version, problem)));
        found.extend(of_costs(&crd.name, version));
    }
    found
}

fn refused<'a>(crd: &str, refusal: Refusal) -> Occurrence<'a> {
    let Refusal { rule, version, part, path, message, subject } = refusal;
    let (path, place) =
        if part == Part::Schema { (path, String::new()) } else { (String::new(), format!("`{path}`: ")) };
    Occurrence {
        crd: crd.to_owned(),
        version: version.map(|version| version.to_string()),
        identity: format!("{rule} {path} {place}{}", subject.as_ref().unwrap_or(&message)),
        path,
        message: format!("servers refuse to install this: {place}{message}"),
        ..Occurrence::default()
    }
}

fn not_compiled<'a>(crd: &str, version: &Version, problem: &SchemaProblem) -> Occurrence<'a> {
    let SchemaProblem { path, expression, problem: of_cel, .. } = problem;
    Occurrence {
        crd: crd.to_owned(),
        version: Some(version.name.to_string()),
        path: path.clone(),
        message: format!("servers refuse to install this: {problem}"),
        fix: of_cel.kind.help(),
        // The same mistake in another rule of the node is not a new one.
        identity: format!("{path} {expression:?} {}", of_cel.kind),
        ..Occurrence::default()
    }
}

fn of_costs<'a>(crd: &str, version: &Version) -> Vec<Occurrence<'a>> {
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
