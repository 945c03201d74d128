//! `validation-cost-total`: the estimated cost of all CEL rules of a version is at most the limit of the server.

use super::validation_cost::advice;
use super::{Examined, Report};
use crd_cel::estimate::{CRD_LIMIT, grouped};

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
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
