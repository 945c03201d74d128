//! `import`: adds published CRDs as a baseline in `bundles/`.
//!
//! Invariants: CRDs that contradict their named version or channel are refused, and nothing is written.

pub(crate) mod report;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_bundle::published::choice::Choice;
use crd_bundle::published::{Expected, check_bundle};
use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::json;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, merged};
use crd_generate::Catalogue;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::root::{self, BUNDLES};
use crd_generator::session::Session;
use crd_generator::settings::{Project, only_channel};
use crd_model::channel::Channel;
use crd_model::profile::Profile;

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, after_help, bundle_choice, channel, channel_argument, chart_arguments, choice_arguments, format,
    format_argument, named_root, option, positional, profile_argument, requested_profile, root_argument, value,
};
use crate::imported_bundle::{self, Statement};
use crate::source;
use report::Imported;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "import",
    about: "Add published CRDs as a baseline for later bundles",
    group: Group::Crds,
    arguments,
    run: Run::WithDefaults(run),
};

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Add published CRDs as a baseline for later bundles. The CRDs are written to `bundles/VERSION/CHANNEL`, and their \
             checksums to `bundles/VERSION/bundle.yaml`.\n\n\
             CRDs that an API server rejects are refused, and CRDs that are annotated with another version or channel. If every CRD is \
             annotated with a channel, all channels are imported without `--channel`, and with it CRDs of other channels are skipped. An existing bundle never changes. A folder is read by its \
             layout, as by `diff`; other documents are skipped. Exits with 1 if the CRDs are refused.",
        )
        .arg(
            positional("path", "PATH", "A folder, an install file, an archive, `git:REF:PATH`, or `-` for standard input")
                .required(true)
                .value_parser(value_parser!(OsString)),
        )
        .disable_version_flag(true)
        .arg(Arg::new("version-of-program").short('V').action(ArgAction::Version).help("Print version"))
        .arg(
            option("version", "VERSION", "The version of the bundle, such as v1.6.0")
                .required(true)
                .value_parser(|text: &str| text.parse::<BundleVersion>()),
        )
        .arg(channel_argument("The channel of the CRDs [default: the channel of the settings, if they have only one, or the channels of the stamps or folders]"))
        .args(choice_arguments())
        .args(chart_arguments())
        .arg(profile_argument("The profile that the CRDs were released with [default: as for `diff`]"))
        .arg(
            option("date", "DATE", "The release date in UTC, such as 2026-11-21; deprecation periods count from it")
                .value_parser(|text: &str| text.parse::<Released>()),
        )
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("import install.yaml --version v1.6.0 --channel standard", "a published release"),
            ("import crds/ --version v1.6.0 --channel experimental", "a folder of CRDs"),
            ("import - --version v1.6.0 --channel standard < all.yaml", "from standard input"),
        ]))
}

/// How many skipped documents are named.
const SKIPPED: usize = 10;

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let result = import(catalogue, &request, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(imported) if imported.is_refused() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if request.format == Format::Json {
        let text = report::document(&result, session);
        session.print(json::line(&text));
        return Ok(exit);
    }
    let imported = result?;
    session.diagnostics(&merged(imported.findings.iter().cloned()));
    if imported.is_refused() {
        session.print_err("nothing was written\n");
        return Ok(exit);
    }
    for skipped in imported.skipped.iter().take(SKIPPED) {
        session.note(format_args!("skipped: {skipped}"));
    }
    if let more @ 1.. = imported.skipped.len().saturating_sub(SKIPPED) + imported.more_skipped {
        session.note(format_args!("skipped: {} more", count(more, "document")));
    }
    let folder = session.shown(&imported.folder).display().to_string();
    session.print(match imported.written {
        0 => format!("{folder}: unchanged, {} as before\n", count(imported.crds, "CRD")),
        _ => format!("{folder}: {} imported\n", count(imported.crds, "CRD")),
    });
    Ok(exit)
}

/// What is imported, as which bundle.
struct Request {
    path: OsString,
    version: Option<BundleVersion>,
    channel: Option<Channel>,
    released: Option<Released>,
    profile: Option<Profile>,
    choice: Choice,
    root: Option<PathBuf>,
    format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            // clap requires both.
            path: value(matches, "path").unwrap_or_default(),
            version: value(matches, "version"),
            channel: channel(matches),
            released: value(matches, "date"),
            profile: requested_profile(matches),
            choice: bundle_choice(matches),
            root: named_root(matches),
            format: format(matches),
        }
    }
}

fn import(
    catalogue: Option<&Catalogue>,
    request: &Request,
    session: &mut Session<'_>,
) -> Result<Imported, Vec<Diagnostic>> {
    let settings = Project::read(catalogue, request.root.as_deref(), session)?.settings;
    let channel = request.channel.or_else(|| only_channel(&settings));
    // clap requires it.
    let version = request.version.ok_or_else(|| Diagnostic::error("usage::missing", "a version is required"))?;
    let root = root::locate(request.root.as_deref(), session)?;
    session.begin(format_args!("reading `{}`", request.path.display()));
    // An archive of a bundle contains all its channels.
    let choice = &request.choice;
    let path = std::slice::from_ref(&request.path);
    let published = choice.all_used(source::published(path, choice, session))?;
    let published = match channel {
        Some(channel) => vec![(channel, published.of_channel(channel))],
        None => published.by_channel().ok_or_else(|| {
            let help = "pass `--channel <CHANNEL>`: standard, unless the CRDs are those of an experimental channel";
            Diagnostic::error("usage::missing", "the channel of CRDs without a channel stamp is required").help(help)
        })?,
    };
    let folder = root.join(BUNDLES).join(version.to_string());
    let mut imported = Imported {
        folder: if let [(channel, _)] = &*published { folder.join(channel.name()) } else { folder },
        ..Imported::default()
    };
    for (channel, published) in &published {
        let expected = Expected { prefix: None, version: Some(version), channel: Some(*channel) };
        session.begin(format_args!("checking {}", count(published.crds.len(), "CRD")));
        let skipped = published.left_out.iter().map(ToString::to_string);
        imported.skipped.extend(skipped.chain(published.passed_over.iter().map(ToString::to_string)));
        imported.crds = imported.crds.saturating_add(published.crds.len());
        imported.more_skipped = imported.more_skipped.saturating_add(published.more_passed_over);
        imported.findings.extend(published.warnings.iter().cloned().chain(check_bundle(published, &expected)));
    }
    if !imported.is_refused() {
        let statement = Statement {
            version,
            released: request.released,
            profile: request.profile,
            settings: settings.policy_profile(),
        };
        imported.written = imported_bundle::write(&root, &statement, published, session)?;
    }
    Ok(imported)
}
