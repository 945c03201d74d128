//! Sources: what a user names as a bundle, opened and read.
//!
//! Invariants: only files are opened here, and never written; every fault of every file is told at once. Files are read on all
//! processors, in the order of their names. Who has a manifest is what it says, to the byte; who lies in the folder of a channel is of
//! that channel.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crd_bundle::manifest::{self, BundleManifest, ManifestFault};
use crd_bundle::published::{Input, Part, Published, PublishedCrd, ReadFault, ReadRule, join, limits, read_one};
use crd_bundle::{BundleVersion, Digest};
use crd_channels::channel::Channel;
use crd_compat::Channels;

use crate::file;
use crate::parallel;
use crate::session::Session;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::for_shell;
use crd_review::history::Bundle;

/// The folder of all bundles.
pub(crate) const BUNDLES: &str = "bundles";

/// Standard input, as an argument.
const STANDARD_INPUT: &str = "-";

/// Opens what an argument names. `channel` is where CRDs without a stamp belong.
pub(crate) fn open(
    argument: &OsStr,
    channel: Option<Channel>,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Bundle, Vec<Diagnostic>> {
    let name = argument.to_string_lossy().into_owned();
    if name == STANDARD_INPUT {
        let input = standard_input(session).map_err(|fault| vec![fault])?;
        return assemble(name, None, vec![(None, read_one(input))], channel);
    }
    let path = session.folder().join(Path::new(argument));
    if let Ok(version) = name.parse::<BundleVersion>() {
        match root {
            // A folder here that is called like a bundle is not meant if there is such a bundle.
            Some(root) if root.join(BUNDLES).join(&name).is_dir() || !path.exists() => {
                return open_version(version, root, session);
            }
            None if !path.exists() => {
                let message = format!("`{name}` is a bundle version, and there is no workspace with `{BUNDLES}`");
                let help = "name a folder or file, or the root with `--root DIR`";
                return Err(vec![Diagnostic::error("bundle::unknown", message).help(help)]);
            }
            _ => {}
        }
    }
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => open_folder(&path, &name, None, channel, session),
        Ok(_) => {
            let input = read_file(&path, &session.shown(&path).display().to_string()).map_err(|fault| vec![fault])?;
            assemble(name, None, vec![(None, read_one(input))], channel)
        }
        Err(error) => {
            let help = match format!("v{name}").parse::<BundleVersion>() {
                Ok(version) => format!("did you mean {version}?"),
                Err(_) => {
                    format!("a bundle is a version in `{BUNDLES}` such as v1.6.0, a folder, a file, an archive, or `-`")
                }
            };
            Err(vec![file::cannot(path, "read", &error).help(help)])
        }
    }
}

/// Opens a bundle in `bundles/`.
pub(crate) fn open_version(
    version: BundleVersion,
    root: &Path,
    session: &Session<'_>,
) -> Result<Bundle, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES).join(version.to_string());
    if !folder.is_dir() {
        let known = released(root)?;
        let known = match known.is_empty() {
            true => "`bundles/` contains no bundle".to_owned(),
            false => {
                format!("the bundles are {}", known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        let call = session.program().call();
        let help = format!("{known}; `{call} import` adds published CRDs");
        return Err(vec![file::problem("bundle::unknown", folder, "is not a bundle of `bundles/`").help(help)]);
    }
    open_folder(&folder, &version.to_string(), Some(version), None, session)
}

/// The versions below `bundles/`, lowest first.
pub(crate) fn released(root: &Path) -> Result<Vec<BundleVersion>, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(vec![file::cannot(folder, "read", &error)]),
    };
    let (mut versions, mut faults) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = match entry {
            Ok(entry) => entry.path(),
            Err(error) => {
                faults.push(file::cannot(&folder, "read", &error));
                continue;
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !path.is_dir() {
            continue;
        }
        match name.parse() {
            Ok(version) => versions.push(version),
            // A bundle that nobody looks at would be history that does not count.
            Err(error) if is_nearly_a_version(&name) => {
                let problem = file::problem("bundle::version", &path, format!("is not the name of a bundle: {error}"));
                faults.push(problem.help(format!("rename the folder, or move it away from `{BUNDLES}`")));
            }
            Err(_) => {}
        }
    }
    versions.sort();
    if faults.is_empty() { Ok(versions) } else { Err(faults) }
}

/// True for `1.6.0`, `v1.6` and the like.
fn is_nearly_a_version(name: &str) -> bool {
    name.strip_prefix(['v', 'V']).unwrap_or(name).starts_with(|first: char| first.is_ascii_digit())
}

/// Everything that an argument of `import` holds, whatever channel it says it is of.
pub(crate) fn published(argument: &OsStr, session: &Session<'_>) -> Result<Published, Vec<Diagnostic>> {
    let name = argument.to_string_lossy().into_owned();
    if name == STANDARD_INPUT {
        let input = standard_input(session).map_err(|fault| vec![fault])?;
        return join(&name, [read_one(input)]).map_err(told);
    }
    let path = session.folder().join(Path::new(argument));
    let (files, mut faults) = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => {
            let listing = list(&path);
            if let Some(fault) = listing.nothing(&path, &Channel::ALL.map(Channel::name)) {
                return Err(vec![fault]);
            }
            (listing.files, listing.faults)
        }
        Ok(_) => (vec![path], Vec::new()),
        Err(error) => return Err(vec![file::cannot(path, "read", &error)]),
    };
    let files = files.into_iter().map(|path| (session.shown(&path).display().to_string(), path)).collect::<Vec<_>>();
    let read = parallel::each(&files, |(name, path)| Ok::<_, Diagnostic>(read_one(read_file(path, name)?)));
    let mut parts = Vec::new();
    for part in read {
        match part {
            Ok(part) => parts.push(part),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { join(&name, parts).map_err(told) } else { Err(faults) }
}

fn told(faults: Vec<ReadFault>) -> Vec<Diagnostic> {
    faults.into_iter().map(unreadable).collect()
}

fn standard_input(session: &Session<'_>) -> Result<Input, Diagnostic> {
    match session.read_input(limits::MOST_BYTES as u64 + 1) {
        Ok(bytes) => Ok(Input::new(STANDARD_INPUT, bytes)),
        Err(error) => Err(Diagnostic::error("file::io", format!("cannot read standard input: {error}"))),
    }
}

/// A file of a bundle, to be read.
struct Named {
    channel: Option<Channel>,
    path: PathBuf,
    /// As messages call it.
    shown: String,
    /// What the manifest says of it.
    listed: Listed,
}

/// What a manifest says of a file.
enum Listed {
    /// There is no manifest.
    Nowhere,
    /// It is not in the manifest.
    No,
    /// It has these bytes.
    As(Digest),
}

fn open_folder(
    folder: &Path,
    name: &str,
    version: Option<BundleVersion>,
    channel: Option<Channel>,
    session: &Session<'_>,
) -> Result<Bundle, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let (manifest, manifest_digest) = read_manifest(folder, version, &mut faults).unzip();
    let by_channel = Channel::ALL.iter().any(|channel| folder.join(channel.name()).is_dir());
    let mut found = Vec::new();
    if by_channel {
        for channel in Channel::ALL {
            let below = folder.join(channel.name());
            if below.is_dir() {
                let listing = list(&below);
                faults.extend(listing.faults);
                found.extend(listing.files.into_iter().map(|path| (Some(channel), path)));
            }
        }
    }
    // Beside the channels of a bundle of ours may lie what was made of them. Elsewhere no CRD is passed over.
    if manifest.is_none() && version.is_none() || !by_channel {
        let listing = list(folder);
        if !by_channel && let Some(fault) = listing.nothing(folder, &[]) {
            faults.push(fault);
        }
        faults.extend(listing.faults);
        found.extend(listing.files.into_iter().map(|path| (None, path)));
    }
    let mut listed = manifest
        .iter()
        .flat_map(|manifest| &manifest.files)
        .map(|file| (&*file.path, file.sha256))
        .collect::<BTreeMap<_, _>>();
    let files = found.into_iter().map(|(channel, path)| Named {
        channel,
        shown: session.shown(&path).display().to_string(),
        listed: match &manifest {
            None => Listed::Nowhere,
            Some(_) => {
                let below = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                listed.remove(&*below).map_or(Listed::No, Listed::As)
            }
        },
        path,
    });
    let files = files.collect::<Vec<_>>();
    let read = parallel::each(&files, |file| {
        let input = read_file(&file.path, &file.shown)?;
        match &file.listed {
            Listed::As(digest) if Digest::of(&input.bytes) != *digest => Err(altered(&file.path, &file.shown)),
            Listed::No => Err(foreign(&file.path)),
            _ => Ok((file.channel, read_one(input))),
        }
    });
    let mut parts = Vec::new();
    for part in read {
        match part {
            Ok(part) => parts.push(part),
            Err(fault) => faults.push(fault),
        }
    }
    if manifest.is_some() {
        let others = others(folder, &mut faults);
        let is_known = |path: &Path| {
            let below = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            below == manifest::FILE_NAME
                || manifest.iter().flat_map(|manifest| &manifest.files).any(|file| file.path == below)
        };
        let told = |path: &Path| files.iter().any(|file| file.path == path);
        faults.extend(others.iter().filter(|path| !is_known(path) && !told(path)).map(|path| foreign(path)));
    }
    // What the manifest lists beside CRDs, and what is gone.
    for (below, digest) in listed {
        let path = folder.join(below);
        let shown = session.shown(&path).display().to_string();
        match regular_file(&path) {
            Ok(Some(bytes)) if Digest::of(&bytes) == digest => {}
            Ok(Some(_)) => faults.push(altered(&path, &shown)),
            Ok(None) => faults.push(
                file::problem(
                    "bundle::altered",
                    path,
                    format!("is missing, and {} lists it; a committed bundle never changes", manifest::FILE_NAME),
                )
                .help(restore(&shown)),
            ),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let shown = session.shown(folder).display().to_string();
    let mut source = assemble(shown, version, parts, channel)?;
    name.clone_into(&mut source.name);
    source.version = version.or(manifest.as_ref().map(|manifest| manifest.version)).or(source.version);
    // A channel without CRDs has no files.
    for channel in manifest.iter().flat_map(|manifest| &manifest.channels) {
        source.channels.entry(*channel).or_default();
    }
    source.manifest = manifest;
    source.manifest_digest = manifest_digest;
    Ok(source)
}

/// Every file below a folder, by path, but for those that systems hide.
fn others(folder: &Path, faults: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            faults.push(file::cannot(folder, "read", &error));
            return found;
        }
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        match fs::symlink_metadata(&path) {
            _ if is_hidden => {}
            Ok(metadata) if metadata.is_dir() => found.extend(others(&path, faults)),
            _ => found.push(path),
        }
    }
    found.sort();
    found
}

fn foreign(path: &Path) -> Diagnostic {
    let predicate = format!("is not listed in {}; a committed bundle never changes", manifest::FILE_NAME);
    file::problem("bundle::altered", path, predicate).help("move the file away")
}

fn restore(shown: &str) -> String {
    format!("restore it: `git checkout -- {}`", for_shell(Path::new(shown)))
}

fn altered(path: &Path, shown: &str) -> Diagnostic {
    let predicate =
        format!("does not have the checksum that {} lists; a committed bundle never changes", manifest::FILE_NAME);
    file::problem("bundle::altered", path, predicate).help(restore(shown))
}

/// The manifest of a bundle, if it has one. `version` is what its folder says.
fn read_manifest(
    folder: &Path,
    version: Option<BundleVersion>,
    faults: &mut Vec<Diagnostic>,
) -> Option<(BundleManifest, Digest)> {
    let path = folder.join(manifest::FILE_NAME);
    let text = match regular_text(&path) {
        Ok(text) => text?,
        Err(fault) => {
            faults.push(fault);
            return None;
        }
    };
    match BundleManifest::from_yaml(&text) {
        Ok(manifest) => {
            if let Some(version) = version.filter(|version| *version != manifest.version) {
                let predicate = format!("contains the version {}, and its folder is named {version}", manifest.version);
                faults.push(file::problem("bundle::altered", path, predicate).help("restore the one that was changed"));
            }
            Some((manifest, Digest::of(&text)))
        }
        Err(wrong) => {
            faults.extend(wrong.into_iter().map(|fault| malformed_manifest(&path, fault)));
            None
        }
    }
}

/// What a folder holds that matters.
#[derive(Default)]
struct Listing {
    /// The files that can hold CRDs, by name.
    files: Vec<PathBuf>,
    /// The folders below, by name.
    folders: Vec<String>,
    faults: Vec<Diagnostic>,
}

impl Listing {
    /// Why nothing of a folder can be read, if it has no file but folders. `channels` are those that could be named instead.
    fn nothing(&self, folder: &Path, channels: &[&str]) -> Option<Diagnostic> {
        if !self.files.is_empty() || self.folders.is_empty() || !self.faults.is_empty() {
            return None;
        }
        let channels =
            self.folders.iter().filter(|name| channels.contains(&&***name)).map(String::as_str).collect::<Vec<_>>();
        let meant = match channels.is_empty() {
            true => self.folders.iter().take(FOLDERS).map(String::as_str).collect::<Vec<_>>(),
            false => channels,
        };
        let more = if meant.len() < self.folders.len() && meant.len() == FOLDERS { " and more" } else { "" };
        let help = format!("folders below it are not read; name one of them: {}{more}", meant.join(", "));
        Some(file::problem("bundle::no-files", folder, "contains no YAML or JSON file").help(help))
    }
}

/// So many folders are named.
const FOLDERS: usize = 5;

/// The files of a folder that can hold CRDs. A `kustomization.yaml` and a manifest are about them, and hold none.
fn list(folder: &Path) -> Listing {
    let mut listing = Listing::default();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            listing.faults.push(file::cannot(folder, "read", &error));
            return listing;
        }
    };
    for entry in entries {
        let path = match entry {
            Ok(entry) => entry.path(),
            Err(error) => {
                listing.faults.push(file::cannot(folder, "read", &error));
                continue;
            }
        };
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            listing.folders.push(name.to_owned());
        } else if ["yaml", "yml", "json"].contains(&extension)
            && !["kustomization.yaml", "kustomization.yml", manifest::FILE_NAME].contains(&name)
            && path.is_file()
        {
            listing.files.push(path);
        }
    }
    listing.files.sort();
    listing.folders.sort();
    listing
}

/// The bytes of a file that belongs to a bundle or stands beside bundles; `None`: there is none. It is a regular file, or a link to one:
/// opening a pipe would wait for somebody to write, and a device has no end.
pub(crate) fn regular_file(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    let io = |error: std::io::Error| file::cannot(path, "read", &error);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(metadata) => return Err(file::wrong_kind(path, metadata.file_type(), "file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    }
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    let mut bytes = Vec::new();
    file.take(limits::MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() > limits::MOST_BYTES {
        let most = limits::MOST_BYTES >> 20;
        let predicate = format!("is larger than {most} MiB, the limit for a file");
        return Err(file::problem("too-large", path, predicate));
    }
    Ok(Some(bytes))
}

/// The same as text.
pub(crate) fn regular_text(path: &Path) -> Result<Option<String>, Diagnostic> {
    let Some(bytes) = regular_file(path)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(file::cannot(path, "read", &std::io::Error::new(ErrorKind::InvalidData, error))),
    }
}

fn read_file(path: &Path, name: &str) -> Result<Input, Diagnostic> {
    let io = |error: std::io::Error| file::cannot(path, "read", &error);
    let file = fs::File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough to be refused by it.
    file.take(limits::MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    Ok(Input::new(name, bytes))
}

/// One bundle of what was read. The channel of a part is that of its folder.
fn assemble(
    name: String,
    version: Option<BundleVersion>,
    parts: Vec<(Option<Channel>, Part)>,
    channel: Option<Channel>,
) -> Result<Bundle, Vec<Diagnostic>> {
    // CRDs of one name stand in two folders of two channels, and may lack stamps: each folder is a bundle of its own.
    let mut by_folder: BTreeMap<Option<Channel>, Vec<Part>> = BTreeMap::new();
    for (folder, part) in parts {
        by_folder.entry(folder).or_default().push(part);
    }
    let has_channels = by_folder.keys().any(Option::is_some);
    if by_folder.is_empty() {
        by_folder.insert(None, Vec::new());
    }
    let (mut published, mut faults) = (Vec::new(), Vec::new());
    for (folder, parts) in by_folder {
        let shown = folder.map_or(name.clone(), |folder| format!("{name}/{folder}"));
        match join(&shown, parts) {
            // What lies beside the folders of channels need not hold CRDs.
            Err(wrong)
                if folder.is_none() && has_channels && wrong.iter().all(|fault| fault.rule == ReadRule::NoCrds) => {}
            Err(wrong) => faults.extend(told(wrong)),
            Ok(Published { crds, .. }) => {
                for crd in crds {
                    match channel_of(&crd, folder, channel) {
                        Ok(channel) => published.push((channel, crd)),
                        Err(fault) => faults.push(fault),
                    }
                }
            }
        }
    }
    // Within a folder, that was told already.
    let mut known: BTreeSet<(Channel, &str)> = BTreeSet::new();
    for (channel, crd) in &published {
        if !known.insert((*channel, &crd.crd.name)) {
            let message = format!(
                "the CRD `{}` of {channel} is here for the second time. Remove one, or name the folder of one bundle only",
                crd.crd.name
            );
            faults.push(at(crd, ReadRule::CrdTwice, message));
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut channels = Channels::new();
    for (channel, crd) in &published {
        channels.entry(*channel).or_default().push(crd.crd.clone());
    }
    let version = version.or_else(|| {
        let mut stamps = published.iter().map(|(_, crd)| crd.stamps.bundle_version()?.ok());
        let first = stamps.next()??;
        stamps.all(|stamp| stamp == Some(first)).then_some(first)
    });
    Ok(Bundle { name, version, manifest: None, manifest_digest: None, channels, published })
}

/// The channel of a CRD: by its folder, its stamp, or what was said of CRDs without one.
fn channel_of(crd: &PublishedCrd, folder: Option<Channel>, said: Option<Channel>) -> Result<Channel, Diagnostic> {
    let stamped = crd.stamps.known_channel();
    if let (Some(folder), Some(stamped)) = (folder, stamped)
        && folder != stamped
    {
        let message = format!(
            "the CRD `{}` lies in the folder of {folder}, and is stamped {stamped}. Move it, or correct its stamp",
            crd.crd.name
        );
        return Err(at(crd, ReadRule::CrdStructure, message));
    }
    folder.or(stamped).or(said).ok_or_else(|| {
        let unknown = match &crd.stamps.channel {
            Some(stamp) => format!("its stamp names the channel {:?}, which is none", stamp.text),
            None => "it has no stamp".to_owned(),
        };
        let message = format!(
            "nothing says which channel `{}` belongs to: {unknown}, and lies in no folder of a channel. Say it with `--channel`",
            crd.crd.name
        );
        at(crd, ReadRule::CrdStructure, message)
    })
}

fn at(crd: &PublishedCrd, rule: ReadRule, message: String) -> Diagnostic {
    Diagnostic::error(rule.id(), message).at_line(&crd.file, crd.line)
}

/// An input that cannot be read as a bundle.
fn unreadable(fault: ReadFault) -> Diagnostic {
    let ReadFault { rule, file, line, column, message, fix } = fault;
    Diagnostic::error(rule.id(), message).at_position(file, line, column).help(fix)
}

/// A manifest that cannot be read.
pub(crate) fn malformed_manifest(path: impl Into<PathBuf>, fault: ManifestFault) -> Diagnostic {
    Diagnostic::error("bundle::manifest", fault.message).at_position(path, fault.line, fault.column)
}
