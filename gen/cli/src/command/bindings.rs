//! `bindings`: what other languages and tools need of an API.
//!
//! Invariants: [`BINDINGS`] is the only list of the subcommands below it. Each makes a tree of files from CRDs or types.

mod go;
mod input;
mod openapi;
mod schemas;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::published::choice::Choice;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, json};
use crd_generate::Catalogue;
use crd_generator::command::generated_page::CHECK;
use crd_generator::exit::Exit;
use crd_generator::generated_tree::{GeneratedTree, TreeDocument};
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_model::document::SchemaVersion;
use serde::Serialize;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, after_help, bundle_choice, channel, channel_argument, choice_arguments, flag, format, format_argument,
    named_root, option, root_argument, value, values,
};
use input::{CRDS, Input, input};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "bindings",
    about: "Write a Go module, JSON schemas or OpenAPI documents",
    group: Group::Crds,
    arguments,
    run: Run::WithDefaults(run),
};

/// Compares files with the output directory.
type Compare = fn(&Input, &Request, PathBuf, &mut Session<'_>) -> Result<GeneratedTree, Vec<Diagnostic>>;

/// A subcommand of `bindings`.
struct Binding {
    name: &'static str,
    /// Its line in the help.
    about: &'static str,
    /// The text of its help.
    long_about: &'static str,
    /// The output directory without `--out`.
    folder: &'static str,
    arguments: fn(Command) -> Command,
    /// Its files, compared with the output directory.
    tree: Compare,
    /// Arguments and their purpose.
    examples: &'static [(&'static str, &'static str)],
}

/// Every subcommand, in the order of the help.
const BINDINGS: &[Binding] = &[go::BINDING, openapi::BINDING, schemas::BINDING];

const OUT: &str = "out";

fn arguments(command: Command, program: Program) -> Command {
    let exits = &[Exit::Fine, Exit::Unusable, Exit::Stale];
    let command = command
        .long_about("Write what other languages and tools need of an API, from the types or from published CRDs.")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(after_help(
            program,
            exits,
            &BINDINGS.iter().filter_map(|binding| binding.examples.first()).copied().collect::<Vec<_>>(),
        ));
    BINDINGS.iter().fold(command, |command, binding| {
        command.subcommand((binding.arguments)(
            Command::new(binding.name)
                .about(binding.about)
                .long_about(binding.long_about)
                .arg(
                    option(OUT, "DIR", "The output directory")
                        .default_value(binding.folder)
                        .value_parser(value_parser!(PathBuf)),
                )
                .arg(
                    option(CRDS, "FILE|DIR", "Published CRDs instead of the types")
                        .num_args(1..)
                        .value_parser(value_parser!(OsString)),
                )
                .arg(channel_argument("Only this channel; CRDs without a channel stamp belong to it"))
                .args(choice_arguments().map(|argument| argument.requires(CRDS)))
                .arg(flag(CHECK, "Write nothing; exit with 3 if a file is out of date"))
                .arg(format_argument())
                .arg(root_argument())
                .after_help(after_help(program, exits, binding.examples)),
        ))
    })
}

/// What bindings are made of, and where they are written.
struct Request {
    out: PathBuf,
    crds: Vec<OsString>,
    channel: Option<Channel>,
    choice: Choice,
    is_check: bool,
    format: Format,
    root: Option<PathBuf>,
    /// The path of the Go module.
    module: Option<String>,
    /// The file with names for Go.
    names: Option<PathBuf>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            out: value(matches, OUT).unwrap_or_default(),
            crds: values(matches, CRDS),
            channel: channel(matches),
            choice: bundle_choice(matches),
            is_check: matches.get_flag(CHECK),
            format: format(matches),
            root: named_root(matches),
            // Only one of the subcommands has them.
            module: matches.try_get_one(go::MODULE).ok().flatten().cloned(),
            names: matches.try_get_one(go::NAMES).ok().flatten().cloned(),
        }
    }
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    // clap accepts only subcommands of the list.
    let Some((name, matches)) = matches.subcommand() else { return Ok(Exit::Unusable) };
    let Some(binding) = BINDINGS.iter().find(|binding| binding.name == name) else { return Ok(Exit::Unusable) };
    let request = Request::from(matches);
    let input = input(catalogue, &request, session)?;
    let (is_check, out) = (request.is_check, &request.out);
    let folder = session.folder.join(out);
    let tree = (binding.tree)(&input, &request, folder.clone(), session)?;
    if !is_check {
        session.begin(format_args!("writing {}", out.display()));
        tree.write(&folder, session)?;
    }
    match request.format {
        Format::Json => session.print(json::line(&Bindings {
            schema_version: SchemaVersion,
            tree: tree.document(out.display().to_string(), is_check),
        })),
        _ => {
            let (files, changed, removed) = (tree.files, tree.changed.len(), tree.removed.len());
            let [written, gone] = if is_check { ["out of date", "to be removed"] } else { ["written", "removed"] };
            session.print(format_args!(
                "{}: {}, {changed} {written}, {removed} {gone}\n",
                out.display(),
                count(files, "file")
            ));
        }
    }
    if !is_check || !tree.has_changes() {
        return Ok(Exit::Fine);
    }
    let path = tree.changed.iter().map(|change| &change.name).chain(tree.removed.keys()).next();
    let error =
        crd_generator::file::error("bindings::stale", folder.join(path.map_or("", String::as_str)), "is out of date");
    session.diagnostic(&error.help("run the same command without `--check`"));
    Ok(Exit::Stale)
}

/// What `bindings` prints with `--format json`: one document, on one line. Exit code 3: with `--check`, a file is out of date.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Bindings<'b> {
    schema_version: SchemaVersion<1>,
    #[serde(flatten)]
    tree: TreeDocument<'b>,
}
