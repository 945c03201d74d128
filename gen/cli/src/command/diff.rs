//! `diff`: the changes between two bundles, and the version that they require.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_bundle::BundleVersion;
use crd_channels::channel::Channel;
use crd_compat::{Channels, Declared, Finding};

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    ROOT, VERBOSE, WITNESS, after_help, channel, channel_argument, profile, profile_argument, root_argument,
    verbose_argument, witness_argument,
};
use crate::exit::Exit;
use crate::findings::{findings_format, findings_format_argument, print_diagnostics, print_report};
use crate::history::{ledger, stored_until};
use crate::program::Program;
use crate::session::Session;
use crate::source::open;
use crate::{parallel, root};
use crd_diagnostics::Diagnostic;
use crd_review::comparison::{Side, findings, report};
use crd_review::history::Bundle;
use crd_review::history::declared;
use crd_review::report::{Report, SourceLine};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "diff", arguments, run: Run::WithoutTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    let bundle = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).value_name(value).required(true).value_parser(value_parser!(OsString)).help(help)
    };
    command
        .long_about(
            "List the changes between two bundles and the version that they require.\n\n\
             A bundle is a version in `bundles/` such as v1.6.0, a folder, an install file, an archive, or `-` for standard input. In \
             a folder, YAML and JSON files are read, also those in its folders `standard` and `experimental`. A rename is \
             recognised if the tombstone ledger in `bundles/` declares it. Exits with 1 if no version permits the changes, or the \
             candidate has another version.",
        )
        .arg(bundle("old", "OLD", "The baseline"))
        .arg(bundle("new", "NEW", "The candidate"))
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(profile_argument())
        .arg(verbose_argument())
        .arg(witness_argument())
        .arg(root_argument())
        .arg(findings_format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("diff v1.5.0 v1.6.0", "two bundles of the history"),
            ("diff v1.6.0 bundles/unreleased", "what was generated against a release"),
            ("diff old.yaml - --channel standard < new.yaml", "an install file and standard input"),
        ]))
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let format = findings_format(matches);
    match compare(matches, session) {
        Ok(report) => Ok(print_report(&report, format, matches.get_flag(VERBOSE), session)),
        Err(faults) => Ok(print_diagnostics(&faults, format, session)),
    }
}

fn compare(matches: &ArgMatches, session: &Session<'_>) -> Result<Report, Vec<Diagnostic>> {
    let channel = channel(matches);
    let explicit = matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path);
    // Two files can be compared anywhere; only a root that was named has to be one.
    let root = match (root::locate(explicit, session), explicit) {
        (Ok(root), _) => Some(root),
        (Err(_), None) => None,
        (Err(fault), Some(_)) => return Err(vec![fault]),
    };
    let open = |argument: &str| {
        // clap has made sure that both are there.
        let argument = matches.get_one::<OsString>(argument).cloned().unwrap_or_default();
        open(&argument, channel, root.as_deref(), session)
    };
    if ["old", "new"].iter().all(|name| matches.get_one::<OsString>(name).is_some_and(|argument| argument == "-")) {
        return Err(vec![Diagnostic::error(
            "usage::standard-input",
            "only one of the two bundles can be standard input",
        )]);
    }
    let (old, new) = match (open("old"), open("new")) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => return Err(old.err().into_iter().chain(new.err()).flatten().collect()),
    };
    if !old.channels.keys().any(|channel| new.channels.contains_key(channel)) {
        return Err(vec![incomparable(&old, &new)]);
    }
    let mut declared = match &root {
        Some(root) => declared(ledger(root)?.entries()),
        None => Declared::default(),
    };
    // Where a version goes, it matters whether some older bundle stored objects in it.
    let named = matches.get_one::<OsString>("old").and_then(|old| old.to_str()?.parse::<BundleVersion>().ok());
    if let (Some(root), Some(version)) = (&root, named)
        && loses_a_version(&old.channels, &new.channels)
    {
        declared.ever_stored = stored_until(version, root, session)?;
    }
    let profile = profile(matches);
    let found = findings(Some(&old.channels), &new.channels, profile, &declared, matches.get_flag(WITNESS));
    let side = |source: &Bundle| (source.name.clone(), source.version);
    let ((old_name, old_version), (new_name, new_version)) = (side(&old), side(&new));
    let baseline = Side { name: old_name, version: old_version, channels: &old.channels };
    let candidate = Side { name: new_name, version: new_version, channels: &new.channels };
    let lines = written(&new, &found);
    Ok(report(Some(&baseline), &candidate, profile, found, &|finding| {
        let Finding { channel, crd, version, path, .. } = finding;
        lines.get(&(*channel, crd.clone(), version.clone(), path.clone())).cloned()
    }))
}

/// Two bundles of different channels.
fn incomparable(old: &Bundle, new: &Bundle) -> Diagnostic {
    let of = |source: &Bundle| source.channels.keys().map(|channel| channel.name()).collect::<Vec<_>>().join(" and ");
    Diagnostic::error(
        "bundle::channels",
        format!(
            "the bundles have no channel in common: {} has {}, and {} has {}",
            old.name,
            of(old),
            new.name,
            of(new)
        ),
    )
    .help("each channel is compared with the same channel only")
}

/// Whether some CRD has a version in the one that it lacks in the other.
fn loses_a_version(old: &Channels, new: &Channels) -> bool {
    old.iter().any(|(channel, crds)| {
        let candidates = new.get(channel).map(Vec::as_slice).unwrap_or_default();
        crds.iter().any(|crd| {
            let candidate = candidates.iter().find(|candidate| candidate.name == crd.name);
            candidate.is_some_and(|candidate| {
                crd.versions.iter().any(|version| candidate.versions.iter().all(|known| known.name != version.name))
            })
        })
    })
}

/// Where a finding is: the channel, the CRD, the API version, the path.
type Spot = (Channel, String, Option<String>, String);
/// Where findings are in one CRD of one channel: the API version and the path.
type SpotsOfCrd<'f> = BTreeSet<(Option<&'f str>, &'f str)>;

/// The lines of the candidate where findings are. Each text is parsed once more for all that is found in it, and texts without findings
/// not at all: parsing is what takes the time of a diff.
fn written(source: &Bundle, findings: &[Finding]) -> BTreeMap<Spot, SourceLine> {
    let mut by_crd: BTreeMap<(Channel, &str), SpotsOfCrd<'_>> = BTreeMap::new();
    for finding in findings {
        let spots = by_crd.entry((finding.channel, &finding.crd)).or_default();
        spots.insert((finding.version.as_deref(), &finding.path));
    }
    let with_findings = source.published.iter().filter_map(|(channel, crd)| {
        let spots = by_crd.get(&(*channel, &*crd.crd.name))?;
        Some((*channel, crd, spots))
    });
    let lines = parallel::each(&with_findings.collect::<Vec<_>>(), |(channel, crd, spots)| {
        let paths = spots.iter().map(|(version, path)| match version {
            Some(version) => crd.schema_path(version, path),
            None => "spec".to_owned(),
        });
        let places = crd.places(&paths.collect::<Vec<_>>());
        let spot = |(version, path): &(Option<&str>, &str)| {
            (*channel, crd.crd.name.to_string(), version.map(str::to_owned), (*path).to_owned())
        };
        let lines = spots.iter().zip(places).filter_map(|(at, place)| {
            let line = u32::try_from(place.line).ok()?;
            Some((spot(at), SourceLine { file: crd.file.clone(), line }))
        });
        lines.collect::<Vec<_>>()
    });
    lines.into_iter().flatten().collect()
}
