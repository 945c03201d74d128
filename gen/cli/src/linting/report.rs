//! The findings of `lint` in each format.
//!
//! Invariants: every format has the same findings. What the baseline has is printed on request, and counted otherwise.

use clap::Arg;
use crd_diagnostics::layout::{are, count};
use crd_diagnostics::sarif::Run;
use crd_diagnostics::{Diagnostic, Severity, github, json, text};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_review::report::ReportFormat;
use serde_json::{Value, json};

use crate::arguments::{FORMAT, choice_of};
use crate::findings::print_diagnostics;

/// The formats, the first of which is the default.
pub(crate) const FORMATS: [(ReportFormat, &str, &str); 4] = [
    (ReportFormat::Text, "text", "for reading"),
    (ReportFormat::Json, "json", "for programs; `schema lint` prints its JSON schema"),
    (ReportFormat::Github, "github", "annotations in a workflow of GitHub"),
    (ReportFormat::Sarif, "sarif", "SARIF 2.1.0, for code scanning"),
];

pub(crate) fn lint_format_argument() -> Arg {
    choice_of(FORMAT, "FORMAT", "How findings are printed", &FORMATS)
}

/// The result.
pub(crate) struct Linted {
    /// The name of the baseline, or why there is none.
    pub(crate) baseline: Result<String, String>,
    /// The findings, errors first; a finding that the baseline has is a note.
    pub(crate) findings: Vec<Diagnostic>,
}

/// Prints the result; `all` includes what the baseline has. Returns how the command ends.
pub(crate) fn print(
    linted: Result<Linted, Vec<Diagnostic>>,
    format: ReportFormat,
    all: bool,
    session: &mut Session<'_>,
) -> Exit {
    let errors = session.json_errors(&linted);
    let linted = match linted {
        Err(errors) if format != ReportFormat::Json => return print_diagnostics(&errors, format, session),
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
        ReportFormat::Json => session.print(json::line(&json!({
            "schemaVersion": json::SCHEMA_VERSION,
            "baseline": linted.as_ref().and_then(|linted| linted.baseline.as_ref().ok()),
            "findings": shown.iter().map(document).collect::<Vec<_>>(),
            "summary": summary,
            "errors": errors,
        }))),
        ReportFormat::Github => {
            shown.iter().for_each(|finding| session.print_unchanged(&github::about_crd(finding, None)));
            session.print_unchanged(&github::line(&summary));
        }
        ReportFormat::Sarif => session.print(json::line(&sarif(&shown, summary, exit))),
        ReportFormat::Text | ReportFormat::Markdown => {
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

fn document(finding: &Diagnostic) -> Value {
    let location = |location: &crd_diagnostics::Location| {
        let crd = location.crd.clone().unwrap_or_default();
        json!({"crd": crd.name, "version": crd.version, "path": crd.path})
    };
    let related = finding.related.iter().map(|related| location(&related.location));
    let places = [&*finding.location].into_iter().filter(|place| place.crd.is_some()).map(location).chain(related);
    json!({
        "rule": finding.code,
        "severity": finding.severity.word(),
        "isNew": finding.severity > Severity::Note,
        "channel": finding.location.channel.map(|channel| channel.name()),
        "message": finding.message,
        "fix": finding.help,
        "places": places.collect::<Vec<_>>(),
        "source": json::source(finding),
    })
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
