//! `release`: writes a bundle, which is committed, and its artefacts, which are published.
//!
//! Invariants: a bundle passes the gate or nothing is written; what is written depends on nothing that two machines could disagree on; a bundle
//! that is there is never altered, only its artefacts are made again.

mod contents;
mod report;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use crd_bundle::{BundleManifest, BundleVersion, Released, manifest};
use crd_generate::Catalogue;
use crd_release::template::EMBEDDED;

use self::contents::Made;
use self::report::Report;
use super::generate::stale;
use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, ROOT, after_help, format, format_argument, root_argument};
use crate::arguments::{VERBOSE, profile, profile_argument, verbose_argument};
use crate::candidate::Request;
use crate::exit::Exit;
use crate::file;
use crate::history::{text_if_there, waivers_path};
use crate::program::Program;
use crate::publication::{self, Publication, Tree};
use crate::release_date::release_date;
use crate::root;
use crate::session::Session;
use crate::source::{BUNDLES, released};
use crate::working_tree::WorkingTree;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_review::gate::Files;
use crd_review::{Baseline, gate};

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "release", arguments, run: Run::WithTypes(run) };

/// The folder of the artefacts.
const DIST: &str = "dist";

/// The folder of the texts that stand in place of ours.
const TEMPLATES: &str = "templates";

const VERSION: &str = "version";
const DATE: &str = "date";
const DRY_RUN: &str = "dry-run";
const ALLOW_MAJOR: &str = "allow-major";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Write `bundles/VERSION`, which is committed, and `dist/`, which is published: install files, Helm charts, an archive, an SBOM, \
             release notes and SHA256SUMS. Do not edit them.\n\n\
             The version must be above the previous ones and permit the changes (`check` prints the required one). Tombstones and \
             waivers must be correct, `bundles/unreleased` must be up to date, and everything must be committed. Otherwise all \
             errors are reported together, and no file changes.\n\n\
             If `bundles/VERSION` exists with the same bytes, only `dist/` is written again: CI does this at a tag.\n\n\
             The release date comes from the committed bundle, else `--date`, else SOURCE_DATE_EPOCH, else the last commit. \
             The same commit produces the same bytes on every machine.",
        )
        .arg(
            Arg::new(VERSION)
                .value_name("VERSION")
                .required(true)
                .value_parser(|text: &str| {
                    let version = text.parse::<BundleVersion>()?;
                    version.check_comparable().map(|()| version)
                })
                .help("vMAJOR.MINOR.PATCH, or a pre-release: v1.7.0-rc.1 (dev, alpha, beta, rc)"),
        )
        .arg(
            Arg::new(DRY_RUN)
                .long(DRY_RUN)
                .action(ArgAction::SetTrue)
                .help("Write nothing; show what would be written, or the errors"),
        )
        .arg(
            Arg::new(DATE)
                .long(DATE)
                .value_name("DATE")
                .value_parser(|text: &str| text.parse::<Released>())
                .help("The release date in UTC: 2026-11-21, or 2026-11-21T16:53:52Z"),
        )
        .arg(
            Arg::new(ALLOW_MAJOR)
                .long(ALLOW_MAJOR)
                .action(ArgAction::SetTrue)
                .help("Permit a change that breaks users, in a major bundle"),
        )
        .arg(profile_argument())
        .arg(verbose_argument())
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable, Exit::Stale], &[
            ("release v1.7.0 --dry-run", "show what would be released, or the errors"),
            ("release v1.7.0", "the bundle and its artefacts"),
            ("release v1.7.0-rc.1", "a pre-release, never used as a baseline"),
            ("release v2.0.0 --allow-major", "a bundle that breaks users"),
        ]))
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let result = release(catalogue, matches, session);
    if format(matches) == Format::Json {
        session.print(json::line(&report::document(&result, session)));
        return Ok(result.map_or(Exit::Unusable, |report| report.exit()));
    }
    let report = result?;
    report.print(matches.get_flag(VERBOSE), session);
    Ok(report.exit())
}

fn release(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Result<Report, Vec<Diagnostic>> {
    let one = |fault| vec![fault];
    let Some(version) = matches.get_one::<BundleVersion>(VERSION).copied() else {
        return Err(one(Diagnostic::error("usage::missing", "a version is required")));
    };
    let root = root::locate(matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path), session).map_err(one)?;
    let place = Place { folder: root.join(BUNDLES).join(version.to_string()), dist: root.join(DIST), root, version };
    named(catalogue)?;
    let is_dry = matches.get_flag(DRY_RUN);
    // Held from before the first look, so that nobody releases while this one judges.
    let lock = match is_dry {
        true => None,
        false => Some(publication::hold(&place.root).map_err(one)?),
    };
    let found = place.found()?;
    let tree = WorkingTree::around(&place.root).map_err(one)?;
    let asked = matches.get_one::<Released>(DATE).copied();
    let committed = place.committed(found.as_ref());
    let said = committed.as_ref().and_then(|manifest| manifest.released);
    let date = release_date(said, asked, tree.as_ref(), session).map_err(one)?;
    let request = Request {
        version,
        against: committed.as_ref().map_or(Baseline::Highest, |manifest| Baseline::Recorded(manifest.baseline)),
        profile: profile(matches),
        with_witnesses: false,
        release_date: &|| Some(date.released),
        is_release: true,
    };
    let reviewed = request.run(catalogue, &place.root, session)?;

    let mut refusals = Vec::new();
    let others = released(&place.root)?.into_iter().filter(|other| *other != version).collect::<Vec<_>>();
    // What was released once may be built again, whatever came after it.
    if found.is_none() {
        refusals.extend(gate::of_version(version, &others));
    }
    refusals.extend(gate::of_report(&reviewed.report, version, matches.get_flag(ALLOW_MAJOR), found.is_some()));
    refusals.extend(gate::of_stale(&shown(&stale(catalogue, &place.root, session)?, session)));
    if let Some(tree) = &tree {
        let uncommitted = tree.uncommitted(&place.read()).map_err(one)?;
        refusals.extend(gate::of_uncommitted(&uncommitted, |path| place.is_ours(path)));
        if found.is_some() {
            refusals.extend(gate::of_altered(&uncommitted, version, &place.root));
        }
    }
    let waivers = text_if_there(&waivers_path(&place.root)).map_err(one)?;
    let made = Made {
        catalogue,
        version,
        released: date.released,
        reviewed: &reviewed,
        waivers: waivers.as_deref(),
        committed: committed.as_ref(),
    };
    let bundled = made.release()?;
    let bundle = made.bundle(&bundled);
    if let Some(found) = &found {
        let is_newest = others.iter().all(|other| *other < version);
        refusals.extend(gate::of_difference(&place.folder, version, is_newest, found, &bundle));
    }
    let cargo_lock = text_if_there(&place.root.join("Cargo.lock")).map_err(one)?;
    let own = place.templates()?;
    let dist = made.dist(&bundled, own.texts, cargo_lock.as_deref())?;

    let mut report = Report {
        version,
        date,
        is_dry,
        is_there: found.is_some(),
        has_working_tree: tree.is_some(),
        next_version: catalogue.next_version().to_owned(),
        root: place.root.clone(),
        bundle: report::sizes(&bundle),
        dist: report::sizes(&dist),
        reviewed,
        refusals,
        notes: Vec::new(),
    };
    report.notes.extend(own.others.iter().map(|name| {
        format!("{TEMPLATES}/{name} is no text of ours and left alone: those are in {}", kinds_of_templates())
    }));
    if let Some(asked) = asked.filter(|asked| *asked != date.released) {
        report.notes.push(format!("the bundle says itself when it was released, so `--date` ({asked}) is not heeded"));
    }
    if cargo_lock.is_none() {
        report
            .notes
            .push("there is no Cargo.lock, so the SBOM does not say which crates this was made with".to_owned());
    }
    let publication = Publication {
        root: &place.root,
        bundle: found.is_none().then(|| Tree { target: place.folder.clone(), files: bundle }),
        dist: Tree { target: place.dist.clone(), files: dist },
    };
    report.refusals.extend(gate::of_targets(publication.check()));
    if let (true, Some(lock)) = (report.refusals.is_empty(), &lock) {
        let left = publication.publish(lock)?.left;
        report.notes.extend(left.map(|problem| session.in_one_line(&problem)));
    }
    Ok(report)
}

/// A name that charts and archives can have, and a prefix that objects can be called after.
fn named(catalogue: &Catalogue) -> Result<(), Vec<Diagnostic>> {
    let (name, prefix) = (catalogue.name(), catalogue.prefix());
    let mut faults = Vec::new();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(plain) && !label.starts_with('-') && !label.ends_with('-');
    if !is_label(name) || name.len() > MOST_NAME || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        faults.push(Diagnostic::error(
            "catalogue::name",
            format!("the catalogue's name {name:?} is not valid for charts and archives"),
        )
        .help(format!(
            "set it with `.named(\"…\")`: at most {MOST_NAME} lower-case letters, digits and `-`, beginning with a letter"
        )));
    }
    if prefix.len() > MOST_PREFIX || !prefix.split('.').all(is_label) {
        faults.push(
            Diagnostic::error(
                "catalogue::prefix",
                format!("the catalogue's prefix {prefix:?} is not valid in names of policies"),
            )
            .help(format!(
                "choose a DNS name of at most {MOST_PREFIX} characters: lower-case letters, digits, `-` and `.`"
            )),
        );
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Helm's limit is 53 characters, and the channel stands behind it.
const MOST_NAME: usize = 40;

/// Kubernetes takes names of 253 characters, and the longest of ours begins with `safe-upgrades-by-reference.`.
const MOST_PREFIX: usize = 226;

/// What lies in `templates/` of the workspace.
struct OwnTexts {
    /// The texts that stand in place of ours, by their path.
    texts: Vec<(String, String)>,
    /// The names of what is somebody else's.
    others: Vec<String>,
}

/// Where a release is made.
struct Place {
    root: PathBuf,
    version: BundleVersion,
    /// `bundles/VERSION`.
    folder: PathBuf,
    dist: PathBuf,
}

impl Place {
    /// The files of the bundle, if it is there.
    fn found(&self) -> Result<Option<Files>, Vec<Diagnostic>> {
        match fs::symlink_metadata(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(vec![file::cannot(&self.folder, "read", &error)]),
            Ok(metadata) if !metadata.is_dir() => {
                return Err(vec![file::wrong_kind(&self.folder, metadata.file_type(), "folder")]);
            }
            Ok(_) => {}
        }
        let (mut files, mut faults) = (Files::new(), Vec::new());
        read_below(&self.folder, "", &mut files, &mut faults);
        if faults.is_empty() { Ok(Some(files)) } else { Err(faults) }
    }

    /// The files that a release reads, relative to the root: our texts in `templates/`, all of `bundles/` but what `generate` wrote and the
    /// bundle itself, and the lock file of cargo.
    fn read(&self) -> Vec<String> {
        let mut found = Vec::new();
        let texts = kinds().into_iter().map(|kind| format!("{TEMPLATES}/{kind}"));
        for name in texts.chain([BUNDLES.to_owned()]) {
            names_below(&self.root.join(&name), &name, &mut found);
        }
        let unreleased = format!("{BUNDLES}/unreleased/");
        let matters = |path: &String| {
            // What is hidden is read by nobody.
            !path.starts_with(&unreleased) && !self.is_ours(path) && !path.split('/').any(|name| name.starts_with('.'))
        };
        found.retain(matters);
        found.extend(self.root.join("Cargo.lock").is_file().then(|| "Cargo.lock".to_owned()));
        found.sort();
        found
    }

    /// What the committed bundle says of itself.
    fn committed(&self, found: Option<&Files>) -> Option<BundleManifest> {
        let text = found?.get(manifest::FILE_NAME).map(|bytes| String::from_utf8_lossy(bytes))?;
        // What is wrong with it is told as a difference.
        BundleManifest::from_yaml(&text).ok()
    }

    /// Whether a path below the root is written by this release.
    fn is_ours(&self, path: &str) -> bool {
        let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        below(DIST) || below(&format!("{BUNDLES}/{}", self.version)) || publication::is_own(path)
    }

    /// What lies in `templates/`.
    fn templates(&self) -> Result<OwnTexts, Vec<Diagnostic>> {
        let folder = self.root.join(TEMPLATES);
        let (mut texts, mut others, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        let mut files = Files::new();
        let kinds = kinds();
        for name in present_names(&folder, &mut faults) {
            match fs::symlink_metadata(folder.join(&name)) {
                Ok(_) if kinds.contains(&*name) => match crate::folder::present(&folder.join(&name), &self.root) {
                    Ok(_) => read_below(&folder.join(&name), &format!("{name}/"), &mut files, &mut faults),
                    Err(fault) => faults.push(fault),
                },
                // A folder of this name is common, and may be somebody else's. `init` holds what that command writes.
                Ok(_) if name != "init" => others.push(name),
                _ => {}
            }
        }
        // A link that several kinds lie behind is told once.
        faults.dedup_by_key(|fault| format!("{fault:?}"));
        for (path, bytes) in files {
            match String::from_utf8(bytes) {
                Ok(text) => texts.push((path, text)),
                Err(_) => faults.push(file::problem("release::template", folder.join(path), "is not UTF-8 text")),
            }
        }
        if faults.is_empty() { Ok(OwnTexts { texts, others }) } else { Err(faults) }
    }
}

/// The files below a folder that need not be there, by path. What is wrong with it is told by those who read it.
fn names_below(folder: &Path, above: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = format!("{above}/{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => names_below(&entry.path(), &path, found),
            // A symlink is compared by what it leads to, which is not what is committed.
            Ok(kind) if kind.is_file() || kind.is_symlink() && entry.path().is_file() => found.push(path),
            _ => {}
        }
    }
}

/// The names in a folder that need not be there, sorted.
fn present_names(folder: &Path, faults: &mut Vec<Diagnostic>) -> Vec<String> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
            let mut names = names.filter(|name| !name.starts_with('.')).collect::<Vec<_>>();
            names.sort();
            names
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Vec::new(),
        Err(error) => {
            faults.push(file::cannot(folder, "read", &error));
            Vec::new()
        }
    }
}

/// The folders of `templates/` that texts of ours are in.
fn kinds() -> BTreeSet<&'static str> {
    EMBEDDED.iter().filter_map(|row| row.path.split('/').next()).collect()
}

/// They as a reader is told of them.
fn kinds_of_templates() -> String {
    kinds().iter().map(|kind| format!("{TEMPLATES}/{kind}")).collect::<Vec<_>>().join(", ")
}

/// The files below a folder, by path. Symlinks are told, and not followed.
fn read_below(folder: &Path, above: &str, files: &mut Files, faults: &mut Vec<Diagnostic>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return faults.push(file::cannot(folder, "read", &error)),
    };
    for entry in entries {
        let entry = match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
            Ok(entry) => entry,
            Err(error) => {
                faults.push(file::cannot(folder, "read", &error));
                continue;
            }
        };
        let (kind, entry) = entry;
        let path = format!("{above}{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            read_below(&entry.path(), &format!("{path}/"), files, faults);
        } else if kind.is_file() {
            match fs::read(entry.path()) {
                Ok(bytes) => drop(files.insert(path, bytes)),
                Err(error) => faults.push(file::cannot(entry.path(), "read", &error)),
            }
        } else {
            faults.push(file::wrong_kind(entry.path(), kind, "file"));
        }
    }
}

/// Paths relative to the current folder.
fn shown(paths: &[PathBuf], session: &Session<'_>) -> Vec<String> {
    paths.iter().map(|path| session.shown(path).display().to_string()).collect()
}
