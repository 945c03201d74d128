//! The findings of `lint` in each format.
//!
//! Invariants: every format has the same findings. What the baseline has is printed on request, and counted otherwise.

use clap::Arg;
use crd_diagnostics::layout::{are, count};
use crd_diagnostics::sarif::Run;
use crd_diagnostics::{Diagnostic, Severity, github, json, text};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_model::document::SchemaVersion;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::{Format, formats_argument};
use crate::findings::print_diagnostics;

pub(crate) fn lint_format_argument() -> Arg {
    formats_argument(
        "How findings are printed",
        &[
            (Format::Text, "for reading"),
            (Format::Json, "for programs; `schema lint` prints its JSON schema"),
            (Format::Github, "annotations in a workflow of GitHub"),
            (Format::Sarif, "SARIF 2.1.0, for code scanning"),
        ],
    )
}

pub(crate) struct Linted {
    /// The name of the baseline, or why there is none.
    pub(crate) baseline: Result<String, String>,
    /// The findings, errors first; a finding that the baseline has is a note.
    pub(crate) findings: Vec<Diagnostic>,
}

/// What `lint` prints with `--format json`: one document, on one line. Exit code 1: there are errors.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Lint"))]
pub(crate) struct LintDocument<'l> {
    schema_version: SchemaVersion<1>,
    /// The bundle that the candidate is compared with; null if everything is new.
    baseline: Option<&'l String>,
    /// Where conventions are broken, errors first. With `--all`, what the baseline has too.
    findings: Vec<LintFinding<'l>>,
    /// The numbers of errors and warnings, in words.
    summary: &'l str,
    /// Why nothing was checked.
    errors: Vec<Diagnostic>,
}

/// A broken convention, or an exception that allows nothing. A note is a finding of the baseline.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LintFinding<'l> {
    #[serde(flatten)]
    diagnostic: &'l Diagnostic,
    /// Whether the baseline does not have it in this channel.
    new: bool,
}

impl<'l> From<&'l Diagnostic> for LintFinding<'l> {
    fn from(diagnostic: &'l Diagnostic) -> Self {
        Self { diagnostic, new: diagnostic.severity > Severity::Note }
    }
}

/// Prints the result; `all` includes what the baseline has. Returns how the command ends.
pub(crate) fn print(
    linted: Result<Linted, Vec<Diagnostic>>,
    format: Format,
    all: bool,
    session: &mut Session<'_>,
) -> Exit {
    let errors = session.errors(&linted);
    let linted = match linted {
        Err(errors) if format != Format::Json => return print_diagnostics(&errors, format, session),
        linted => linted.ok(),
    };
    let exit = match &linted {
        None => Exit::Unusable,
        Some(linted) if linted.count(Severity::Error) > 0 => Exit::Findings,
        Some(_) => Exit::Fine,
    };
    let folder = session.folder.clone();
    let shown = linted.iter().flat_map(|linted| &linted.findings);
    let shown = shown.filter(|finding| all || finding.severity > Severity::Note);
    let shown = shown.map(|finding| finding.clone().relative_to(&folder)).collect::<Vec<_>>();
    let summary = linted.as_ref().map(|linted| linted.summary(all)).unwrap_or_default();
    match format {
        Format::Json => session.print(json::line(&LintDocument {
            schema_version: SchemaVersion,
            baseline: linted.as_ref().and_then(|linted| linted.baseline.as_ref().ok()),
            findings: shown.iter().map(LintFinding::from).collect(),
            summary: &summary,
            errors,
        })),
        Format::Github => {
            shown.iter().for_each(|finding| session.print_unchanged(&github::about_crd(finding, None)));
            session.print_unchanged(&github::line(&summary));
        }
        Format::Sarif => session.print(json::line(&sarif(&shown, summary, exit))),
        _ => {
            session.print(text::render_all(&shown));
            session.print(format_args!("{summary}\n"));
        }
    }
    exit
}

impl Linted {
    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    fn summary(&self, all: bool) -> String {
        let [errors, warnings, old] = [Severity::Error, Severity::Warning, Severity::Note].map(|of| self.count(of));
        let new = format!("{} and {}", count(errors, "error"), count(warnings, "warning"));
        match (&self.baseline, old) {
            (Err(why), _) => format!("{new}; everything is new, because there is no baseline: {why}"),
            (Ok(name), 0) => format!("{new} since {name}"),
            (Ok(name), old) if all => format!("{new} since {name}, and {} before", count(old, "finding")),
            (Ok(name), old) => {
                format!("{new} since {name}; {} older and not shown (`--all` lists them)", are(old, "finding"))
            }
        }
    }
}

fn sarif(findings: &[Diagnostic], summary: String, exit: Exit) -> Value {
    let mut run = Run::of_pages(crd_lint::pages());
    for finding in findings {
        let crd = finding.location.crd.clone().unwrap_or_default();
        let state = if finding.severity > Severity::Note { "new" } else { "unchanged" };
        run.result(finding, &[finding.code, &crd.name, &crd.path, &finding.message], json!({"baselineState": state}));
    }
    run.log(true, &[(Severity::Note, summary)], json!({"fits": exit == Exit::Fine}))
}
