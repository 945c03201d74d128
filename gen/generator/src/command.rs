//! Command lines: programs with their subcommands.
//!
//! Invariants: `ROWS` is the only list of subcommands; the help of each program, suggestions and dispatch read it. All diagnostics of a command
//! are printed together. A crate has the subcommands whose dependencies it compiles: this one those that are called after every edit,
//! `crd-xtask` those that need types or bundles, and `crd-channels-cli` those that talk to clusters.

pub mod generate;
pub mod generated_page;
mod markers;
pub mod new;

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;

use crate::arguments::exit_codes;
use crate::exit::Exit;
use crate::global_options;
use crate::program::Program;
use crate::session::{RemoteSource, Session};
use crate::subcommand_package::{self, SubcommandPackage};

/// A row of the list of subcommands.
struct Row {
    name: &'static str,
    /// Its line in the help.
    about: &'static str,
    programs: &'static [Program],
}

const BOTH: &[Program] = &[Program::Xtask, Program::CrdChannels];
/// It needs types.
const XTASK: &[Program] = &[Program::Xtask];
/// It talks to clusters, and its dependencies take a minute to build.
const CRD_CHANNELS: &[Program] = &[Program::CrdChannels];

/// Every subcommand, in the order of the help.
const ROWS: &[Row] = &[
    row("new", "Write a workspace for a new API, or for published CRDs", BOTH),
    row("generate", "Write the CRDs of every channel, or check that they are up to date", BOTH),
    row("check", "Compare the types with the last release: policy, tombstones, waivers", BOTH),
    row("diff", "List the changes between two bundles and the version that they require", BOTH),
    row("gate", "Compare the CRDs of a path with those of an earlier commit", BOTH),
    row("history", "Compare each release of a project with the one before it", BOTH),
    row("validate", "Report what a server would answer to objects, without a server", BOTH),
    row("lint", "Report where new API breaks the conventions of Kubernetes", BOTH),
    row("test", "Run suites of objects with the answers that the API must give, without a server", BOTH),
    row("convert", "Convert objects of any age to the form of a bundle", BOTH),
    row("conversions", "List how older objects become current, in words and in examples", BOTH),
    row("inspect", "Report what a cluster holds, and what an upgrade would do to it", CRD_CHANNELS),
    row("skew", "Report which client works with which bundle and channel, or with a cluster", CRD_CHANNELS),
    row("migrate", "Bring the CRDs and objects of a cluster to a bundle, and remove old versions", CRD_CHANNELS),
    row("push", "Push the OCI artefacts of a release to a registry", CRD_CHANNELS),
    row("guardrails", "Write an admission policy for fields that an implementation does not support", CRD_CHANNELS),
    row("tombstones", "List or extend the ledger of removed names", XTASK),
    row("graduate", "List what is experimental and when it may graduate, or graduate it", XTASK),
    row("import", "Add published CRDs as a baseline for later bundles", BOTH),
    row("release", "Write a new bundle and everything that is published with it", XTASK),
    row("verify", "Check checksums, signatures and provenance of what was published", BOTH),
    row("bindings", "Write a Go module, JSON schemas or OpenAPI documents", BOTH),
    row("docs", "Write the API reference of all releases as one HTML file", BOTH),
    row("init", "Write the pre-commit hook and the workflows of a repository", BOTH),
    row("settings", "List every key of `crd-channels.yaml`, or print its JSON schema", BOTH),
    row("rules", "List the rules of the policy, or explain one", BOTH),
    row("markers", "List every marker with its targets, arguments and effect", BOTH),
    row("explain", "Explain the code of a diagnostic, with an example", BOTH),
    row("completions", "Print completions for a shell", BOTH),
    row("man", "Print the manual page", BOTH),
];

const fn row(name: &'static str, about: &'static str, programs: &'static [Program]) -> Row {
    Row { name, about, programs }
}

/// How a subcommand ends: diagnostics end it; findings and stale files are printed by the subcommand itself.
pub type Outcome = Result<Exit, Vec<Diagnostic>>;

/// A subcommand.
#[derive(Clone, Copy)]
pub struct Subcommand {
    /// Its name, which is that of a row.
    pub name: &'static str,
    /// Its arguments and its help.
    pub arguments: fn(Command, Program) -> Command,
    /// What it does.
    pub run: Run,
}

/// What a subcommand does.
#[derive(Clone, Copy)]
pub enum Run {
    /// It needs types.
    WithTypes(fn(&Catalogue, &ArgMatches, &mut Session<'_>) -> Outcome),
    /// It needs no types.
    WithoutTypes(fn(&ArgMatches, &mut Session<'_>) -> Outcome),
    /// In an `xtask`, its catalogue has the types.
    WithDefaults(fn(Option<&Catalogue>, &ArgMatches, &mut Session<'_>) -> Outcome),
    /// The same, but the full program runs these options.
    Forwarding(fn(Option<&Catalogue>, &ArgMatches, &mut Session<'_>) -> Outcome, &'static [&'static str]),
    /// It describes the command line.
    OfCommandLine(fn(Command, &ArgMatches, &mut Session<'_>) -> Outcome),
}

/// The subcommands of this crate.
pub const SUBCOMMANDS: &[Subcommand] = &[generate::SUBCOMMAND, markers::SUBCOMMAND, new::SUBCOMMAND];

/// Whether an argument is the option, perhaps with its value: `--option` or `--option=VALUE`.
fn is_option(given: &OsStr, option: &str) -> bool {
    given
        .as_encoded_bytes()
        .strip_prefix(option.as_bytes())
        .is_some_and(|rest| matches!(rest.first(), None | Some(b'=')))
}

/// A program with its subcommands.
#[derive(Clone, Copy)]
pub struct CommandLine {
    /// Who calls it.
    pub program: Program,
    /// The subcommands that are compiled in. Of two with one name, the first counts.
    pub subcommands: &'static [&'static [Subcommand]],
    /// Its sources of CRDs that are not on disk.
    pub sources: &'static [RemoteSource],
}

impl CommandLine {
    fn implementation(&self, name: &str) -> Option<&'static Subcommand> {
        self.subcommands.iter().copied().flatten().find(|subcommand| subcommand.name == name)
    }

    /// Whether the program has a subcommand, with these arguments, that is not compiled in.
    pub fn lacks(&self, name: &OsStr, arguments: &[OsString]) -> bool {
        self.rows().filter(|row| name == row.name).any(|row| {
            match self.implementation(row.name).map(|known| known.run) {
                None => true,
                Some(Run::Forwarding(_, options)) => {
                    arguments.iter().any(|given| options.iter().any(|option| is_option(given, option)))
                }
                Some(_) => false,
            }
        })
    }

    fn rows(&self) -> impl Iterator<Item = &'static Row> {
        let program = self.program;
        ROWS.iter().filter(move |row| row.programs.contains(&program))
    }

    /// Runs it in a session: with these arguments (without the name of the program), and nothing else from the process.
    pub fn run(
        &self,
        catalogue: Option<&Catalogue>,
        arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
        session: &mut Session<'_>,
    ) -> Exit {
        session.program = self.program;
        session.sources = self.sources;
        let exit = self.dispatch(catalogue, arguments.into_iter().map(Into::into).collect(), session);
        session.close(exit)
    }

    fn dispatch(&self, catalogue: Option<&Catalogue>, mut arguments: Vec<OsString>, session: &mut Session<'_>) -> Exit {
        // `import` and `new` have an option of this name with a value.
        if matches!(&*arguments, [name, version] if version == "--version" && ROWS.iter().any(|row| name == row.name)) {
            arguments.remove(0);
        }
        let matches = match self.command(session.packages).try_get_matches_from(arguments) {
            Ok(matches) => matches,
            Err(error) => {
                let text = error.render();
                return match error.kind() {
                    ErrorKind::DisplayHelp => {
                        session.print(text.ansi());
                        Exit::Fine
                    }
                    // Of a subcommand too, it is the version of the program.
                    ErrorKind::DisplayVersion => {
                        session.print(self.command(session.packages).render_version());
                        Exit::Fine
                    }
                    _ => {
                        session.print_err(text.ansi());
                        Exit::Unusable
                    }
                };
            }
        };
        session.is_quiet = global_options::is_quiet(&matches);
        // clap accepts only subcommands of the list.
        let Some((name, matches)) = matches.subcommand() else { return Exit::Unusable };
        let outcome = match (self.implementation(name).map(|subcommand| subcommand.run), catalogue) {
            (Some(Run::WithTypes(run)), Some(catalogue)) => run(catalogue, matches, session),
            (Some(Run::WithoutTypes(run)), _) => run(matches, session),
            (Some(Run::WithDefaults(run) | Run::Forwarding(run, _)), catalogue) => run(catalogue, matches, session),
            (Some(Run::OfCommandLine(run)), _) => run(self.command(session.packages), matches, session),
            _ => Err(subcommand_package::not_compiled_in(name).into()),
        };
        outcome.unwrap_or_else(|diagnostics| {
            session.diagnostics(&diagnostics);
            Exit::Unusable
        })
    }

    /// Its arguments and its help.
    fn command(&self, packages: &[SubcommandPackage]) -> Command {
        let about = match self.program {
            Program::Xtask => "CRDs in release channels, from annotated Rust types",
            Program::CrdChannels => "Compare and import CRDs in release channels, and validate objects",
        };
        Command::new("crd-channels")
            .bin_name(self.program.call())
            .no_binary_name(true)
            .version(env!("CARGO_PKG_VERSION"))
            .propagate_version(true)
            .about(about)
            .args(global_options::arguments())
            .subcommand_required(true)
            .arg_required_else_help(true)
            .after_help(exit_codes(&Exit::ALL))
            .subcommands(self.rows().map(|row| {
                let command = Command::new(row.name).about(row.about);
                match self.implementation(row.name) {
                    Some(subcommand) => (subcommand.arguments)(command, self.program),
                    None => command,
                }
            }))
            .subcommands(packages.iter().map(|package| Command::new(package.name).about(package.about)))
    }
}
