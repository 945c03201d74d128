//! A comparison: two bundles and every finding about their changes.
//!
//! Invariants: every change becomes exactly one finding. Findings are ordered by channel, CRD, version and path.

use std::collections::BTreeMap;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::change::LocatedChange;
use crate::classify::classify;
use crate::context::{Context, Declared};
use crate::finding::Finding;
use crate::policy::{Column, Policy};
use crate::preserved::with_preserving_nodes;
use crate::required_bump::RequiredBump;
use crate::stability::concerns_alpha;
use crate::walk::changes;
use crate::witness::Witnesses;

/// The CRDs of a bundle, by channel. A bundle may lack channels.
pub type Channels = BTreeMap<Channel, Vec<CustomResourceDefinition>>;

/// What is compared, and how.
pub struct Comparison<'a> {
    /// The baseline.
    pub baseline: &'a Channels,
    /// The candidate.
    pub candidate: &'a Channels,
    /// The policy.
    pub policy: Policy,
    /// What tombstones declare about removed names.
    pub declared: &'a Declared,
    /// Whether to look for witnesses, which takes longer than everything else.
    pub with_witnesses: bool,
}

impl<'a> Comparison<'a> {
    /// A comparison without witnesses.
    pub fn new(
        baseline: &'a Channels,
        candidate: &'a Channels,
        policy: impl Into<Policy>,
        declared: &'a Declared,
    ) -> Self {
        Self { baseline, candidate, policy: policy.into(), declared, with_witnesses: false }
    }

    /// Every finding about the changes. Channels that one bundle lacks are skipped.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let (baseline, candidate) = (with_preserving_nodes(self.baseline), with_preserving_nodes(self.candidate));
        let mut witnesses = Witnesses::default();
        for channel in Channel::ALL {
            let (Some(old), Some(new)) = (baseline.get(&channel), candidate.get(&channel)) else { continue };
            for change in changes(channel, old, new, &self.declared.renames) {
                let mut finding = self.finding(&change, new);
                if self.with_witnesses {
                    finding.witness = witnesses.of(&change, finding.direction);
                }
                findings.push(finding);
            }
        }
        findings
    }

    fn finding(&self, change: &LocatedChange<'_>, candidate: &[CustomResourceDefinition]) -> Finding {
        let location = &change.location;
        let column = match concerns_alpha(location) {
            true => self.policy.column_of_alpha(location.channel),
            false => self.policy.column(location.channel),
        };
        let context = Context {
            column,
            baseline_experimental: match (location.channel, column) {
                // Here names need no experimental stage, and cannot leave it.
                (Channel::Experimental, _) | (_, Column::Experimental) => None,
                (Channel::Standard, _) => self.baseline.get(&Channel::Experimental).map(Vec::as_slice),
            },
            candidate,
            declared: self.declared,
        };
        let assessment = classify(change, &context);
        let cells = &assessment.rule.cells;
        let cell = cells.cell(column);
        let listed = assessment.required_bump.or(cell.usual()).unwrap_or(RequiredBump::Waiver);
        let [before, after] = change.values();
        Finding {
            rule: assessment.rule.id,
            required_bump: self.policy.required_bump(cells, listed),
            needs: cell.needs.to_vec(),
            warning: cell.warning && !assessment.without_warning,
            channel: location.channel,
            crd: location.crd().to_owned(),
            version: location.version().map(str::to_owned),
            path: change.path(),
            before,
            after,
            direction: assessment.direction,
            proof: assessment.proof,
            message: assessment.message,
            fix: assessment.fix,
            witness: None,
            known: false,
            waived: None,
        }
    }
}
