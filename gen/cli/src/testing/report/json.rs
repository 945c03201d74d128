//! The results as a JSON document: `gen/cli/schemas/suites.json`.
//!
//! Invariants: every key is always present, with null where it does not apply.

use crd_diagnostics::Diagnostic;
use crd_diagnostics::json::SCHEMA_VERSION;
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_suite::mutation::mutated::Mutation;
use crd_suite::tested::{Found, Outcome, Tested};
use serde_json::{Value, json};

use super::super::Testing;

pub(super) fn document(testing: &Result<Testing, Vec<Diagnostic>>, session: &Session<'_>) -> Value {
    let known = testing.as_ref().ok();
    let channels = known.into_iter().flat_map(|testing| testing.channels.iter().map(|(channel, _)| channel.name()));
    let suites = known.into_iter().flat_map(|testing| testing.suites.iter().zip(&testing.results));
    let suites = suites.map(|(suite, results)| {
        let cases = suite.cases.iter().zip(results).map(|(case, tested)| self::case(case, tested));
        json!({ "file": suite.file, "name": suite.name, "cases": cases.collect::<Vec<_>>() })
    });
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "channels": channels.collect::<Vec<_>>(),
        "kubernetes": versions(known.map(|testing| testing.minors.as_slice()).unwrap_or_default()),
        "passed": known.is_some_and(|testing| testing.exit() == Exit::Fine),
        "coverage": known.and_then(|testing| testing.coverage.as_ref()).map(|(covered, _)| covered.document()),
        "suites": suites.collect::<Vec<_>>(),
        "mutants": known.and_then(|testing| testing.mutation.as_ref()).map(Mutation::document),
        "errors": session.json_errors(testing),
        "summary": known.map(Testing::summary),
    })
}

fn versions(minors: &[u32]) -> Vec<String> {
    minors.iter().map(|minor| format!("1.{minor}")).collect()
}

fn case(case: &crd_suite::Case, tested: &Tested) -> Value {
    let result = match tested.outcome() {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Skipped => "skipped",
    };
    let failures = tested.failures();
    json!({ "name": case.name, "line": case.line, "result": result, "failures": failures.iter().map(failure).collect::<Vec<_>>() })
}

fn failure(found: &Found<'_>) -> Value {
    let of = |(channel, minors): (crd_model::channel::Channel, Vec<u32>)| json!({ "channel": channel.name(), "kubernetes": versions(&minors) });
    json!({
        "message": found.failure.message,
        "expected": found.failure.expected,
        "answer": found.failure.answer,
        "runs": found.by_channel().into_iter().map(of).collect::<Vec<_>>(),
    })
}
