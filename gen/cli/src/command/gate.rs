//! `gate`: the CRDs of a path compared with those of an earlier commit, for hooks and CI.

use std::ffi::OsString;

use clap::{ArgMatches, Command, value_parser};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::{FILE_NAME, Settings};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_review::report::Report;

use super::diff::{Options, compare, options};
use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{TAGS, after_help, option, positional, tags_argument, value};
use crate::base::{Base, Sides};
use crate::source::sides;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "gate",
    about: "Compare the CRDs of a path with those of an earlier commit",
    group: Group::Crds,
    arguments,
    run: Run::WithDefaults(run),
};

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
             Without `--base`, the base is the newest stable release before HEAD among the tags such as `v1.2.3` (`--tags` chooses the tags): in its \
             history, or on a branch that left its history. Pre-releases never count. Without such a tag it is HEAD, which is an error in a \
             shallow clone, with `--tags`, or with an empty `--base`, if nothing has changed. A base that the clone lacks is fetched from `origin`. A base of zeros is that of the first push of a \
             branch: the CRDs are read, and not compared.",
        )
        .arg(
            positional(PATH, "PATH", "The folder or file with CRDs, relative to the current folder")
                .required(true)
                .value_parser(value_parser!(OsString)),
        )
        .arg(option(BASE, "REF", "The commit to compare with"))
        .arg(tags_argument("The tags that are releases, instead of those such as `v1.2.3`").conflicts_with(BASE))
        .arg(
            option(OLD_PATH, "PATH", "Where the base has CRDs that were moved to PATH, such as before a folder was renamed"),
        )
        .args(options())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("gate config/crd", "what changed since the newest stable release"),
            ("gate config/crd --tags 'operator-v*'", "in a repository with several products"),
            ("gate config/crd --base origin/main", "what changed since the branch `main`"),
            ("gate crds --base main --old-path config/crd", "after `config/crd` was renamed"),
        ]))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    request.options.print(check(catalogue, &request, session), session)
}

/// What is compared with its base, and how.
struct Request {
    path: Option<OsString>,
    base: Option<String>,
    tags: Option<String>,
    old_path: Option<String>,
    options: Options,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            path: value(matches, PATH),
            base: value(matches, BASE),
            tags: value(matches, TAGS),
            old_path: value(matches, OLD_PATH),
            options: matches.into(),
        }
    }
}

fn check(
    catalogue: Option<&Catalogue>,
    Request { path, base, tags, old_path, options }: &Request,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let explicit_root = options.root.as_deref();
    let now = Project::read(catalogue, explicit_root, session)?;
    // clap requires the path.
    let path = path.as_ref().and_then(|path| path.to_str()).filter(|path| !path.is_empty());
    let path =
        path.ok_or_else(|| Diagnostic::error("usage::missing", "the path of the CRDs is empty, or not UTF-8"))?;
    let from = session.working_folder();
    let base = Base::choose(base.as_deref(), tags.as_deref(), path, from)?;
    session.begin(format_args!("reading `{path}` and its base"));
    let in_code = catalogue.is_some_and(|catalogue| !catalogue.prefix().is_empty());
    let of_base = match in_code {
        true => None,
        false => base.settings(explicit_root, session.start(), from)?,
    };
    let warnings = of_base.as_ref().and_then(|of_base| changed(of_base, &now, session));
    let project = match of_base {
        Some(settings) => now.with_settings(settings),
        None => now,
    };
    let open = |unstamped| base.sides(path, old_path.as_deref(), unstamped, &options.choice, from);
    let read = options.opened(&project, open, |sides| [&sides.old, &sides.new]);
    let Sides { old, new, mut notes } = options.choice.all_used(read)?;
    let mut report = compare(&project, sides((old, new))?, None, Some(&base), options, session)?;
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
