//! `import`: published CRDs become a baseline in `bundles/`.
//!
//! Invariants: what contradicts what it is said to be is refused, and nothing is written then. A bundle that is there already is never
//! altered: the same again is fine, anything else is refused. The files are ours: the same CRDs in our layout, whatever theirs was.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use crd_bundle::manifest::{self, BundleManifest, ManifestFile};
use crd_bundle::published::{Expected, ImportFinding, ImportSeverity, Published, check_bundle};
use crd_bundle::{BundleVersion, Digest, Released, files};
use crd_channels::channel::Channel;
use serde_json::json;

use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, ROOT, after_help, channel, channel_argument, format, format_argument, root_argument};
use crate::exit::Exit;
use crate::file;
use crate::folder::{HeldFolder, present};
use crate::program::Program;
use crate::root;
use crate::session::Session;
use crate::source::{self, BUNDLES};
use crate::transaction::Transaction;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json as document;
use crd_diagnostics::layout::count;
use crd_diagnostics::style::{ERROR, NOTE};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "import", arguments, run: Run::WithoutTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Add published CRDs as a baseline for later bundles. The CRDs are written to `bundles/VERSION/CHANNEL`, and their \
             checksums to `bundles/VERSION/bundle.yaml`.\n\n\
             CRDs that an API server rejects are refused, and CRDs that are annotated with another version or channel. If every CRD is \
             annotated with a channel, CRDs of other channels are skipped. An existing bundle never changes. In a folder, YAML and JSON \
             files are read, without folders below; other documents are skipped. Exits with 1 if the CRDs are refused.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(value_parser!(OsString))
                .help("A folder, an install file, an archive, or `-` for standard input"),
        )
        .arg(
            Arg::new("version")
                .long("version")
                .value_name("VERSION")
                .required(true)
                .value_parser(|text: &str| text.parse::<BundleVersion>())
                .help("The version of the bundle, such as v1.6.0"),
        )
        .arg(channel_argument("The channel of the CRDs").required(true))
        .arg(
            Arg::new("date")
                .long("date")
                .value_name("DATE")
                .value_parser(|text: &str| text.parse::<Released>())
                .help("The release date in UTC, such as 2026-11-21; deprecation periods count from it"),
        )
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("import install.yaml --version v1.6.0 --channel standard", "a published release"),
            ("import crds/ --version v1.6.0 --channel experimental", "a folder of CRDs"),
            ("import - --version v1.6.0 --channel standard < all.yaml", "from standard input"),
        ]))
}

/// What came of it.
struct Imported {
    folder: PathBuf,
    crds: usize,
    written: usize,
    passed_over: Vec<String>,
    /// How many more were passed over.
    more_passed_over: usize,
    findings: Vec<ImportFinding>,
}

impl Imported {
    fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == ImportSeverity::Error)
    }
}

/// So many documents that are no CRDs are named.
const PASSED_OVER: usize = 10;

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let result = import(matches, session);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(imported) if imported.is_refused() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if format(matches) == Format::Json {
        let faults = |faults: &[Diagnostic]| faults.iter().map(|fault| session.json(fault)).collect::<Vec<_>>();
        let (none, nothing) = (serde_json::Value::Null, Vec::<()>::new());
        let text = match &result {
            Err(wrong) => json!({
                "schemaVersion": document::SCHEMA_VERSION,
                "folder": none,
                "crds": 0,
                "written": 0,
                "passedOver": nothing,
                "morePassedOver": 0,
                "findings": nothing,
                "errors": faults(wrong),
            }),
            Ok(imported) => json!({
                "schemaVersion": document::SCHEMA_VERSION,
                "folder": session.shown(&imported.folder).display().to_string(),
                "crds": imported.crds,
                "written": imported.written,
                "passedOver": imported.passed_over,
                "morePassedOver": imported.more_passed_over,
                "findings": imported.findings.iter().map(finding_json).collect::<Vec<_>>(),
                "errors": [],
            }),
        };
        session.print(document::line(&text));
        return Ok(exit);
    }
    let imported = result?;
    for finding in &imported.findings {
        session.complain(match finding.severity {
            ImportSeverity::Error => format!("{ERROR}error:{ERROR:#} {}\n", said(finding)),
            ImportSeverity::Warning => format!("{NOTE}warning:{NOTE:#} {}\n", said(finding)),
        });
    }
    if imported.is_refused() {
        session.complain("nothing was written\n");
        return Ok(exit);
    }
    for passed_over in imported.passed_over.iter().take(PASSED_OVER) {
        session.note(format_args!("passed over: {passed_over}"));
    }
    if let more @ 1.. = imported.passed_over.len().saturating_sub(PASSED_OVER) + imported.more_passed_over {
        session.note(format_args!("passed over: {} more", count(more, "document")));
    }
    let folder = session.shown(&imported.folder).display().to_string();
    session.print(match imported.written {
        0 => format!("{folder}: unchanged, {} as before\n", count(imported.crds, "CRD")),
        _ => format!("{folder}: {} imported\n", count(imported.crds, "CRD")),
    });
    Ok(exit)
}

/// `file:line:column: what (rule), and how many places more. What to do`
fn said(finding: &ImportFinding) -> String {
    let ImportFinding { rule, message, fix, places, .. } = finding;
    let place = places.first().map(|place| format!("{}:{}:{}: ", place.file, place.line, place.column));
    let mut text = format!("{}{message} ({rule})", place.unwrap_or_default());
    if places.len() > 1 {
        text.push_str(&format!(", and {}", count(places.len() - 1, "more place")));
    }
    if !fix.is_empty() {
        text.push_str(&format!(". {fix}"));
    }
    text
}

fn finding_json(finding: &ImportFinding) -> serde_json::Value {
    let places = finding
        .places
        .iter()
        .map(|place| json!({ "crd": place.crd, "file": place.file, "line": place.line, "column": place.column }));
    json!({
        "rule": finding.rule,
        "severity": finding.severity.name(),
        "message": finding.message,
        "fix": finding.fix,
        "places": places.collect::<Vec<_>>(),
    })
}

fn import(matches: &ArgMatches, session: &mut Session<'_>) -> Result<Imported, Vec<Diagnostic>> {
    let one = |fault| vec![fault];
    // clap has made sure that all three are there.
    let argument = matches.get_one::<OsString>("path").cloned().unwrap_or_default();
    let version = matches.get_one::<BundleVersion>("version").copied();
    let channel = channel(matches);
    let (Some(version), Some(channel)) = (version, channel) else {
        return Err(vec![Diagnostic::error("usage::missing", "--version and --channel are required")]);
    };
    let root = root::locate(matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path), session).map_err(one)?;
    // An archive of a bundle holds all its channels.
    let published = source::published(&argument, session)?.of_channel(channel);
    let expected = Expected { prefix: None, version: Some(version), channel: Some(channel) };
    let findings = check_bundle(&published, &expected);
    let folder = root.join(BUNDLES).join(version.to_string());
    let mut imported = Imported {
        folder: folder.join(channel.name()),
        crds: published.crds.len(),
        written: 0,
        passed_over: published.passed_over.iter().map(ToString::to_string).collect(),
        more_passed_over: published.more_passed_over,
        findings,
    };
    if !imported.is_refused() {
        imported.written =
            write(&root, &folder, version, channel, matches.get_one("date").copied(), published, session)?;
    }
    Ok(imported)
}

/// Writes the CRDs and the manifest; says how many files changed.
fn write(
    root: &Path,
    folder: &Path,
    version: BundleVersion,
    channel: Channel,
    released: Option<Released>,
    published: Published,
    session: &mut Session<'_>,
) -> Result<usize, Vec<Diagnostic>> {
    let one = |fault| vec![fault];
    let bundles = root.join(BUNDLES);
    // Held until all is written, so that two imports cannot mix their files.
    let mut held = HeldFolder::hold(&bundles, root, session).map_err(one)?;
    // Nothing is written through a symlink, nor in place of a file.
    present(&folder.join(channel.name()), root).map_err(one)?;
    let manifest_path = folder.join(manifest::FILE_NAME);
    let known = match source::regular_text(&manifest_path).map_err(one)? {
        Some(text) => Some(BundleManifest::from_yaml(&text).map_err(|wrong| {
            wrong.into_iter().map(|fault| source::malformed_manifest(&manifest_path, fault)).collect::<Vec<_>>()
        })?),
        None => None,
    };
    if known.as_ref().is_some_and(|manifest| !manifest.imported) {
        let predicate = format!("is the manifest of a bundle released here, so {version} cannot be imported");
        return Err(vec![file::problem("bundle::committed", manifest_path, predicate)]);
    }
    if known.is_some() {
        // What is there stays, so it must be what the manifest says.
        source::open_version(version, root, session)?;
    }
    let texts = files(published.crds.into_iter().map(|crd| crd.crd).collect());
    let texts =
        texts.into_iter().map(|file| (format!("{channel}/{}", file.name), file.text)).collect::<BTreeMap<_, _>>();
    let manifest = BundleManifest {
        version,
        channels: {
            let mut channels = known.as_ref().map(|manifest| manifest.channels.clone()).unwrap_or_default();
            channels.push(channel);
            channels.sort();
            channels.dedup();
            channels
        },
        baseline: None,
        earlier: Vec::new(),
        imported: true,
        files: {
            let others = known.iter().flat_map(|manifest| &manifest.files);
            let prefix = format!("{channel}/");
            let mut listed = others.filter(|file| !file.path.starts_with(&prefix)).cloned().collect::<Vec<_>>();
            listed
                .extend(texts.iter().map(|(path, text)| ManifestFile { path: path.clone(), sha256: Digest::of(text) }));
            listed.sort();
            listed
        },
        tombstones: None,
        verdict: None,
        waivers: None,
        released: released.or(known.as_ref().and_then(|manifest| manifest.released)),
        tool: None,
    };
    if let Some(known) = &known
        && known.channels.contains(&channel)
    {
        if *known != manifest {
            return Err(vec![differs(known, &manifest, folder, version)]);
        }
        return Ok(0);
    }
    if known.is_none() && folder.is_dir() {
        return Err(vec![
            file::problem("bundle::manifest", folder, format!("already exists and has no {}", manifest::FILE_NAME))
                .help("move it away, or import another version"),
        ]);
    }
    let mut transaction = Transaction::default();
    held.make(&folder.join(channel.name())).map_err(one)?;
    for (path, text) in &texts {
        transaction.write(folder.join(path), text).map_err(one)?;
    }
    transaction.write(manifest_path, &manifest.to_yaml()).map_err(one)?;
    transaction.commit()?;
    Ok(texts.len() + 1)
}

/// Says which file of a bundle would be altered.
fn differs(known: &BundleManifest, manifest: &BundleManifest, folder: &Path, version: BundleVersion) -> Diagnostic {
    let differing = manifest.files.iter().find(|file| !known.files.contains(file));
    let gone = || known.files.iter().find(|file| manifest.files.iter().all(|other| other.path != file.path));
    let path = differing.or_else(gone).map_or(folder.to_owned(), |file| folder.join(&file.path));
    file::problem("bundle::committed", path, "differs from the imported CRDs; an existing bundle never changes")
        .help(format!("remove bundles/{version} if it was a mistake"))
}
