//! `history`: each release of a project, compared with the release before it; or all of them as history archive.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command, value_parser};
use crd_diagnostics::layout::for_shell;
use crd_diagnostics::{Diagnostic, Severity, both, fail_on, json};
use crd_review::assembly::Unstamped;
use crd_review::releases::{MARK, Page, Project, document, index, page, render};

use super::generated_page::{CHECK, Pages};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    after_help, bundle_choice, channel, channel_argument, choice, choice_arguments, flag, option, positional,
    profile_argument, requested_profile,
};
use crate::exit::Exit;
use crate::history_archive;
use crate::program::Program;
use crate::releases::{self, project};
use crate::session::Session;
use crate::source::all_used;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "history", arguments, run: Run::WithoutTypes(run) };

const PROJECTS: &str = "projects";
const FORMAT: &str = "format";
const ARCHIVE: &str = "archive";
const OUT: &str = "out";
const DATES: &str = "dates";

fn arguments(command: Command, program: Program) -> Command {
    let formats = [
        ("text", "for reading"),
        ("json", "for programs; its schema is gen/cli/schemas/history.json"),
        ("markdown", "a page for each project, and an index"),
        (ARCHIVE, "nothing is compared: the releases as history archive, for `bundles/history.tar.xz`"),
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
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(profile_argument("The profile of the policy"))
        .args(choice_arguments())
        .arg(choice(FORMAT, "FORMAT", "text", "How the releases are printed", formats))
        .arg(
            option(OUT, "PATH", "Write to this file; with `--format markdown`, to pages in this folder, unless the name ends with `.md`")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(DATES, "FILE", "For `--format archive`: the release dates, a version and a date in each line")
                .value_parser(value_parser!(PathBuf))
                .requires(OUT),
        )
        .arg(flag(CHECK, "Write nothing; exit with 3 if a file is out of date").requires(OUT))
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable, Exit::Stale], &[
            ("history releases/widgets", "the folders `releases/widgets/v1.0.0`, `releases/widgets/v1.1.0`, …"),
            ("history bundles --format json", "the bundles of this workspace"),
            ("history releases/* --format markdown --out docs/evidence/compatibility", "a page for each project"),
            ("history widgets --format archive --dates dates.tsv --out old.tar.xz", "a history archive"),
        ]))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    if matches.get_one::<String>(FORMAT).is_some_and(|format| format == ARCHIVE) {
        return archive(matches, session);
    }
    if matches.contains_id(DATES) {
        let message = "`--dates` is for `--format archive` only";
        return Err(Diagnostic::error("usage::conflict", message).help("leave it out").into());
    }
    let (mut projects, mut errors, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    let unstamped = channel(matches).map_or(Unstamped::Standard, Unstamped::Of);
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
    let found = projects.iter().flat_map(Project::diagnostics).cloned().collect::<Vec<_>>();
    session.diagnostics(&found);
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    Ok(if found.iter().any(is_error) { Exit::Unusable } else { exit })
}

/// Writes the releases of one project as history archive.
fn archive(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let mut folders = matches.get_many::<OsString>(PROJECTS).into_iter().flatten();
    let (Some(folder), None) = (folders.next(), folders.next()) else {
        let error = Diagnostic::error("usage::conflict", "a history archive has the releases of one project");
        return Err(error.help("name one folder or archive").into());
    };
    let (Some(dates), Some(out)) = (matches.get_one::<PathBuf>(DATES), matches.get_one::<PathBuf>(OUT)) else {
        let error = Diagnostic::error("usage::missing", "`--format archive` requires `--dates` and `--out`");
        return Err(error.help("pass `--dates FILE --out bundles/history.tar.xz`").into());
    };
    let unstamped = channel(matches).map_or(Unstamped::Standard, Unstamped::Of);
    let choice = bundle_choice(matches);
    let read = all_used(releases::read(folder, unstamped, &choice, session), &choice);
    let known = history_archive::dates(&session.folder.join(dates));
    let (read, known) = both(read, known)?;
    let (archive, left_out) = history_archive::of_releases(read, &known, dates)?;
    for left_out in left_out {
        session.note(format_args!("`{}` is left out: {}", left_out.name, left_out.reason));
    }
    let again = format!(
        "{} history {} --format archive --dates {} --out {}",
        session.program.call(),
        for_shell(Path::new(folder)),
        for_shell(dates),
        for_shell(out)
    );
    history_archive::write(&archive, out, &again, matches.get_flag(CHECK), session)
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
