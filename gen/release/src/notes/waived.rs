//! Waivers of the bundle: the accepted findings and the reasons.

use std::collections::BTreeMap;

use crd_compat::{Finding, RequiredBump};

/// A waiver and the findings that it lowered.
pub(super) struct Waived<'a> {
    pub(super) rule: &'static str,
    pub(super) reason: &'a str,
    /// The largest required bump of the findings without the waiver.
    pub(super) from: RequiredBump,
    /// The required bump with the waiver.
    pub(super) to: RequiredBump,
    /// The CRD and the path of each finding, without duplicates.
    pub(super) locations: Vec<(&'a str, &'a str)>,
}

/// Every waiver that lowered something, by rule and reason.
pub(super) fn waived(findings: &[Finding]) -> Vec<Waived<'_>> {
    let mut found: BTreeMap<(&'static str, &str, RequiredBump), Waived<'_>> = BTreeMap::new();
    for finding in findings {
        let Some(waiver) = &finding.waived else { continue };
        let waived = found.entry((finding.rule, &waiver.reason, waiver.to)).or_insert_with(|| Waived {
            rule: finding.rule,
            reason: &waiver.reason,
            from: finding.required_bump,
            to: waiver.to,
            locations: Vec::new(),
        });
        waived.from = waived.from.max(finding.required_bump);
        waived.locations.push((&finding.crd, &finding.path));
    }
    let mut waived = found.into_values().collect::<Vec<_>>();
    for waiver in &mut waived {
        waiver.locations.sort_unstable();
        waiver.locations.dedup();
    }
    waived
}
