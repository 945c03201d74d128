//! The estimated costs of CEL rules, as text and as JSON.
//!
//! Invariants: both contain the same facts: for each expression and each total the highest estimate of the supported minors, and the first
//! minor that has it.

use crd_cel::Expression;
use crd_cel::estimate::{CRD_LIMIT, RULE_LIMIT, grouped};
use crd_diagnostics::printable;
use crd_diagnostics::style::NAME;
use crd_names::shortened;
use serde_json::{Value, json};

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

pub(super) fn document(all: &[Costs]) -> Value {
    let versions = all.iter().map(|costs| {
        let rules = costs.estimate.rules.iter().map(|rule| {
            json!({
                "path": rule.path,
                "rule": rule.index + 1,
                "expression": match rule.expression {
                    Expression::Rule => "rule",
                    Expression::Message => "messageExpression",
                },
                "source": rule.source,
                "cost": rule.cost,
                "limit": RULE_LIMIT,
                "evaluation": rule.evaluation.max,
                "evaluations": rule.evaluations,
                "kubernetes": format!("1.{}", rule.minor),
            })
        });
        json!({
            "channel": costs.channel.name(),
            "crd": costs.crd,
            "version": costs.version,
            "total": costs.estimate.total,
            "limit": CRD_LIMIT,
            "kubernetes": format!("1.{}", costs.estimate.minor),
            "rules": rules.collect::<Vec<_>>(),
        })
    });
    versions.collect()
}
