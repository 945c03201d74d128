//! The waivers that would accept the findings that break the policy: entries of `bundles/waivers.yaml`.
//!
//! Invariants: an entry matches exactly its findings. Its reason is empty, which is an error until it is written.

use std::collections::BTreeSet;

use crd_compat::{RequiredBump, Severity};
use serde_json::Value;

use super::{Report, values};

/// What the entries are for.
pub(super) const PURPOSE: &str = "Entries of `waivers` in `bundles/waivers.yaml` that accept these findings; each needs a reason. `path: spec.*` \
                                  matches every path with this beginning:";

/// An entry for each rule and location, in their order. None where waivers have no effect.
pub(super) fn entries(report: &Report) -> BTreeSet<String> {
    let permitted = report.permitted.filter(|_| report.uses_waivers()).unwrap_or(RequiredBump::None);
    // A waiver for a pre-release is one for its release.
    let bundle = report.candidate.version.as_deref().and_then(|version| version.split('-').next());
    let Some(bundle) = bundle.filter(|_| permitted > RequiredBump::None) else { return BTreeSet::new() };
    let findings = report.findings.iter().map(|located| &located.finding);
    let errors = findings.filter(|finding| {
        report.severity(finding) == Severity::Error && finding.required_bump != RequiredBump::NotAllowed
    });
    let entry = |crd: &str, path: &str, rule: &str, channel: &str| {
        let [crd, path] = [crd, path].map(|text| values::text(&Value::from(text)));
        format!(
            "- {{rule: {rule}, crd: {crd}, path: {path}, channel: {channel}, bundle: {bundle}, to: {permitted}, reason: \"\"}}"
        )
    };
    errors.map(|finding| entry(&finding.crd, &finding.path, finding.rule, finding.channel.name())).collect()
}
