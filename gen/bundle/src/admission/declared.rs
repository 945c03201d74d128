//! The admission policies that a catalogue declares: checks in CEL that a server refuses in a CRD because of their estimated cost.
//!
//! What is decided, and why:
//! * **Opt-in, as the guardrails are**: a bundle that is applied over an older one must not begin to refuse objects.
//! * **One policy for all resources, under a name without a version.** That of a newer bundle replaces it.
//! * **`failurePolicy: Fail`.** What cannot be evaluated is refused, else a large enough object would be a way around the policy.
//! * Objects that are being deleted, and updates that leave `spec` as it is, are accepted before any check.
//!
//! Invariant: the same bundle gives the same objects.

use std::collections::BTreeMap;

use crd_model::policy::Policy;
use serde_json::{Value, json};

use super::{Bundle, match_conditions, match_constraints, policy_and_binding, resource_rule};

/// The name of a policy and of its binding: `NAME.PREFIX`.
pub fn name(policy: &Policy, prefix: &str) -> String {
    format!("{}.{prefix}", policy.name())
}

/// Each policy and its binding, in this order. A policy for resources that the bundle does not have is left out.
pub fn policies<'b>(bundle: impl Into<Bundle<'b>>) -> Vec<Value> {
    let bundle = bundle.into();
    // Of a CRD that is in several channels, the least stable channel has all versions.
    let crds = bundle.channels.iter().flat_map(|released| &released.files).map(|file| (&*file.crd.name, &*file.crd));
    let crds = crds.collect::<BTreeMap<_, _>>();
    let mut objects = Vec::new();
    for policy in bundle.policies {
        let of_policy = crds.values().filter(|crd| policy.has_resource(&crd.group, &crd.names.plural));
        let rules = of_policy.map(|crd| resource_rule(crd, &["CREATE", "UPDATE"])).collect::<Vec<_>>();
        if rules.is_empty() {
            continue;
        }
        let variable = |(name, expression): &(String, String)| json!({ "name": name, "expression": expression });
        let validations = policy.validations().iter().map(|validation| {
            let mut written =
                json!({ "expression": validation.expression, "message": validation.message, "reason": "Invalid" });
            if let Some(expression) = &validation.message_expression {
                written["messageExpression"] = expression.as_str().into();
            }
            written
        });
        let spec = json!({
            "failurePolicy": "Fail",
            "matchConstraints": match_constraints(rules),
            "matchConditions": match_conditions(),
            "variables": policy.variables().iter().map(variable).collect::<Vec<_>>(),
            "validations": validations.collect::<Vec<_>>(),
        });
        objects.extend(policy_and_binding(bundle, &name(policy, bundle.prefix), spec));
    }
    objects
}
