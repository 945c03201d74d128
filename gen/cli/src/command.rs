//! The subcommands: one file each, one row each.
//!
//! Fed with arguments. Read by [`crate::run_in`].
//!
//! Invariants: [`ROWS`] is the only place that lists them; help, suggestions and dispatch walk over it. All faults of a command are
//! printed, each on stderr as `error: …`. What looks at more than the types is compiled with the feature `bundles` only; without it, those
//! subcommands are the same package's with the feature, which cargo builds when it is called for.

#[cfg(feature = "bundles")]
mod check;
#[cfg(feature = "bundles")]
mod diff;
mod generate;
mod generated_page;
#[cfg(feature = "bundles")]
mod import;
#[cfg(feature = "bundles")]
mod init;
mod markers;
#[cfg(feature = "bundles")]
mod release;
#[cfg(feature = "bundles")]
mod rules;
#[cfg(feature = "bundles")]
mod tombstones;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, value_parser};
use crd_generate::Catalogue;

use crate::companion::Companion;
use crate::fault::Fault;
use crate::layout::HEADING;
use crate::session::{Exit, Session};

/// Every subcommand with its line of help, in the order of the help.
pub(crate) const ROWS: &[(&str, &str)] = &[
    ("generate", "Writes the CRDs of every channel, or checks that they are up to date"),
    ("check", "Judges the types against the last released bundle: policy, tombstones, waivers"),
    ("diff", "Says what changed between two bundles, and which version the change fits"),
    ("tombstones", "The ledger of names that were removed and must never return"),
    ("import", "Takes published CRDs as a bundle of history, which later bundles are judged against"),
    ("release", "Makes a bundle of the types, and everything that is published of it"),
    ("init", "Writes the pre-commit hook and the workflows that a repository of CRDs needs"),
    ("rules", "Lists the rules of the policy, or explains one"),
    ("markers", "Lists every marker: what it is called, where it may stand, what it takes and what it does"),
];

/// A subcommand, and how it is done.
struct Subcommand {
    name: &'static str,
    /// Its arguments and its help.
    arguments: fn(Command) -> Command,
    /// What it does. Faults end it; findings and staleness are its own to print.
    run: fn(&Catalogue, &ArgMatches, &mut Session<'_>) -> Result<Exit, Vec<Fault>>,
}

/// Those that are compiled in.
const SUBCOMMANDS: &[Subcommand] = &[
    generate::SUBCOMMAND,
    markers::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    check::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    diff::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    tombstones::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    import::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    release::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    init::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    rules::SUBCOMMAND,
];

fn implementation(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name)
}

/// Whether a subcommand is one of ours that is not compiled in.
pub(crate) fn is_elsewhere(name: &std::ffi::OsStr) -> bool {
    ROWS.iter().any(|(known, _)| name == *known && implementation(known).is_none())
}

/// How the command line is called: by the alias that every `xtask` has.
pub(crate) const PROGRAM: &str = "cargo xtask";

/// Runs what the arguments say.
pub(crate) fn dispatch(
    catalogue: &Catalogue,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    let matches = match command_line(session.beside()).try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let text = error.render();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    session.print(text.ansi());
                    Exit::Fine
                }
                _ => {
                    session.complain(text.ansi());
                    Exit::Unusable
                }
            };
        }
    };
    // clap has made sure that there is a subcommand, and one of the table.
    let Some((name, matches)) = matches.subcommand() else { return Exit::Unusable };
    let Some(subcommand) = implementation(name) else {
        session.error(format_args!(
            "this program was built without `{name}`: build it with the feature `bundles` of crd-channels-cli"
        ));
        return Exit::Unusable;
    };
    (subcommand.run)(catalogue, matches, session).unwrap_or_else(|faults| {
        for fault in &faults {
            session.error(fault.text(session));
        }
        Exit::Unusable
    })
}

fn command_line(companions: &[Companion]) -> Command {
    let beside = companions.iter().map(|companion| Command::new(companion.name).about(companion.about));
    let exit_codes = "  0  fine\n  1  findings\n  2  wrong usage, unreadable or unwritable files, or types that no CRD can be made of\n  3  stale (`--check`)\n";
    Command::new("crd-channels")
        .bin_name(PROGRAM)
        .no_binary_name(true)
        .version(env!("CARGO_PKG_VERSION"))
        .about("CRDs in release channels, from annotated Rust types")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(format!("{HEADING}Exit codes:{HEADING:#}\n{exit_codes}"))
        .subcommands(ROWS.iter().map(|(name, about)| {
            let command = Command::new(*name).about(*about);
            match implementation(name) {
                Some(subcommand) => (subcommand.arguments)(command),
                None => command,
            }
        }))
        .subcommands(beside)
}

/// Examples below the help of a subcommand: what to type, and what for.
fn examples(list: &[(&str, &str)]) -> String {
    let mut text = format!("{HEADING}Examples:{HEADING:#}\n");
    let longest = list.iter().map(|(arguments, _)| arguments.len()).max().unwrap_or_default();
    for (arguments, purpose) in list {
        text.push_str(&format!("  {PROGRAM} {arguments:longest$}  {purpose}\n"));
    }
    text
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Json,
}

const FORMAT: &str = "format";

fn format_argument() -> Arg {
    Arg::new(FORMAT)
        .long(FORMAT)
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json"]))
        .default_value("text")
        .help("How the result is printed")
}

fn format(matches: &ArgMatches) -> Format {
    match matches.get_one::<String>(FORMAT).map(String::as_str) {
        Some("json") => Format::Json,
        _ => Format::Text,
    }
}

const ROOT: &str = "root";

fn root_argument() -> Arg {
    Arg::new(ROOT).long(ROOT).value_name("DIR").value_parser(value_parser!(PathBuf)).help(
        "The folder that `bundles` lies in; by default the workspace of the package that cargo runs, or of the current folder",
    )
}
