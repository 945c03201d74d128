//! `query-names`: names of query parameters are unique regardless of case.
//!
//! The type of the names is that of header names, and the CRD compares them letter by letter (Gateway API issue 2277). In contrast to
//! headers, the name of a parameter must be equal including case. So `Page` and `page` are two conditions, and only requests with both
//! parameters match. The specification permits that, and the former webhook of upstream did too. It is refused because an author who writes it
//! expects that one of both is enough.

use crd_webhook::{Change, Objects, Report, Rule};
use gateway_api_types::v1::HTTPRoute;

use crate::rule::{COSTS, repeated};

pub(crate) const RULE: Rule<HTTPRoute> = Rule {
    name: "query-names",
    about: "Names of query parameters of a match are unique regardless of case, which is stricter than the specification.",
    why: COSTS,
    create: Some(check),
    update: Some(check),
};

fn check(change: &Change<HTTPRoute>, _: &Objects, report: &mut Report) {
    for (index, rule) in change.object.spec.rules.iter().flatten().enumerate() {
        for (place, of_rule) in rule.matches.iter().flatten().enumerate() {
            let parameters = of_rule.query_params.iter().flatten().enumerate();
            let names = parameters.map(|(index, parameter)| (&*parameter.name.0.0, (), index));
            repeated(names, |(first, ()), (name, (), parameter)| {
                report.refuse(
                    format!("spec.rules[{index}].matches[{place}].queryParams[{parameter}].name"),
                    format!(
                        "the query parameters `{first}` and `{name}` differ only in case, and only requests with both of them match: \
                         remove one of them"
                    ),
                );
            });
        }
    }
}
