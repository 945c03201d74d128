//! Arguments that several subcommands have, and the end of their help.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
pub use crd_diagnostics::Format;
use crd_diagnostics::style::HEADING;
use crd_model::channel::{CHANNELS, Channel};
use crd_model::profile::{PROFILES, Profile};
use crd_names::nearest;

use crate::exit::Exit;
use crate::program::Program;
use crate::session::ChartOptions;

/// The end of a subcommand's help: examples with their purpose, and exit codes.
pub fn after_help(program: Program, exits: &[Exit], examples: &[(&str, &str)]) -> String {
    let mut text = format!("{HEADING}Examples:{HEADING:#}\n");
    // The purpose is above the command: a line that wraps would continue as if it were a command.
    for (arguments, purpose) in examples {
        text.push_str(&format!("  # {purpose}\n  {} {arguments}\n", program.call()));
    }
    text.push('\n');
    text.push_str(&exit_codes(exits));
    text
}

/// A list of exit codes with their meaning.
pub fn exit_codes(exits: &[Exit]) -> String {
    let mut text = format!("{HEADING}Exit codes:{HEADING:#}\n");
    for exit in exits {
        text.push_str(&format!("  {}  {}\n", exit.code(), exit.meaning()));
    }
    text
}

/// The help for an unknown name: the nearest known name, or `otherwise`.
pub fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>, otherwise: String) -> String {
    nearest(name, known).map_or(otherwise, |near| format!("did you mean `{near}`?"))
}

/// An option with a value.
pub fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// An argument that its position identifies.
pub fn positional(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).help(help)
}

/// An argument without a value.
pub fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// How the result is printed.
pub const FORMAT: &str = "format";

/// The argument of a command with text and JSON.
pub fn format_argument() -> Arg {
    option(FORMAT, "FORMAT", "How the result is printed").value_parser(["text", "json"]).default_value("text")
}

/// The argument of a command with these formats, each with its purpose. The first one is the default.
pub fn formats_argument(help: &'static str, formats: &[(Format, &'static str)]) -> Arg {
    let default = formats.first().map_or("", |(format, _)| format.word());
    choice(FORMAT, "FORMAT", default, help, formats.iter().map(|(format, purpose)| (format.word(), *purpose)))
}

/// The value of the argument.
pub fn format(matches: &ArgMatches) -> Format {
    matches.get_one::<String>(FORMAT).and_then(|word| Format::named(word)).unwrap_or(Format::Text)
}

/// The options of charts.
const VALUES: &str = "values";
const SET: &str = "set";
const REPOSITORY: &str = "repo";

/// The arguments of a command that reads charts; the runner of the command gives their values to the session.
pub fn chart_arguments() -> [Arg; 3] {
    const HEADING: &str = "Charts";
    let repeated = |argument: Arg| argument.action(ArgAction::Append).help_heading(HEADING);
    [
        repeated(option(VALUES, "FILE", "A file with values for the charts; may be repeated"))
            .value_parser(value_parser!(OsString)),
        repeated(option(SET, "KEY=VALUE", "A value for the charts, such as crds.enabled=true; may be repeated")),
        option(REPOSITORY, "URL", "The repository of a chart that is named `chart:NAME@VERSION`").help_heading(HEADING),
    ]
}

/// How charts are rendered, by this `helm`. A command without these options reads them with their own values.
pub(crate) fn chart_options(matches: &ArgMatches, helm: Option<PathBuf>) -> ChartOptions {
    fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
        matches.try_get_many::<T>(name).ok().flatten().into_iter().flatten().cloned().collect()
    }
    let repository = all(matches, REPOSITORY).pop();
    ChartOptions { values: all(matches, VALUES), set: all(matches, SET), repository, helm, ..ChartOptions::default() }
}

/// The root of the workspace.
pub const ROOT: &str = "root";

pub fn root_argument() -> Arg {
    let help = "The folder that contains `bundles` [default: the nearest folder with `crd-channels.yaml` or a Cargo workspace]";
    option(ROOT, "DIR", help).value_parser(value_parser!(PathBuf))
}

/// The root that the user named.
pub fn explicit_root(matches: &ArgMatches) -> Option<&Path> {
    matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path)
}

/// The value of an argument, if it has one.
pub fn value<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.get_one::<T>(name).cloned()
}

/// All values of an argument.
pub fn values<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches.get_many::<T>(name).into_iter().flatten().cloned().collect()
}

/// The root that the user named, for a request.
pub fn named_root(matches: &ArgMatches) -> Option<PathBuf> {
    value(matches, ROOT)
}

pub const CHANNEL: &str = "channel";

pub fn channel_argument(help: &'static str) -> Arg {
    let channels = CHANNELS.iter().map(|row| PossibleValue::new(row.name).help(row.purpose));
    option(CHANNEL, "CHANNEL", help).value_parser(PossibleValuesParser::new(channels))
}

/// The channel that the user named.
pub fn channel(matches: &ArgMatches) -> Option<Channel> {
    matches.get_one::<String>(CHANNEL).and_then(|name| Channel::named(name))
}

/// Whether everything is listed.
pub const VERBOSE: &str = "verbose";

pub fn verbose_argument() -> Arg {
    flag(VERBOSE, "List every occurrence, including informational and pre-existing findings").short('v')
}

/// Whether witnesses are shown.
pub const WITNESS: &str = "witness";

pub fn witness_argument() -> Arg {
    flag(
        WITNESS,
        "Show a small object that the old schema accepts, its CEL rules included, and the new one rejects, where one is found",
    )
}

/// Leaves out a file with CRDs.
pub const SKIP: &str = "skip";
/// Chooses between CRDs of one name.
pub const SELECT: &str = "select";

/// The options that leave out files and CRDs of bundles. Programs that read bundles parse their values.
pub fn untyped_choice_arguments() -> [Arg; 2] {
    [
        option(SKIP, "NAME", "Leave out a CRD by its name, or a file with CRDs by its name or the end of its path; `*` matches any characters; may be repeated")
            .action(ArgAction::Append),
        option(SELECT, "BY", "Choose between CRDs of one name: `annotation=KEY:VALUE` or `file=NAME`; `*` matches any characters; may be repeated")
            .action(ArgAction::Append),
    ]
}

/// The profile of the policy.
const PROFILE: &str = "profile";

pub fn profile_argument(help: &'static str) -> Arg {
    option(PROFILE, "PROFILE", help).value_parser(PossibleValuesParser::new(
        PROFILES.map(|(_, name, purpose)| PossibleValue::new(name).help(purpose)),
    ))
}

/// The profile that the user names.
pub fn requested_profile(matches: &ArgMatches) -> Option<Profile> {
    matches.get_one::<String>(PROFILE).and_then(|name| Profile::named(name))
}

/// An option with a few values, each with its purpose.
pub fn choice(
    name: &'static str,
    value_name: &'static str,
    default: &'static str,
    help: &'static str,
    values: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Arg {
    let values = values.into_iter().map(|(name, purpose)| PossibleValue::new(name).help(purpose));
    option(name, value_name, help).value_parser(PossibleValuesParser::new(values)).default_value(default)
}

/// An option with the words of a table; the first one is the default.
pub fn choice_of<T>(
    name: &'static str,
    value_name: &'static str,
    help: &'static str,
    rows: &'static [(T, &'static str, &'static str)],
) -> Arg {
    let default = rows.first().map_or("", |(_, word, _)| word);
    choice(name, value_name, default, help, rows.iter().map(|(_, word, purpose)| (*word, *purpose)))
}

/// The row of the table that an option of [`choice_of`] names.
pub fn chosen<T: Copy>(matches: &ArgMatches, name: &str, rows: &[(T, &str, &str)]) -> Option<T> {
    let word = matches.get_one::<String>(name)?;
    rows.iter().find(|(_, known, _)| known == word).map(|(value, ..)| *value)
}
