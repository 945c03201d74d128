//! `validation-cost`: the estimated cost of a CEL rule is at most the limit of the server.
//!
//! The estimate is the cost in the worst case, which the bounds of the schema determine. Of the minors the one with the highest estimate
//! counts. The same limit is for message expressions.

use super::{Examined, Report};
use crd_cel::Expression;
use crd_cel::estimate::{Bound, RULE_LIMIT, grouped};
use crd_names::shortened;

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, estimate) in examined.refused_estimates() {
        for rule in estimate.rules.iter().filter(|rule| rule.cost > RULE_LIMIT) {
            let expression = match rule.expression {
                Expression::Rule => "",
                Expression::Message => "the message expression of ",
            };
            let message = format!(
                "the estimated cost of {expression}CEL rule {} `{}` is {} in Kubernetes 1.{}, and the limit is {}; {}",
                rule.index + 1,
                shortened(rule.source.trim()),
                grouped(rule.cost),
                rule.minor,
                grouped(RULE_LIMIT),
                advice(&estimate.bounds_for(&version.version.schema, rule)),
            );
            report.schema(version, rule.path.clone(), message);
        }
    }
}

/// How to fix it.
pub(super) fn advice(bounds: &[Bound]) -> String {
    let marker = |bound: &Bound| {
        let name = match bound.keyword {
            "maxItems" => "MaxItems",
            "maxProperties" => "MaxProperties",
            _ => "MaxLength",
        };
        let path = if bound.path.is_empty() { "the root" } else { bound.path.as_str() };
        format!("`{}: {}` at {path} (`+kubebuilder:validation:{name}={}`)", bound.keyword, bound.value, bound.value)
    };
    match bounds {
        // A marker of the field and one of its type.
        [bound] if bound.in_all_of.iter().any(|known| *known <= bound.value) => {
            let keyword = bound.keyword;
            let known = bound.in_all_of.iter().map(|known| format!("`{keyword}: {known}`")).collect::<Vec<_>>();
            let small = bound.in_all_of.iter().filter(|known| **known <= bound.value).min().unwrap_or(&0);
            let keep = match bound.in_all_of.iter().all(|known| *known <= bound.value) {
                true => "keep one of them".to_owned(),
                false => format!("keep `{keyword}: {small}` only"),
            };
            format!(
                "{} has several bounds, {}, which end in `allOf`, where the cost does not count them: {keep}",
                bound.path,
                known.join(" and "),
            )
        }
        [] => "write a simpler rule, or smaller bounds in the schema".to_owned(),
        [bound] => format!("{} is enough", marker(bound)),
        bounds => {
            let markers: Vec<String> = bounds.iter().map(marker).collect();
            format!("{} together are enough", markers.join(" and "))
        }
    }
}
