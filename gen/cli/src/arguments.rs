//! Arguments that several subcommands have, and the end of their help.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
#[cfg(feature = "bundles")]
use crd_bundle::published::choice::{Choice, SELECT, SKIP, Selection};
#[cfg(feature = "bundles")]
use crd_compat::policy::{PROFILES, Profile};
use crd_diagnostics::style::HEADING;
#[cfg(feature = "bundles")]
use crd_generate::Catalogue;
#[cfg(feature = "bundles")]
use crd_markers::nearest::nearest;
use crd_model::channel::{CHANNELS, Channel};
#[cfg(feature = "bundles")]
use crd_review::profile::ChosenProfile;

use crate::exit::Exit;
use crate::program::Program;

/// The end of a subcommand's help: examples with their purpose, and exit codes.
pub(crate) fn after_help(program: Program, exits: &[Exit], examples: &[(&str, &str)]) -> String {
    let mut text = format!("{HEADING}Examples:{HEADING:#}\n");
    let longest = examples.iter().map(|(arguments, _)| arguments.len()).max().unwrap_or_default();
    for (arguments, purpose) in examples {
        text.push_str(&format!("  {} {arguments:longest$}  {purpose}\n", program.call()));
    }
    text.push('\n');
    text.push_str(&exit_codes(exits));
    text
}

/// A list of exit codes with their meaning.
pub(crate) fn exit_codes(exits: &[Exit]) -> String {
    let mut text = format!("{HEADING}Exit codes:{HEADING:#}\n");
    for exit in exits {
        text.push_str(&format!("  {}  {}\n", exit.code(), exit.meaning()));
    }
    text
}

/// The help for an unknown name: the nearest known name, or `otherwise`.
#[cfg(feature = "bundles")]
pub(crate) fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>, otherwise: String) -> String {
    nearest(name, known).map_or(otherwise, |near| format!("did you mean `{near}`?"))
}

/// An argument without a value.
pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

pub(crate) const FORMAT: &str = "format";

pub(crate) fn format_argument() -> Arg {
    Arg::new(FORMAT)
        .long(FORMAT)
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json"]))
        .default_value("text")
        .help("How the result is printed")
}

pub(crate) fn format(matches: &ArgMatches) -> Format {
    match matches.get_one::<String>(FORMAT).map(String::as_str) {
        Some("json") => Format::Json,
        _ => Format::Text,
    }
}

pub(crate) const ROOT: &str = "root";

pub(crate) fn root_argument() -> Arg {
    Arg::new(ROOT).long(ROOT).value_name("DIR").value_parser(value_parser!(PathBuf)).help(
        "The folder that contains `bundles` [default: the nearest folder with `crd-channels.yaml` or a Cargo workspace]",
    )
}

/// The root that the user named.
pub(crate) fn explicit_root(matches: &ArgMatches) -> Option<&Path> {
    matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path)
}

pub(crate) const CHANNEL: &str = "channel";

pub(crate) fn channel_argument(help: &'static str) -> Arg {
    let channels = CHANNELS.iter().map(|row| PossibleValue::new(row.name).help(row.purpose));
    Arg::new(CHANNEL).long(CHANNEL).value_name("CHANNEL").value_parser(PossibleValuesParser::new(channels)).help(help)
}

pub(crate) fn channel(matches: &ArgMatches) -> Option<Channel> {
    matches.get_one::<String>(CHANNEL).and_then(|name| Channel::named(name))
}

/// The options that leave out files and CRDs of bundles.
#[cfg(feature = "bundles")]
pub(crate) fn choice_arguments() -> [Arg; 2] {
    [
        Arg::new(SKIP)
            .long(SKIP)
            .value_name("FILE")
            .action(ArgAction::Append)
            .help("Leave out a file with CRDs, by its name or the end of its path; `*` matches any characters; may be repeated"),
        Arg::new(SELECT)
            .long(SELECT)
            .value_name("BY")
            .value_parser(|text: &str| text.parse::<Selection>())
            .action(ArgAction::Append)
            .help("Choose between CRDs of one name: `annotation=KEY:VALUE` or `file=NAME`; `*` matches any characters; may be repeated"),
    ]
}

/// What the options leave out.
#[cfg(feature = "bundles")]
pub(crate) fn bundle_choice(matches: &ArgMatches) -> Choice {
    let skips = matches.get_many::<String>(SKIP).into_iter().flatten().cloned();
    Choice::new(skips, matches.get_many::<Selection>(SELECT).into_iter().flatten().cloned())
}

/// The profile of the policy.
#[cfg(feature = "bundles")]
const PROFILE: &str = "profile";
/// Whether everything is listed.
pub(crate) const VERBOSE: &str = "verbose";

#[cfg(feature = "bundles")]
pub(crate) fn profile_argument(help: &'static str) -> Arg {
    Arg::new(PROFILE)
        .long(PROFILE)
        .value_name("PROFILE")
        .value_parser(PossibleValuesParser::new(
            PROFILES.map(|(_, name, purpose)| PossibleValue::new(name).help(purpose)),
        ))
        .help(help)
}

/// The profile that the user names, or else that of the settings.
#[cfg(feature = "bundles")]
pub(crate) fn profile_of(catalogue: &Catalogue, matches: &ArgMatches) -> ChosenProfile {
    ChosenProfile::of_settings(requested_profile(matches), catalogue.policy_profile())
}

/// The profile that the user names.
#[cfg(feature = "bundles")]
pub(crate) fn requested_profile(matches: &ArgMatches) -> Option<Profile> {
    matches.get_one::<String>(PROFILE).and_then(|name| Profile::named(name))
}

pub(crate) fn verbose_argument() -> Arg {
    flag(VERBOSE, "List every occurrence, including informational and pre-existing findings").short('v')
}

/// Whether witnesses are shown.
pub(crate) const WITNESS: &str = "witness";

pub(crate) fn witness_argument() -> Arg {
    flag(
        WITNESS,
        "Show a small object that the old schema accepts, its CEL rules included, and the new one rejects, where one is found",
    )
}

/// An option with a few values, each with its purpose.
#[cfg(feature = "bundles")]
pub(crate) fn choice(
    name: &'static str,
    value_name: &'static str,
    default: &'static str,
    help: &'static str,
    values: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Arg {
    let values = values.into_iter().map(|(name, purpose)| PossibleValue::new(name).help(purpose));
    Arg::new(name)
        .long(name)
        .value_name(value_name)
        .value_parser(PossibleValuesParser::new(values))
        .default_value(default)
        .help(help)
}
