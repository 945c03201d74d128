//! `--coverage`: what the cases cover, on the newest of the requested minors, and the file for lcov.

use std::path::PathBuf;

use clap::{Arg, value_parser};
use crd_diagnostics::Diagnostic;
use crd_generate::AnnotatedResource;
use crd_generator::file::cannot;
use crd_generator::session::Session;
use crd_suite::coverage::covered::{Covered, covered};

use super::type_lines::LinesOfTypes;
use super::{Testing, percent};
use crate::arguments::{flag, option};

pub(crate) const COVERAGE: &str = "coverage";
pub(crate) const MIN_COVERAGE: &str = "min-coverage";
pub(crate) const LCOV: &str = "lcov";

pub(crate) fn arguments() -> [Arg; 3] {
    [
        flag(COVERAGE, "Report the rules, constraints, values, defaults and union members that no case shows"),
        option(MIN_COVERAGE, "PERCENT", "Exit with 1 if the coverage of a channel is lower").value_parser(percent),
        option(LCOV, "FILE", "Write the coverage of the lines of the types, in the format of lcov")
            .value_parser(value_parser!(PathBuf)),
    ]
}

/// What is asked for.
pub(crate) struct Asked {
    /// The percentage that is required.
    pub(crate) minimum: f64,
    /// The file for lcov.
    pub(crate) lcov: Option<PathBuf>,
}

/// Adds what the cases cover to the results, and writes the file for lcov. `types` are those of which the lines are reported.
pub(crate) fn add(
    testing: &mut Testing,
    types: &[AnnotatedResource],
    asked: &Asked,
    session: &Session<'_>,
) -> Result<(), Diagnostic> {
    session.begin("measuring the coverage");
    let measure = |minor: &u32| covered(&testing.channels, &testing.suites, *minor, &LinesOfTypes(types));
    let covered = testing.minors.last().map_or_else(Covered::default, measure);
    if let Some(file) = &asked.lcov {
        if types.is_empty() {
            let message = "the CRDs are not those of Rust types, so that they have no lines";
            return Err(Diagnostic::error("suite::lcov", message).help("remove `--lcov`, or run it for the types"));
        }
        std::fs::write(session.folder.join(file), covered.lcov()).map_err(|error| cannot(file, "write", &error))?;
    }
    testing.coverage = Some((covered, asked.minimum));
    Ok(())
}
