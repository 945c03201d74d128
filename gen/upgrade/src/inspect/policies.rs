//! The admission policies of the bundle: present, in effect, and of the installed version.

use std::collections::BTreeSet;

use crd_bundle::admission::{safe_upgrades, unsupported};
use crd_bundle::{BUNDLE_VERSION, BundleStamp};
use crd_cluster::Policies;
use crd_diagnostics::Diagnostic;
use serde_json::Value;

use crate::inspect::codes;
use crate::inspect::report::{PolicyReport, Report};

/// Adds what there is, and what is wrong with it.
pub(crate) fn check(policies: &Policies, report: &mut Report) {
    let installed = report.installed.map(|(bundle, _)| bundle);
    let stamp = format!("{}/{BUNDLE_VERSION}", report.prefix);
    for policy in policies.of_bundle() {
        let name = &policy.metadata.name;
        let version = policy.metadata.annotations.get(&stamp).cloned();
        if let (Some(version), Some(installed)) = (&version, installed)
            && *version != installed.to_string()
        {
            let message = format!("the policy {name} is of {version}, and the CRDs are of {installed}");
            let finding = codes::POLICY_VERSION.finding(message);
            report.findings.push(finding.help(match installed {
                BundleStamp::Month(_) => "install the CRDs and the policies of one bundle".to_owned(),
                _ => format!("apply the policies of {installed}"),
            }));
        }
        let bound = policies.bindings_of(name).map(Iterator::collect::<Vec<_>>);
        let actions = bound.iter().flatten().flat_map(|binding| binding.spec.validation_actions.clone());
        let actions = actions.collect::<BTreeSet<_>>().into_iter().collect();
        let bindings = bound.map(|bound| bound.iter().map(|binding| binding.metadata.name.clone()).collect());
        report.policies.push(PolicyReport {
            kind: "ValidatingAdmissionPolicy",
            name: name.clone(),
            version,
            channel: None,
            bindings,
            actions,
        });
    }
    report.findings.extend(effects(policies, &report.policies));
    let name = safe_upgrades::name(&report.prefix);
    let is_missing =
        policies.policies.as_ref().is_some_and(|all| !all.iter().any(|policy| policy.metadata.name == name));
    // Without CRDs there is nothing to protect.
    if is_missing && installed.is_some() && report.is_stamped {
        let message = format!("the policy {name} is not installed, so nothing refuses an older bundle");
        report.findings.push(codes::POLICY_MISSING.finding(message).help("apply the install file of the bundle"));
    }
}

/// Policies that do nothing, or that may fail.
fn effects(policies: &Policies, reports: &[PolicyReport]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for report in reports {
        let name = &report.name;
        match &report.bindings {
            Some(bindings) if bindings.is_empty() => {
                let message = format!("the policy {name} has no binding, so it does nothing");
                findings.push(codes::POLICY_UNBOUND.finding(message).help("apply its binding from the install files"));
            }
            // The warning form of a policy of `guardrails` is a choice.
            Some(_) if name.starts_with(unsupported::NAME) => {}
            Some(_) if !report.actions.iter().any(|action| action == "Deny") => {
                let message = format!(
                    "the policy {name} refuses nothing: the actions of its bindings are {}",
                    report.actions.join(", ")
                );
                findings.push(codes::POLICY_LENIENT.finding(message).help("give a binding the action `Deny`"));
            }
            _ => {}
        }
    }
    for policy in policies.of_bundle() {
        let warnings = policy.status.pointer("/typeChecking/expressionWarnings").and_then(Value::as_array);
        for warning in warnings.into_iter().flatten() {
            let text = |key: &str| warning.get(key).and_then(Value::as_str).unwrap_or_default().trim();
            let message = format!(
                "the policy {} has an expression with a warning: {}: {}",
                policy.metadata.name,
                text("fieldRef"),
                text("warning")
            );
            findings.push(codes::POLICY_WARNINGS.finding(message));
        }
    }
    findings
}
