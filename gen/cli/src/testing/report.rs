//! The results of suites in each format.

pub(crate) mod json;

use clap::Arg;
use crd_diagnostics::junit::{self, Case, Outcome as End, Suite};
use crd_diagnostics::layout::count;
use crd_diagnostics::text::render_all;
use crd_diagnostics::{Diagnostic, merged};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_suite::mutation::mutated::Mutation;
use crd_suite::objects::validation::minors_in_words;
use crd_suite::tested::{Outcome, Tested};

use super::Testing;
use crate::arguments::{Format, formats_argument};

pub(crate) fn test_format_argument() -> Arg {
    formats_argument(
        "How the results are printed",
        &[
            (Format::Text, "for reading"),
            (Format::Json, "for programs; `schema suites` prints its JSON schema"),
            (Format::Junit, "JUnit's XML, with a test case for each case"),
        ],
    )
}

/// Prints the results. Returns how the command ends.
pub(crate) fn print(
    testing: Result<Testing, Vec<Diagnostic>>,
    format: Format,
    session: &mut Session<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let program = session.program.call();
    match format {
        Format::Json => {
            let document = json::document(&testing, session);
            session.print(crd_diagnostics::json::line(&document));
            Ok(testing.map_or(Exit::Unusable, |testing| testing.exit()))
        }
        Format::Junit => {
            let testing = testing?;
            session.print(junit::document("test", &testing.junit(program)));
            Ok(testing.exit())
        }
        _ => {
            let testing = testing?;
            session.print_err(render_all(&merged(testing.warnings.iter().cloned())));
            for (suite, results) in testing.suites.iter().zip(&testing.results) {
                session.print(line(&suite.file, results));
            }
            session.print(render_all(&testing.diagnostics(program)));
            session.print(format!("{}\n", testing.summary()));
            if let Some((covered, _)) = &testing.coverage {
                session.print(covered.text());
            }
            if let Some(mutation) = &testing.mutation {
                session.print(render_all(&mutation.diagnostics()));
                session.print(format!("{}\n", mutation.summary()));
            }
            Ok(testing.exit())
        }
    }
}

/// The line of a suite.
fn line(file: &str, results: &[Tested]) -> String {
    let of = |outcome| results.iter().filter(|tested| tested.outcome() == outcome).count();
    let skipped = match of(Outcome::Skipped) {
        0 => String::new(),
        skipped => format!(", {skipped} skipped"),
    };
    let cases = count(results.len(), "case");
    match of(Outcome::Failed) {
        0 if of(Outcome::Skipped) == results.len() => format!("skipped {file}: {cases}\n"),
        0 => format!("ok      {file}: {cases}{skipped}\n"),
        failed => format!("FAILED  {file}: {failed} of {cases}{skipped}\n"),
    }
}

impl Testing {
    fn exit(&self) -> Exit {
        let is_too_low = self.below().is_some() || self.mutation.as_ref().is_some_and(Mutation::is_too_low);
        let is_green = self.count(Outcome::Failed) == 0 && self.unasked().next().is_none();
        if is_green && !is_too_low { Exit::Fine } else { Exit::Findings }
    }

    /// The suites without an answer, which show nothing. Where the user chooses a channel or minors, suites of other ones are meant to be skipped.
    fn unasked(&self) -> impl Iterator<Item = Diagnostic> {
        let is_skipped = |results: &[Tested]| results.iter().all(|tested| tested.outcome() == Outcome::Skipped);
        let are_all = self.results.iter().all(|results| is_skipped(results));
        let suites = self.suites.iter().zip(&self.results).filter(move |_| !self.is_of_some || are_all);
        suites.filter(move |(suite, results)| !suite.cases.is_empty() && is_skipped(results)).map(|(suite, _)| {
            let message = "no case applies to the channels and minors of this run: each one is skipped";
            let line = suite.cases.first().map_or(1, |case| case.line);
            Diagnostic::error("suite::skipped", message)
                .at_line(&suite.file, line)
                .help("correct `channel` and `kubernetes` in the suite, or name its channel and minors in the call")
        })
    }

    /// A diagnostic if the coverage is lower than required.
    fn below(&self) -> Option<Diagnostic> {
        self.coverage.as_ref().and_then(|(covered, least)| covered.below(*least))
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.results.iter().flatten().filter(|tested| tested.outcome() == outcome).count()
    }

    /// All cases with their suites and results.
    fn cases(&self) -> impl Iterator<Item = (&crd_suite::Suite, &crd_suite::Case, &Tested)> {
        let suites = self.suites.iter().zip(&self.results);
        suites.flat_map(|(suite, results)| {
            suite.cases.iter().zip(results).map(move |(case, tested)| (suite, case, tested))
        })
    }

    fn diagnostics(&self, program: &str) -> Vec<Diagnostic> {
        let failed = self.cases().flat_map(|(suite, case, tested)| tested.diagnostics(suite, case, program));
        failed.chain(self.unasked()).chain(self.below()).collect()
    }

    /// The counts in a sentence.
    fn summary(&self) -> String {
        let (passed, failed) = (self.count(Outcome::Passed), self.count(Outcome::Failed));
        let mut text = format!("{} passed, {failed} failed", count(passed, "case"));
        if let skipped @ 1.. = self.count(Outcome::Skipped) {
            text.push_str(&format!(", {skipped} skipped"));
        }
        let channels = self.channels.iter().map(|(channel, _)| channel.name()).collect::<Vec<_>>().join(" and ");
        let suites = count(self.suites.len(), "suite");
        format!("{text} in {suites} ({channels}, Kubernetes {})", minors_in_words(&self.minors))
    }

    fn junit(&self, program: &str) -> Vec<Suite> {
        let suites = self.suites.iter().zip(&self.results).map(|(suite, results)| {
            let cases = suite.cases.iter().zip(results).map(|(case, tested)| {
                let outcome = match tested.outcome() {
                    Outcome::Passed => End::Passed(Vec::new()),
                    Outcome::Failed => End::Failed(tested.diagnostics(suite, case, program)),
                    Outcome::Skipped => End::Skipped("it applies to other channels or minors".to_owned()),
                };
                Case { name: case.name.clone(), line: Some(case.line), outcome }
            });
            Suite { name: suite.file.clone(), cases: cases.collect() }
        });
        suites.collect()
    }
}
