//! Printing of reports, and the argument `--format` of the commands that print them.

use clap::Arg;
use crd_diagnostics::{Diagnostic, merged};
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_review::report::{Report, render_diagnostics};

use crate::arguments::{Format, formats_argument};

/// Prints a report. Returns how the command ends.
pub(crate) fn print_report(report: &Report, format: Format, verbose: bool, session: &mut Session<'_>) -> Exit {
    if matches!(format, Format::Text | Format::Markdown) {
        session.diagnostics(&merged(report.warnings.iter().cloned()));
        session.notes(&report.notes);
    }
    session.print_in(format, &report.render(format, session.width, verbose));
    if report.fits() { Exit::Fine } else { Exit::Findings }
}

/// Prints why there is no report. Returns how the command ends.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic], format: Format, session: &mut Session<'_>) -> Exit {
    let folder = &session.folder;
    let diagnostics = diagnostics.iter().map(|diagnostic| diagnostic.clone().relative_to(folder)).collect::<Vec<_>>();
    let text = render_diagnostics(&diagnostics, format);
    match format {
        Format::Text => session.print_err(text),
        _ => session.print_in(format, &text),
    }
    Exit::Unusable
}

pub(crate) fn findings_format_argument() -> Arg {
    formats_argument(
        "How findings are printed",
        &[
            (Format::Text, "for reading"),
            (Format::Json, "for programs; `schema findings` prints its JSON schema"),
            (Format::Github, "annotations in a workflow of GitHub"),
            (Format::Sarif, "SARIF 2.1.0, for code scanning"),
            (Format::Markdown, "a comment on a pull request, of at most 65,536 characters"),
        ],
    )
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::arguments::format;

    #[test]
    fn every_format_has_its_name_and_text_is_the_first() {
        let command = || Command::new("check").no_binary_name(true).arg(findings_format_argument());
        let of = |arguments: &[&str]| format(&command().try_get_matches_from(arguments).unwrap());
        assert_eq!(of(&[]), Format::Text);
        for known in [Format::Text, Format::Json, Format::Github, Format::Sarif, Format::Markdown] {
            assert_eq!(of(&["--format", known.word()]), known);
        }
        let error = command().try_get_matches_from(["--format", "yaml"]).unwrap_err().to_string();
        assert!(error.contains("text, json, github, sarif, markdown"), "{error}");
    }
}
