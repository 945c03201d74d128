//! `history`: each release of a project, compared with the release before it; or all of them as history archive.

mod archive;
mod request;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::published::choice::{Chosen, Used};
use crd_diagnostics::{Diagnostic, Severity, fail_on, json};
use crd_generator::command::generated_page::{CHECK, Pages};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_review::releases::{MARK, Page, Project, document, index, page, render};

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, after_help, channel_argument, chart_arguments, choice_arguments, flag, formats_argument, option,
    positional, profile_argument, tags_argument,
};
use crate::releases::project;
use request::Request;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "history",
    about: "Compare each release of a project with the one before it",
    group: Group::Crds,
    arguments,
    run: Run::WithoutTypes(run),
};

const PROJECTS: &str = "projects";
const OUT: &str = "out";
const DATES: &str = "dates";

fn arguments(command: Command, program: Program) -> Command {
    let formats = [
        (Format::Text, "for reading"),
        (Format::Json, "for programs; `schema history` prints its JSON schema"),
        (Format::Markdown, "a page for each project, and an index"),
        (Format::Archive, "nothing is compared: the releases as history archive, for `bundles/history.tar.xz`"),
    ];
    command
        .long_about(
            "Compare each release of a project with the one before it: the bump between the two version numbers, the bump that the \
             changes require, and an object that is refused for each change that the version does not permit.\n\n\
             DIR contains a folder for each release, such as `DIR/v1.2.3`, with its CRDs as YAML or JSON, or with the folders \
             `standard` and `experimental`, or an archive such as `DIR/v1.2.3.tar.gz`. Its name is the name of the project. DIR can also \
             be one archive with such folders, `git:REF:PATH`, `oci-layout:DIR`, or `oci://HOST/REPOSITORY` for all versions in a registry. Releases are ordered as semantic versions, and pre-releases are left out. A release that \
             cannot be read is listed with its errors, and the command exits with 2. So it does if servers refuse a CRD of the newest release; \
             what they refuse of older ones is a warning.\n\n\
             With `--format archive`, the releases are written as history archive: their structure without text, with the dates of the \
             file `--dates`. `check` then requires tombstones for the names that only past releases have. An archive is replaced only \
             if all its releases stay as they are.",
        )
        .arg(
            positional(PROJECTS, "DIR", "The folders of projects")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(OsString)),
        )
        .arg(tags_argument("Read the path DIR in each of these tags of its git repository, without checking them out"))
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(profile_argument("The profile of the policy"))
        .args(choice_arguments())
        .args(chart_arguments())
        .arg(formats_argument("How the releases are printed", &formats))
        .arg(
            option(OUT, "PATH", "Write to this file; with `--format markdown`, to pages in this folder, unless the name ends with `.md`")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(DATES, "FILE", "The dates of the releases, a version and a date in each line [default: `dates.tsv` in DIR, or those of the tags]")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag(CHECK, "Write nothing; exit with 3 if a file is out of date").requires(OUT))
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable, Exit::Stale], &[
            ("history config/crd --tags 'v*'", "all releases of a git repository"),
            ("history releases/widgets", "the folders `releases/widgets/v1.0.0`, `releases/widgets/v1.1.0`, …"),
            ("history bundles --format json", "the bundles of this workspace"),
            ("history releases/* --format markdown --out docs/evidence/compatibility", "a page for each project"),
            ("history widgets --format archive --dates dates.tsv --out old.tar.xz", "a history archive"),
        ]))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    if request.format == Format::Archive {
        return archive::archive(&request, session);
    }
    let dates = request.dates(session)?;
    let (mut projects, mut errors, mut names, mut used) = (Vec::new(), Vec::new(), BTreeSet::new(), Used::default());
    for argument in &request.projects {
        let read = project(request.source(argument), &dates, request.profile, session);
        used = used.or(read.used);
        match read.kept {
            Ok(project) if !names.insert(project.name.clone()) => errors.push(twice(&project.name)),
            Ok(project) => projects.push(project),
            Err(more) => errors.extend(more),
        }
    }
    let projects = request.choice.all_used(Chosen { kept: fail_on(errors).map(|()| projects), used })?;
    let exit = print(&projects, &request, session)?;
    let found = projects.iter().flat_map(Project::diagnostics).cloned().collect::<Vec<_>>();
    session.diagnostics(&found);
    Ok(if found.iter().any(|found| found.severity == Severity::Error) { Exit::Unusable } else { exit })
}

fn twice(name: &str) -> Diagnostic {
    Diagnostic::error("history::twice", format!("two folders have the name `{name}`"))
        .help("the name is that of the project; rename one of the folders")
}

/// Prints the projects, or writes them.
fn print(projects: &[Project], request: &Request, session: &mut Session<'_>) -> Outcome {
    let pages = || match projects {
        [only] => vec![page(only)],
        several => std::iter::once(index(several)).chain(several.iter().map(page)).collect::<Vec<Page>>(),
    };
    let joined = || pages().into_iter().map(|page| page.text).collect::<Vec<_>>().join("\n");
    let (out, format) = (request.out.as_ref(), request.format);
    let is_folder = out.is_some_and(|out| out.extension().is_none_or(|extension| extension != "md"));
    let text = match format {
        Format::Markdown if is_folder => None,
        Format::Markdown => Some(joined()),
        Format::Json => Some(json::line(&document(projects))),
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
    let (command, again) = (format!("{} history", session.program.call()), request.again(out, session));
    Pages { pages, folder, mark: MARK.to_owned(), command, again }.write(request.is_check, session)
}
