//! Printing of reports, and the argument `--format` of the commands that print them.

use clap::Arg;
use crd_diagnostics::{Diagnostic, merged};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_review::report::{Report, ReportFormat, render_diagnostics};

use crate::arguments::{FORMAT, choice_of};

/// Prints a report. Returns how the command ends.
pub(crate) fn print_report(report: &Report, format: ReportFormat, verbose: bool, session: &mut Session<'_>) -> Exit {
    if matches!(format, ReportFormat::Text | ReportFormat::Markdown) {
        session.diagnostics(&merged(report.warnings.iter().cloned()));
        session.notes(&report.notes);
    }
    let text = report.render(format, session.width, verbose);
    match format {
        ReportFormat::Github => session.print_unchanged(&text),
        _ => session.print(text),
    }
    if report.fits() { Exit::Fine } else { Exit::Findings }
}

/// Prints why there is no report. Returns how the command ends.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic], format: ReportFormat, session: &mut Session<'_>) -> Exit {
    let folder = &session.folder;
    let diagnostics = diagnostics.iter().map(|diagnostic| diagnostic.clone().relative_to(folder)).collect::<Vec<_>>();
    let text = render_diagnostics(&diagnostics, format);
    match format {
        ReportFormat::Text => session.print_err(text),
        ReportFormat::Github => session.print_unchanged(&text),
        _ => session.print(text),
    }
    Exit::Unusable
}

/// Every format with its name and what it is for.
pub(crate) const FORMATS: [(ReportFormat, &str, &str); 5] = [
    (ReportFormat::Text, "text", "for reading"),
    (ReportFormat::Json, "json", "for programs; `schema findings` prints its JSON schema"),
    (ReportFormat::Github, "github", "annotations in a workflow of GitHub"),
    (ReportFormat::Sarif, "sarif", "SARIF 2.1.0, for code scanning"),
    (ReportFormat::Markdown, "markdown", "a comment on a pull request, of at most 65,536 characters"),
];

/// The argument.
pub(crate) fn findings_format_argument() -> Arg {
    choice_of(FORMAT, "FORMAT", "How findings are printed", &FORMATS)
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::arguments::chosen;

    #[test]
    fn every_format_has_its_name_and_text_is_the_first() {
        let command = || Command::new("check").no_binary_name(true).arg(findings_format_argument());
        let of =
            |arguments: &[&str]| chosen(&command().try_get_matches_from(arguments).unwrap(), FORMAT, &FORMATS).unwrap();
        assert_eq!(of(&[]), ReportFormat::Text);
        for (name, format) in [
            ("text", ReportFormat::Text),
            ("json", ReportFormat::Json),
            ("github", ReportFormat::Github),
            ("sarif", ReportFormat::Sarif),
            ("markdown", ReportFormat::Markdown),
        ] {
            assert_eq!(of(&["--format", name]), format);
        }
        let error = command().try_get_matches_from(["--format", "yaml"]).unwrap_err().to_string();
        assert!(error.contains("text, json, github, sarif, markdown"), "{error}");
    }
}
