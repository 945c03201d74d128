//! `check`: compares the types with the released bundles: policy, tombstones, waivers.
//!
//! Invariants: nothing is written. A missing baseline is not an error: the first bundle has none.

use clap::{ArgMatches, Command};
use crd_bundle::BundleVersion;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::source::check_compiled;
use crd_review::report::Report;
use crd_review::{Baseline, Request};

use super::{Outcome, Run, Subcommand};
use crate::added_waivers::without_added;
use crate::arguments::{
    VERBOSE, WITNESS, after_help, explicit_root, flag, option, profile_argument, profile_of, root_argument,
    verbose_argument, witness_argument,
};
use crate::exit::Exit;
use crate::findings::{findings_format, findings_format_argument, print_diagnostics, print_report};
use crate::program::Program;
use crate::session::Session;
use crate::settings::{of_source, with_settings};
use crate::types::Types;
use crate::workspace::Workspace;
use crate::{release_date, root};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "check", arguments, run: Run::WithDefaults(run) };

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
    let format = findings_format(matches);
    match review(catalogue, matches, session) {
        Ok(report) => Ok(print_report(&report, format, matches.get_flag(VERBOSE), session)),
        Err(diagnostics) => Ok(print_diagnostics(&diagnostics, format, session)),
    }
}

fn review(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Report, Vec<Diagnostic>> {
    let catalogue = &types(catalogue, matches, session)?;
    let root = root::locate(explicit_root(matches), session)?;
    let request = Request {
        version: catalogue.next_version(),
        against: matches.get_one(AGAINST).copied().map_or(Baseline::Highest, Baseline::Named),
        profile: profile_of(catalogue, matches),
        with_witnesses: matches.get_flag(WITNESS),
        release_date: &|| release_date::unreleased(&root, session),
        is_release: false,
    };
    let types = Types::read(catalogue, request.version, session);
    let mut workspace = Workspace::read(types, &root, None, session)?;
    let are_permitted = matches.get_flag(ALLOW_NEW_WAIVERS);
    let added = match matches.get_one::<String>(BASE) {
        Some(base) => without_added(&mut workspace.history, base, are_permitted, &root, session.working_folder())?,
        None => Vec::new(),
    };
    let mut report = workspace.review(request, session)?.report;
    match are_permitted {
        true => report.warnings.extend(added),
        false => report.problems.extend(added),
    }
    Ok(report)
}

/// The compiled types, or those of the source.
fn types(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<Catalogue, Vec<Diagnostic>> {
    let root = explicit_root(matches);
    if let Some(catalogue) = catalogue.filter(|_| !matches.get_flag(SOURCE)) {
        let catalogue = with_settings(catalogue, root, session)?;
        if catalogue.settings().types.is_some() {
            check_compiled(&catalogue, &root::locate(root, session)?)?;
        }
        return Ok(catalogue);
    }
    let read = of_source(catalogue, root, session)?;
    // They cannot be proven without their code.
    if catalogue.is_none() && !read.lens_functions().is_empty() {
        let error =
            Diagnostic::error("usage::generator-only", "this program does not have the functions of the lenses");
        return Err(error.help("run `cargo xtask check`").into());
    }
    Ok(read)
}
