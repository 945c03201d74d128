//! Findings as a JSON document.
//!
//! Invariants: every finding is included, also folded and silent ones, with unchanged values.

use crd_bundle::published::skips::LeftOut;
use crd_compat::policy::Profile;
use crd_compat::{Decision, Finding, Project, RequiredBump, Severity};
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_model::channel::Channel;
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::{ChannelOfReport, Gate, Located, Named, Report, summary};

/// What `check`, `diff`, `gate` and `release` print with `--format json`: one document, on one line. Exit code 0: the candidate is permitted (`fits`
/// is true). 1: it is not. 2: the comparison failed; then `errors` has the reasons, and everything else is empty or null.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Findings<'r> {
    schema_version: SchemaVersion<1>,
    #[serde(flatten)]
    facts: Facts<'r>,
    /// The projects whose CRDs the two bundles contain, that of most CRDs first.
    projects: &'r [Project],
    /// Every channel that either side has, the most stable first.
    channels: Vec<ChannelVerdict<'r>>,
    /// Every finding, not folded: those that decide the verdict first, then by required bump, CRD, channel, version and path.
    findings: Vec<ReportedFinding<'r>>,
    /// Errors in the version, in waivers and in tombstones. Each forbids the candidate, and a waiver does not accept it.
    problems: &'r [Diagnostic],
    /// Additional notes, each a sentence.
    notes: &'r [String],
    /// Warnings about the files of both bundles: parts of CRDs that servers leave out, CRDs of v1beta1, two different bundles of one version, and
    /// lenses whose laws cannot be checked.
    warnings: &'r [Diagnostic],
    /// Files and CRDs of both bundles that `--skip` and `--select` left out.
    left_out: &'r [LeftOut],
    /// A summary in a few sentences: one for each channel, then those for the bundle, the waivers and the problems.
    summary: Vec<String>,
    /// Why the comparison failed. Empty if it succeeded.
    errors: &'r [Diagnostic],
}

impl<'r> Findings<'r> {
    /// The document of a comparison that failed.
    pub fn refusal(errors: &'r [Diagnostic]) -> Self {
        Self { errors, ..Self::default() }
    }
}

/// What a report states once, in JSON and SARIF.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Facts<'r> {
    /// The bundle that the candidate is compared with. Null without a baseline: then only states are checked, not changes.
    baseline: Option<&'r Named>,
    /// The bundle under check. Null only if the comparison failed.
    candidate: Option<&'r Named>,
    #[serde(flatten)]
    result: ComparisonResult<'r>,
    /// The verdict without waivers.
    verdict_without_waivers: Option<RequiredBump>,
    /// What `gate` permits, or for `check` the bump from the baseline to the version of the catalogue: no finding may require more. Null without a
    /// baseline.
    permitted: Option<RequiredBump>,
    /// The option of the user that permits a bump instead of the versions, such as `--expect minor`. Null without one.
    limit: Option<&'r str>,
    /// What decides about `permitted`: the option of the user; or the bump between the versions, such as `up to minor`; or `--fail-on major` if there
    /// is none, as for an unknown version. Null for `check`, and if the comparison failed.
    gate: Option<&'r str>,
    /// Why this gate applies. Null without a gate.
    gate_reason: Option<&'r str>,
}

/// The result of a comparison. Everything is null if it failed.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ComparisonResult<'r> {
    /// The columns of the policy that apply.
    profile: Option<Profile>,
    /// Why this profile applies: `--profile`, the catalogue, a manifest, or the annotations of the CRDs.
    profile_reason: Option<String>,
    /// The smallest bundle that the findings fit, over all channels, with waivers and without known findings.
    verdict: Option<RequiredBump>,
    /// The smallest bundle version that the findings fit, such as v1.7.0. Null if no version fits, or if the baseline has no version.
    needed: Option<&'r str>,
    /// True if the candidate is permitted: findings have no severity `error`, and `problems` is empty.
    fits: bool,
}

impl<'r> From<&'r Report> for ComparisonResult<'r> {
    fn from(report: &'r Report) -> Self {
        Self {
            profile: Some(report.profile.profile),
            profile_reason: Some(report.profile.reason.text()),
            verdict: Some(report.verdict.bundle),
            needed: report.needed.as_deref(),
            fits: report.fits(),
        }
    }
}

/// A channel, and its verdict.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ChannelVerdict<'r> {
    channel: Channel,
    /// False if it was not checked, mostly because one side has no such channel.
    checked: bool,
    /// Why it was not checked; null if it was.
    reason: Option<&'r str>,
    /// The smallest bundle that its findings fit; null if it was not checked.
    verdict: Option<RequiredBump>,
}

/// One change or state, and the rule that applies.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Finding"))]
pub(crate) struct ReportedFinding<'r> {
    #[serde(flatten)]
    finding: &'r Finding,
    /// error: it forbids the candidate. warning: it is permitted and likely to affect users, or permitted by a waiver or because the baseline has it.
    /// note: everything else.
    severity: Severity,
    /// True if the verdict depends on this finding.
    decides: bool,
    /// The required bump with waivers; `none` for a known finding.
    effective_bump: RequiredBump,
    /// What decided what the change does to objects. Null if the change is not about objects, or no witness was searched for.
    decided_by: Option<Decision>,
    /// The line that causes it, if it is known.
    source: Option<&'r SourceLine>,
}

impl<'r> From<&'r Report> for Facts<'r> {
    fn from(report: &'r Report) -> Self {
        let gate = report.gate.as_ref();
        Self {
            baseline: report.baseline.as_ref(),
            candidate: Some(&report.candidate),
            result: report.into(),
            verdict_without_waivers: Some(report.verdict.without_waivers),
            permitted: report.permitted,
            limit: gate.and_then(Gate::requested),
            gate: gate.map(|gate| &*gate.name),
            gate_reason: gate.map(|gate| gate.reason.text()),
        }
    }
}

impl<'r> From<&'r Report> for Findings<'r> {
    fn from(report: &'r Report) -> Self {
        Self {
            schema_version: SchemaVersion,
            facts: report.into(),
            projects: &report.projects,
            channels: report.channel_verdicts(),
            findings: report.reported(),
            problems: &report.problems,
            notes: &report.notes,
            warnings: &report.warnings,
            left_out: &report.left_out,
            summary: summary::sentences(report),
            errors: &[],
        }
    }
}

impl Report {
    /// The channels of a document.
    pub(crate) fn channel_verdicts(&self) -> Vec<ChannelVerdict<'_>> {
        let channels = self.channels.iter().map(|ChannelOfReport { channel, skipped }| {
            let verdict = self.verdict.channels.get(channel).filter(|_| skipped.is_none());
            let (checked, reason) = (skipped.is_none(), skipped.as_deref());
            ChannelVerdict { channel: *channel, checked, reason, verdict: verdict.copied() }
        });
        channels.collect()
    }

    /// The findings of a document.
    pub(crate) fn reported(&self) -> Vec<ReportedFinding<'_>> {
        let findings = self.ordered().into_iter().map(|Located { finding, source }| ReportedFinding {
            finding,
            severity: self.severity(finding),
            decides: self.decides(finding),
            effective_bump: finding.effective(),
            decided_by: finding.decision(),
            source: source.as_ref(),
        });
        findings.collect()
    }
}
