//! The subcommands: one file each, one row each.
//!
//! Invariants: the table below is the only list of public subcommands. Results go to stdout, progress and errors to stderr. Two more
//! subcommands are hidden, because the launcher starts itself with them.

mod build;
mod down;
mod list;
mod matrix;
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
use crate::minor::{DEFAULT_MINOR, MINORS, Minor};
use crate::servers::{BOUND, become_bound};
use crate::supervisor::{Request, supervise};

/// A subcommand.
struct Subcommand {
    name: &'static str,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches) -> Result<ExitCode, Failure>,
    /// The exit code after a failure.
    failure: u8,
}

const SUBCOMMANDS: &[Subcommand] =
    &[up::SUBCOMMAND, run::SUBCOMMAND, down::SUBCOMMAND, list::SUBCOMMAND, build::SUBCOMMAND, matrix::SUBCOMMAND];

/// The command that users type.
const PROGRAM: &str = "cargo xtask testbed";

/// The exit code for wrong usage, and for a testbed that cannot be started; the same as for `cargo xtask`.
const UNUSABLE: u8 = 2;

const HEADING: Style = AnsiColor::Green.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Runs the command line of the process. What `main` returns.
pub fn run() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before any parser: the arguments that follow belong to another program.
    if arguments.next().is_some_and(|first| first == BOUND) {
        return bound(arguments);
    }
    let matches = command_line().try_get_matches().unwrap_or_else(|error| error.exit());
    let Some((name, matches)) = matches.subcommand() else { return ExitCode::from(UNUSABLE) };
    if name == SUPERVISE {
        return run_supervisor(matches);
    }
    let Some(subcommand) = SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name) else {
        return ExitCode::from(UNUSABLE);
    };
    (subcommand.run)(matches).unwrap_or_else(|failure| {
        let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {failure}");
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
             The first start builds the programs with Go, which takes some minutes, and caches them in target/testbed. A testbed has no nodes, \
             so no pods run in it, and no controllers unless you ask for them.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(examples(&[
            ("up", "start a testbed that remains, and print its kubeconfig"),
            ("run -- kubectl api-resources", "run one command with a new testbed"),
            ("down", "stop the testbed that `up` started"),
        ]))
        .subcommands(SUBCOMMANDS.iter().map(|subcommand| (subcommand.arguments)(Command::new(subcommand.name))));
    line.subcommand(
        Command::new(SUPERVISE)
            .hide(true)
            .arg(kubernetes_argument())
            .arg(port_argument())
            .arg(controllers_argument())
            .arg(Arg::new(NAME).long(NAME).required(true))
            .arg(Arg::new(DETACHED).long(DETACHED).action(ArgAction::SetTrue)),
    )
}

/// The examples at the end of a subcommand's help: arguments and purpose.
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
        .help("Kubernetes minor version")
}

/// The minor that the user chose, or the default.
fn kubernetes(matches: &ArgMatches) -> Result<&'static Minor, Failure> {
    Minor::find(matches.get_one::<String>(KUBERNETES).map_or(DEFAULT_MINOR, String::as_str))
}

const PORT: &str = "port";

fn port_argument() -> Arg {
    Arg::new(PORT)
        .long(PORT)
        .value_name("PORT")
        .value_parser(value_parser!(u16).range(1..))
        .help("Port of the API server on 127.0.0.1 [default: a free port]")
}

const CONTROLLERS: &str = "controllers";

fn controllers_argument() -> Arg {
    Arg::new(CONTROLLERS)
        .long(CONTROLLERS)
        .action(ArgAction::SetTrue)
        .help("Run controllers too: they delete namespaces, collect garbage and migrate storage versions")
        .long_help(
            "Run kube-controller-manager too, with the controllers that delete namespaces, collect garbage and migrate storage versions. \
             Then 1.35 and 1.36 serve the API `storagemigration.k8s.io`, as newer minors do by default. Minors before 1.35 do not migrate \
             storage versions, and 1.32 has no controllers.",
        )
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
            // Testbeds of tests and of `run` have names with this prefix.
            match fits && !name.starts_with("of-") {
                true => Ok(name.to_owned()),
                false => Err("a name has at most 40 letters, digits and dashes, and does not start with `of-`"),
            }
        })
        .help("Name of the testbed, to run several")
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
        .help("Output format")
}

fn is_json(matches: &ArgMatches) -> bool {
    matches.get_one::<String>(FORMAT).is_some_and(|format| format == "json")
}

/// The path of this program, which is also the supervisor's.
fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::Other(format!("cannot find the path of this program: {error}")))
}

const SUPERVISE: &str = "supervise";
const DETACHED: &str = "detached";

fn run_supervisor(matches: &ArgMatches) -> ExitCode {
    let Ok(minor) = kubernetes(matches) else { return ExitCode::from(UNUSABLE) };
    supervise(&Request {
        minor,
        name: name(matches).to_owned(),
        port: matches.get_one(PORT).copied(),
        controllers: matches.get_flag(CONTROLLERS),
        detached: matches.get_flag(DETACHED),
    })
}

fn bound(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    if let (Some(supervisor), Some(program)) = (arguments.next(), arguments.next()) {
        let failure = become_bound(&supervisor.to_string_lossy(), Path::new(&program), &arguments.collect::<Vec<_>>());
        let _ = writeln!(std::io::stderr(), "{failure}");
    }
    ExitCode::from(UNUSABLE)
}

/// Writes a result to stdout. A reader that closed the pipe is not an error.
fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Other(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        command_line().debug_assert();
    }

    #[test]
    fn names_of_testbeds_cannot_leave_their_folder() {
        for (name, fits) in
            [("mine", true), ("a-1", true), ("", false), ("../x", false), ("of-1-0", false), ("a b", false)]
        {
            let parsed = command_line().try_get_matches_from(["crd-testbed", "up", "--name", name]);
            assert_eq!(parsed.is_ok(), fits, "{name:?}");
        }
    }

    #[test]
    fn every_subcommand_has_examples_that_parse() {
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
