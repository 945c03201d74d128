//! `validation-cost-total`: the estimated cost of all CEL rules of a version is at most the limit of the server.

use super::validation_cost::advice;
use super::{Authority, Check, Examined, Report, Rule};
use crd_cel::estimate::{CRD_LIMIT, grouped};

pub(super) const RULE: Rule = Rule {
    id: "validation-cost-total",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "object", "additionalProperties": {"type": "string", "x-kubernetes-validations": [
            {"rule": "self.matches('^[a-z]+$')"}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 180000, "items": {"type": "string", "maxLength": 64, "x-kubernetes-validations": [
            {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"},
            {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}, {"rule": "self.matches('^[a-z]+$')"}]}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "object", "maxProperties": 64, "additionalProperties": {"type": "string", "maxLength": 64,
        "x-kubernetes-validations": [{"rule": "self.matches('^[a-z]+$')"}]}}}"#,
    ],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, estimate) in examined.refused_estimates().filter(|(_, estimate)| estimate.total > CRD_LIMIT) {
        let expensive = estimate.most_expensive();
        let expensive = expensive.iter().map(|rule| {
            let path = if rule.path.is_empty() { "the root" } else { rule.path.as_str() };
            format!("rule {} of {path}: {}", rule.index + 1, grouped(rule.cost))
        });
        let message = format!(
            "the estimated cost of all CEL rules of this version is {} in Kubernetes 1.{}, and the limit is {} ({}); {}",
            grouped(estimate.total),
            estimate.minor,
            grouped(CRD_LIMIT),
            expensive.collect::<Vec<_>>().join(", "),
            advice(&estimate.bounds_for_total(&version.version.schema)),
        );
        report.schema(version, "", message);
    }
}
