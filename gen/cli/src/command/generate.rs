//! `generate`: writes the CRDs of the types, in every channel.
//!
//! Invariants: types are read once and every channel is projected, also when only one is written, so that a change cannot break a channel
//! unseen. Nothing is written before everything is known to be good: types, texts (read back by an independent reader where they change)
//! and what lies in the folders. With `--check` nothing is written at all. Files that are not ours are never touched.

mod report;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_apiserver::refusal::refusals;
use crd_bundle::{BUNDLE_VERSION, BundleVersion, CHANNEL, files, is_stamped, stamp};
use crd_channels::channel::Channel;
use crd_generate::{AnnotatedResource, Catalogue, annotated, merged};
use crd_inclusion::{Excess, containment};
use crd_model::CustomResourceDefinition;

use self::report::{Change, ChannelReport, Report, document};
use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, ROOT, after_help, channel, channel_argument, format, format_argument, root_argument};
use crate::difference::Difference;
use crate::exit::Exit;
use crate::file;
use crate::folder::{HeldFolder, Listing, present};
use crate::program::Program;
use crate::session::Session;
use crate::transaction::Transaction;
use crate::{parallel, root};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json;
use crd_diagnostics::layout::for_shell;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "generate", arguments, run: Run::WithTypes(run) };

fn arguments(command: Command, program: Program) -> Command {
    command
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing; show what is out of date, and exit with 3 if anything is"),
        )
        .arg(channel_argument("Write this channel only; all channels are generated and checked"))
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with(ROOT)
                .help("Write to DIR/CHANNEL instead of bundles/unreleased/CHANNEL"),
        )
        .arg(
            Arg::new("no-read-back")
                .long("no-read-back")
                .action(ArgAction::SetTrue)
                .help("Skip reading changed files with an independent YAML reader before they are written"),
        )
        .arg(
            Arg::new("verbose")
                .long("verbose")
                .short('v')
                .action(ArgAction::SetTrue)
                .help("List every schema path where a channel is not, or may not be, contained in the next one"),
        )
        .arg(root_argument())
        .arg(format_argument())
        .after_help(after_help(
            program,
            &[Exit::Fine, Exit::Unusable, Exit::Stale],
            &[
                ("generate", "after a change to the types"),
                ("generate --check", "in CI: check that the committed files are up to date"),
                ("generate --channel standard", "one channel only"),
                ("generate --out /tmp/crds", "somewhere else"),
            ],
        ))
}

/// What was asked for.
struct Options {
    check: bool,
    channel: Option<Channel>,
    out: Option<PathBuf>,
    root: Option<PathBuf>,
    read_back: bool,
    verbose: bool,
}

impl Options {
    fn of(matches: &ArgMatches) -> Self {
        Self {
            check: matches.get_flag("check"),
            channel: channel(matches),
            out: matches.get_one("out").cloned(),
            root: matches.get_one(ROOT).cloned(),
            read_back: !matches.get_flag("no-read-back"),
            verbose: matches.get_flag("verbose"),
        }
    }

    /// The command that writes what this one checks.
    fn updating_command(&self) -> String {
        let mut command = "cargo xtask generate".to_owned();
        if let Some(channel) = self.channel {
            command.push_str(&format!(" --channel {channel}"));
        }
        for (name, path) in [("--out", &self.out), ("--root", &self.root)] {
            if let Some(path) = path {
                command.push_str(&format!(" {name} {}", for_shell(path)));
            }
        }
        command
    }
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let options = Options::of(matches);
    let result = generate(catalogue, &options, session);
    let stale = options.check && result.as_ref().is_ok_and(Report::has_changes);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(_) if stale => Exit::Stale,
        Ok(_) => Exit::Fine,
    };
    if format(matches) == Format::Json {
        session.print(json::line(&document(&result, &options, session)));
        return Ok(exit);
    }
    let report = result?;
    report.print(&options, session);
    Ok(exit)
}

/// The committed files that are not what the types say, sorted.
pub(super) fn stale(
    catalogue: &Catalogue,
    root: &Path,
    session: &mut Session<'_>,
) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let options = Options {
        check: true,
        channel: None,
        out: None,
        root: Some(root.to_owned()),
        // Nothing is written, and what differs is told by its name.
        read_back: false,
        verbose: false,
    };
    let report = generate(catalogue, &options, session)?;
    let of_channel = |channel: &ChannelReport| {
        let names = channel.changed.iter().map(|change| &change.name).chain(&channel.removed);
        names.map(|name| channel.folder.join(name)).collect::<Vec<_>>()
    };
    let mut stale = report.channels.iter().flat_map(of_channel).collect::<Vec<_>>();
    stale.sort();
    Ok(stale)
}

/// What one resource became.
#[derive(Default)]
struct Generated {
    errors: Vec<Diagnostic>,
    faults: Vec<Diagnostic>,
    breaches: Vec<Excess>,
    files: Vec<GeneratedFile>,
}

/// One file of it.
struct GeneratedFile {
    channel: Channel,
    name: String,
    versions: usize,
    bytes: usize,
    change: Option<Change>,
}

/// A channel's folder as it was found.
struct Found {
    channel: Channel,
    folder: PathBuf,
    listing: Listing,
}

/// What every thread needs.
struct Work<'a> {
    catalogue: &'a Catalogue,
    version: BundleVersion,
    options: &'a Options,
    found: &'a [Found],
}

fn generate(catalogue: &Catalogue, options: &Options, session: &mut Session<'_>) -> Result<Report, Vec<Diagnostic>> {
    let version = stamps(catalogue)?;
    let resources = annotated(catalogue)?;
    let (base, trusted) = output(options, session).map_err(|fault| vec![fault])?;
    if let Some(fault) = options.out.as_ref().and_then(|_| committed(&base)) {
        return Err(vec![fault]);
    }
    // Held from before the comparison until all is written, so that two runs cannot mix their files.
    let mut held = match options.check {
        true => None,
        false => Some(HeldFolder::hold(&base, &trusted, session).map_err(|fault| vec![fault])?),
    };
    let mut faults = Vec::new();
    let found = found(&base, &trusted, options, &mut faults);
    let work = Work { catalogue, version, options, found: &found };
    let generated = parallel::each(&resources, |resource| work.resource(resource));

    let mut report = Report { channels: Vec::new(), breaches: Vec::new(), notes: Vec::new() };
    for found in &found {
        report.channels.push(ChannelReport::of(found));
    }
    let mut errors = Vec::new();
    for resource in generated {
        errors.extend(resource.errors);
        faults.extend(resource.faults);
        report.breaches.extend(resource.breaches);
        for file in resource.files {
            if let Some(channel) = report.channels.iter_mut().find(|report| report.channel == file.channel) {
                channel.take(file);
            }
        }
    }
    faults.splice(0..0, merged(errors));
    if !faults.is_empty() {
        return Err(faults);
    }
    for (found, channel) in found.iter().zip(&mut report.channels) {
        channel.look_for_others(found, catalogue.prefix(), session, &mut report.notes, &mut faults);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    if let Some(held) = &mut held {
        report.write(&found, held)?;
    }
    Ok(report)
}

/// The version that the files are stamped with.
fn stamps(catalogue: &Catalogue) -> Result<BundleVersion, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    if catalogue.descriptors().is_empty() {
        faults.push(
            Diagnostic::error("catalogue::empty", "the catalogue has no resources, so every file would be removed")
                .help("add root types with `.resource::<T>()` or `.resources(…)`"),
        );
    }
    // What a server says about annotations is asked before there is a CRD to stamp.
    let mut stamped = CustomResourceDefinition::default();
    for key in [BUNDLE_VERSION, CHANNEL] {
        stamped.annotations.insert(format!("{}/{key}", catalogue.prefix()).into(), "".into());
    }
    for refusal in refusals(&stamped).into_iter().filter(|refusal| refusal.rule == "metadata-annotations") {
        faults.push(Diagnostic::error(
            "catalogue::prefix",
            format!("the catalogue's prefix is not valid in annotations: {}", refusal.message),
        ));
    }
    match catalogue.next_version().parse::<BundleVersion>() {
        Ok(version) if faults.is_empty() => Ok(version.unreleased()),
        Ok(_) => Err(faults),
        Err(error) => {
            faults.push(Diagnostic::error("catalogue::version", format!("the catalogue's next version: {error}")));
            Err(faults)
        }
    }
}

/// The folder of the channels' folders, and the part of it that the user named.
fn output(options: &Options, session: &Session<'_>) -> Result<(PathBuf, PathBuf), Diagnostic> {
    match &options.out {
        Some(out) => {
            let out = session.folder().join(out);
            Ok((out.clone(), out))
        }
        None => {
            let root = root::locate(options.root.as_deref(), session)?;
            Ok((root.join("bundles").join("unreleased"), root))
        }
    }
}

/// The file that makes a folder a bundle of the history.
const MANIFEST: &str = "bundle.yaml";

/// Why nothing may be written to a folder, if it is a committed bundle or lies in one.
fn committed(out: &Path) -> Option<Diagnostic> {
    // By whatever way it was named.
    let out = fs::canonicalize(out).unwrap_or_else(|_| out.to_owned());
    let is_bundle = |folder: &&Path| fs::symlink_metadata(folder.join(MANIFEST)).is_ok();
    // Further above, such a file may be somebody else's.
    let is_version = |folder: &&Path| {
        folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.parse::<BundleVersion>().is_ok())
    };
    let above = out.ancestors().skip(1).filter(is_version);
    let bundle = std::iter::once(&*out).chain(above).find(is_bundle)?;
    let predicate = format!("is a released or imported bundle ({MANIFEST} exists), which never changes");
    Some(file::problem("bundle::committed", bundle, predicate).help("choose another folder with `--out DIR`"))
}

fn found(base: &Path, trusted: &Path, options: &Options, faults: &mut Vec<Diagnostic>) -> Vec<Found> {
    let mut found = Vec::new();
    // What is wrong above the channels is wrong once.
    if let Err(fault) = present(base, trusted) {
        faults.push(fault);
        return found;
    }
    for channel in Channel::ALL.into_iter().filter(|channel| options.channel.is_none_or(|only| only == *channel)) {
        let folder = base.join(channel.name());
        match Listing::of(&folder, trusted) {
            Ok(listing) => found.push(Found { channel, folder, listing }),
            Err(fault) => faults.push(fault),
        }
    }
    found
}

impl Work<'_> {
    /// A resource in all channels.
    fn resource(&self, resource: &AnnotatedResource) -> Generated {
        let mut generated = Generated::default();
        let mut projected = Vec::new();
        for channel in Channel::ALL {
            match resource.project(self.catalogue, channel) {
                Ok(Some(crd)) => projected.push((channel, crd)),
                Ok(None) => {}
                Err(errors) => generated.errors.extend(errors),
            }
        }
        if !generated.errors.is_empty() {
            return generated;
        }
        for (index, (channel, crd)) in projected.iter().enumerate() {
            // Channels stand from the most stable to the least: the next one holds at least as much.
            if Channel::ALL.last() != Some(channel) {
                let wider = projected.get(index + 1).map(|(_, crd)| std::slice::from_ref(crd)).unwrap_or_default();
                generated.breaches.extend(containment(std::slice::from_ref(crd), wider));
            }
        }
        for (channel, mut crd) in projected {
            let Some(found) = self.found.iter().find(|found| found.channel == channel) else { continue };
            stamp(&mut crd, self.catalogue.prefix(), self.version, channel);
            match self.file(found, crd) {
                Ok(file) => generated.files.extend(file),
                Err(fault) => generated.faults.push(fault),
            }
        }
        generated
    }

    /// The file of a CRD, compared with the one that is there.
    fn file(&self, found: &Found, crd: CustomResourceDefinition) -> Result<Option<GeneratedFile>, Diagnostic> {
        let versions = crd.versions.len();
        let Some(file) = files(vec![crd]).pop() else { return Ok(None) };
        let path = found.folder.join(&file.name);
        let old = match found.listing.kind(&file.name) {
            None => None,
            Some(kind) if kind.is_file() => read(&path)?,
            Some(kind) => return Err(file::wrong_kind(path, kind, "file")),
        };
        let bytes = file.text.len();
        let mut change = None;
        if old.as_deref() != Some(file.text.as_bytes()) {
            if self.options.read_back {
                file.read_back().map_err(|mismatch| {
                    file::problem("file::read-back", path, format!("reads back as another document: {mismatch}")).help(
                        "this is a bug in this tool, not in the types; please report it. `--no-read-back` writes the file anyway",
                    )
                })?;
            }
            let difference = match old {
                Some(old) if self.options.check => {
                    Some(Difference::between(&String::from_utf8_lossy(&old), &file.text))
                }
                _ => None,
            };
            let text = if self.options.check { String::new() } else { file.text };
            change = Some(Change { name: file.name.clone(), text, difference });
        }
        Ok(Some(GeneratedFile { channel: found.channel, name: file.name, versions, bytes, change }))
    }
}

/// The bytes of a file; `None`: it has gone since it was listed, by the hand of another run.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file::cannot(path, "read", &error)),
    }
}

impl ChannelReport {
    fn of(found: &Found) -> Self {
        Self {
            channel: found.channel,
            folder: found.folder.clone(),
            names: BTreeSet::new(),
            versions: 0,
            bytes: 0,
            changed: Vec::new(),
            removed: Vec::new(),
        }
    }

    fn take(&mut self, file: GeneratedFile) {
        self.names.insert(file.name);
        self.versions += file.versions;
        self.bytes += file.bytes;
        self.changed.extend(file.change);
    }

    /// What else lies in the folder: files of ours that no type makes any more go, and everything else stays.
    fn look_for_others(
        &mut self,
        found: &Found,
        prefix: &str,
        session: &Session<'_>,
        notes: &mut Vec<String>,
        faults: &mut Vec<Diagnostic>,
    ) {
        for (name, kind) in found.listing.iter() {
            let path = self.folder.join(name);
            let known = name.to_str();
            if known.is_some_and(|name| self.names.contains(name) || name.starts_with('.')) {
                continue;
            }
            // Only a file that is called as ours are; a copy that somebody put aside is theirs.
            let candidate = known.filter(|name| kind.is_file() && name.ends_with(".yaml") && name.contains('_'));
            if let Some(name) = candidate {
                match read(&path) {
                    Ok(Some(text)) if is_stamped(&String::from_utf8_lossy(&text), prefix) => {
                        self.removed.push(name.to_owned());
                        continue;
                    }
                    Ok(_) => {}
                    Err(fault) => faults.push(fault),
                }
            }
            notes.push(format!("{} is not ours and left alone", session.shown(&path).display()));
        }
    }
}

impl Report {
    /// Writes what differs, in all channels or in none.
    fn write(&self, found: &[Found], held: &mut HeldFolder) -> Result<(), Vec<Diagnostic>> {
        let one = |fault| vec![fault];
        let mut transaction = Transaction::default();
        for channel in &self.channels {
            if !channel.changed.is_empty() {
                held.make(&channel.folder).map_err(one)?;
            }
            for change in &channel.changed {
                transaction.write(channel.folder.join(&change.name), &change.text).map_err(one)?;
            }
            for name in &channel.removed {
                transaction.remove(channel.folder.join(name));
            }
        }
        transaction.commit()?;
        if held.is_alone() {
            for found in found {
                for name in found.listing.temporaries() {
                    // Left by a run that was killed. If it cannot go now, it can next time.
                    let _ = fs::remove_file(found.folder.join(name));
                }
            }
        }
        Ok(())
    }
}
