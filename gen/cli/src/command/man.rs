//! `man`: the manual page of the program or of a subcommand.

use clap::{ArgMatches, Command};
use clap_mangen::Man;
use crd_diagnostics::Diagnostic;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{after_help, did_you_mean, positional};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "man",
    about: "Print the manual page",
    group: Group::Reference,
    arguments,
    run: Run::OfCommandLine(run),
};

const PAGE: &str = "page";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about("Print the manual page (roff) of the program or of a subcommand.")
        .arg(positional(PAGE, "SUBCOMMAND", "The subcommand [default: the whole program]"))
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable],
            &[
                ("man > crd-channels.1", "the page of the program"),
                ("man diff > crd-channels-diff.1", "the page of a subcommand"),
            ],
        ))
}

fn run(command: Command, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let program = session.program;
    let name = program.file_name();
    let mut command = command.name(name).bin_name(name);
    command.build();
    if let Some(asked) = matches.get_one::<String>(PAGE) {
        command = match command.find_subcommand(asked) {
            Some(found) => found.clone(),
            None => {
                let help = format!("`{} --help` lists the subcommands", program.call());
                let help = did_you_mean(asked, command.get_subcommands().map(Command::get_name), help);
                let message = format!("unknown subcommand `{asked}`");
                return Err(Diagnostic::error("usage::unknown-subcommand", message).help(help).into());
            }
        };
    }
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|error| vec![Diagnostic::error("usage::man", format!("cannot write the page: {error}"))])?;
    session.print_unchanged(&String::from_utf8_lossy(&page));
    Ok(Exit::Fine)
}
