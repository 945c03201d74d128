//! `gate`: the CRDs of a path compared with those of an earlier commit, for hooks and CI.

use std::ffi::OsString;

use clap::{ArgMatches, Command, value_parser};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_review::report::Report;

use super::diff::{compare, options, print, unstamped};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{after_help, bundle_choice, explicit_root, option, positional};
use crate::base::{Base, Sides};
use crate::exit::Exit;
use crate::program::Program;
use crate::session::Session;
use crate::settings::Project;
use crate::source::all_used;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "gate", arguments, run: Run::WithDefaults(run) };

const PATH: &str = "path";
const BASE: &str = "base";
const OLD_PATH: &str = "old-path";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Compare the CRDs of a path with those of an earlier commit, as `diff git:BASE:PATH PATH` does. Exits with 1 if the changes are not \
             permitted: without `--fail-on`, `--expect` and `gate` in `crd-channels.yaml`, the versions in the CRDs decide, or `--fail-on \
             major` if they have none.\n\n\
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
    let project = Project::read(catalogue, explicit_root(matches), session)?;
    let value = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    // clap requires the path.
    let path = matches.get_one::<OsString>(PATH).and_then(|path| path.to_str()).filter(|path| !path.is_empty());
    let path =
        path.ok_or_else(|| Diagnostic::error("usage::missing", "the path of the CRDs is empty, or not UTF-8"))?;
    let choice = bundle_choice(matches);
    let from = session.working_folder();
    let base = Base::choose(value(BASE), path, from)?;
    session.begin(format_args!("reading `{path}` and its base"));
    let sides = base.sides(path, value(OLD_PATH), unstamped(&project, matches), &choice, from);
    let Sides { old, new, mut notes } = all_used(sides, &choice)?;
    let mut report = compare(&project, (old, new), None, matches, session)?;
    notes.append(&mut report.notes);
    Ok(Report { notes, ..report })
}
