//! `diff`: the changes between two bundles, and the version that they require.

mod limit;
mod lines;
mod version_of;

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_bundle::BundleVersion;
use crd_bundle::published::choice;
use crd_generate::Catalogue;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    VERBOSE, WITNESS, after_help, bundle_choice, channel, channel_argument, choice_arguments, explicit_root,
    profile_argument, requested_profile, root_argument, verbose_argument, witness_argument,
};
use crate::exit::Exit;
use crate::findings::{findings_format, findings_format_argument, print_diagnostics, print_report};
use crate::history::{has_unused_version, stored_until};
use crate::input::STANDARD_INPUT;
use crate::program::Program;
use crate::session::Session;
use crate::settings::{Project, only_channel};
use crate::source::{all_used, open_both};
use crate::{ledger, root};
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, merged};
use crd_review::assembly::{NO_CHANNEL, Unstamped};
use crd_review::comparison::{Side, about_constants, findings, report, without_recorded};
use crd_review::history::{Bundle, declared};
use crd_review::profile::ChosenProfile;
use crd_review::report::Report;
use limit::{gate, limit_arguments};
use lines::{line_of, source_lines};
use version_of::{state_versions, version_of_argument};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "diff", arguments, run: Run::WithDefaults(run) };

fn arguments(command: Command, program: Program) -> Command {
    let bundle = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).value_name(value).required(name == "old").value_parser(value_parser!(OsString)).help(help)
    };
    command
        .long_about(
            "List the changes between two bundles and the version that they require.\n\n\
             A bundle is a version in `bundles/` such as v1.6.0, a folder, an install file, an archive, `git:REF:PATH` for a path in a \
             commit, or `-` for standard input. A folder is read as what its `kustomization.yaml` lists, or with everything below it. Notes name what is left out, such as \
             patches. A rename is \
             recognised if the tombstone ledger in `bundles/` declares it. Exits with 1 if the changes are not permitted.\n\n\
             Without `--fail-on`, `--expect` and `gate` in `crd-channels.yaml`, the versions of the bundles decide whether the changes are permitted. \
             If a version is unknown, not semantic or not above the other one, `--fail-on major` applies. The last line names what decided. \
             `--version-of` states a version that files do not contain. `--expect major` permits every change that some release permits.\n\n\
             Without `--profile`, the profile is that of the candidate's manifest, of `crd-channels.yaml`, or of the baseline's manifest. \
             Without any of them, it is gep-922 if most CRDs are annotated with a channel, and semver otherwise.",
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
    let opened = match open_both(arguments, unstamped, &choice, root.as_deref(), session) {
        (Ok(old), Ok(new)) => Ok((old, new)),
        (old, new) => {
            let errors = old.err().into_iter().chain(new.err()).flatten();
            // The channel is asked for once.
            let (asks, others) = errors.partition::<Vec<_>, _>(|error| error.code == NO_CHANNEL);
            Err(others.into_iter().chain(merged(asks)).collect())
        }
    };
    let named = arguments[0].to_str().and_then(|old| old.parse::<BundleVersion>().ok());
    compare(&project, all_used(opened, &choice)?, named, matches, session)
}

/// Compares two bundles. `named` is the version of the history that the user named as baseline.
pub(super) fn compare(
    project: &Project,
    (mut old, mut new): (Bundle, Bundle),
    named: Option<BundleVersion>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let (settings, root) = (&project.settings, root::if_any(explicit_root(matches), session)?);
    let stated = state_versions(matches, [&mut old, &mut new])?;
    if !old.channels.keys().any(|channel| new.channels.contains_key(channel)) {
        return Err(incomparable(&old, &new).into());
    }
    let ledger = root.as_deref().map(ledger::read).transpose()?.unwrap_or_default();
    let mut declared = declared(ledger.entries());
    // The rules for removed and for unserved API versions depend on whether an older bundle stored objects in them.
    if let (Some(root), Some(version)) = (&root, named)
        && has_unused_version(&old.channels, &new.channels)
    {
        declared.ever_stored = stored_until(version, root, session)?;
    }
    declared.ever_stored.extend(old.stored_in_cluster());
    let of_settings = settings.policy_profile().map(|profile| (&*settings.prefix, profile));
    let profile = ChosenProfile::of_bundles(requested_profile(matches), of_settings, &old, &new);
    let policy = profile.policy(old.version, new.version);
    let crds = |bundle: &Bundle| count(bundle.crds().count(), "CRD");
    session.begin(format_args!("comparing {} with {}", crds(&new), crds(&old)));
    let mut found = findings(Some(&old.channels), &new.channels, policy, &declared, matches.get_flag(WITNESS));
    found.extend(about_constants(
        (&old.channels, old.constants.as_ref()),
        (&new.channels, new.constants.as_ref()),
        policy,
    ));
    without_recorded(&mut found, ledger.entries());
    let baseline = Side::of(&old);
    let candidate = Side::of(&new);
    session.begin(format_args!("looking up the lines of {}", count(found.len(), "finding")));
    let lines = source_lines(&new, &found);
    let mut notes = profile.notes(Some(&old));
    notes.extend(stated);
    let left_out = old.left_out.iter().chain(&new.left_out).cloned().collect::<Vec<_>>();
    notes.extend(choice::notes(&left_out));
    let warnings = old.warnings.iter().chain(&new.warnings).cloned().chain(same_version(&old, &new)).collect();
    let mut report = report(Some(&baseline), &candidate, profile, found, &|finding| line_of(&lines, finding));
    if let Some(gate) = gate(matches, settings.gate) {
        report = report.gated(gate);
    }
    let has_channels = old.has_channels || new.has_channels;
    // To free two large bundles takes as long as to print the report.
    let _ = std::thread::Builder::new().spawn(move || drop((old, new)));
    notes.extend(report.notes);
    Ok(Report { notes, has_channels, left_out, warnings, ..report })
}

/// Two bundles of one version that differ: users of this version cannot know which of them they have. A pre-release may change.
fn same_version(old: &Bundle, new: &Bundle) -> Option<Diagnostic> {
    let version = new.version.filter(|version| version.is_release() && old.version == Some(*version))?;
    let differs = new.channels.iter().any(|(channel, crds)| old.channels.get(channel).is_some_and(|old| old != crds));
    differs.then(|| {
        let message = format!("{} and {} are both stamped {version}, and their CRDs differ", old.name, new.name);
        let warning = Diagnostic::warning("bundle::same-version", message);
        let first = new.crds().find(|(_, _, origin)| origin.stamps.version.is_some());
        let warning = match first {
            Some((_, _, origin)) => warning.at_line(&origin.file, origin.line),
            None => warning,
        };
        warning.help("a released version never changes: stamp the candidate with the next version")
    })
}

/// Two bundles of different channels.
fn incomparable(old: &Bundle, new: &Bundle) -> Diagnostic {
    let of = |source: &Bundle| source.channels.keys().map(|channel| channel.name()).collect::<Vec<_>>().join(" and ");
    let (old_channels, new_channels) = (of(old), of(new));
    let message = format!(
        "the bundles have no channel in common: {} has {old_channels}, and {} has {new_channels}",
        old.name, new.name
    );
    Diagnostic::error("bundle::channels", message).help("each channel is compared with the same channel only")
}
