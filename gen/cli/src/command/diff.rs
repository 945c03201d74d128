//! `diff`: the changes between two bundles, and the version that they require.

mod comparison;
mod limit;
mod unstamped;
mod version_of;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_bundle::BundleVersion;
use crd_bundle::published::choice::Choice;
use crd_compat::Evidence;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_model::channel::Channel;
use crd_model::profile::Profile;
use crd_review::report::Report;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, VERBOSE, WITNESS, after_help, bundle_choice, channel, channel_argument, chart_arguments, choice_arguments,
    format, named_root, positional, profile_argument, requested_profile, root_argument, value, values,
    verbose_argument, witness_argument,
};
use crate::findings::{findings_format_argument, print_diagnostics, print_report};
use crate::input::STANDARD_INPUT;
use crate::source::{open_both, sides};
pub(super) use comparison::compare;
use limit::{Limit, limit_arguments};
use version_of::{VERSION_OF, version_of_argument};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "diff",
    about: "List the changes between two bundles and the version that they require",
    group: Group::Crds,
    arguments,
    run: Run::WithDefaults(run),
};

fn arguments(command: Command, program: Program) -> Command {
    let bundle = |name: &'static str, value: &'static str, help: &'static str| {
        positional(name, value, help).required(name == "old").value_parser(value_parser!(OsString))
    };
    command
        .long_about(
            "List the changes between two bundles and the version that they require. Equal findings are folded, and findings that do not decide \
             are counted; `--verbose` lists each finding. A candidate that servers refuse is an error.\n\n\
             A bundle is a version in `bundles/` such as v1.6.0, a folder, an install file, an archive, a Helm chart (also `chart:NAME@VERSION` with `--repo URL`), `git:REF:PATH` for a path in a \
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
            ("diff chart-1.2.0.tgz chart-1.3.0.tgz --set crds.enabled=true", "two Helm charts"),
            ("diff old/ new/ --version-of OLD=v0.3.0 --version-of NEW=v0.4.0", "the same between two releases"),
        ]))
}

/// The options of a comparison.
pub(super) fn options() -> Vec<Arg> {
    let mut options = vec![channel_argument("The channel of CRDs without a channel stamp")];
    options.extend(limit_arguments());
    options.push(version_of_argument());
    options.extend(choice_arguments());
    options.extend(chart_arguments());
    options.extend([
        profile_argument("The profile of the policy"),
        verbose_argument(),
        witness_argument(),
        root_argument(),
        findings_format_argument(),
    ]);
    options
}

/// What is compared, and how.
struct Request {
    old: OsString,
    new: Option<OsString>,
    options: Options,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        // clap requires the baseline.
        let old = value(matches, "old").unwrap_or_default();
        Self { old, new: value(matches, "new"), options: matches.into() }
    }
}

/// The options of a comparison.
pub(super) struct Options {
    /// What is left out of both bundles.
    pub(super) choice: Choice,
    /// The root that the user named.
    pub(super) root: Option<PathBuf>,
    channel: Option<Channel>,
    profile: Option<Profile>,
    /// The bump that the user permits.
    limit: Option<Limit>,
    /// The versions that the user states, each with the index of its side.
    versions: Vec<(usize, BundleVersion)>,
    evidence: Evidence,
    is_verbose: bool,
    format: Format,
}

impl From<&ArgMatches> for Options {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            choice: bundle_choice(matches),
            root: named_root(matches),
            channel: channel(matches),
            profile: requested_profile(matches),
            limit: Limit::named(|option| value::<String>(matches, option)),
            versions: values(matches, VERSION_OF),
            evidence: Evidence { witnesses: matches.get_flag(WITNESS), grounds: matches.get_flag(VERBOSE) },
            is_verbose: matches.get_flag(VERBOSE),
            format: format(matches),
        }
    }
}

impl Options {
    pub(super) fn print(&self, compared: Result<Report, Vec<Diagnostic>>, session: &mut Session<'_>) -> Outcome {
        match compared {
            Ok(report) => Ok(print_report(&report, self.format, self.is_verbose, session)),
            Err(diagnostics) => Ok(print_diagnostics(&diagnostics, self.format, session)),
        }
    }
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    request.options.print(between(catalogue, &request, session), session)
}

fn between(
    catalogue: Option<&Catalogue>,
    Request { old, new, options }: &Request,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let explicit_root = options.root.as_deref();
    let project = Project::read(catalogue, explicit_root, session)?;
    // Two files can be compared without a root.
    let root = root::if_any(explicit_root, session)?;
    let crds = project.crds(session);
    let new = match (new, &*crds) {
        (Some(new), _) | (None, [new]) => new,
        (None, _) => {
            let help = "name it after the baseline, or set `crds` in `crd-channels.yaml` to one path";
            return Err(Diagnostic::error("usage::missing", "the candidate `<NEW>` is missing").help(help).into());
        }
    };
    let arguments: [&OsStr; 2] = [old, new];
    if arguments == [STANDARD_INPUT; 2] {
        let message = "only one of the two bundles can be standard input";
        return Err(Diagnostic::error("usage::standard-input", message).into());
    }
    session.begin(format_args!("reading `{}` and `{}`", arguments[0].display(), arguments[1].display()));
    let open = |unstamped| open_both(arguments, unstamped, &options.choice, root.as_deref(), session);
    let opened = options.opened(&project, open, |(old, new)| [old, new]);
    let opened = options.choice.all_used(opened)?;
    let named = arguments[0].to_str().and_then(|old| old.parse::<BundleVersion>().ok());
    compare(&project, sides(opened)?, named, None, options, session)
}
