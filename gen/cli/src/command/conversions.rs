//! `conversions`: the lenses of a project in words and in examples, as text, JSON or the reference page.
//!
//! Invariants: all facts come from the document with the lenses. Examples are converted by their lenses.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_convert::{Code, Document, Lens, Removed};
use crd_diagnostics::json;
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::{FAINT, HEADING, NAME};
use crd_generate::Catalogue;
use crd_generator::command::generated_page::{self, CHECK, PAGE};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_release::conversions::{page, yaml};
use serde_json::Value;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{Format, after_help, format, format_argument, named_root, option, root_argument, value};
use crate::conversion::chosen;
use crate::conversion::listed::Conversions;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "conversions",
    about: "List how older objects become current, in words and in examples",
    group: Group::Objects,
    arguments,
    run: Run::WithDefaults(run),
};

/// The option for the lenses, of `convert` too.
/// The file with the lenses.
pub const CONVERSIONS: &str = "conversions";

pub fn conversions_argument() -> Arg {
    option(CONVERSIONS, "FILE", "The lenses: `conversions.json`, or a folder or archive of a bundle that contains it [default: those of the types, or of the workspace]")
        .value_parser(value_parser!(OsString))
}

fn arguments(command: Command, program: Program) -> Command {
    command
        .arg(conversions_argument())
        .arg(format_argument())
        .args(generated_page::arguments())
        .arg(root_argument())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("conversions", "each lens in words and in an example"),
                ("conversions --conversions bundles/v1.7.0", "those of a released bundle"),
                ("conversions --page CONVERSIONS.md", "the reference page"),
            ],
        ))
}

/// Which lenses are listed, and where.
struct Request {
    conversions: Option<OsString>,
    page: Option<PathBuf>,
    is_check: bool,
    root: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            conversions: value(matches, CONVERSIONS),
            page: value(matches, PAGE),
            is_check: matches.get_flag(CHECK),
            root: named_root(matches),
            format: format(matches),
        }
    }
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let root = request.root.as_deref();
    let project = Project::read(catalogue, root, session)?;
    let catalogue = project.catalogue.as_ref();
    let functions = catalogue.map_or(&[][..], Catalogue::lens_functions);
    let (document, _) = chosen(catalogue, request.conversions.as_ref(), root, session)?;
    if let Some(path) = &request.page {
        return generated_page::write(CONVERSIONS, path, &page(&document, functions), request.is_check, session);
    }
    match request.format {
        Format::Json => {
            session.print(json::line(&Conversions::new(&document, functions)));
        }
        _ => {
            for lens in &document.lenses {
                session.print(text(&document, lens, functions, session.width));
            }
            if document.lenses.is_empty() {
                session.print("no lenses\n");
            }
            if !document.removed.is_empty() {
                session.print(format_args!("{HEADING}Without a conversion{HEADING:#}\n\n"));
            }
            for removed in &document.removed {
                let Removed { kind, since, reason, .. } = removed;
                session.print(format_args!("{NAME}{since} {kind}{NAME:#}  {}\n", removed.name()));
                session.print(wrapped(reason, 4, session.width));
            }
        }
    }
    Ok(Exit::Fine)
}

fn text(document: &Document, lens: &Lens, functions: &[Code], width: usize) -> String {
    let mut text = format!("{NAME}{} {}{NAME:#}  {FAINT}{}{FAINT:#}\n", lens.since, lens.kind, lens.name);
    for (title, words) in [("", lens.words()), ("lost: ", lens.loses()), ("kept: ", lens.keeps())] {
        words.iter().for_each(|words| text.push_str(&wrapped(&format!("{title}{words}"), 4, width)));
    }
    let mut form = |title: &str, object: &Value| {
        text.push_str(&format!("    {FAINT}{title}{FAINT:#}\n"));
        yaml(object).lines().for_each(|line| text.push_str(&format!("      {line}\n")));
    };
    if let Some(example) = document.example(lens, functions) {
        form("old", &example.old);
        form("new", &example.new);
        if example.back != example.old {
            form("back", &example.back);
        }
    }
    text.push('\n');
    text
}
