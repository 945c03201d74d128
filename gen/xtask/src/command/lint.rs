//! `lint`: the conventions of Kubernetes APIs, checked on what is new.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_bundle::Release;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::NAME;
use crd_generate::Catalogue;
use crd_lint::{Convention, RULES};
use crd_review::assembly::Unstamped;
use crd_review::history::declared;
use crd_review::{Baseline, baseline};

use super::generated_page::{self, CHECK, PAGE};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    after_help, bundle_choice, channel, channel_argument, choice_arguments, explicit_root, flag, option, root_argument,
};
use crate::exit::Exit;
use crate::linting::{Lint, Linted, lint_format, lint_format_argument, not_a_convention, print};
use crate::program::Program;
use crate::session::Session;
use crate::settings::Project;
use crate::source::{all_used, bundle, open};
use crate::types::Types;
use crate::validation::Against;
use crate::workspace::Workspace;
use crate::{ledger, root};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "lint", arguments, run: Run::WithDefaults(run) };

const CRDS: &str = "crds";
const BUNDLE: &str = "bundle";
const AGAINST: &str = "against";
const RULE: &str = "rule";
const ALL: &str = "all";
const LIST: &str = "list";

fn arguments(command: Command, program: Program) -> Command {
    let examples: &[(&str, &str)] = match program {
        Program::Xtask => &[
            ("lint", "the types, since the last release"),
            ("lint --against v1.5.0 --all", "since another release, with what it has too"),
            ("lint --rule no-floats", "one convention"),
            ("lint --list", "all conventions"),
        ],
        Program::CrdChannels => &[
            ("lint --crds config/crd --against git:v1.2.0:config/crd", "CRDs of any project, since a commit"),
            ("lint --bundle v1.7.0 --against v1.6.0", "two bundles of the history"),
            ("lint --crds config/crd --rule no-floats", "one convention, without a baseline"),
            ("lint --list", "all conventions"),
        ],
    };
    let bundle = |name, value, help| option(name, value, help).value_parser(value_parser!(OsString));
    command
        .long_about(
            "Report where APIs break the conventions of Kubernetes: names, bounds and types that a server accepts and that users suffer from. Only what is new \
             since the baseline is reported. The baseline of types is that of `check`; without a baseline, everything is new.\n\n\
             What standard has is an error, and what only experimental has is a warning, because it may still change. `conventions` in `crd-channels.yaml` sets the \
             level of each convention, and lists accepted findings with a reason. In Rust, `+lint:allow=RULE,reason=\"…\"` accepts those of an element.\n\n\
             Exits with 1 for errors.",
        )
        .arg(bundle(CRDS, "CRDS", "A file, folder or `git:REF:PATH` with CRDs; may be repeated").action(ArgAction::Append))
        .arg(bundle(BUNDLE, "BUNDLE", "A bundle, such as a version in `bundles/`").conflicts_with(CRDS))
        .arg(bundle(AGAINST, "BUNDLE", "The baseline: a version in `bundles/`, a folder, a file, an archive, or `git:REF:PATH`"))
        .arg(option(RULE, "NAME", "Check one convention only"))
        .arg(flag(ALL, "Report what the baseline has too, as notes"))
        .arg(flag(LIST, "List all conventions"))
        .args(choice_arguments())
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(root_argument())
        .arg(lint_format_argument())
        .args(generated_page::arguments())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], examples))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    if let Some(path) = matches.get_one::<PathBuf>(PAGE) {
        return generated_page::write("lint", path, &crd_lint::page(), matches.get_flag(CHECK), session);
    }
    if matches.get_flag(LIST) {
        for rule in RULES {
            session.print(format_args!("{NAME}{}{NAME:#}\n{}", rule.name, wrapped(rule.summary, 4, session.width)));
        }
        return Ok(Exit::Fine);
    }
    let linted = lint(catalogue, matches, session);
    Ok(print(linted, lint_format(matches), matches.get_flag(ALL), session))
}

fn lint(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &Session<'_>) -> Result<Linted, Vec<Diagnostic>> {
    let only = matches.get_one::<String>(RULE).map(String::as_str);
    if let Some(unknown) = only.filter(|name| Convention::named(name).is_none()) {
        return Err(not_a_convention(unknown).into());
    }
    let explicit_root = explicit_root(matches);
    let choice = bundle_choice(matches);
    let crds = matches.get_many::<OsString>(CRDS).into_iter().flatten().cloned().collect();
    let candidate = match Against::named(matches.get_one(BUNDLE), explicit_root, crds, catalogue, session)? {
        Against::Types(catalogue) => return of_types(&catalogue, only, matches, session),
        Against::Bundle(name, _) => read(name, matches, session),
        Against::Files(files) => bundle(&files, unstamped(matches), &choice, session).map(|(bundle, _)| bundle),
    };
    let candidate = all_used(candidate, &choice)?;
    let against = matches.get_one::<OsString>(AGAINST).map(|name| read(name, matches, session)).transpose()?;
    let settings = Project::read(catalogue, explicit_root, session)?.settings.conventions;
    let moved = declared(ledger::if_any(explicit_root, session)?.entries()).moved;
    let baseline = against.as_ref();
    let lint = Lint { settings: &settings, candidate: &candidate, resources: &[], baseline, moved: &moved, only };
    Ok(Linted { findings: lint.diagnostics()?, baseline: against.map(|against| against.name) })
}

fn unstamped(matches: &ArgMatches) -> Unstamped {
    channel(matches).map_or(Unstamped::Standard, Unstamped::Of)
}

fn read(name: &OsStr, matches: &ArgMatches, session: &Session<'_>) -> Result<Release, Vec<Diagnostic>> {
    let root = root::if_any(explicit_root(matches), session)?;
    open(name, unstamped(matches), &bundle_choice(matches), root.as_deref(), session)
}

/// The types, compared with the baseline of `check`, or with a release of the history or a bundle that the user names.
fn of_types(
    catalogue: &Catalogue,
    only: Option<&str>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Linted, Vec<Diagnostic>> {
    let root = root::locate(explicit_root(matches), session)?;
    let version = catalogue.next_version();
    let workspace = Workspace::read(Types::read(catalogue, version, session), &root, None, session)?;
    let history = &workspace.history;
    let release =
        |version| history.releases.all().find(|(known, _)| *known == version).map(|(_, release)| release.clone());
    let against = match matches.get_one::<OsString>(AGAINST) {
        None => baseline::chosen(version, Baseline::Highest, false, history)?.and_then(release),
        Some(name) => match name.to_str().and_then(|name| release(name.parse().ok()?)) {
            Some(release) => Some(release),
            None => Some(read(name, matches, session)?),
        },
    };
    session.begin("checking the conventions");
    Ok(Linted { findings: workspace.lint(against.as_ref(), only)?, baseline: against.map(|against| against.name) })
}
