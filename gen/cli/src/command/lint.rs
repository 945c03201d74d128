//! `lint`: the conventions of Kubernetes APIs, checked on what is new.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, Command, value_parser};
use crd_bundle::Release;
use crd_bundle::published::choice::Chosen;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::wrapped;
use crd_diagnostics::style::NAME;
use crd_generate::Catalogue;
use crd_generator::command::generated_page::{self, CHECK, PAGE};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_lint::{Convention, RULES, not_a_convention};
use crd_review::assembly::Unstamped;
use crd_review::history::declared;
use crd_review::{Baseline, baseline};

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    CrdArguments, Format, after_help, channel_argument, chart_arguments, choice_arguments, flag, format, option,
    positional, root_argument, value, values,
};
use crate::ledger;
use crate::linting::baseline::of_gate;
use crate::linting::{Lint, Linted, lint_format_argument, print};
use crate::source::{bundle, open};
use crate::types::Types;
use crate::validation::Against;
use crate::workspace::Workspace;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "lint",
    about: "Report where new API breaks the conventions of Kubernetes",
    group: Group::Crds,
    arguments,
    run: Run::WithDefaults(run),
};

const PATHS: &str = "paths";
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
            ("lint config/crd --against git:v1.2.0:config/crd", "CRDs of any project, since a commit"),
            ("lint --bundle v1.7.0 --against v1.6.0", "two bundles of the history"),
            ("lint config/crd --rule no-floats --all", "one convention, also what the last release has"),
            ("lint --list", "all conventions"),
        ],
    };
    let bundle = |name, value, help| option(name, value, help).value_parser(value_parser!(OsString));
    command
        .long_about(
            "Report where APIs break the conventions of Kubernetes: names, bounds and types that a server accepts but that users regret. Only what is new \
             since the baseline is reported. The baseline of types is that of `check`, and that of CRDs on disk is that of `gate`; without a baseline, everything is new.\n\n\
             What standard has is an error, and what only experimental has is a warning, because it may still change. `conventions` in `crd-channels.yaml` sets the \
             level of each convention, and lists accepted findings with a reason. In Rust, `+lint:allow=RULE,reason=\"…\"` accepts those of an element.\n\n\
             Exits with 1 for errors.",
        )
        .arg(
            positional(PATHS, "PATH", "CRDs, as with `--crds`")
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .conflicts_with_all([CRDS, BUNDLE]),
        )
        .arg(bundle(CRDS, "CRDS", "A file, folder or `git:REF:PATH` with CRDs; may be repeated").action(ArgAction::Append))
        .arg(bundle(BUNDLE, "BUNDLE", "A bundle, such as a version in `bundles/`").conflicts_with(CRDS))
        .arg(bundle(AGAINST, "BUNDLE", "The baseline: a version in `bundles/`, a folder, a file, an archive, or `git:REF:PATH`"))
        .arg(option(RULE, "NAME", "Check one convention only"))
        .arg(flag(ALL, "Report what the baseline has too, as notes"))
        .arg(flag(LIST, "List all conventions"))
        .args(choice_arguments())
        .args(chart_arguments())
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(root_argument())
        .arg(lint_format_argument())
        .args(generated_page::arguments())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], examples))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    if let Some(path) = &request.page {
        return generated_page::write("lint", path, &crd_lint::page(), request.is_check, session);
    }
    if request.is_list {
        for rule in RULES {
            session.print(format_args!("{NAME}{}{NAME:#}\n{}", rule.name, wrapped(rule.summary, 4, session.width)));
        }
        return Ok(Exit::Fine);
    }
    Ok(print(lint(catalogue, &request, session), request.format, request.is_all, session))
}

/// What is checked, by which convention, and what is listed.
struct Request {
    crds: CrdArguments,
    against: Option<OsString>,
    rule: Option<String>,
    page: Option<PathBuf>,
    is_check: bool,
    is_list: bool,
    is_all: bool,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let mut crds = CrdArguments::from(matches);
        crds.files.extend(values::<OsString>(matches, PATHS));
        Self {
            crds,
            against: value(matches, AGAINST),
            rule: value(matches, RULE),
            page: value(matches, PAGE),
            is_check: matches.get_flag(CHECK),
            is_list: matches.get_flag(LIST),
            is_all: matches.get_flag(ALL),
            format: format(matches),
        }
    }
}

fn lint(catalogue: Option<&Catalogue>, request: &Request, session: &Session<'_>) -> Result<Linted, Vec<Diagnostic>> {
    let (arguments, only) = (&request.crds, request.rule.as_deref());
    if let Some(unknown) = only.filter(|name| Convention::named(name).is_none()) {
        return Err(not_a_convention(unknown).into());
    }
    let explicit_root = arguments.root.as_deref();
    let choice = &arguments.choice;
    let named = Against::named(arguments, catalogue, session)?;
    let candidate = match &named {
        Against::Types(catalogue) => return of_types(catalogue, request, session),
        Against::Bundle(name, _) => read(name, arguments, session),
        Against::Files(files) => bundle(files, unstamped(arguments), choice, session),
    };
    let against = match (&request.against, &named) {
        (Some(name), _) => read(name, arguments, session).and_then(|bundle| Ok(Ok(bundle))),
        (None, Against::Files(files)) => of_gate(files, unstamped(arguments), choice, session),
        (None, _) => Chosen::from(Ok::<_, Diagnostic>(Err("`--against` names none".to_owned()))),
    };
    let (candidate, against) = choice.all_used(candidate.and(against))?;
    let settings = Project::read(catalogue, explicit_root, session)?.settings.conventions;
    let moved = declared(ledger::if_any(explicit_root, session)?.entries()).moved;
    let baseline = against.as_ref().ok();
    let lint = Lint { settings: &settings, candidate: &candidate, resources: &[], baseline, moved: &moved, only };
    Ok(Linted { findings: lint.diagnostics()?, baseline: against.map(|against| against.name) })
}

fn unstamped(arguments: &CrdArguments) -> Unstamped {
    arguments.channel.map_or(Unstamped::Standard, Unstamped::Of)
}

fn read(name: &OsStr, arguments: &CrdArguments, session: &Session<'_>) -> Chosen<Release> {
    let root = Chosen::from(root::if_any(arguments.root.as_deref(), session));
    root.then(|root| open(name, unstamped(arguments), &arguments.choice, root.as_deref(), session))
}

/// The types, compared with the baseline of `check`, or with a release of the history or a bundle that the user names.
fn of_types(catalogue: &Catalogue, request: &Request, session: &Session<'_>) -> Result<Linted, Vec<Diagnostic>> {
    let root = root::locate(request.crds.root.as_deref(), session)?;
    let version = catalogue.next_version();
    let workspace = Workspace::read(Types::read(catalogue, version, session), &root, None, session)?;
    let history = &workspace.history;
    let release =
        |version| history.releases.all().find(|(known, _)| *known == version).map(|(_, release)| release.clone());
    let against = match &request.against {
        None => baseline::chosen(version, Baseline::Highest, false, history)?.and_then(release),
        Some(name) => match name.to_str().and_then(|name| release(name.parse().ok()?)) {
            Some(release) => Some(release),
            None => Some(request.crds.choice.all_used(read(name, &request.crds, session))?),
        },
    };
    session.begin("checking the conventions");
    Ok(Linted {
        findings: workspace.lint(against.as_ref(), request.rule.as_deref())?,
        baseline: against.map(|against| against.name).ok_or_else(|| "this is the first release".to_owned()),
    })
}
