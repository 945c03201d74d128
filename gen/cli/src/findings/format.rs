//! The argument `--format` of the commands that print findings.
//!
//! Fed with arguments. Read by `diff` and `check`.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches};

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindingsFormat {
    /// For people.
    Text,
    /// A versioned document for programs.
    Json,
    /// Workflow commands, which GitHub shows at the lines that they name.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// Every format with its name and what it is for.
const FORMATS: [(FindingsFormat, &str, &str); 4] = [
    (FindingsFormat::Text, "text", "for reading"),
    (FindingsFormat::Json, "json", "for programs; its schema is gen/cli/schemas/findings.json"),
    (FindingsFormat::Github, "github", "annotations in a workflow of GitHub"),
    (FindingsFormat::Sarif, "sarif", "SARIF 2.1.0, for code scanning"),
];

const FORMAT: &str = "format";

/// The argument.
pub(crate) fn findings_format_argument() -> Arg {
    let values = FORMATS.map(|(_, name, purpose)| PossibleValue::new(name).help(purpose));
    Arg::new(FORMAT)
        .long(FORMAT)
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(values))
        .default_value("text")
        .help("How the findings are printed")
}

/// What the argument says.
pub(crate) fn findings_format(matches: &ArgMatches) -> FindingsFormat {
    let name = matches.get_one::<String>(FORMAT);
    FORMATS
        .iter()
        .find(|(_, known, _)| name.is_some_and(|name| name == known))
        .map_or(FindingsFormat::Text, |(format, ..)| *format)
}
