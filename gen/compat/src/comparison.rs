//! A comparison: two bundles and every finding about their changes.
//!
//! Invariants: every change becomes exactly one finding, except that unknown fields are preserved where a node lost its type. Findings are ordered by
//! channel, CRD, version and path.

use std::iter;
use std::sync::Arc;

use crd_inclusion::{Difference, Direction, NodeType, Presence, Proof, Prover};
use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition};

use crate::change::{Change, LocatedChange};
use crate::classify::classify;
use crate::context::{Context, Declared};
use crate::finding::Finding;
use crate::policy::{Column, Policy};
use crate::preserved::with_preserving_nodes;
use crate::project::{Counterpart, Projects};
use crate::required_bump::RequiredBump;
use crate::stability::concerns_alpha;
use crate::walk::changes_of_bundles;
use crate::witness::Witnesses;

/// What is compared, and how.
pub struct Comparison<'a> {
    pub baseline: &'a Channels,
    pub candidate: &'a Channels,
    pub policy: Policy,
    /// What tombstones declare about removed names.
    pub declared: &'a Declared,
    /// What is shown of each decision.
    pub evidence: Evidence,
    /// What proves the effects of changes.
    pub prover: Arc<Prover>,
}

/// What a comparison shows of its decisions. Each takes longer than the decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// An object that is refused, where one is found.
    pub witnesses: bool,
    /// What proofs need of the baseline.
    pub grounds: bool,
}

impl<'a> Comparison<'a> {
    /// A comparison that shows no evidence.
    pub fn new(
        baseline: &'a Channels,
        candidate: &'a Channels,
        policy: impl Into<Policy>,
        declared: &'a Declared,
    ) -> Self {
        Self {
            baseline,
            candidate,
            policy: policy.into(),
            declared,
            evidence: Evidence::default(),
            prover: Arc::default(),
        }
    }

    /// Every finding about the changes. What [`Projects`] skips has none.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let (baseline, candidate) = (with_preserving_nodes(self.baseline), with_preserving_nodes(self.candidate));
        let projects = Projects::of(Some(&baseline), &candidate);
        let mut witnesses = Witnesses::new(self.prover.clone());
        for channel in Channel::ALL {
            let [old, new] =
                [&baseline, &candidate].map(|bundle| bundle.get(&channel).map(Vec::as_slice).unwrap_or_default());
            for change in self.changes(channel, old, new, &projects, &candidate) {
                let mut finding = self.finding(&change, new, &projects);
                if self.evidence.witnesses {
                    finding.witness = witnesses.of(&change, finding.direction);
                }
                if let Change::Schema(difference) = &change.change
                    && self.evidence.grounds
                    && matches!(finding.proof, Some(Proof::Rules | Proof::Schema))
                {
                    finding.grounds = difference.grounds(&change.location.position);
                }
                findings.push(finding);
            }
        }
        findings
    }

    /// The changes in a channel, each once.
    fn changes<'b>(
        &self,
        channel: Channel,
        old: &'b [Arc<CustomResourceDefinition>],
        new: &'b [Arc<CustomResourceDefinition>],
        projects: &Projects<'_>,
        candidate: &'b Channels,
    ) -> Vec<LocatedChange<'b>> {
        let mut found = Vec::new();
        for change in changes_of_bundles(channel, old, new, &self.declared.renames, &self.prover) {
            let (is_resource, name) = (matches!(change.change, Change::Resource(_)), change.location.crd());
            match is_resource.then(|| projects.counterpart(channel, name)) {
                Some(Counterpart::Skipped) => {}
                // Once, in the channel of the baseline.
                Some(Counterpart::In(other)) => {
                    let namesake = candidate.get(&other).into_iter().flatten().find(|crd| *crd.name == *name);
                    if let (Some(old), Some(new)) = (change.location.old_crd, namesake) {
                        let (old, new) = (iter::once(old), iter::once(&**new));
                        let renames = &self.declared.renames;
                        // Experimental contains everything in standard, so nothing leaves it for standard.
                        found.extend(Some(change).filter(|_| channel == Channel::Standard));
                        found.extend(changes_of_bundles(channel, old, new, renames, &self.prover));
                    }
                }
                _ if found.last().is_some_and(|type_| repeats(&change, type_)) => {}
                _ => found.push(change),
            }
        }
        found
    }

    fn finding(
        &self,
        change: &LocatedChange<'_>,
        candidate: &[Arc<CustomResourceDefinition>],
        projects: &Projects<'_>,
    ) -> Finding {
        let location = &change.location;
        let is_alpha = concerns_alpha(location);
        let column = match is_alpha {
            true => self.policy.column_of_alpha(location.channel),
            false => self.policy.column(location.channel),
        };
        let context = Context {
            column,
            baseline_experimental: match (location.channel, column) {
                // Here names need no experimental stage, and cannot leave it.
                (Channel::Experimental, _) | (_, Column::SemverUnstable) => None,
                (Channel::Standard, _) => projects.experimental(self.baseline, location.crd()),
            },
            candidate,
            declared: self.declared,
            left_for: match projects.counterpart(location.channel, location.crd()) {
                Counterpart::In(other) => Some(other),
                Counterpart::None | Counterpart::Skipped => None,
            },
        };
        let assessment = classify(change, &context);
        let cells = &assessment.rule.cells;
        let cell = cells.cell(column);
        let listed = assessment.required_bump.or(cell.usual()).unwrap_or(RequiredBump::Waiver);
        let (required_bump, lowered) = self.policy.required(cells, location.channel, is_alpha, listed);
        let [before, after] = change.values();
        Finding {
            rule: assessment.rule.id,
            required_bump,
            lowered,
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
            grounds: Vec::new(),
            witness: None,
            known: false,
            waived: None,
        }
    }
}

/// Whether a change repeats that a node has lost its type: any value is kept there.
fn repeats(change: &LocatedChange<'_>, other: &LocatedChange<'_>) -> bool {
    let Change::Schema(difference @ Difference::Type { new: NodeType::Any, .. }) = &other.change else { return false };
    matches!(change.change, Change::Schema(Difference::PreserveUnknownFields(Presence::Added(()))))
        && change.location == other.location
        && difference.direction_of_type(&other.location.position) == Direction::Loosened
}
