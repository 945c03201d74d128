//! Command lines: programs with their subcommands.
//!
//! Invariants: a subcommand is a file, which states its name, its line in the help and its group, and a line in the list of its crate; the help of
//! each program, suggestions and dispatch read these. All diagnostics of a command are printed together. A crate has the subcommands whose
//! dependencies it compiles: this one those that are called after every edit, and `crd-channels-cli` every subcommand, those that
//! talk to clusters behind a feature. The small program also lists what the package `xtask` runs for it, from a page that a test
//! of that crate writes.

pub mod generate;
pub mod generated_page;
pub mod markers;
pub mod new;

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::style::{HEADING, NAME};
use crd_generate::Catalogue;

use crate::arguments::{chart_options, exit_codes};
use crate::exit::Exit;
use crate::global_options;
use crate::program::Program;
use crate::session::{ReadWrittenTypes, RemoteSource, Session};
use crate::subcommand_package::{self, SubcommandPackage};
use crate::{root, source};

/// How a subcommand ends: diagnostics end it; findings and stale files are printed by the subcommand itself.
pub type Outcome = Result<Exit, Vec<Diagnostic>>;

/// What a subcommand is for: a part of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Rust types, and the releases that are made of them.
    Types,
    /// CRDs of any project.
    Crds,
    Objects,
    /// Clusters, and clients of them.
    Clusters,
    Published,
    /// The repository, and explanations.
    Reference,
}

impl Group {
    /// All groups with their headings, in the order of the help.
    pub const ALL: [(Group, &str); 6] = [
        (Group::Types, "An API in Rust"),
        (Group::Crds, "CRDs of any project"),
        (Group::Objects, "Objects"),
        (Group::Clusters, "Clusters"),
        (Group::Published, "What a release publishes"),
        (Group::Reference, "Settings and reference"),
    ];

    fn heading(self) -> &'static str {
        Self::ALL.into_iter().find(|(group, _)| *group == self).map_or("", |(_, heading)| heading)
    }
}

#[derive(Clone, Copy)]
pub struct Subcommand {
    pub name: &'static str,
    /// Its line in the help.
    pub about: &'static str,
    /// Where the help lists it.
    pub group: Group,
    /// Its arguments and its help.
    pub arguments: fn(Command, Program) -> Command,
    pub run: Run,
}

/// What a subcommand does.
#[derive(Clone, Copy)]
pub enum Run {
    /// It needs no types.
    WithoutTypes(fn(&ArgMatches, &mut Session<'_>) -> Outcome),
    /// In an `xtask`, its catalogue has the types; otherwise they are those of source.
    WithDefaults(fn(Option<&Catalogue>, &ArgMatches, &mut Session<'_>) -> Outcome),
    /// In an `xtask`, its catalogue has the types. The full program runs these options.
    Forwarding(fn(Option<&Catalogue>, &ArgMatches, &mut Session<'_>) -> Outcome, &'static [&'static str]),
    /// It describes the command line.
    OfCommandLine(fn(Command, &ArgMatches, &mut Session<'_>) -> Outcome),
}

/// The subcommands of this crate.
pub const SUBCOMMANDS: &[Subcommand] = &[new::SUBCOMMAND, generate::SUBCOMMAND, markers::SUBCOMMAND];

/// The subcommands of every `xtask`, in the order of the help: name, group and line of the help, with a tab between them.
///
/// A test of the crate with those subcommands writes the file, because this crate does not compile them.
pub(crate) const OF_XTASK: &str = include_str!("command/xtask.tsv");

const ABOUT: &str = "Change Kubernetes APIs without breaking those who use them: CRDs in release channels";

/// The subcommand that clap adds.
const HELP: (&str, &str) = ("help", "Print this message or the help of the given subcommand(s)");

/// Whether an argument is the option, perhaps with its value: `--option` or `--option=VALUE`.
fn is_option(given: &OsStr, option: &str) -> bool {
    given
        .as_encoded_bytes()
        .strip_prefix(option.as_bytes())
        .is_some_and(|rest| matches!(rest.first(), None | Some(b'=')))
}

/// A line of the help.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    about: &'static str,
    group: Group,
}

impl Row {
    /// Reads a line of a table. The file is a part of the program, so that each of its lines is a row.
    fn from_line(line: &'static str) -> Option<Self> {
        let mut cells = line.split('\t');
        let (name, group, about) = (cells.next()?, cells.next()?, cells.next()?);
        let (group, _) = Group::ALL.into_iter().find(|(_, heading)| *heading == group)?;
        Some(Self { name, about, group })
    }
}

/// A program with its subcommands.
#[derive(Clone, Copy)]
pub struct CommandLine {
    pub program: Program,
    /// The subcommands that are compiled in. Of two with one name, the last counts, at the place of the first.
    pub subcommands: &'static [&'static [Subcommand]],
    /// The subcommands that another program runs for this one, as [`CommandLine::table`] writes them.
    pub elsewhere: &'static str,
    /// Its sources of CRDs that are not on disk.
    pub sources: &'static [RemoteSource],
    /// Reads types that are not in Rust, if the program can.
    pub written_types: Option<ReadWrittenTypes>,
    /// Documents with pages of codes, in addition to those that every program has.
    pub pages: &'static [&'static str],
}

impl CommandLine {
    fn implementation(&self, name: &str) -> Option<&'static Subcommand> {
        self.subcommands.iter().copied().flatten().rev().find(|subcommand| subcommand.name == name)
    }

    /// Whether the program has a subcommand, with these arguments, that is not compiled in.
    pub fn lacks(&self, name: &OsStr, arguments: &[OsString]) -> bool {
        self.rows().iter().filter(|row| name == row.name).any(|row| {
            match self.implementation(row.name).map(|known| known.run) {
                None => true,
                Some(Run::Forwarding(_, options)) => {
                    arguments.iter().any(|given| options.iter().any(|option| is_option(given, option)))
                }
                Some(_) => false,
            }
        })
    }

    /// Every subcommand, group by group.
    fn rows(&self) -> Vec<Row> {
        let own = self.subcommands.iter().copied().flatten();
        let own = own.map(|Subcommand { name, about, group, .. }| Row { name, about, group: *group });
        let mut rows: Vec<Row> = Vec::new();
        for row in own.chain(self.elsewhere.lines().filter_map(Row::from_line)) {
            if rows.iter().all(|known| known.name != row.name) {
                rows.push(row);
            }
        }
        let place = |row: &Row| Group::ALL.iter().position(|(group, _)| *group == row.group);
        rows.sort_by_key(place);
        rows
    }

    /// The subcommands as a table, for a program that does not compile them.
    pub fn table(&self) -> String {
        let line = |Row { name, about, group }: Row| format!("{name}\t{}\t{about}\n", group.heading());
        self.rows().into_iter().map(line).collect()
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
        session.written_types = self.written_types;
        session.pages = self.pages;
        let exit = self.dispatch(catalogue, arguments.into_iter().map(Into::into).collect(), session);
        session.close(exit)
    }

    fn dispatch(&self, catalogue: Option<&Catalogue>, mut arguments: Vec<OsString>, session: &mut Session<'_>) -> Exit {
        // `import` and `new` have an option of this name with a value.
        if matches!(&*arguments, [name, version] if version == "--version" && self.rows().iter().any(|row| name == row.name))
        {
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
                    ErrorKind::InvalidSubcommand if let Some(package) = self.of_package(&error, session) => {
                        session.diagnostic(&package);
                        Exit::Unusable
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
        session.charts = chart_options(matches, session.charts.helm.take());
        let outcome = match (self.implementation(name).map(|subcommand| subcommand.run), catalogue) {
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

    /// The error for a subcommand that the `xtask` of the workspace lists: another package has it.
    fn of_package(&self, error: &clap::Error, session: &Session<'_>) -> Option<Diagnostic> {
        let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
        let root = root::locate(None, session).ok().filter(|_| self.program == Program::CrdChannels)?;
        let is_listed =
            source::program(&root).ok()?.iter().any(|(_, text)| text.contains(&format!("name: \"{name}\"")));
        let message = format!("`{name}` is a subcommand of another package of this workspace");
        let error = Diagnostic::error("usage::generator-only", message).help(format!("run `cargo xtask {name}`"));
        is_listed.then_some(error)
    }

    /// The help with the subcommands in groups, as a template of clap.
    fn help(&self, packages: &[SubcommandPackage]) -> String {
        let rows = self.rows();
        let names = rows.iter().map(|row| row.name).chain(packages.iter().map(|package| package.name)).chain([HELP.0]);
        let width = names.map(str::len).max().unwrap_or_default();
        let mut text = format!("{{about}}\n\n{HEADING}Usage:{HEADING:#} {{usage}}\n\n");
        let mut section = |heading: &str, rows: Vec<(&str, &str)>| {
            if !rows.is_empty() {
                text.push_str(&format!("{HEADING}{heading}:{HEADING:#}\n"));
                let line = |(name, about)| format!("  {NAME}{name:width$}{NAME:#}  {about}\n");
                text.extend(rows.into_iter().map(line));
                text.push('\n');
            }
        };
        for (group, heading) in Group::ALL {
            let rows = rows.iter().filter(|row| row.group == group).map(|row| (row.name, row.about));
            let help = (group == Group::Reference).then_some(HELP);
            section(heading, rows.chain(help).collect());
        }
        section("Programs of this workspace", packages.iter().map(|package| (package.name, package.about)).collect());
        text.push_str(&format!("{HEADING}Options of every subcommand:{HEADING:#}\n{{options}}{{after-help}}"));
        text
    }

    /// Its arguments and its help.
    fn command(&self, packages: &[SubcommandPackage]) -> Command {
        Command::new("crd-channels")
            .bin_name(self.program.call())
            .no_binary_name(true)
            .version(env!("CARGO_PKG_VERSION"))
            .propagate_version(true)
            .about(ABOUT)
            .args(global_options::arguments())
            .subcommand_required(true)
            .arg_required_else_help(true)
            .after_help(exit_codes(&Exit::ALL))
            .help_template(self.help(packages))
            .subcommands(self.rows().into_iter().map(|row| {
                let command = Command::new(row.name).about(row.about);
                match self.implementation(row.name) {
                    Some(subcommand) => (subcommand.arguments)(command, self.program),
                    None => command,
                }
            }))
            .subcommands(packages.iter().map(|package| Command::new(package.name).about(package.about)))
    }
}
