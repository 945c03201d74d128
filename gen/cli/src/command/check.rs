//! `check`: compares the types with the released bundles: policy, tombstones, waivers.
//!
//! Invariants: nothing is written. A missing baseline is not an error: the first bundle has none.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use crd_bundle::BundleVersion;
use crd_compat::Evidence;
use crd_diagnostics::Diagnostic;
use crd_generate::{Catalogue, CodePart};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::{of_source, types_of};
use crd_generator::source::check_compiled;
use crd_model::profile::Profile;
use crd_review::Baseline;
use crd_review::report::Report;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, VERBOSE, WITNESS, after_help, flag, format, named_root, option, profile_argument, profile_of,
    requested_profile, root_argument, value, verbose_argument, witness_argument,
};
use crate::findings::{findings_format_argument, print_diagnostics, print_report};
use crate::release_date;
use crate::types::{Types, check_parts};
use crate::waivers::without_added;
use crate::workspace::Workspace;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "check",
    about: "Compare the types with the last release: policy, tombstones, waivers",
    group: Group::Types,
    arguments,
    run: Run::WithDefaults(run),
};

const AGAINST: &str = "against";
const SOURCE: &str = "source";
const BASE: &str = "base";
const ALLOW_NEW_WAIVERS: &str = "allow-new-waivers";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Compare the types with the last release: the version that the changes require, and changes that no version \
             permits. The baseline is the highest release in `bundles/` below the next version of the settings, or the release of this version, which needs \
             another one for a change; without a baseline, nothing is compared. Every name that a bundle had and the types no longer have needs a tombstone, and never returns. A change that needs a \
             conversion needs a lens, and every lens is proven on generated objects: 100 in each direction.\n\n\
             Accepted findings are listed in `bundles/waivers.yaml`, each with a reason:\n\n\
             \u{20} waivers:\n\
             \u{20} - rule: tightened\n\
             \u{20}   crd: things.example.com\n\
             \u{20}   path: spec.size      # `spec.*`: every path with this beginning; without: the whole CRD\n\
             \u{20}   channel: standard    # without: both channels\n\
             \u{20}   bundle: v1.1.1       # for this bundle only\n\
             \u{20}   to: patch            # the required bump with the waiver\n\
             \u{20}   reason: restores the limit that v1.1.0 lost\n\n\
             The report contains the entry of each finding that breaks the policy.\n\n\
             Exits with 1 if the version does not permit a finding.",
        )
        .arg(
            option(AGAINST, "VERSION", "The baseline [default: the release of the next version, else the highest release below it]")
                .value_parser(|text: &str| text.parse::<BundleVersion>()),
        )
        .arg(option(BASE, "REF", "The commit that the change is based on: waivers that it lacks do not count"))
        .arg(flag(ALLOW_NEW_WAIVERS, "Let waivers count that the base lacks").requires(BASE))
        .arg(profile_argument("The profile of the policy [default: that of the settings]"))
        .arg(flag(SOURCE, "Read the source that the settings name, as `generate` does, instead of the compiled types").hide(program == Program::CrdChannels))
        .arg(verbose_argument())
        .arg(witness_argument())
        .arg(root_argument())
        .arg(findings_format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("check", "before a release, and in CI"),
            ("check --against v1.5.0", "against another release"),
            ("check --format github", "as annotations at the lines of the types"),
            ("check --base origin/main", "a pull request: its own waivers do not count"),
        ]))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    match review(catalogue, &request, session) {
        Ok(report) => Ok(print_report(&report, request.format, request.is_verbose, session)),
        Err(diagnostics) => Ok(print_diagnostics(&diagnostics, request.format, session)),
    }
}

/// What the types are compared with, and how.
struct Request {
    against: Option<BundleVersion>,
    profile: Option<Profile>,
    is_of_source: bool,
    /// The commit that the change is based on.
    base: Option<String>,
    permits_new_waivers: bool,
    evidence: Evidence,
    is_verbose: bool,
    root: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            against: value(matches, AGAINST),
            profile: requested_profile(matches),
            is_of_source: matches.get_flag(SOURCE),
            base: value(matches, BASE),
            permits_new_waivers: matches.get_flag(ALLOW_NEW_WAIVERS),
            evidence: Evidence { witnesses: matches.get_flag(WITNESS), grounds: matches.get_flag(VERBOSE) },
            is_verbose: matches.get_flag(VERBOSE),
            root: named_root(matches),
            format: format(matches),
        }
    }
}

fn review(catalogue: Option<&Catalogue>, request: &Request, session: &Session<'_>) -> Result<Report, Vec<Diagnostic>> {
    let explicit_root = request.root.as_deref();
    let catalogue = &types(catalogue, request.is_of_source, explicit_root, session)?;
    let root = root::locate(explicit_root, session)?;
    let asked = crd_review::Request {
        version: catalogue.next_version(),
        against: request.against.map_or(Baseline::Highest, Baseline::Named),
        profile: profile_of(catalogue, request.profile),
        evidence: request.evidence,
        release_date: &|| release_date::unreleased(&root, session),
        is_release: false,
    };
    let types = Types::read(catalogue, asked.version, session);
    let mut workspace = Workspace::read(types, &root, None, session)?;
    let are_permitted = request.permits_new_waivers;
    let added = match &request.base {
        Some(base) => without_added(&mut workspace.history, base, are_permitted, &root, session.working_folder())?,
        None => Vec::new(),
    };
    let mut report = workspace.review(asked, session)?.report;
    match are_permitted {
        true => report.warnings.extend(added),
        false => report.problems.extend(added),
    }
    Ok(report)
}

/// The compiled types, or those of the source.
fn types(
    catalogue: Option<&Catalogue>,
    is_of_source: bool,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Catalogue, Vec<Diagnostic>> {
    if let Some(catalogue) = catalogue.filter(|_| !is_of_source) {
        let catalogue = types_of(Some(catalogue), root, session)?;
        if catalogue.settings().types.is_some() {
            check_compiled(&catalogue, &root::locate(root, session)?)?;
        }
        return Ok(catalogue);
    }
    let read = of_source(catalogue, root, session)?;
    check_parts(&read, "check", &[CodePart::Functions])?;
    Ok(read)
}
