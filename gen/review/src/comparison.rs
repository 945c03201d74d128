//! A candidate compared with its baseline: from the policy to the report.
//!
//! Invariants: the same bundles give the same report.

use crd_bundle::{BundleVersion, Month};
use std::path::Path;
use std::sync::Arc;

use crd_compat::policy::Need;
use crd_compat::tombstone::{Element, Kind, Tombstone};
use crd_compat::witness::{NOT_SEARCHED, TOO_MUCH};
use crd_compat::{
    Comparison, Declared, Evidence, Finding, Projects, Prover, Verdict, Waiver, Witness, constant_findings, states,
    waive,
};
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_model::channel::Channel;
use crd_model::parallel;
use serde_json::Value;

use crate::baseline::smallest;
use crate::history::WAIVERS;
use crate::profile::ChosenProfile;
use crate::report::{ChannelOfReport, Gate, Located, Named, Report};
use crate::side::Side;

/// A side for people: by its version or its month.
fn named(side: &Side<'_>) -> Named {
    let month = || side.month.as_ref().map(Month::to_string);
    Named { name: side.name.clone(), version: side.version.as_ref().ok().map(BundleVersion::to_string).or_else(month) }
}

/// The findings of a candidate: its changes since the baseline, its state, and the changes of its constants. Without a baseline it cannot have made
/// anything worse, so findings about its state are reported as pre-existing. Comparisons that share a prover prove each question once.
pub fn findings(
    baseline: Option<&Side<'_>>,
    candidate: &Side<'_>,
    profile: &ChosenProfile,
    declared: &Declared,
    prover: &Arc<Prover>,
    evidence: Evidence,
) -> Vec<Finding> {
    let policy = profile.policy(baseline.and_then(|side| side.version.as_ref().ok().copied()));
    let (old, new) = (baseline.map(|side| side.channels), candidate.channels);
    let changes = || match old {
        Some(old) => {
            let prover = prover.clone();
            Comparison { evidence, prover, ..Comparison::new(old, new, policy, declared) }.findings()
        }
        None => Vec::new(),
    };
    let states = || states(Some(old.unwrap_or(new)), new, policy, prover, evidence.witnesses);
    let (mut found, states) = parallel::both(changes, states);
    found.extend(states);
    // Constants belong to all channels: each finding about them is in the first channel that both sides have.
    let shared = old.and_then(|old| old.keys().find(|channel| new.contains_key(channel)));
    if let (Some(baseline), Some(channel)) = (baseline, shared) {
        found.extend(constant_findings(baseline.constants, candidate.constants, *channel, policy));
    }
    found
}

/// Removes the need of a tombstone from findings whose name has one.
pub fn without_recorded<'t>(findings: &mut [Finding], tombstones: impl IntoIterator<Item = &'t Tombstone>) {
    let tombstones = tombstones.into_iter().map(|tombstone| &tombstone.name).collect::<Vec<_>>();
    for finding in findings.iter_mut().filter(|finding| finding.needs.contains(&Need::Tombstone)) {
        if names_of(finding).iter().any(|name| tombstones.iter().any(|tombstone| tombstone.covers(name))) {
            finding.needs.retain(|need| *need != Need::Tombstone);
        }
    }
}

/// Lowers the findings that the waivers of a workspace match, and reports the waivers without an effect. Those of a released bundle were for its own
/// changes, not for changes since then.
pub fn accept(
    found: &mut [Finding],
    waivers: &[Waiver],
    baseline: Option<BundleVersion>,
    candidate: BundleVersion,
) -> Vec<Diagnostic> {
    // A pre-release permits what its release permits.
    let bundles = [&*candidate.to_string(), &*candidate.core().to_string()];
    let is_of_changes = |waiver: &&Waiver| baseline != Some(candidate) || !bundles.contains(&&*waiver.bundle);
    waive(found, waivers.iter().filter(is_of_changes), Path::new(WAIVERS), &bundles)
}

/// Lowers the findings that the waivers match, where two bundles are compared. The versions of both are known, and the candidate is above the
/// baseline: a bundle cannot take the version of an older one, and with it what was accepted then.
pub fn accept_between(found: &mut [Finding], waivers: &[Waiver], [baseline, candidate]: [Option<BundleVersion>; 2]) {
    if let (Some(baseline), Some(candidate)) = (baseline, candidate)
        && baseline < candidate
    {
        accept(found, waivers, Some(baseline), candidate);
    }
}

/// The names that a finding can be about: whether its path is that of a field or of an enum, it does not say.
pub(crate) fn names_of(finding: &Finding) -> Vec<Element> {
    let name = |kind, place: &str, name: &str| Element::at(&finding.crd, kind, place, name);
    let value = match &finding.before {
        Some(Value::String(text)) => text.clone(),
        other => other.as_ref().map(Value::to_string).unwrap_or_default(),
    };
    match (&*finding.path, &finding.version) {
        ("", None) => vec![name(Kind::Resource, "", "")],
        ("", Some(version)) => vec![name(Kind::Version, "", version)],
        (path, _) => vec![name(Kind::Field, "", path), name(Kind::Value, path, &value)],
    }
}

/// How many changes the searches for witnesses did not reach, or left early.
fn unsearched(findings: &[Finding]) -> Option<String> {
    let with = |wanted| findings.iter().filter(|finding| finding.witness == Some(Witness::None(wanted))).count();
    let (ended, unsearched) = (with(TOO_MUCH), with(NOT_SEARCHED));
    (ended + unsearched > 0).then(|| {
        format!(
            "the work of all searches for witnesses is limited: {} without a search, and {} with a search that ended early",
            count(unsearched, "change"),
            count(ended, "change")
        )
    })
}

/// The report over findings that waivers have lowered already.
pub fn report(
    baseline: Option<&Side<'_>>,
    candidate: &Side<'_>,
    profile: ChosenProfile,
    findings: Vec<Finding>,
    source: &dyn Fn(&Finding) -> Option<SourceLine>,
) -> Report {
    let projects = Projects::of(baseline.map(|side| side.channels), candidate.channels);
    let mut channels = Vec::new();
    let (mut compared, mut notes) = (Vec::new(), Vec::new());
    for channel in Channel::ALL {
        let old = baseline.map(|side| side.channels.contains_key(&channel));
        let new = candidate.channels.contains_key(&channel);
        let lacking = match (old, new) {
            (Some(false), true) => "the baseline",
            (Some(true), false) => "the candidate",
            (Some(true), true) => "",
            (None, true) => "there is no baseline",
            (_, false) => continue,
        };
        let skipped = match projects.compares(channel) {
            _ if lacking.is_empty() => None,
            _ if old.is_none() => Some(lacking.to_owned()),
            Some(true) => None,
            Some(false) => Some(format!("{lacking} has no such channel")),
            None => continue,
        };
        if skipped.is_none() {
            compared.push(channel);
            let note =
                |prefix| format!("{channel} of `{prefix}` was not checked: one of the bundles has no such channel");
            notes.extend(projects.skipped(channel).into_iter().map(note));
        }
        channels.push(ChannelOfReport { channel, skipped });
    }
    let verdict = Verdict::over(&findings, compared);
    notes.extend(unsearched(&findings));
    let gate = baseline.map(|baseline| Gate::of_versions(baseline, candidate));
    // Pre-releases are never used as a baseline: later changes do not affect the next version.
    let from = baseline.and_then(|side| side.version.clone().ok()).filter(|version| version.is_release());
    let needed = from.and_then(|from| smallest(from, verdict.bundle));
    Report {
        baseline: baseline.map(named),
        candidate: named(candidate),
        profile,
        projects: projects.list(),
        channels,
        findings: findings
            .into_iter()
            .map(|finding| {
                let source = source(&finding);
                Located { finding, source }
            })
            .collect(),
        verdict,
        permitted: gate.as_ref().map(|gate| gate.permitted),
        needed: needed.map(|version| version.to_string()),
        problems: Vec::new(),
        notes,
        gate,
        has_channels: true,
        warnings: Vec::new(),
        left_out: Vec::new(),
    }
}
