//! `gate`: the CRDs of a path compared with those of an earlier commit, for hooks and CI.

use std::ffi::OsString;

use clap::{ArgMatches, Command, value_parser};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::{FILE_NAME, Settings};
use crd_review::report::Report;

use super::diff::{compare, options, print, unstamped};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{after_help, bundle_choice, explicit_root, option, positional};
use crate::base::{Base, Sides};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;
use crate::settings::Project;
use crate::source::{all_used, sides};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "gate", arguments, run: Run::WithDefaults(run) };

const PATH: &str = "path";
const BASE: &str = "base";
const OLD_PATH: &str = "old-path";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Compare the CRDs of a path with those of an earlier commit, as `diff git:BASE:PATH PATH` does. Exits with 1 if the changes are not \
             permitted: without `--fail-on`, `--expect` and `gate` in `crd-channels.yaml`, the versions in the CRDs decide, or `--fail-on \
             major` if they have none. The settings are those of the base, and so are the channel of each CRD and the prefix of its stamps: \
             what the change itself sets counts for later changes.\n\n\
             CRDs that only the path on disk has are new. If only the base has them, all of them were removed. A path that both lack, a CRD that \
             was moved to PATH from elsewhere, and everything that cannot be read are errors, with exit code 2. So is a file that git does not \
             compare or no longer tracks, if it differs from what is committed.\n\n\
             Without `--base`, the base is the last tag before HEAD, or HEAD. If it is HEAD itself and nothing changed, a shallow clone and \
             an empty `--base` are errors. A base that the clone lacks is fetched from `origin`. A base of zeros is that of the first push of a \
             branch: the CRDs are read, and not compared.",
        )
        .arg(
            positional(PATH, "PATH", "The folder or file with CRDs, relative to the current folder")
                .required(true)
                .value_parser(value_parser!(OsString)),
        )
        .arg(option(BASE, "REF", "The commit to compare with"))
        .arg(
            option(OLD_PATH, "PATH", "Where the base has CRDs that were moved to PATH, such as before a folder was renamed"),
        )
        .args(options())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("gate config/crd", "what changed since the last tag"),
            ("gate config/crd --base origin/main", "what changed since the branch `main`"),
            ("gate crds --base main --old-path config/crd", "after `config/crd` was renamed"),
        ]))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    print(check(catalogue, matches, session), matches, session)
}

fn check(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let now = Project::read(catalogue, explicit_root(matches), session)?;
    let value = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    // clap requires the path.
    let path = matches.get_one::<OsString>(PATH).and_then(|path| path.to_str()).filter(|path| !path.is_empty());
    let path =
        path.ok_or_else(|| Diagnostic::error("usage::missing", "the path of the CRDs is empty, or not UTF-8"))?;
    let choice = bundle_choice(matches);
    let from = session.working_folder();
    let base = Base::choose(value(BASE), path, from)?;
    session.begin(format_args!("reading `{path}` and its base"));
    let in_code = catalogue.is_some_and(|catalogue| !catalogue.prefix().is_empty());
    let of_base = match in_code {
        true => None,
        false => base.settings(explicit_root(matches), session.start(), from)?,
    };
    let warnings = of_base.as_ref().and_then(|of_base| changed(of_base, &now, session));
    let project = match of_base {
        Some(settings) => now.with_settings(settings),
        None => now,
    };
    let read = base.sides(path, value(OLD_PATH), unstamped(&project, matches), &choice, from);
    let Sides { old, new, mut notes } = all_used(read, &choice)?;
    let mut report = compare(&project, sides((old, new))?, None, matches, session)?;
    notes.append(&mut report.notes);
    report.warnings.extend(warnings);
    Ok(Report { notes, ..report })
}

/// The warning about settings that the change itself sets, and that do not count for it.
fn changed(of_base: &Settings, now: &Project, session: &Session<'_>) -> Option<Diagnostic> {
    let settings = &now.settings;
    let keys = [
        ("gate", of_base.gate == settings.gate),
        ("profile", of_base.profile == settings.profile),
        ("prefix", of_base.prefix == settings.prefix),
        ("channels", of_base.channels == settings.channels),
        ("types", of_base.has_types() == settings.has_types()),
    ];
    let keys = keys.into_iter().filter(|(_, is_same)| !is_same).map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>();
    (!keys.is_empty()).then(|| {
        let message = format!("this change sets {}: the settings of the base count for it", keys.join(", "));
        Diagnostic::warning("git::settings", message)
            .at_file(now.in_root(FILE_NAME, session))
            .help("change settings in a commit of their own: they count for the changes after it")
    })
}
