//! States: what the policy does not permit in a bundle, with or without changes.
//!
//! A state counts only if the baseline does not have it.
//!
//! Invariants: [`STATES`] is the only list of states; one file each, like rules. A state of the baseline is identified by its
//! [`Occurrence::identity`], or by its schema path and message.

mod alpha_in_standard;
mod containment;
mod not_installable;
mod not_preserving;
mod version_constraint_clash;
mod version_type_clash;
mod versions_differ;
mod watched_version_unserved;

use std::sync::Arc;

use crd_diagnostics::page::Page;
use crd_inclusion::{Direction, Prover};
use crd_model::channel::Channel;
use crd_model::crd::is_alpha;
use crd_model::{Channels, CustomResourceDefinition, parallel};

use crate::change::LocatedChange;
use crate::finding::Finding;
use crate::policy::{Policy, Profile};
use crate::preserved::with_preserving_nodes;
use crate::project::{Counterpart, Projects};
use crate::required_bump::RequiredBump;
use crate::rule::{RULES, Rule, UNCLAIMED};
use crate::witness::Witnesses;

/// A rule about a bundle, with or without changes.
#[derive(Clone, Copy)]
pub struct State {
    pub rule: Rule,
    /// Where a CRD has the state.
    pub found: for<'a> fn(&Subject<'a>) -> Vec<Occurrence<'a>>,
}

/// A CRD that may have a state.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub channel: Channel,
    pub crd: &'a CustomResourceDefinition,
    /// The CRD that it replaces; none in the baseline itself.
    pub former: Option<&'a CustomResourceDefinition>,
    /// The CRD in the experimental channel of the baseline, if this one is new in its channel.
    pub graduates_from: Option<&'a CustomResourceDefinition>,
    /// The CRDs of experimental, if the bundle has this channel of the project.
    pub experimental: Option<&'a [Arc<CustomResourceDefinition>]>,
    /// What the comparisons of the bundle share.
    pub prover: &'a Arc<Prover>,
}

/// Where a bundle has a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occurrence<'a> {
    /// The name of the CRD.
    pub crd: String,
    /// The API version; none for what concerns the resource.
    pub version: Option<String>,
    pub path: String,
    /// What the state is and why it matters.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// Identifies it in another bundle, with CRD and version: the path and the problem, without texts that may change.
    pub identity: String,
    /// The Kubernetes minors (1.x) that it is about; none for all. In other minors it is another state.
    pub minors: Vec<u32>,
    /// True if a webhook converts the objects, so that its effect is not known: the last bump of the cell applies.
    pub depends_on_webhook: bool,
    /// True if it affects only users of a deprecated version: in the profile `semver`, the last bump of the cell applies.
    pub is_of_deprecated: bool,
    /// The difference between two versions of the resource, for which a witness is searched.
    pub difference: Option<(LocatedChange<'a>, Direction)>,
}

/// Every rule about changes, then [`UNCLAIMED`], then every rule about states.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain([&UNCLAIMED]).chain(STATES.iter().map(|state| &state.rule))
}

/// The pages of all rules.
pub fn rule_pages() -> impl Iterator<Item = Page> {
    all_rules().map(Rule::page)
}

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    all_rules().find(|rule| rule.id == id)
}

/// Every state, in the order of the policy.
pub const STATES: &[State] = &[
    containment::STATE,
    alpha_in_standard::STATE,
    watched_version_unserved::STATE,
    versions_differ::STATE,
    version_type_clash::STATE,
    version_constraint_clash::STATE,
    not_preserving::STATE,
    not_installable::STATE,
];

/// The states of the candidate. States that the baseline also has are marked as known, and have no witness.
pub fn states(
    baseline: Option<&Channels>,
    candidate: &Channels,
    policy: impl Into<Policy>,
    prover: &Arc<Prover>,
    with_witnesses: bool,
) -> Vec<Finding> {
    let policy = policy.into();
    let (mut findings, mut witnesses) = (Vec::new(), Witnesses::new(prover.clone()));
    let (baseline, candidate) = (baseline.map(with_preserving_nodes), with_preserving_nodes(candidate));
    let (baseline, candidate) = (baseline.as_deref(), &*candidate);
    let projects = Projects::of(baseline, candidate);
    let ruled = candidate.iter().flat_map(|(channel, crds)| STATES.iter().map(move |state| (*channel, state, crds)));
    let ruled = ruled.filter(|(channel, state, _)| !state.rule.cells.cell(policy.column(*channel)).bumps.is_empty());
    let subjects = ruled.flat_map(|(channel, state, crds)| crds.iter().map(move |crd| (channel, state, crd)));
    // The proofs take most of the time of a comparison. The baseline matters only where the candidate has a state.
    let found = parallel::each(&subjects.collect::<Vec<_>>(), |(channel, state, crd)| {
        let former = baseline.and_then(|bundle| named(bundle, *channel, &crd.name));
        let experimental = projects.experimental(candidate, &crd.name);
        let graduates_from = former_in_experimental(baseline, &projects, *channel, &crd.name);
        let occurrences =
            (state.found)(&Subject { channel: *channel, crd, former, graduates_from, experimental, prover });
        (*channel, *state, crd.name.to_string(), occurrences)
    });
    let found = found.into_iter().filter(|(.., occurrences)| !occurrences.is_empty()).collect::<Vec<_>>();
    let before =
        parallel::each(&found, |(channel, state, name, _)| known(baseline?, &projects, *channel, state, name, prover));
    for ((channel, state, _, after), before) in found.into_iter().zip(before) {
        for occurrence in after {
            let known = before.iter().flatten().any(|known| known.is(&occurrence));
            let witness = occurrence
                .difference
                .as_ref()
                .filter(|_| with_witnesses && !known)
                .and_then(|(difference, direction)| witnesses.of(difference, Some(*direction)));
            findings.push(Finding { witness, ..finding(&state.rule, policy, channel, occurrence, known) });
        }
    }
    findings
}

/// What identifies a state of the baseline.
#[derive(Clone)]
struct Known {
    at: (String, Option<String>),
    what: (String, String),
    identity: String,
    minors: Vec<u32>,
}

impl Known {
    fn is(&self, occurrence: &Occurrence<'_>) -> bool {
        let is_same = (&self.what.0, &self.what.1) == (&occurrence.path, &occurrence.message);
        (&self.at.0, &self.at.1) == (&occurrence.crd, &occurrence.version)
            && (is_same || self.identity == occurrence.identity)
            && occurrence.minors.iter().all(|minor| self.minors.contains(minor))
    }
}

/// The occurrences of a state in the CRD of this name, if the bundle has it. Experimental contains standard: a baseline without experimental, such as
/// the first import of a project, has in it what its standard channel has.
fn known(
    bundle: &Channels,
    projects: &Projects<'_>,
    channel: Channel,
    state: &State,
    name: &str,
    prover: &Arc<Prover>,
) -> Option<Vec<Known>> {
    let is_in_standard = channel == Channel::Experimental && !bundle.contains_key(&channel);
    let crd = named(bundle, if is_in_standard { Channel::Standard } else { channel }, name)?;
    let experimental = projects.experimental(bundle, name);
    let occurrences =
        (state.found)(&Subject { channel, crd, former: None, graduates_from: None, experimental, prover });
    let known = |occurrence: Occurrence<'_>| Known {
        at: (occurrence.crd, occurrence.version),
        what: (occurrence.path, occurrence.message),
        identity: occurrence.identity,
        minors: occurrence.minors,
    };
    Some(occurrences.into_iter().map(known).collect())
}

/// The CRD of this name in the experimental channel of the baseline, if the name is new in this channel.
fn former_in_experimental<'b>(
    baseline: Option<&'b Channels>,
    projects: &Projects<'_>,
    channel: Channel,
    name: &str,
) -> Option<&'b CustomResourceDefinition> {
    let baseline = baseline.filter(|bundle| named(bundle, channel, name).is_none())?;
    let experimental = projects.experimental(baseline, name)?;
    let crd = experimental.iter().find(|crd| *crd.name == *name)?;
    (projects.counterpart(channel, name) == Counterpart::None).then_some(&**crd)
}

fn named<'b>(bundle: &'b Channels, channel: Channel, name: &str) -> Option<&'b CustomResourceDefinition> {
    bundle.get(&channel)?.iter().find(|crd| crd.name == name).map(|crd| &**crd)
}

fn finding(rule: &Rule, policy: Policy, channel: Channel, occurrence: Occurrence<'_>, known: bool) -> Finding {
    // A state of standard concerns alpha versions like other ones.
    let of_alpha = Some(rule.cells.cell(policy.column_of_alpha(channel))).filter(|cell| !cell.bumps.is_empty());
    let of_alpha = of_alpha.filter(|_| occurrence.version.as_deref().is_some_and(is_alpha));
    let (cell, is_alpha) = (of_alpha.unwrap_or(rule.cells.cell(policy.column(channel))), of_alpha.is_some());
    let is_mild = occurrence.depends_on_webhook || occurrence.is_of_deprecated && policy.profile == Profile::Semver;
    let bump = if is_mild { cell.bumps.last().copied() } else { cell.usual() };
    let listed = bump.unwrap_or(RequiredBump::Waiver);
    let (required_bump, lowered) = policy.required(&rule.cells, channel, is_alpha, listed);
    Finding {
        rule: rule.id,
        required_bump,
        lowered,
        needs: Vec::new(),
        warning: cell.warning && required_bump <= RequiredBump::Minor,
        channel,
        crd: occurrence.crd,
        version: occurrence.version,
        path: occurrence.path,
        before: None,
        after: None,
        direction: None,
        grounds: Vec::new(),
        proof: None,
        message: occurrence.message,
        fix: occurrence.fix,
        witness: None,
        known,
        waived: None,
    }
}
