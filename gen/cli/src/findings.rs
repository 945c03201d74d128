//! Findings for readers: what `diff` and `check` found, as text, JSON, GitHub annotations or SARIF.
//!
//! Fed with a [`FindingsReport`] by the commands that judge bundles. Read by people, by programs, and by CI.
//!
//! Invariants: the report is data, and every format says the same; equal reports become equal bytes, in whatever order their findings
//! stand; nothing here judges, reads files or asks for the time. Files are called as the commands call them: relative to the workspace.

mod catalogue;
mod fold;
mod format;
mod github;
mod json;
mod problem;
mod refusal;
mod sarif;
mod sentence;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod values;

use std::cmp::Reverse;

use crd_channels::channel::Channel;
use crd_compat::policy::Profile;
use crd_compat::{Finding, RequiredBump, Severity, Verdict};

pub(crate) use format::{FindingsFormat, findings_format, findings_format_argument};
pub(crate) use problem::{PROBLEMS, Problem, ProblemKind};
pub(crate) use refusal::print_diagnostics;

use crate::exit::Exit;
use crate::session::Session;

/// What two bundles, or one, look like to the policy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FindingsReport {
    /// What the candidate is judged against. Without one, only the candidate itself is.
    pub(crate) baseline: Option<Named>,
    /// What is judged.
    pub(crate) candidate: Named,
    /// The columns of the policy that hold.
    pub(crate) profile: Profile,
    /// Every channel that either side has.
    pub(crate) channels: Vec<ChannelOfReport>,
    /// In any order.
    pub(crate) findings: Vec<Located>,
    /// Over the findings.
    pub(crate) verdict: Verdict,
    /// What the candidate's version permits over the baseline; none for a plain diff, which asks nobody.
    pub(crate) permitted: Option<RequiredBump>,
    /// The smallest version that the findings fit, if any does.
    pub(crate) needed: Option<String>,
    /// What is wrong with waivers and tombstones.
    pub(crate) problems: Vec<Problem>,
    /// What is worth knowing beside.
    pub(crate) notes: Vec<String>,
}

/// One side of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// As the user calls it: `v1.6.0`, a folder, a file, `-`.
    pub(crate) name: String,
    /// The version that its stamps say, if they say one.
    pub(crate) version: Option<String>,
}

/// A channel of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChannelOfReport {
    /// Which one.
    pub(crate) channel: Channel,
    /// Why it was not judged; none if it was.
    pub(crate) unjudged: Option<String>,
}

/// A finding, and the line that causes it, where one is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Located {
    /// The finding.
    pub(crate) finding: Finding,
    /// The line.
    pub(crate) source: Option<SourceLine>,
}

/// A line of a file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SourceLine {
    /// The file, relative to the workspace.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: u32,
}

impl Named {
    /// The name, with the version behind it if that says more.
    fn shown(&self) -> String {
        match &self.version {
            Some(version) if *version != self.name => format!("{} ({version})", self.name),
            _ => self.name.clone(),
        }
    }
}

impl FindingsReport {
    /// Prints the report in a format. Returns how the command ends.
    pub(crate) fn print(&self, format: FindingsFormat, verbose: bool, session: &mut Session<'_>) -> Exit {
        match format {
            FindingsFormat::Text => {
                for note in &self.notes {
                    session.note(values::printable(note));
                }
                self.print_text(verbose, session);
            }
            FindingsFormat::Json => session.print(crate::json::line(&json::document(self))),
            FindingsFormat::Github => session.print(github::render(self)),
            FindingsFormat::Sarif => session.print(crate::json::line(&sarif::document(self))),
        }
        self.exit()
    }

    /// Prints what was found as text, without what is worth knowing beside.
    pub(crate) fn print_text(&self, verbose: bool, session: &mut Session<'_>) {
        session.print(text::render(self, session.columns(), verbose));
    }

    /// The report as the JSON document of `check`.
    pub(crate) fn document(&self) -> serde_json::Value {
        json::document(self)
    }

    /// How a command ends that found this.
    pub(crate) fn exit(&self) -> Exit {
        if self.fits() { Exit::Fine } else { Exit::Findings }
    }

    /// True if nothing forbids the candidate.
    pub(crate) fn fits(&self) -> bool {
        self.problems.is_empty()
            && self.findings.iter().all(|located| self.severity(&located.finding) < Severity::Error)
    }

    /// How much a reader should worry. Where nobody asks for permission, only what no version permits is an error.
    fn severity(&self, finding: &Finding) -> Severity {
        finding.severity(self.permitted.unwrap_or(RequiredBump::Major))
    }

    /// True if readers are spared it unless they ask for everything: it asks for nothing, or the baseline has it too, and who releases from
    /// now on can do nothing about it. Without a baseline it is told, once.
    fn leaves_out(&self, finding: &Finding) -> bool {
        is_silent(finding) || (finding.known && self.baseline.is_some())
    }

    /// True if the verdict is what it is because of this finding.
    fn decides(&self, finding: &Finding) -> bool {
        let effective = finding.effective();
        self.severity(finding) == Severity::Error
            || (effective > RequiredBump::None && effective == self.verdict.bundle)
    }

    /// The findings: what decides first, then by what they ask, and by place.
    fn ordered(&self) -> Vec<&Located> {
        let mut ordered = self.findings.iter().collect::<Vec<_>>();
        ordered.sort_by_cached_key(|located| {
            let finding = &located.finding;
            (
                Reverse((self.decides(finding), finding.effective())),
                finding.crd.clone(),
                finding.channel,
                finding.version.clone(),
                finding.path.clone(),
                (finding.rule, finding.message.clone()),
                (finding.before.as_ref().map(values::text), finding.after.as_ref().map(values::text)),
                located.source.clone(),
            )
        });
        ordered
    }
}

/// The word of a severity.
fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// True if it asks for nothing and nobody has to know, such as a stamp.
fn is_silent(finding: &Finding) -> bool {
    finding.without_waivers() == RequiredBump::None && !finding.known && finding.waived.is_none()
}
