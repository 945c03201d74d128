//! The report: what was found, and how it is rendered as text, JSON, GitHub annotations, SARIF or Markdown.
//!
//! Invariants: the report is data, and every format contains the same facts. Equal reports become equal bytes, whatever the order of their
//! findings. Files are named as the command line names them: relative to the workspace.

mod catalogue;
mod fold;
mod gate;
mod github;
mod json;
mod markdown;
mod problem;
mod refused;
mod sarif;
pub(crate) mod sentence;
pub(crate) mod summary;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod values;
mod waivers;

use std::cmp::Reverse;

use crd_bundle::published::skips::LeftOut;
use crd_compat::{Finding, Project, RequiredBump, Section, Severity, Verdict, all_rules};
use crd_diagnostics::{Diagnostic, Format, SourceLine};
use crd_model::channel::Channel;
use serde::Serialize;

use crate::profile::ChosenProfile;

pub use gate::{Gate, GateReason};
pub use json::Findings;
pub(crate) use json::{ChannelVerdict, ComparisonResult, ReportedFinding};
pub use problem::{PROBLEM_PAGES, PROBLEMS};
pub use refused::render_diagnostics;

/// The findings about a candidate, and its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The release that the candidate is compared with. Without one, only the candidate itself is checked.
    pub baseline: Option<Named>,
    /// The bundle under check.
    pub candidate: Named,
    /// The profile of the policy, and why it applies.
    pub profile: ChosenProfile,
    /// The projects whose CRDs both sides contain, that of most CRDs first.
    pub projects: Vec<Project>,
    /// Every channel that either side has.
    pub channels: Vec<ChannelOfReport>,
    pub findings: Vec<Located>,
    pub verdict: Verdict,
    /// What may change since the baseline; none without a baseline.
    pub permitted: Option<RequiredBump>,
    /// The smallest version that the findings fit, if any does.
    pub needed: Option<String>,
    /// Errors in the version, in waivers and in tombstones.
    pub problems: Vec<Diagnostic>,
    pub notes: Vec<String>,
    /// What decides about that, and why; none if it is the version of the catalogue.
    pub gate: Option<Gate>,
    /// Whether the CRDs have channels. CRDs of other projects have none.
    pub has_channels: bool,
    /// Warnings about the files of the bundles.
    pub warnings: Vec<Diagnostic>,
    /// Files and CRDs that the user left out.
    pub left_out: Vec<LeftOut>,
}

/// One side of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Named {
    /// As the user calls it: `v1.6.0`, a folder, a file, `-`.
    pub name: String,
    /// The bundle version of its stamps, or their month, if it has one.
    pub version: Option<String>,
}

/// A channel of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelOfReport {
    pub channel: Channel,
    /// Why it was not checked; none if it was.
    pub skipped: Option<String>,
}

/// A finding, and the line that causes it, where one is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    pub finding: Finding,
    pub source: Option<SourceLine>,
}

impl Named {
    /// The name, followed by the version if that adds information.
    fn shown(&self) -> String {
        match &self.version {
            Some(version) if *version != self.name => format!("{} ({version})", self.name),
            _ => self.name.clone(),
        }
    }
}

impl Report {
    /// The report with a gate of the user.
    #[must_use]
    pub fn gated(self, gate: Gate) -> Self {
        Self { permitted: Some(gate.permitted), gate: Some(gate), ..self }
    }

    /// The report in a format; as text if it has no other form. Lines of text have at most `width` characters; `verbose` lists every occurrence.
    pub fn render(&self, format: Format, width: usize, verbose: bool) -> String {
        match format {
            Format::Json => crd_diagnostics::json::line(&self.document()),
            Format::Github => github::render(self),
            Format::Sarif => crd_diagnostics::json::line(&sarif::document(self)),
            Format::Markdown => markdown::render(self, verbose),
            _ => text::render(self, width, verbose),
        }
    }

    /// The report as the JSON document of `check`.
    pub fn document(&self) -> Findings<'_> {
        Findings::from(self)
    }

    /// True if nothing forbids the candidate.
    pub fn fits(&self) -> bool {
        self.problems.is_empty()
            && self.findings.iter().all(|located| self.severity(&located.finding) < Severity::Error)
    }

    /// A finding as a diagnostic. If permission is not checked, only a change that no version permits is an error.
    fn diagnostic(&self, located: &Located) -> Diagnostic {
        let Located { finding, source } = located;
        let diagnostic = Diagnostic::new(finding.rule, self.severity(finding), &*finding.message)
            .of_crd(&*finding.crd, finding.version.clone(), &*finding.path)
            .help(finding.fix.as_deref().unwrap_or_default());
        let diagnostic = if self.has_channels { diagnostic.in_channel(finding.channel) } else { diagnostic };
        match source {
            Some(source) => source.locate(diagnostic),
            None => diagnostic,
        }
    }

    /// The two sides and the profile.
    fn title(&self) -> String {
        let candidate = self.candidate.shown();
        match &self.baseline {
            Some(baseline) => format!("{} → {candidate}, profile {}", baseline.shown(), self.profile.profile),
            None => format!("{candidate} without a baseline, profile {}", self.profile.profile),
        }
    }

    /// The channel and the version of a finding.
    fn side(&self, finding: &Finding) -> String {
        let channel = if self.has_channels { finding.channel.name() } else { "" };
        format!("{channel} {}", finding.version.as_deref().unwrap_or_default()).trim().to_owned()
    }

    /// Whether waivers are read for it: a comparison of two bundles has none.
    fn uses_waivers(&self) -> bool {
        self.permitted.is_some() && self.gate.is_none()
    }

    /// What a version belongs to, in words.
    fn noun(&self) -> &'static str {
        if self.has_channels { "bundle" } else { "release" }
    }

    fn severity(&self, finding: &Finding) -> Severity {
        finding.severity(self.permitted.unwrap_or(RequiredBump::Major))
    }

    /// True if it is printed only with `--verbose`: it requires no bump, or the baseline has it too. Without a baseline it is printed.
    fn leaves_out(&self, finding: &Finding) -> bool {
        is_silent(finding) || (finding.known && self.baseline.is_some())
    }

    /// True if the verdict is what it is because of this finding.
    pub(crate) fn decides(&self, finding: &Finding) -> bool {
        let effective = finding.effective();
        self.severity(finding) == Severity::Error
            || (effective > RequiredBump::None && effective == self.verdict.bundle)
    }

    /// The findings: those that decide first, then by required bump and location.
    pub(crate) fn ordered(&self) -> Vec<&Located> {
        let mut ordered = self.findings.iter().collect::<Vec<_>>();
        ordered.sort_by(|one, other| {
            let of_change = self.order(one).cmp(&self.order(other));
            // The text of a value can be that of a whole CRD.
            let of_values = || text_of_values(one).cmp(&text_of_values(other));
            of_change.then_with(of_values).then_with(|| one.source.cmp(&other.source))
        });
        ordered
    }

    /// The findings that are listed, those that decide first: if not `verbose`, without those that are left out, by their causes, and texts that
    /// break nothing with the findings that do not decide.
    fn sections(&self, verbose: bool) -> [Vec<&Located>; 2] {
        let mut listed = self.ordered();
        if !verbose {
            listed.retain(|located| !self.leaves_out(&located.finding));
            listed = fold::by_cause(listed);
        }
        let is_listed = |finding: &Finding| {
            self.decides(finding) && (verbose || !is_text(finding) || self.severity(finding) == Severity::Error)
        };
        let (deciding, rest) = listed.into_iter().partition(|located| is_listed(&located.finding));
        [deciding, rest]
    }

    /// Whether it has nothing to list.
    fn lists_nothing(&self, verbose: bool) -> bool {
        self.sections(verbose).iter().all(Vec::is_empty) && self.problems.is_empty()
    }

    /// Keeps the most important findings. Returns how many are left out.
    pub fn shorten(&mut self, most: usize) -> usize {
        let more = self.findings.len().saturating_sub(most);
        if more > 0 {
            self.findings = self.ordered().into_iter().take(most).cloned().collect();
        }
        more
    }

    /// What findings are ordered by, their values aside.
    fn order<'r>(&self, located: &'r Located) -> impl Ord + use<'r> {
        let finding = &located.finding;
        (
            Reverse((self.decides(finding), finding.effective())),
            (&finding.crd, finding.channel, &finding.version, &finding.path),
            (finding.rule, &finding.message),
        )
    }
}

/// The old and the new value.
fn text_of_values(located: &Located) -> [Option<String>; 2] {
    [&located.finding.before, &located.finding.after].map(|value| value.as_ref().map(values::text))
}

/// Whether it is about texts and what else does not affect objects.
fn is_text(finding: &Finding) -> bool {
    section(finding) == Some(Section::Documentation)
}

fn section(finding: &Finding) -> Option<Section> {
    all_rules().find(|rule| rule.id == finding.rule).map(|rule| rule.section)
}

/// True if it requires no bump and is not reported, such as a stamp.
fn is_silent(finding: &Finding) -> bool {
    finding.without_waivers() == RequiredBump::None && !finding.known && finding.waived.is_none()
}
