//! `release`: writes a bundle, which is committed, and its artefacts, which are published.

mod push;
mod report;

use std::path::PathBuf;

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_generate::Catalogue;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    Format, VERBOSE, after_help, explicit_root, flag, format, format_argument, option, positional, profile_argument,
    profile_of, root_argument, verbose_argument,
};
use crate::exit::Exit;
use crate::program::Program;
use crate::release::{Options, release};
use crate::session::Session;
use crate::settings::with_settings;
use crate::{key_file, root};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "release", arguments, run: Run::WithTypes(run) };

const VERSION: &str = "bundle-version";
const DATE: &str = "date";
const DRY_RUN: &str = "dry-run";
const ALLOW_MAJOR: &str = "allow-major";
const SIGN: &str = "sign";
const PUSH: &str = "push";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Write `bundles/VERSION`, which is committed, and `dist/`, which is published: install files, Helm charts, an archive, an SBOM, \
             release notes, SHA256SUMS, and the same as an OCI layout. Do not edit them.\n\n\
             The version must be above the previous ones and permit the changes (`check` prints the required one). Tombstones and \
             waivers must be correct, `bundles/unreleased` must be up to date, and everything must be committed. Otherwise all \
             errors are reported together, and no file changes.\n\n\
             If `bundles/VERSION` exists with the same bytes, only `dist/` is written again: CI does this at a tag.\n\n\
             The release date comes from the committed bundle, else `--date`, else SOURCE_DATE_EPOCH, else the last commit. \
             The same commit produces the same bytes on every machine.",
        )
        .arg(
            positional(VERSION, "VERSION", "vMAJOR.MINOR.PATCH, or a pre-release: v1.7.0-rc.1 (dev, alpha, beta, rc)").required(true).value_parser(|text: &str| {
                    let version = text.parse::<BundleVersion>()?;
                    version.check_comparable().map(|()| version)
                }),
        )
        .arg(
            flag(DRY_RUN, "Write nothing; show what would be written, or the errors"),
        )
        .arg(
            option(DATE, "DATE", "The release date in UTC: 2026-11-21, or 2026-11-21T16:53:52Z")
                .value_parser(|text: &str| text.parse::<Released>()),
        )
        .arg(
            flag(ALLOW_MAJOR, "Permit a change that breaks users, in a major bundle"),
        )
        .arg(
            option(SIGN, "KEY", "Sign the files and OCI artefacts with a private key: a PKCS#8 PEM file with ECDSA P-256 that only its owner can read")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(option(PUSH, "REGISTRY", "Push the OCI artefacts to this registry afterwards, as `crd-channels push`").conflicts_with(DRY_RUN))
        .arg(profile_argument("The profile of the policy [default: that of the settings]"))
        .arg(verbose_argument())
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], &[
            ("release v1.7.0 --dry-run", "show what would be released, or the errors"),
            ("release v1.7.0", "the bundle and its artefacts"),
            ("release v1.7.0 --sign release.key", "the same with signatures and provenance"),
            ("release v1.7.0-rc.1", "a pre-release, never used as a baseline"),
            ("release v2.0.0 --allow-major", "a bundle that breaks users"),
        ]))
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let catalogue = with_settings(catalogue, explicit_root(matches), session);
    let options =
        catalogue.as_ref().map_err(Clone::clone).and_then(|catalogue| Ok(options(catalogue, matches, session)?));
    let result = match (&catalogue, &options) {
        (Ok(catalogue), Ok(options)) => release(catalogue, options, session).map(|report| (options, report)),
        (_, Err(errors)) | (Err(errors), _) => Err(errors.clone()),
    };
    let pushed = match (&result, matches.get_one::<String>(PUSH)) {
        (Ok((options, report)), Some(registry)) if report.refusals.is_empty() => push::push(options, registry, session),
        _ => Ok(push::Pushed::default()),
    };
    let exit = match (&result, &pushed) {
        (Ok((_, report)), Ok(_)) => report::exit(&report.refusals),
        _ => Exit::Unusable,
    };
    match format(matches) {
        Format::Json => session.print(json::line(&report::document(&result, &pushed, session))),
        Format::Text => {
            let (options, report) = result?;
            report::print(&report, options, matches.get_flag(VERBOSE), session);
            session.print(pushed?.1);
        }
    }
    Ok(exit)
}

fn options(catalogue: &Catalogue, matches: &ArgMatches, session: &Session<'_>) -> Result<Options, Diagnostic> {
    matches.get_one::<String>(PUSH).map(|registry| push::check(registry)).transpose()?;
    // clap requires a version.
    let version = matches.get_one::<BundleVersion>(VERSION).copied();
    Ok(Options {
        version: version.ok_or_else(|| Diagnostic::error("usage::missing", "a version is required"))?,
        root: root::locate(explicit_root(matches), session)?,
        date: matches.get_one::<Released>(DATE).copied(),
        dry_run: matches.get_flag(DRY_RUN),
        allow_major: matches.get_flag(ALLOW_MAJOR),
        dist: catalogue.settings().folder("dist").to_owned(),
        profile: profile_of(catalogue, matches),
        sign: matches.get_one::<PathBuf>(SIGN).map(|path| key_file::private(&session.folder.join(path))).transpose()?,
    })
}
