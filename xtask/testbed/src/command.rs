//! The subcommands: one file each, one row each.
//!
//! Fed with the process's arguments. Read by people, by CI, and by the launcher itself, whose keepers are hidden subcommands of the same
//! program.
//!
//! Invariants: the table below is the only place that lists what people call; results go to stdout, progress and errors to stderr.

mod build;
mod down;
mod list;
mod matrix;
pub(crate) mod progress;
mod run;
mod up;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::failure::Failure;
use crate::keeper::{BOUND, Request, become_bound, keep};
use crate::minor::{DEFAULT_MINOR, MINORS};
use crate::testbed::minor_named;

/// A subcommand.
struct Subcommand {
    name: &'static str,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches) -> Result<ExitCode, Failure>,
    /// The exit code when there is a failure.
    failure: u8,
}

const SUBCOMMANDS: &[Subcommand] =
    &[up::SUBCOMMAND, run::SUBCOMMAND, down::SUBCOMMAND, list::SUBCOMMAND, build::SUBCOMMAND, matrix::SUBCOMMAND];

/// How people call it.
const PROGRAM: &str = "cargo xtask testbed";

/// Wrong usage, or something that a testbed needs is missing: as `cargo xtask` has it.
const UNUSABLE: u8 = 2;

const HEADING: Style = AnsiColor::Green.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Runs the command line of the process. What `main` returns.
pub fn run() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before any parser: what follows is another program's.
    if arguments.next().is_some_and(|first| first == BOUND) {
        return bound(arguments);
    }
    let matches = command_line().try_get_matches().unwrap_or_else(|error| error.exit());
    let Some((name, matches)) = matches.subcommand() else { return ExitCode::from(UNUSABLE) };
    if name == KEEP {
        return keeper(matches);
    }
    let Some(subcommand) = SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name) else {
        return ExitCode::from(UNUSABLE);
    };
    (subcommand.run)(matches).unwrap_or_else(|failure| {
        anstream::eprintln!("{ERROR}error:{ERROR:#} {failure}");
        ExitCode::from(subcommand.failure)
    })
}

fn command_line() -> Command {
    let line = Command::new("crd-testbed")
        .bin_name(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about("A real Kubernetes API server on this machine: etcd, kube-apiserver and kubectl, on loopback")
        .long_about(
            "A real Kubernetes API server on this machine: etcd, kube-apiserver and kubectl, on loopback.\n\n\
             The programs are built with Go the first time, which takes some minutes, and then kept below target/testbed. Nothing runs in a \
             testbed: there are no nodes and no controllers.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(examples(&[
            ("up", "starts one that stays, and prints where its kubeconfig is"),
            ("run -- kubectl api-resources", "one command against a fresh one"),
            ("down", "stops the one that `up` started"),
        ]))
        .subcommands(SUBCOMMANDS.iter().map(|subcommand| (subcommand.arguments)(Command::new(subcommand.name))));
    line.subcommand(
        Command::new(KEEP)
            .hide(true)
            .arg(kubernetes_argument())
            .arg(port_argument())
            .arg(Arg::new(NAME).long(NAME).required(true))
            .arg(Arg::new(DETACHED).long(DETACHED).action(ArgAction::SetTrue)),
    )
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

const KUBERNETES: &str = "kubernetes";

fn minors() -> PossibleValuesParser {
    PossibleValuesParser::new(MINORS.iter().map(|minor| PossibleValue::new(minor.name).help(minor.version)))
}

fn kubernetes_argument() -> Arg {
    Arg::new(KUBERNETES)
        .long(KUBERNETES)
        .value_name("MINOR")
        .value_parser(minors())
        .default_value(DEFAULT_MINOR)
        .help("The minor of Kubernetes")
}

/// The minor that was asked for.
fn kubernetes(matches: &ArgMatches) -> &str {
    matches.get_one::<String>(KUBERNETES).map_or(DEFAULT_MINOR, String::as_str)
}

const PORT: &str = "port";

fn port_argument() -> Arg {
    Arg::new(PORT)
        .long(PORT)
        .value_name("PORT")
        .value_parser(value_parser!(u16).range(1..))
        .help("The port of the API server on 127.0.0.1; a free one by default")
}

const NAME: &str = "name";

fn name_argument() -> Arg {
    Arg::new(NAME)
        .long(NAME)
        .value_name("NAME")
        .default_value("default")
        .value_parser(|name: &str| {
            let fits = !name.is_empty()
                && name.len() <= 40
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            // The names of testbeds that belong to a process begin like this.
            match fits && !name.starts_with("of-") {
                true => Ok(name.to_owned()),
                false => Err("a name is made of letters, digits and dashes, 40 at most, and does not begin with `of-`"),
            }
        })
        .help("Which testbed, if several shall stay side by side")
}

fn name(matches: &ArgMatches) -> &str {
    matches.get_one::<String>(NAME).map_or("default", String::as_str)
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

fn is_json(matches: &ArgMatches) -> bool {
    matches.get_one::<String>(FORMAT).is_some_and(|format| format == "json")
}

/// This program's own file, which keepers are started from.
fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::Other(format!("this program's file cannot be found: {error}")))
}

const KEEP: &str = "keep";
const DETACHED: &str = "detached";

fn keeper(matches: &ArgMatches) -> ExitCode {
    let Ok(minor) = minor_named(kubernetes(matches)) else { return ExitCode::from(UNUSABLE) };
    keep(&Request {
        minor,
        name: name(matches).to_owned(),
        port: matches.get_one(PORT).copied(),
        detached: matches.get_flag(DETACHED),
    })
}

fn bound(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    if let (Some(keeper), Some(program)) = (arguments.next(), arguments.next()) {
        let failure = become_bound(&keeper.to_string_lossy(), Path::new(&program), &arguments.collect::<Vec<_>>());
        eprintln!("{failure}");
    }
    ExitCode::from(UNUSABLE)
}

/// Writes a result. Who stops reading has read enough; anything else that keeps it from being written is told.
fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Other(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command_line().debug_assert();
    }

    #[test]
    fn names_of_testbeds_stay_inside_their_folder() {
        for (name, fits) in
            [("mine", true), ("a-1", true), ("", false), ("../x", false), ("of-1-0", false), ("a b", false)]
        {
            let parsed = command_line().try_get_matches_from(["crd-testbed", "up", "--name", name]);
            assert_eq!(parsed.is_ok(), fits, "{name:?}");
        }
    }

    #[test]
    fn every_subcommand_has_examples_that_it_understands() {
        for subcommand in SUBCOMMANDS {
            let help = (subcommand.arguments)(Command::new(subcommand.name)).get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_else(|| panic!("{} has no examples", subcommand.name));
            let mut examples = 0;
            for line in help.lines().filter_map(|line| line.trim().strip_prefix(PROGRAM)) {
                let arguments = line.trim().split("  ").next().unwrap_or_default();
                let parsed =
                    command_line().try_get_matches_from(["crd-testbed"].into_iter().chain(arguments.split(' ')));
                assert!(parsed.is_ok(), "{arguments}: {parsed:?}");
                examples += 1;
            }
            assert!(examples > 0, "{}", subcommand.name);
        }
    }
}
