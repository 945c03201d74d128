//! The validating webhooks of the bundle: of the installed version and channel, and reachable.
//!
//! A webhook is ready only for CRDs of its channel, with its bundle version or an older one (GEP-922).

use std::cmp::Ordering;

use crd_bundle::{BUNDLE_VERSION, BundleStamp, CHANNEL};
use crd_cluster::{Policies, Webhook};
use crd_diagnostics::Diagnostic;
use serde_json::Value;

use crate::inspect::codes;
use crate::inspect::known::InstalledBundle;
use crate::inspect::report::PolicyReport;
use crate::inspect::report::Report;

/// Adds what there is, and what is wrong with it. A webhook without a bundle version belongs to another program, which chose a similar name.
pub(crate) fn check(policies: &Policies, report: &mut Report) {
    for webhook in policies.webhooks.iter().flatten() {
        let stamp = |key: &str| webhook.metadata.annotations.get(&format!("{}/{key}", report.prefix)).cloned();
        let (version, channel) = (stamp(BUNDLE_VERSION), stamp(CHANNEL));
        if let Some(version) = &version {
            if let Some(installed) = report.installed {
                let found = differences(&webhook.metadata.name, version, channel.as_deref(), installed);
                report.findings.extend(found);
            }
            report.findings.extend(calls(webhook));
        }
        report.policies.push(PolicyReport {
            kind: "ValidatingWebhookConfiguration",
            name: webhook.metadata.name.clone(),
            version,
            channel,
            bindings: None,
            actions: Vec::new(),
        });
    }
}

/// Where a webhook and the CRDs differ.
fn differences(name: &str, version: &str, channel: Option<&str>, installed: InstalledBundle) -> Vec<Diagnostic> {
    let (installed, installed_channel) = installed;
    let stamp = BundleStamp::of(version);
    let of_version = match stamp.order(installed) {
        _ if stamp.version().zip(installed.version()).is_some_and(|(own, other)| own.is_same_bundle(other)) => None,
        Some(Ordering::Equal) => None,
        Some(Ordering::Less) => Some((&codes::WEBHOOK_OLDER, "; it is not ready for newer CRDs")),
        Some(_) => Some((&codes::WEBHOOK_NEWER, "")),
        None if stamp == BundleStamp::Unreadable => Some((&codes::POLICY_VERSION, "")),
        None => Some((&codes::POLICY_VERSION, "; a month has no order with versions, so it is not ready")),
    };
    let install = || match (installed, stamp) {
        (BundleStamp::Month(_), BundleStamp::Version(_)) => {
            format!("install the CRDs of {version} {installed_channel}")
        }
        _ => format!("install the webhook of {installed} {installed_channel}"),
    };
    let of_version = of_version.map(|(code, effect)| {
        let message = format!("the webhook {name} is of {version}, and the CRDs are of {installed}{effect}");
        code.finding(message).help(install())
    });
    let of_channel = channel.filter(|channel| *channel != installed_channel.name()).map(|channel| {
        let message = format!(
            "the webhook {name} is for {channel}, and the CRDs are of {installed_channel}; it is not ready for CRDs of another channel"
        );
        codes::WEBHOOK_CHANNEL.finding(message).help(install())
    });
    of_version.into_iter().chain(of_channel).collect()
}

/// Whether calls can succeed, and what happens if they do not.
fn calls(webhook: &Webhook) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let name = &webhook.metadata.name;
    let is_without_ca = |webhook: &Value| {
        let client = &webhook["clientConfig"];
        // A URL may have a certificate of a public authority.
        client["service"].is_object() && client["caBundle"].as_str().is_none_or(str::is_empty)
    };
    if webhook.webhooks.iter().any(is_without_ca) {
        let message = format!("the webhook {name} has no `caBundle`, so the server trusts no certificate of it");
        let help = "look at the Job that makes the certificate: `kubectl get jobs --all-namespaces`";
        findings.push(codes::WEBHOOK_WITHOUT_CA.finding(message).help(help));
    }
    if webhook.webhooks.iter().any(|webhook| webhook["failurePolicy"] == "Fail") {
        let message = format!("objects are refused while the webhook {name} does not answer");
        findings.push(codes::WEBHOOK_FAIL.finding(message));
    }
    findings
}
