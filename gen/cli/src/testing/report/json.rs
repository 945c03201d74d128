//! The results as a JSON document.

use crd_diagnostics::Diagnostic;
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_model::document::{SchemaVersion, minors};
use crd_suite::coverage::covered::Coverage;
use crd_suite::mutation::mutated::{Mutants, Mutation};
use crd_suite::tested::{Found, Outcome, Tested};
use serde::Serialize;

use super::super::Testing;

/// What `test` prints with `--format json`: one document, on one line. Exit code 1: a case fails; 2: `errors` has an entry.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Suites<'t> {
    schema_version: SchemaVersion<1>,
    /// The channels that were asked.
    channels: Vec<Channel>,
    /// The Kubernetes minors, such as 1.36; the lowest first.
    #[serde(serialize_with = "minors")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    kubernetes: &'t [u32],
    /// True if no case fails and no required percentage is missed.
    passed: bool,
    /// What the cases show of the CRDs, with `--coverage`, `--min-coverage` or `--lcov`; otherwise null.
    coverage: Option<Coverage<'t>>,
    /// The suites, in the order of their files.
    suites: Vec<TestedSuite<'t>>,
    /// What became of the mutants of the last channel; null without `--mutants`.
    mutants: Option<Mutants<'t>>,
    /// Files and CRDs that cannot be used.
    errors: Vec<Diagnostic>,
    /// The counts in a sentence; null if nothing was run.
    summary: Option<String>,
}

/// A suite.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TestedSuite<'t> {
    /// The file, from the current folder.
    file: &'t str,
    /// The name of the suite.
    name: &'t str,
    /// The cases, in the order of the file.
    cases: Vec<TestedCase<'t>>,
}

/// A case.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TestedCase<'t> {
    /// Its name.
    name: &'t str,
    /// Its line.
    line: usize,
    result: Outcome,
    /// How answers differ from the expected one.
    failures: Vec<CaseFailure<'t>>,
}

/// How an answer differs from the expected one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CaseFailure<'t> {
    /// What is wrong, in a few words.
    message: &'t str,
    /// What was expected.
    expected: &'t [String],
    /// The answer of the newest of the minors.
    answer: &'t [String],
    /// Where the failure occurs.
    runs: Vec<Runs>,
}

/// A channel, and the minors in which a failure occurs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Runs {
    channel: Channel,
    /// The Kubernetes minors, the lowest first.
    #[serde(serialize_with = "minors")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    kubernetes: Vec<u32>,
}

pub(super) fn document<'t>(testing: &'t Result<Testing, Vec<Diagnostic>>, session: &Session<'_>) -> Suites<'t> {
    let Ok(known) = testing else { return Suites { errors: session.errors(testing), ..Suites::default() } };
    let suites = known.suites.iter().zip(&known.results).map(|(suite, results)| TestedSuite {
        file: &suite.file,
        name: &suite.name,
        cases: suite.cases.iter().zip(results).map(|(case, tested)| self::case(case, tested)).collect(),
    });
    Suites {
        schema_version: SchemaVersion,
        channels: known.channels.iter().map(|(channel, _)| *channel).collect(),
        kubernetes: &known.minors,
        passed: known.exit() == Exit::Fine,
        coverage: known.coverage.as_ref().map(|(covered, _)| covered.document()),
        suites: suites.collect(),
        mutants: known.mutation.as_ref().map(Mutation::document),
        errors: Vec::new(),
        summary: Some(known.summary()),
    }
}

fn case<'t>(case: &'t crd_suite::Case, tested: &'t Tested) -> TestedCase<'t> {
    let failures = tested.failures().into_iter().map(failure).collect();
    TestedCase { name: &case.name, line: case.line, result: tested.outcome(), failures }
}

fn failure(found: Found<'_>) -> CaseFailure<'_> {
    let runs = found.by_channel().into_iter().map(|(channel, kubernetes)| Runs { channel, kubernetes }).collect();
    let crd_suite::run::Failure { message, expected, answer, .. } = found.failure;
    CaseFailure { message, expected, answer, runs }
}
