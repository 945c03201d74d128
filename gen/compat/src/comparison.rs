//! A comparison: two bundles, every finding, and the verdict.
//!
//! Fed with the CRDs of both, by channel, and with what was declared. Read by `diff`, `check` and the release.
//!
//! Invariants: every difference becomes exactly one finding; one that no rule claims, or more than one, becomes a finding of
//! `unclaimed`. Findings come by channel, CRD, version and path; the verdict is the largest of what they ask.

use std::collections::BTreeMap;

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::difference::Difference;
use crate::finding::Finding;
use crate::policy::Profile;
use crate::rule::{Claim, Context, Declared, RULES, Rule};
use crate::ruling::Ruling;
use crate::walk::differences;
use crate::witness::Witnesses;

/// The CRDs of a bundle, by channel. A bundle may lack channels.
pub type Channels = BTreeMap<Channel, Vec<CustomResourceDefinition>>;

/// What is compared, and how.
pub struct Comparison<'a> {
    /// The baseline.
    pub baseline: &'a Channels,
    /// What is judged against it.
    pub candidate: &'a Channels,
    /// The columns that hold.
    pub profile: Profile,
    /// What was declared of names that went.
    pub declared: &'a Declared,
    /// The rules; [`RULES`], except in tests of the net below them.
    pub rules: &'a [Rule],
    /// Whether witnesses are looked for, which takes longer than all the rest.
    pub with_witnesses: bool,
}

impl<'a> Comparison<'a> {
    /// A comparison by all rules.
    pub fn new(baseline: &'a Channels, candidate: &'a Channels, profile: Profile, declared: &'a Declared) -> Self {
        Self { baseline, candidate, profile, declared, rules: RULES, with_witnesses: false }
    }

    /// Every finding about the difference of both bundles.
    pub fn findings(&self) -> Vec<Finding> {
        let none = Vec::new();
        let mut findings = Vec::new();
        let mut witnesses = Witnesses::default();
        for channel in Channel::ALL {
            let (old, new) = (self.baseline.get(&channel), self.candidate.get(&channel));
            // A channel that one of them has not cannot be compared; which ones were is for the reader to see.
            let (Some(old), Some(new)) = (old, new) else { continue };
            let context = Context {
                column: self.profile.column(channel),
                channel,
                baseline_experimental: match channel {
                    Channel::Standard => self.baseline.get(&Channel::Experimental).map(Vec::as_slice),
                    Channel::Experimental => None,
                },
                candidate: self.candidate.get(&channel).unwrap_or(&none),
                declared: self.declared,
            };
            for difference in differences(channel, old, new, &self.declared.renames) {
                let mut finding = self.finding(&difference, &context);
                if self.with_witnesses {
                    finding.witness = witnesses.of(&difference, finding.direction);
                }
                findings.push(finding);
            }
        }
        findings
    }

    fn finding(&self, difference: &Difference<'_>, context: &Context<'_>) -> Finding {
        let mut claims = self.rules.iter().filter_map(|rule| Some((rule, (rule.claims)(difference, context)?)));
        let (rule, claim) = match (claims.next(), claims.next()) {
            (Some(only), None) => only,
            (Some((first, _)), Some((second, _))) => (
                &crate::rule::UNCLAIMED,
                Claim::new(format!(
                    "two rules claim this change, `{}` and `{}`: please report it",
                    first.id, second.id
                )),
            ),
            (None, _) => (&crate::rule::UNCLAIMED, crate::rule::unclaimed::claim(difference)),
        };
        let cell = rule.cells.cell(context.column);
        let place = &difference.place;
        Finding {
            rule: rule.id,
            ruling: claim.ruling.or(cell.usual()).unwrap_or(Ruling::Finding),
            needs: cell.needs.to_vec(),
            warning: cell.warning && !claim.unwarned,
            channel: context.channel,
            crd: place.crd().to_owned(),
            version: place.version().map(str::to_owned),
            path: difference.path(),
            before: difference.before.clone(),
            after: difference.after.clone(),
            direction: claim.direction,
            message: claim.message,
            fix: claim.fix,
            witness: None,
            known: false,
            waived: None,
        }
    }
}
