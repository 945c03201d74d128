//! `explain`: the page of a code.

use clap::{ArgMatches, Command};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::{HEADING, NAME};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{after_help, did_you_mean, positional, value};
use crate::codes::pages;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "explain",
    about: "Explain the code of a diagnostic, with an example",
    group: Group::Reference,
    arguments,
    run: Run::WithoutTypes(run),
};

const CODE: &str = "code";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Explain the code of a diagnostic, with an example that triggers it. Without a code, list all codes.",
        )
        .arg(positional(CODE, "CODE", "The code, as in `error[CODE]`"))
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable],
            &[("explain tombstone-missing", "one code"), ("explain", "the list of all codes")],
        ))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    explain(value::<String>(matches, CODE).as_deref(), session)
}

/// Prints the page of a code, or the list of all codes.
fn explain(asked: Option<&str>, session: &mut Session<'_>) -> Outcome {
    let pages = pages(session.pages);
    let Some(asked) = asked else {
        let mut area = "";
        for page in &pages {
            if page.area != area {
                area = page.area;
                session.print(format_args!("{HEADING}{area}{HEADING:#}\n"));
            }
            session.print(format_args!("{NAME}{}{NAME:#}\n", page.code));
            session.print(wrapped(&page.summary, 4, session.width));
        }
        return Ok(Exit::Fine);
    };
    // `error[CODE]` may be pasted with its brackets.
    let code = asked.trim().trim_start_matches("error[").trim_matches(['[', ']', '`']);
    match pages.iter().find(|page| page.code == code) {
        Some(page) => {
            session.print(page.text(session.width));
            Ok(Exit::Fine)
        }
        None => {
            let codes = pages.iter().map(|page| page.code);
            let help = format!("`{} explain` lists all codes", session.program.call());
            Err(Diagnostic::error("usage::unknown-code", format!("unknown code `{asked}`"))
                .help(did_you_mean(code, codes, help))
                .into())
        }
    }
}
