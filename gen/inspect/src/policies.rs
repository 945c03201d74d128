//! The admission policies of the bundle: present, in effect, and of the installed version.

use crd_bundle::{BUNDLE_VERSION, BundleVersion};
use crd_cluster::{Metadata, Policies};
use crd_diagnostics::Diagnostic;
use crd_release::admission::safe_upgrades;
use serde_json::Value;

use crate::codes;

/// A policy or webhook of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyReport {
    /// `ValidatingAdmissionPolicy` or `ValidatingWebhookConfiguration`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The bundle version of its annotation.
    pub version: Option<String>,
    /// The channel of its annotation; only webhooks have one.
    pub channel: Option<String>,
    /// The names of its bindings; nothing for a webhook, or if the bindings cannot be read.
    pub bindings: Option<Vec<String>>,
    /// The actions of all bindings together: `Deny`, `Warn`, `Audit`.
    pub actions: Vec<String>,
}

/// What there is, and what is wrong with it.
pub(crate) fn check(
    policies: &Policies,
    prefix: &str,
    installed: Option<BundleVersion>,
) -> (Vec<PolicyReport>, Vec<Diagnostic>) {
    let (mut reports, mut findings) = (Vec::new(), Vec::new());
    let stamp = |metadata: &Metadata| metadata.annotations.get(&format!("{prefix}/{BUNDLE_VERSION}")).cloned();
    let mut check_version = |name: &str, version: Option<&String>| {
        let (Some(version), Some(installed)) = (version, installed) else { return };
        if *version != installed.to_string() {
            let message = format!("the policy {name} is of {version}, and the CRDs are of {installed}");
            findings.push(codes::POLICY_VERSION.finding(message).help(format!("apply the policies of {installed}")));
        }
    };
    for policy in policies.policies.iter().flatten() {
        let name = &policy.metadata.name;
        let version = stamp(&policy.metadata);
        check_version(name, version.as_ref());
        let bound = policies.bindings_of(name).map(Iterator::collect::<Vec<_>>);
        let mut actions = bound.iter().flatten().flat_map(|binding| binding.actions.clone()).collect::<Vec<_>>();
        actions.sort_unstable();
        actions.dedup();
        let bindings = bound.map(|bound| bound.iter().map(|binding| binding.metadata.name.clone()).collect());
        reports.push(PolicyReport {
            kind: "ValidatingAdmissionPolicy",
            name: name.clone(),
            version,
            channel: None,
            bindings,
            actions,
        });
    }
    findings.extend(effects(policies, &reports));
    let name = safe_upgrades::name(prefix);
    let is_missing =
        policies.policies.as_ref().is_some_and(|all| !all.iter().any(|policy| policy.metadata.name == name));
    // Without CRDs there is nothing to protect.
    if is_missing && installed.is_some() {
        let message = format!("the policy {name} is not installed, so nothing refuses an older bundle");
        findings.push(codes::POLICY_MISSING.finding(message).help("apply the install file of the bundle"));
    }
    (reports, findings)
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
    for policy in policies.policies.iter().flatten() {
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
