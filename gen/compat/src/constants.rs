//! Recommended condition types and reasons of two bundles, compared.
//!
//! Invariants: every difference is one finding, ordered by API version and name. A bundle that does not list its constants is not compared.

use std::collections::{BTreeMap, BTreeSet};

use crd_inclusion::Edit;
use crd_model::channel::Channel;
use crd_model::constants::{Constant, Constants, FILE_NAME};
use serde_json::json;

use crate::finding::Finding;
use crate::policy::Policy;
use crate::required_bump::RequiredBump;
use crate::rule::condition_changed;

/// The findings about the constants of two bundles, in one channel: constants belong to all channels.
pub fn constant_findings(
    baseline: Option<&Constants>,
    candidate: Option<&Constants>,
    channel: Channel,
    policy: impl Into<Policy>,
) -> Vec<Finding> {
    let policy = policy.into();
    let (Some(old), Some(new)) = (baseline, candidate) else { return Vec::new() };
    let none = BTreeMap::new();
    let mut findings = Vec::new();
    for version in old.0.keys().chain(new.0.keys()).collect::<BTreeSet<_>>() {
        let [old, new] = [old, new].map(|constants| constants.0.get(version).unwrap_or(&none));
        for name in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
            let edit = match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) if old != new => Edit::Replaced { old, new },
                (Some(old), None) => Edit::Removed(old),
                (None, Some(new)) => Edit::Added(new),
                _ => continue,
            };
            findings.push(finding(version, name, &edit, channel, policy));
        }
    }
    findings
}

fn finding(version: &str, name: &str, edit: &Edit<&Constant>, channel: Channel, policy: Policy) -> Finding {
    let assessment = condition_changed::assess(edit);
    let cells = &assessment.rule.cells;
    let listed = cells.cell(policy.column(channel)).usual().unwrap_or(RequiredBump::Waiver);
    let (required_bump, lowered) = policy.required(cells, channel, false, listed);
    Finding {
        rule: assessment.rule.id,
        required_bump,
        lowered,
        needs: Vec::new(),
        warning: false,
        channel,
        crd: FILE_NAME.to_owned(),
        version: Some(version.to_owned()),
        path: name.to_owned(),
        before: edit.before().map(|constant| json!(constant.value)),
        after: edit.after().map(|constant| json!(constant.value)),
        direction: None,
        grounds: Vec::new(),
        proof: None,
        message: assessment.message,
        fix: assessment.fix,
        witness: None,
        known: false,
        waived: None,
    }
}
