//! `release`: writes a bundle, which is committed, and its artefacts, which are published.

mod push;
pub(crate) mod report;

use std::path::PathBuf;

use clap::{ArgMatches, Command, value_parser};
use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_generate::{Catalogue, CodePart};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::types_of;
use crd_model::profile::Profile;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, VERBOSE, after_help, flag, format, format_argument, named_root, option, positional, profile_argument,
    profile_of, requested_profile, root_argument, value, verbose_argument,
};
use crate::key_file;
use crate::release::{Options, release};
use crate::types::check_parts;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "release",
    about: "Write a new bundle and everything that is published with it",
    group: Group::Types,
    arguments,
    run: Run::WithDefaults(run),
};

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

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let catalogue = types_of(catalogue, request.root.as_deref(), session).and_then(|catalogue| {
        check_parts(&catalogue, "release", &CodePart::ALL.map(|(part, ..)| part))?;
        Ok(catalogue)
    });
    let options =
        catalogue.as_ref().map_err(Clone::clone).and_then(|catalogue| Ok(options(catalogue, &request, session)?));
    let result = match (&catalogue, &options) {
        (Ok(catalogue), Ok(options)) => release(catalogue, options, session).map(|report| (options, report)),
        (_, Err(errors)) | (Err(errors), _) => Err(errors.clone()),
    };
    let pushed = match (&result, &request.push) {
        (Ok((options, report)), Some(registry)) if report.refusals.is_empty() => push::push(options, registry, session),
        _ => Ok(push::Pushed::default()),
    };
    let exit = match (&result, &pushed) {
        (Ok((_, report)), Ok(_)) => report::exit(&report.refusals),
        _ => Exit::Unusable,
    };
    match request.format {
        Format::Json => session.print(json::line(&report::document(&result, &pushed, session))),
        _ => {
            let (options, report) = result?;
            report::print(&report, options, request.is_verbose, session);
            session.print(pushed?.1);
        }
    }
    Ok(exit)
}

/// Which bundle is written, and where it goes.
struct Request {
    version: Option<BundleVersion>,
    date: Option<Released>,
    is_dry_run: bool,
    permits_major: bool,
    profile: Option<Profile>,
    sign: Option<PathBuf>,
    push: Option<String>,
    is_verbose: bool,
    root: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            version: value(matches, VERSION),
            date: value(matches, DATE),
            is_dry_run: matches.get_flag(DRY_RUN),
            permits_major: matches.get_flag(ALLOW_MAJOR),
            profile: requested_profile(matches),
            sign: value(matches, SIGN),
            push: value(matches, PUSH),
            is_verbose: matches.get_flag(VERBOSE),
            root: named_root(matches),
            format: format(matches),
        }
    }
}

fn options(catalogue: &Catalogue, request: &Request, session: &Session<'_>) -> Result<Options, Diagnostic> {
    request.push.as_deref().map(push::check).transpose()?;
    Ok(Options {
        // clap requires a version.
        version: request.version.ok_or_else(|| Diagnostic::error("usage::missing", "a version is required"))?,
        root: root::locate(request.root.as_deref(), session)?,
        date: request.date,
        dry_run: request.is_dry_run,
        allow_major: request.permits_major,
        dist: catalogue.settings().folder("dist").to_owned(),
        profile: profile_of(catalogue, request.profile),
        sign: request.sign.as_ref().map(|path| key_file::private(&session.folder.join(path))).transpose()?,
    })
}
