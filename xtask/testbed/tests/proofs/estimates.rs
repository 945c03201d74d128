//! The estimated cost of rules is the oracle's on every minor: for Gateway API, for the CRDs of other projects, and for random rules.

use std::collections::BTreeMap;

use crd_cel::Expression;
use crd_cel::estimate::Estimate;
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::documents::crds;
use crate::oracle::Oracle;
use crate::random::crd_with_rules;
use crate::server::number;
use crd_testdata::Dice;

/// The estimates of an oracle and the errors about them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expected {
    /// By version, path of the node, and index: of the rule and of its message.
    rules: BTreeMap<(String, String, usize), (u64, u64)>,
    /// Field and text, sorted.
    errors: Vec<(String, String)>,
    /// By field, of this project only.
    costs: BTreeMap<String, u64>,
}

impl Expected {
    /// The errors with the costs of rules that contribute to a total instead of their fields: of equal ones a server lists any.
    fn errors(&self, costs: &BTreeMap<String, u64>) -> Vec<(String, String)> {
        let written = |(field, text): &(String, String)| match costs.get(field) {
            Some(cost) if text.contains("contributed") => (cost.to_string(), text.clone()),
            _ => (field.clone(), text.clone()),
        };
        let mut errors: Vec<_> = self.errors.iter().map(written).collect();
        errors.sort();
        errors
    }
}

fn of_oracle(answer: &Value) -> Expected {
    let list = |name: &str| answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rules = list("rules").iter().map(|rule| {
        let index = rule["index"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("an index");
        let cost = |name: &str| rule[name].as_u64().unwrap_or_default();
        ((text(&rule["version"]), text(&rule["path"]), index), (cost("cost"), cost("messageCost")))
    });
    let is_cost = |error: &&Value| {
        error["message"].as_str().is_some_and(|text| text.contains("exceeds budget") || text.contains("cost limit"))
    };
    let mut errors: Vec<_> =
        list("errors").iter().filter(is_cost).map(|error| (text(&error["field"]), text(&error["message"]))).collect();
    errors.sort();
    Expected { rules: rules.collect(), errors, costs: BTreeMap::new() }
}

/// The same from this project.
fn own(estimates: &[(String, Estimate)]) -> Expected {
    let mut result = Expected::default();
    for (at, (version, estimate)) in estimates.iter().enumerate() {
        let schema = match estimates.len() {
            1 => "spec.validation.openAPIV3Schema".to_owned(),
            _ => format!("spec.versions[{at}].schema.openAPIV3Schema"),
        };
        for rule in &estimate.rules {
            let key = (version.clone(), format!("schema.openAPIV3Schema{}", rule.location), rule.index);
            let costs = result.rules.entry(key).or_default();
            match rule.expression {
                Expression::Rule => costs.0 = rule.cost,
                Expression::Message => costs.1 = rule.cost,
            }
        }
        let errors = estimate.errors().into_iter();
        result.errors.extend(errors.map(|(field, text)| (format!("{schema}{field}"), format!("Forbidden: {text}"))));
        let costs = estimate.rules.iter().map(|rule| (format!("{schema}{}", rule.field()), rule.cost));
        result.costs.extend(costs);
    }
    result.errors.sort();
    result
}

/// What an oracle and this project say of CRDs.
#[derive(Debug, Default)]
struct Comparison {
    /// Expressions with an estimate of both.
    count: usize,
    /// Rules that only one of them compiles.
    one_sided: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn add(&mut self, oracle: &mut Oracle, minor: u32, name: &str, crd: &Value) {
        let read =
            CustomResourceDefinition::from_value(crd).unwrap_or_else(|errors| panic!("{name}: {errors:?}\n{crd}"));
        let expected = of_oracle(&oracle.ask(&json!({"define": name, "crd": crd})));
        let estimates: Vec<_> = read
            .versions
            .iter()
            .map(|version| (version.name.to_string(), crd_cel::estimate::estimate(&version.schema, minor)))
            .collect();
        let own = own(&estimates);
        let (before, one_sided) = (self.differences.len(), self.one_sided);
        let rule = |key: &(String, String, usize)| {
            let sources = estimates
                .iter()
                .flat_map(|(_, estimate)| &estimate.rules)
                .filter(|rule| key.1 == format!("schema.openAPIV3Schema{}", rule.location) && rule.index == key.2);
            sources.map(|rule| rule.source.as_str()).collect::<Vec<_>>().join(" # ")
        };
        for (key, server) in &expected.rules {
            match own.rules.get(key) {
                None => self.one_sided += 1,
                Some(own) if own == server => self.count += 1 + usize::from(server.1 > 0),
                // The message is computed when it is compiled, and its computation fails.
                Some(own) if own.0 == server.0 && (server.1 == 0 || own.1 == 0) => self.one_sided += 1,
                Some(own) => {
                    let rule = rule(key);
                    self.differences.push(format!("{name} {key:?}: server {server:?}, own {own:?}: {rule}"));
                }
            }
        }
        self.one_sided += own.rules.keys().filter(|key| !expected.rules.contains_key(key)).count();
        let is_same =
            self.one_sided == one_sided && self.differences.len() == before && own.rules.len() == expected.rules.len();
        let (server, own) = (expected.errors(&own.costs), own.errors(&own.costs));
        if is_same && own != server {
            let only = |of: &[(String, String)], other: &[(String, String)]| {
                of.iter().filter(|error| !other.contains(error)).cloned().collect::<Vec<_>>()
            };
            let (server, own) = (only(&server, &own), only(&own, &server));
            self.differences.push(format!("{name}: errors: only of the server {server:?}, only own {own:?}"));
        }
    }

    fn assert(&self, minor: &str) {
        let Self { count, one_sided, differences } = self;
        println!("{minor}: {count} expressions compared, {one_sided} compiled by one of both");
        let shown = differences[..differences.len().min(12)].join("\n");
        assert!(differences.is_empty(), "{minor}: {} differences\n{shown}", differences.len());
    }
}

#[test]
fn published_rules_cost_what_servers_estimate() {
    let bundles = Channel::ALL.into_iter().flat_map(crds).map(|crd| (crd.name.to_string(), crd.to_value()));
    let projects = crd_testdata::PROJECTS.iter().flat_map(|(project, version)| crd_testdata::project(project, version));
    let projects = projects.flat_map(|(_, files)| files).map(|file| (file.path.to_owned(), file.json()));
    let releases = crd_testdata::all_gateway_api().map(|(label, file)| (label, file.json()));
    let readable = |crd: &Value| CustomResourceDefinition::from_value(crd).is_ok();
    let all = bundles.chain(projects).chain(releases).filter(|(_, crd)| readable(crd)).collect();
    let all = crd_testdata::sample_of(all, |_| false);
    for minor in crate::oracle::minors() {
        let mut oracle = Oracle::start(minor);
        let mut compared = Comparison::default();
        for (name, crd) in &all {
            compared.add(&mut oracle, number(minor), name, crd);
        }
        compared.assert(minor.name);
        assert_eq!(compared.one_sided, 0);
    }
}

/// How many random expressions are compared on each minor.
const RANDOM: usize = 20_000;

#[test]
fn random_rules_cost_what_servers_estimate() {
    for minor in crate::oracle::minors() {
        let mut oracle = Oracle::start(minor);
        let mut compared = Comparison::default();
        let mut dice = Dice::new(u64::from(number(minor)));
        while compared.count < crd_testdata::sample(RANDOM) && compared.differences.len() < 12 {
            compared.add(&mut oracle, number(minor), "random", &crd_with_rules(&mut dice, number(minor)));
        }
        compared.assert(minor.name);
        assert!(compared.one_sided * 10 < compared.count, "{}: too many rules are not compiled", minor.name);
    }
}
