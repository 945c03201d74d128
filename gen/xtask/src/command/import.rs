//! `import`: adds published CRDs as a baseline in `bundles/`.
//!
//! Invariants: CRDs that contradict their named version or channel are refused, and nothing is written.

mod report;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_bundle::published::{Expected, check_bundle};
use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::json;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, Severity, merged};
use crd_generate::Catalogue;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{
    Format, after_help, bundle_choice, channel, channel_argument, choice_arguments, explicit_root, format,
    format_argument, option, positional, profile_argument, requested_profile, root_argument,
};
use crate::exit::Exit;
use crate::imported_bundle::{self, Statement};
use crate::program::Program;
use crate::root::{self, BUNDLES};
use crate::session::Session;
use crate::settings::{Project, only_channel};
use crate::source::{self, all_used};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "import", arguments, run: Run::WithDefaults(run) };

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Add published CRDs as a baseline for later bundles. The CRDs are written to `bundles/VERSION/CHANNEL`, and their \
             checksums to `bundles/VERSION/bundle.yaml`.\n\n\
             CRDs that an API server rejects are refused, and CRDs that are annotated with another version or channel. If every CRD is \
             annotated with a channel, CRDs of other channels are skipped. An existing bundle never changes. A folder is read by its \
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
        .arg(channel_argument("The channel of the CRDs [default: the channel of the settings, if they have only one]"))
        .args(choice_arguments())
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

/// The CRDs of an import, and the findings in them.
#[derive(Default)]
struct Imported {
    folder: PathBuf,
    crds: usize,
    written: usize,
    skipped: Vec<String>,
    /// The number of further skipped documents.
    more_skipped: usize,
    findings: Vec<Diagnostic>,
}

impl Imported {
    fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// How many skipped documents are named.
const SKIPPED: usize = 10;

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let result = import(catalogue, matches, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(imported) if imported.is_refused() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if format(matches) == Format::Json {
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

fn import(
    catalogue: Option<&Catalogue>,
    matches: &ArgMatches,
    session: &mut Session<'_>,
) -> Result<Imported, Vec<Diagnostic>> {
    // clap requires both.
    let argument = matches.get_one::<OsString>("path").cloned().unwrap_or_default();
    let version = matches.get_one::<BundleVersion>("version").copied();
    let settings = Project::read(catalogue, explicit_root(matches), session)?.settings;
    let channel = channel(matches).or_else(|| only_channel(&settings));
    let (Some(version), Some(channel)) = (version, channel) else {
        let help = "pass `--channel <CHANNEL>`: standard, unless the CRDs are those of an experimental channel";
        return Err(Diagnostic::error("usage::missing", "the channel of the CRDs is required").help(help).into());
    };
    let root = root::locate(explicit_root(matches), session)?;
    session.begin(format_args!("reading `{}`", argument.display()));
    // An archive of a bundle contains all its channels.
    let choice = bundle_choice(matches);
    let published = all_used(source::published(&[argument], &choice, session), &choice)?.of_channel(channel);
    let expected = Expected { prefix: None, version: Some(version), channel: Some(channel) };
    session.begin(format_args!("checking {}", count(published.crds.len(), "CRD")));
    let left_out = published.left_out.iter().map(ToString::to_string);
    let mut imported = Imported {
        folder: root.join(BUNDLES).join(version.to_string()).join(channel.name()),
        crds: published.crds.len(),
        written: 0,
        skipped: left_out.chain(published.passed_over.iter().map(ToString::to_string)).collect(),
        more_skipped: published.more_passed_over,
        findings: published.warnings.iter().cloned().chain(check_bundle(&published, &expected)).collect(),
    };
    if !imported.is_refused() {
        let statement = Statement {
            version,
            channel,
            released: matches.get_one("date").copied(),
            profile: requested_profile(matches),
            settings: settings.policy_profile(),
        };
        imported.written = imported_bundle::write(&root, &statement, published, session)?;
    }
    Ok(imported)
}
