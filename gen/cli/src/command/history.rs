//! `history`: each release of a project, compared with the release before it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_diagnostics::layout::for_shell;
use crd_diagnostics::{Diagnostic, fail_on, json};
use crd_review::assembly::Unstamped;
use crd_review::releases::{MARK, Page, Project, document, index, page, render};

use super::generated_page::{CHECK, Pages};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    after_help, bundle_choice, channel, channel_argument, choice, choice_arguments, flag, profile_argument,
    requested_profile,
};
use crate::exit::Exit;
use crate::program::Program;
use crate::releases::project;
use crate::session::Session;
use crate::source::all_used;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "history", arguments, run: Run::WithoutTypes(run) };

const PROJECTS: &str = "projects";
const FORMAT: &str = "format";
const OUT: &str = "out";

fn arguments(command: Command, program: Program) -> Command {
    let formats = [
        ("text", "for reading"),
        ("json", "for programs; its schema is gen/cli/schemas/history.json"),
        ("markdown", "a page for each project, and an index"),
    ];
    command
        .long_about(
            "Compare each release of a project with the one before it: the bump between the two version numbers, the bump that the \
             changes require, and an object that is refused for each change that the version does not permit.\n\n\
             DIR contains a folder for each release, such as `DIR/v1.2.3`, with its CRDs as YAML or JSON, or with the folders \
             `standard` and `experimental`. Its name is the name of the project. Releases are ordered as semantic versions, and \
             pre-releases are left out. A release that cannot be read is listed with its errors, and the command exits with 2.",
        )
        .arg(
            Arg::new(PROJECTS)
                .value_name("DIR")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(OsString))
                .help("The folders of projects"),
        )
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(profile_argument("The profile of the policy"))
        .args(choice_arguments())
        .arg(choice(FORMAT, "FORMAT", "text", "How the releases are printed", formats))
        .arg(Arg::new(OUT).long(OUT).value_name("PATH").value_parser(value_parser!(PathBuf)).help(
            "Write to this file; with `--format markdown`, to pages in this folder, unless the name ends with `.md`",
        ))
        .arg(flag(CHECK, "Write nothing; exit with 3 if a file is out of date").requires(OUT))
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable, Exit::Stale], &[
            ("history releases/widgets", "the folders `releases/widgets/v1.0.0`, `releases/widgets/v1.1.0`, …"),
            ("history bundles --format json", "the bundles of this workspace"),
            ("history releases/* --format markdown --out docs/compatibility", "a page for each project"),
        ]))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let (mut projects, mut errors, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    let unstamped = channel(matches).map_or(Unstamped::StandardIfAll, Unstamped::Of);
    let choice = bundle_choice(matches);
    for argument in matches.get_many::<OsString>(PROJECTS).into_iter().flatten() {
        match project(argument, unstamped, requested_profile(matches), &choice, session) {
            Ok(project) if !names.insert(project.name.clone()) => errors.push(twice(&project.name)),
            Ok(project) => projects.push(project),
            Err(more) => errors.extend(more),
        }
    }
    let projects = all_used(fail_on(errors).map(|()| projects), &choice)?;
    let exit = print(&projects, matches, session)?;
    let unread = projects.iter().flat_map(Project::errors).cloned().collect::<Vec<_>>();
    if unread.is_empty() {
        return Ok(exit);
    }
    session.diagnostics(&unread);
    Ok(Exit::Unusable)
}

fn twice(name: &str) -> Diagnostic {
    Diagnostic::error("history::twice", format!("two folders have the name `{name}`"))
        .help("the name is that of the project; rename one of the folders")
}

/// Prints the projects, or writes them.
fn print(projects: &[Project], matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let pages = || match projects {
        [only] => vec![page(only)],
        several => std::iter::once(index(several)).chain(several.iter().map(page)).collect::<Vec<Page>>(),
    };
    let joined = || pages().into_iter().map(|page| page.text).collect::<Vec<_>>().join("\n");
    let out = matches.get_one::<PathBuf>(OUT);
    let format = matches.get_one::<String>(FORMAT).map(String::as_str);
    let is_folder = out.is_some_and(|out| out.extension().is_none_or(|extension| extension != "md"));
    let text = match format {
        Some("markdown") if is_folder => None,
        Some("markdown") => Some(joined()),
        Some("json") => Some(json::line(&document(projects))),
        _ if out.is_some() => Some(format!("{MARK}.\n\n{}", render(projects, session.width))),
        _ => Some(render(projects, session.width)),
    };
    let Some(out) = out else {
        session.print(text.unwrap_or_default());
        return Ok(Exit::Fine);
    };
    let (folder, pages) = match text {
        Some(text) => (None, vec![(out.clone(), anstream::adapter::strip_str(&text).to_string())]),
        None => {
            let all = std::iter::once(index(projects)).chain(projects.iter().map(page));
            (Some(out.clone()), all.map(|page| (out.join(page.file), page.text)).collect())
        }
    };
    let call = format!("{} history", session.program.call());
    let folders = matches.get_many::<OsString>(PROJECTS).into_iter().flatten();
    let folders = folders.map(|folder| format!(" {}", for_shell(Path::new(folder)))).collect::<String>();
    let again = format!("{call}{folders} --format {} --out {}", format.unwrap_or("text"), for_shell(out));
    Pages { pages, folder, mark: MARK.to_owned(), command: call, again }.write(matches.get_flag(CHECK), session)
}
