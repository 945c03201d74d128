//! `diff`: the changes between two bundles, and the version that they require.

mod comparison;
mod limit;
mod version_of;

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_bundle::BundleVersion;
use crd_generate::Catalogue;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    VERBOSE, after_help, bundle_choice, channel, channel_argument, choice_arguments, explicit_root, positional,
    profile_argument, root_argument, verbose_argument, witness_argument,
};
use crate::exit::Exit;
use crate::findings::{findings_format, findings_format_argument, print_diagnostics, print_report};
use crate::input::STANDARD_INPUT;
use crate::program::Program;
use crate::root;
use crate::session::Session;
use crate::settings::{Project, only_channel};
use crate::source::{all_used, open_both, sides};
pub(super) use comparison::compare;
use crd_diagnostics::{Diagnostic, both, merged};
use crd_review::assembly::{NO_CHANNEL, Unstamped};
use crd_review::report::Report;
use limit::limit_arguments;
use version_of::version_of_argument;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "diff", arguments, run: Run::WithDefaults(run) };

fn arguments(command: Command, program: Program) -> Command {
    let bundle = |name: &'static str, value: &'static str, help: &'static str| {
        positional(name, value, help).required(name == "old").value_parser(value_parser!(OsString))
    };
    command
        .long_about(
            "List the changes between two bundles and the version that they require. Equal findings are folded, and findings that do not decide \
             are counted; `--verbose` lists each finding. A candidate that servers refuse is an error.\n\n\
             A bundle is a version in `bundles/` such as v1.6.0, a folder, an install file, an archive, `git:REF:PATH` for a path in a \
             commit, `oci-layout:DIR` for an OCI layout, `oci://HOST/REPOSITORY:TAG` for a registry, `cluster:CONTEXT` for the CRDs of a cluster, or `-` for standard input. A folder is read as what its `kustomization.yaml` lists, or with everything below it. Notes name what is left out, such as \
             patches. A rename is \
             recognised if the tombstone ledger in `bundles/` declares it. Exits with 1 if the changes are not permitted.\n\n\
             Without `--fail-on`, `--expect` and `gate` in `crd-channels.yaml`, the versions of the bundles decide whether the changes are permitted. \
             If a version is unknown, not semantic or not above the other one, `--fail-on major` applies. The last line names what decided. \
             `--version-of` states a version that files do not contain. `--expect major` permits every change that some release permits.\n\n\
             Without `--profile`, the profile is that of `crd-channels.yaml`, of the baseline's manifest, or of the candidate's manifest. \
             Without any of them, it is gep-922 if most CRDs of the baseline are annotated with a channel, and semver otherwise.",
        )
        .arg(bundle("old", "OLD", "The baseline"))
        .arg(bundle("new", "NEW", "The candidate [default: `crds` in `crd-channels.yaml`]"))
        .args(options())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("diff v1.5.0 v1.6.0", "two bundles of the history"),
            ("diff v1.6.0 bundles/unreleased", "what was generated against a release"),
            ("diff old.yaml - --channel standard < new.yaml", "an install file and standard input"),
            ("diff old/ config/crd", "CRDs of any project, in CI: fails if users break"),
            ("diff git:v1.2.0:config/crd config/crd", "CRDs of a commit and those on disk"),
            ("diff old/ new/ --version-of OLD=v0.3.0 --version-of NEW=v0.4.0", "the same between two releases"),
        ]))
}

/// The options of a comparison.
pub(super) fn options() -> Vec<Arg> {
    let mut options = vec![channel_argument("The channel of CRDs without a channel stamp")];
    options.extend(limit_arguments());
    options.push(version_of_argument());
    options.extend(choice_arguments());
    options.extend([
        profile_argument("The profile of the policy"),
        verbose_argument(),
        witness_argument(),
        root_argument(),
        findings_format_argument(),
    ]);
    options
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    print(between_arguments(catalogue, matches, session), matches, session)
}

/// Prints a comparison.
pub(super) fn print(
    compared: Result<Report, Vec<Diagnostic>>,
    matches: &ArgMatches,
    session: &mut Session<'_>,
) -> Outcome {
    let format = findings_format(matches);
    match compared {
        Ok(report) => Ok(print_report(&report, format, matches.get_flag(VERBOSE), session)),
        Err(diagnostics) => Ok(print_diagnostics(&diagnostics, format, session)),
    }
}

/// How CRDs without a channel stamp are read.
pub(super) fn unstamped(project: &Project, matches: &ArgMatches) -> Unstamped {
    let settings = &project.settings;
    match channel(matches).or_else(|| only_channel(settings)) {
        Some(channel) => Unstamped::Of(channel),
        None if settings.has_types() => Unstamped::Refused,
        None => Unstamped::Standard,
    }
}

fn between_arguments(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let project = Project::read(catalogue, explicit_root(matches), session)?;
    let unstamped = unstamped(&project, matches);
    // Two files can be compared without a root.
    let root = root::if_any(explicit_root(matches), session)?;
    let choice = bundle_choice(matches);
    let crds = project.crds(session);
    let new = match (matches.get_one::<OsString>("new"), &*crds) {
        (Some(new), _) | (None, [new]) => new,
        (None, _) => {
            let error = Diagnostic::error("usage::missing", "the candidate `<NEW>` is missing");
            return Err(error
                .help("name it after the baseline, or set `crds` in `crd-channels.yaml` to one path")
                .into());
        }
    };
    // clap requires the baseline.
    let arguments = [matches.get_one::<OsString>("old").map(OsString::as_os_str).unwrap_or_default(), new];
    if arguments == [STANDARD_INPUT; 2] {
        let message = "only one of the two bundles can be standard input";
        return Err(Diagnostic::error("usage::standard-input", message).into());
    }
    session.begin(format_args!("reading `{}` and `{}`", arguments[0].display(), arguments[1].display()));
    let (old, new) = open_both(arguments, unstamped, &choice, root.as_deref(), session);
    let opened = both(old, new).map_err(|errors| {
        // The channel is asked for once.
        let (asks, others) = errors.into_iter().partition::<Vec<_>, _>(|error| error.code == NO_CHANNEL);
        others.into_iter().chain(merged(asks)).collect()
    });
    let named = arguments[0].to_str().and_then(|old| old.parse::<BundleVersion>().ok());
    compare(&project, sides(all_used(opened, &choice)?)?, named, matches, session)
}
