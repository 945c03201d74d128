//! `completions`: a script that completes subcommands and arguments in a shell.

use clap::{ArgMatches, Command, value_parser};
use clap_complete::Shell;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{after_help, positional};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "completions",
    about: "Print completions for a shell",
    group: Group::Reference,
    arguments,
    run: Run::OfCommandLine(run),
};

const SHELL: &str = "shell";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Print a script that completes subcommands and arguments in a shell. Save it where the shell looks for completions.",
        )
        .arg(
            positional(SHELL, "SHELL", "The shell that reads the script")
                .required(true)
                .value_parser(value_parser!(Shell)),
        )
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable],
            &[
                ("completions bash > ~/.local/share/bash-completion/completions/crd-channels", "for bash"),
                ("completions fish > ~/.config/fish/completions/crd-channels.fish", "for fish"),
            ],
        ))
}

fn run(command: Command, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    // clap requires the argument.
    let Some(shell) = matches.get_one::<Shell>(SHELL) else { return Ok(Exit::Unusable) };
    let mut script = Vec::new();
    let mut command = command.no_binary_name(false);
    clap_complete::generate(*shell, &mut command, session.program.file_name(), &mut script);
    session.print_unchanged(&String::from_utf8_lossy(&script));
    Ok(Exit::Fine)
}
