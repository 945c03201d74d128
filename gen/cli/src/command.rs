//! The subcommands: one file and one row each.
//!
//! Invariants: [`ROWS`] is the only list of them; help, suggestions and dispatch read it. All diagnostics of a command are printed together.
//! The program `crd-channels` has the subcommands that need no types; an `xtask` has all, except for `inspect` and `migrate`, which need the feature `clusters`. Without the feature `bundles`, only `generate` and
//! `markers` are compiled; cargo builds the program again with the feature when another subcommand is called.

#[cfg(feature = "bundles")]
mod check;
#[cfg(feature = "bundles")]
mod completions;
#[cfg(feature = "bundles")]
mod conversions;
#[cfg(feature = "bundles")]
mod convert;
#[cfg(feature = "bundles")]
mod diff;
#[cfg(feature = "bundles")]
mod docs;
#[cfg(feature = "bundles")]
mod explain;
#[cfg(feature = "bundles")]
mod gate;
mod generate;
mod generated_page;
#[cfg(feature = "bundles")]
mod graduate;
#[cfg(feature = "bundles")]
mod history;
#[cfg(feature = "bundles")]
mod import;
#[cfg(feature = "bundles")]
mod init;
#[cfg(feature = "clusters")]
mod inspect;
#[cfg(feature = "bundles")]
mod man;
mod markers;
#[cfg(feature = "clusters")]
mod migrate;
#[cfg(feature = "bundles")]
mod new;
#[cfg(feature = "bundles")]
mod release;
#[cfg(feature = "bundles")]
mod rules;
#[cfg(feature = "bundles")]
mod settings;
#[cfg(feature = "bundles")]
mod tombstones;
#[cfg(feature = "bundles")]
mod validate;

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;

use crate::arguments::exit_codes;
use crate::exit::Exit;
use crate::global_options;
use crate::program::Program;
use crate::session::Session;
use crate::subcommand_package::SubcommandPackage;

/// A row of the list of subcommands.
struct Row {
    name: &'static str,
    /// Its line in the help.
    about: &'static str,
    needs_types: bool,
}

/// Every subcommand, in the order of the help.
const ROWS: &[Row] = &[
    row("new", "Write a workspace for a new API, or for published CRDs", false),
    row("generate", "Write the CRDs of every channel, or check that they are up to date", true),
    row("check", "Compare the types with the last release: policy, tombstones, waivers", true),
    row("diff", "List the changes between two bundles and the version that they require", false),
    row("gate", "Compare the CRDs of a path with those of an earlier commit", false),
    row("history", "Compare each release of a project with the one before it", false),
    row("validate", "Report what a server would answer to objects, without a server", false),
    row("convert", "Convert objects of any age to the form of a bundle", false),
    row("conversions", "List how older objects become current, in words and in examples", false),
    #[cfg(feature = "clusters")]
    row("inspect", "Report what a cluster holds, and what an upgrade would do to it", false),
    #[cfg(feature = "clusters")]
    row("migrate", "Bring the CRDs and objects of a cluster to a bundle, and remove old versions", false),
    row("tombstones", "List or extend the ledger of removed names", true),
    row("graduate", "List what is experimental and when it may graduate, or graduate it", true),
    row("import", "Add published CRDs as a baseline for later bundles", false),
    row("release", "Write a new bundle and everything that is published with it", true),
    row("docs", "Write the API reference of all releases as one HTML file", false),
    row("init", "Write the pre-commit hook and the workflows of a repository", false),
    row("settings", "List every key of `crd-channels.yaml`, or print its JSON schema", false),
    row("rules", "List the rules of the policy, or explain one", false),
    row("markers", "List every marker with its targets, arguments and effect", false),
    row("explain", "Explain the code of a diagnostic, with an example", false),
    row("completions", "Print completions for a shell", false),
    row("man", "Print the manual page", false),
];

const fn row(name: &'static str, about: &'static str, needs_types: bool) -> Row {
    Row { name, about, needs_types }
}

/// How a subcommand ends: diagnostics end it; findings and stale files are printed by the subcommand itself.
type Outcome = Result<Exit, Vec<Diagnostic>>;

/// A subcommand that is compiled in.
struct Subcommand {
    name: &'static str,
    /// Its arguments and its help.
    arguments: fn(Command, Program) -> Command,
    run: Run,
}

/// What a subcommand does.
enum Run {
    WithTypes(fn(&Catalogue, &ArgMatches, &mut Session<'_>) -> Outcome),
    WithoutTypes(fn(&ArgMatches, &mut Session<'_>) -> Outcome),
    /// In an `xtask`, its catalogue has the types.
    WithDefaults(fn(Option<&Catalogue>, &ArgMatches, &mut Session<'_>) -> Outcome),
}

/// The subcommands that are compiled in.
const SUBCOMMANDS: &[Subcommand] = &[
    generate::SUBCOMMAND,
    markers::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    check::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    completions::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    conversions::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    convert::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    diff::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    docs::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    explain::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    gate::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    tombstones::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    graduate::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    history::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    import::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    man::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    new::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    release::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    init::SUBCOMMAND,
    #[cfg(feature = "clusters")]
    inspect::SUBCOMMAND,
    #[cfg(feature = "clusters")]
    migrate::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    rules::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    settings::SUBCOMMAND,
    #[cfg(feature = "bundles")]
    validate::SUBCOMMAND,
];

fn implementation(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name)
}

/// Whether a subcommand exists and is not compiled in.
pub(crate) fn needs_bundles(name: &OsStr) -> bool {
    ROWS.iter().any(|row| name == row.name && implementation(row.name).is_none())
}

/// Runs the subcommand that the arguments name. Without a catalogue, only those that need no types.
pub(crate) fn dispatch(
    catalogue: Option<&Catalogue>,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    session: &mut Session<'_>,
) -> Exit {
    let mut arguments = arguments.into_iter().map(Into::into).collect::<Vec<OsString>>();
    // `import` and `new` have an option of this name with a value.
    if matches!(&*arguments, [name, version] if version == "--version" && ROWS.iter().any(|row| name == row.name)) {
        arguments.remove(0);
    }
    let matches = match command_line(session.program, session.packages).try_get_matches_from(arguments) {
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
                    session.print(command_line(session.program, session.packages).render_version());
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
    let outcome = match (implementation(name).map(|subcommand| &subcommand.run), catalogue) {
        (Some(Run::WithTypes(run)), Some(catalogue)) => run(catalogue, matches, session),
        (Some(Run::WithoutTypes(run)), _) => run(matches, session),
        (Some(Run::WithDefaults(run)), catalogue) => run(catalogue, matches, session),
        _ => Err(vec![
            Diagnostic::error("usage::without-bundles", format!("this program was built without `{name}`"))
                .help("build it with the feature `bundles` of crd-channels-cli"),
        ]),
    };
    outcome.unwrap_or_else(|diagnostics| {
        session.diagnostics(&diagnostics);
        Exit::Unusable
    })
}

/// The command line of a program.
fn command_line(program: Program, packages: &[SubcommandPackage]) -> Command {
    let rows = ROWS.iter().filter(|row| program == Program::Xtask || !row.needs_types);
    let about = match program {
        Program::Xtask => "CRDs in release channels, from annotated Rust types",
        Program::CrdChannels => "Compare and import CRDs in release channels, and validate objects",
    };
    Command::new("crd-channels")
        .bin_name(program.call())
        .no_binary_name(true)
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .about(about)
        .args(global_options::arguments())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(exit_codes(&Exit::ALL))
        .subcommands(rows.map(|row| {
            let command = Command::new(row.name).about(row.about);
            match implementation(row.name) {
                Some(subcommand) => (subcommand.arguments)(command, program),
                None => command,
            }
        }))
        .subcommands(packages.iter().map(|package| Command::new(package.name).about(package.about)))
}
