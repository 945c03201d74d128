//! The estimated costs of CEL rules, as text and as JSON.
//!
//! Invariants: both contain the same facts: for each expression and each total the highest estimate of the supported minors, and the first
//! minor that has it.

use crd_cel::Expression;
use crd_cel::estimate::{CRD_LIMIT, RULE_LIMIT, RuleEstimate, grouped};
use crd_diagnostics::printable;
use crd_diagnostics::style::NAME;
use crd_model::channel::Channel;
use crd_model::document::minor;
use crd_names::shortened;
use serde::Serialize;

use crate::generation::Costs;
use crate::session::Session;

/// The width of a cost: that of the limit of a rule.
const WIDTH: usize = 10;

pub(super) fn print(all: &[Costs], session: &mut Session<'_>) {
    for costs in all {
        let Costs { channel, crd, version, estimate } = costs;
        session.print(format_args!(
            "\n{NAME}{}{NAME:#}  {crd} {version}: {} of {} ({}), in Kubernetes 1.{}\n",
            channel.name(),
            grouped(estimate.total),
            grouped(CRD_LIMIT),
            share(estimate.total, CRD_LIMIT),
            estimate.minor,
        ));
        for rule in &estimate.rules {
            let path = if rule.path.is_empty() { "the root" } else { &rule.path };
            let expression = match rule.expression {
                Expression::Rule => "rule",
                Expression::Message => "message of rule",
            };
            session.print(format_args!(
                "  {:>WIDTH$}  {:>6}  {path}, {expression} {}: {}\n",
                grouped(rule.cost),
                share(rule.cost, RULE_LIMIT),
                rule.index + 1,
                printable(&shortened(rule.source.trim())),
            ));
        }
    }
}

/// A part of a limit in percent, with one decimal, rounded up: only zero is 0.0.
fn share(cost: u64, limit: u64) -> String {
    let thousandths = (u128::from(cost) * 1000).div_ceil(u128::from(limit));
    format!("{}.{}%", thousandths / 10, thousandths % 10)
}

/// The costs of the rules of an API version.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionCosts<'c> {
    channel: Channel,
    /// The name of the CRD.
    crd: &'c str,
    /// The API version.
    version: &'c str,
    /// The estimate of all rules.
    total: u64,
    /// What servers accept.
    limit: u64,
    /// The first minor with the highest estimate.
    #[serde(serialize_with = "minor")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    kubernetes: u32,
    /// Each expression.
    rules: Vec<RuleCost<'c>>,
}

/// The cost of an expression.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RuleCost<'c> {
    /// The schema path.
    path: &'c str,
    /// The number of the rule, from 1.
    rule: usize,
    /// `rule` or `messageExpression`.
    expression: &'static str,
    /// The expression.
    source: &'c str,
    /// The estimate of all its evaluations.
    cost: u64,
    /// What servers accept.
    limit: u64,
    /// The estimate of one evaluation.
    evaluation: u64,
    /// How many evaluations an object can need.
    evaluations: u64,
    /// The first minor with the highest estimate.
    #[serde(serialize_with = "minor")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    kubernetes: u32,
}

pub(super) fn document(all: &[Costs]) -> Vec<VersionCosts<'_>> {
    let versions = all.iter().map(|Costs { channel, crd, version, estimate }| VersionCosts {
        channel: *channel,
        crd,
        version,
        total: estimate.total,
        limit: CRD_LIMIT,
        kubernetes: estimate.minor,
        rules: estimate.rules.iter().map(cost).collect(),
    });
    versions.collect()
}

fn cost(rule: &RuleEstimate) -> RuleCost<'_> {
    RuleCost {
        path: &rule.path,
        rule: rule.index + 1,
        expression: match rule.expression {
            Expression::Rule => "rule",
            Expression::Message => "messageExpression",
        },
        source: &rule.source,
        cost: rule.cost,
        limit: RULE_LIMIT,
        evaluation: rule.evaluation.max,
        evaluations: rule.evaluations,
        kubernetes: rule.minor,
    }
}
