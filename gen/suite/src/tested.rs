//! The result of suites in all runs: whether a case passes, and its failures with the channels and minors where they occur.

use std::sync::Arc;

use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_model::words;
use crd_model::{CustomResourceDefinition, parallel};

use crate::case::{Case, Suite};
use crate::kinds::Kinds;
use crate::objects::validation::minors_in_words;
use crate::run::{CaseResult, Failure, run};

/// The results of a case, in each channel from the newest minor on.
#[derive(Clone, Debug, Default)]
pub struct Tested {
    /// The channel, the minor and the result of each run.
    pub runs: Vec<(Channel, u32, CaseResult)>,
}

words! {
    /// How a case ended.
    pub enum Outcome {
        /// It has the expected answer in all runs.
        Passed = "passed",
        /// It has another answer in a run.
        Failed = "failed",
        /// The case applies to no channel and minor of the runs.
        Skipped = "skipped",
    }
}

/// A failure, as the newest minor reports it, and the runs in which it occurs.
#[derive(Debug)]
pub struct Found<'t> {
    /// The failure.
    pub failure: &'t Failure,
    /// The channels and minors.
    pub runs: Vec<(Channel, u32)>,
}

impl Tested {
    /// How the case ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let mut asked = self.runs.iter().filter(|(.., result)| !result.is_skipped).peekable();
        match (asked.peek().is_some(), asked.any(|(.., result)| result.failure.is_some())) {
            (false, _) => Outcome::Skipped,
            (true, true) => Outcome::Failed,
            (true, false) => Outcome::Passed,
        }
    }

    /// The failures that differ by more than the texts of minors.
    #[must_use]
    pub fn failures(&self) -> Vec<Found<'_>> {
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

    /// The failures as diagnostics. `program` is what the user calls.
    #[must_use]
    pub fn diagnostics(&self, suite: &Suite, case: &Case, program: &str) -> Vec<Diagnostic> {
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
    #[must_use]
    pub fn by_channel(&self) -> Vec<(Channel, Vec<u32>)> {
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

/// The minors that a case applies to, so that a rule or a cost that only other minors refuse stops no suite; all without any.
pub fn asked(minors: &[u32], suites: &[Suite]) -> Vec<u32> {
    let has_case = |minor: &u32| {
        let mut cases = suites.iter().flat_map(|suite| &suite.cases);
        cases.any(|case| case.minors.as_ref().is_none_or(|minors| minors.contains(minor)))
    };
    let asked = minors.iter().copied().filter(has_case).collect::<Vec<_>>();
    if asked.is_empty() { minors.to_vec() } else { asked }
}

/// Runs the suites in each channel with each minor, the newest first. Answers are kept if they become the expected ones.
pub fn tested(
    suites: &[Suite],
    channels: &[(Channel, Vec<Arc<CustomResourceDefinition>>)],
    minors: &[u32],
    keeps_answers: bool,
) -> Vec<Vec<Tested>> {
    let of = |(channel, crds)| minors.iter().rev().map(move |minor| (channel, crds, *minor));
    let runs = channels.iter().map(|(channel, crds)| (*channel, crds)).flat_map(of).collect::<Vec<_>>();
    let results = parallel::each(&runs, |(channel, crds, minor)| {
        // Rules that do not compile are reported before.
        let kinds = Kinds::prepare(crds, *minor).ok();
        // The answers of a large suite would need more memory than everything else.
        let kept = |result: CaseResult| CaseResult { answer: result.answer.filter(|_| keeps_answers), ..result };
        let results = |suite| kinds.iter().flat_map(move |kinds| run(suite, kinds, *channel, *minor));
        suites.iter().map(|suite| results(suite).map(kept).collect()).collect::<Vec<Vec<CaseResult>>>()
    });
    let mut tested: Vec<Vec<Tested>> = suites.iter().map(|suite| vec![Tested::default(); suite.cases.len()]).collect();
    for ((channel, _, minor), results) in runs.iter().zip(results) {
        for (tested, results) in tested.iter_mut().zip(results) {
            for (tested, result) in tested.iter_mut().zip(results) {
                tested.runs.push((*channel, *minor, result));
            }
        }
    }
    tested
}
