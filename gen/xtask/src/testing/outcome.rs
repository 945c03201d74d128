//! The result of a case in all runs: whether it passes, and its failures with the channels and minors where they occur.

use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_suite::{Case, CaseResult, Failure, Suite};

use crate::validation::minors_in_words;

/// The results of a case, in each channel from the newest minor on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tested {
    pub(crate) runs: Vec<(Channel, u32, CaseResult)>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// The case applies to no channel and minor of the runs.
    Skipped,
}

/// A failure, as the newest minor reports it, and the runs in which it occurs.
pub(crate) struct Found<'t> {
    pub(crate) failure: &'t Failure,
    pub(crate) runs: Vec<(Channel, u32)>,
}

impl Tested {
    pub(crate) fn outcome(&self) -> Outcome {
        let mut asked = self.runs.iter().filter(|(.., result)| !result.is_skipped).peekable();
        match (asked.peek().is_some(), asked.any(|(.., result)| result.failure.is_some())) {
            (false, _) => Outcome::Skipped,
            (true, true) => Outcome::Failed,
            (true, false) => Outcome::Passed,
        }
    }

    /// The failures that differ by more than the texts of minors.
    pub(crate) fn failures(&self) -> Vec<Found<'_>> {
        let mut found: Vec<Found<'_>> = Vec::new();
        for (channel, minor, result) in &self.runs {
            let Some(failure) = &result.failure else { continue };
            let is_same = |known: &&mut Found<'_>| {
                (&known.failure.message, &known.failure.expected) == (&failure.message, &failure.expected)
            };
            match found.iter_mut().find(is_same) {
                Some(known) => known.runs.push((*channel, *minor)),
                None => found.push(Found { failure, runs: vec![(*channel, *minor)] }),
            }
        }
        found
    }

    /// The failures as diagnostics.
    pub(crate) fn diagnostics(&self, suite: &Suite, case: &Case, program: &str) -> Vec<Diagnostic> {
        let asked = self.runs.iter().filter(|(.., result)| !result.is_skipped).count();
        let diagnostics = self.failures().into_iter().map(|found| {
            let Failure { message, expected, answer, unknown_field } = found.failure;
            let mut text = format!("{}: {message}", case.name);
            text.extend(expected.iter().map(|line| format!("\nexpected: {}", one_line(line))));
            text.extend(answer.iter().map(|line| format!("\nanswer: {}", one_line(line))));
            if found.runs.len() < asked {
                text.push_str(&format!("\nonly in {}", found.runs_in_words()));
            }
            let help = match (self.only_channel(&found), unknown_field) {
                (Some(channel), _) => {
                    format!("the case passes in the other channel; if that is right, add `channel: {channel}`")
                }
                (None, Some(path)) => {
                    format!("correct the path; if the API should drop it, add `{path}: null` below `accepted`")
                }
                (None, None) if answer.is_empty() => "check `apiVersion` and `kind`, and the CRDs".to_owned(),
                (None, None) if suite.selection.is_some() => "correct the suite, or the API".to_owned(),
                (None, None) => format!("if the answer is right, run `{program} test --update`"),
            };
            Diagnostic::error("suite::failed", text).at_line(&suite.file, case.line).help(help)
        });
        diagnostics.collect()
    }

    /// The other channel, if the case passes in it with all minors.
    fn only_channel(&self, found: &Found<'_>) -> Option<Channel> {
        let (failing, _) = found.runs.first()?;
        let mut rest = self.runs.iter().filter(|(channel, ..)| channel != failing).peekable();
        let (channel, ..) = rest.peek()?;
        rest.all(|(.., result)| result.failure.is_none() && !result.is_skipped).then_some(*channel)
    }
}

impl Found<'_> {
    /// The channels of the runs, each with its minors.
    pub(crate) fn by_channel(&self) -> Vec<(Channel, Vec<u32>)> {
        let of = |channel: Channel| {
            let mut minors =
                self.runs.iter().filter(|(of, _)| *of == channel).map(|(_, minor)| *minor).collect::<Vec<_>>();
            minors.sort_unstable();
            (channel, minors)
        };
        Channel::ALL.into_iter().map(of).filter(|(_, minors)| !minors.is_empty()).collect()
    }

    fn runs_in_words(&self) -> String {
        let of =
            |(channel, minors): &(Channel, Vec<u32>)| format!("{channel} on Kubernetes {}", minors_in_words(minors));
        self.by_channel().iter().map(of).collect::<Vec<_>>().join(", and in ")
    }
}

fn one_line(text: &str) -> String {
    text.split('\n').collect::<Vec<_>>().join(" ")
}
