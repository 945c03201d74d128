//! The history archive: releases that were made before the bundles in `bundles/`, as structure without text, with their dates.
//!
//! A .tar.xz with `history.json`, which lists the releases and the CRDs of each channel, and `VERSION/CHANNEL/NAME.json` for each CRD. A CRD
//! that the previous release has with the same structure in the same channel has no file.
//!
//! Invariants: stable releases only, each once, lowest first. The unpacked bytes depend on the releases only, and so do the packed ones for one
//! version of lzma-rust2. Every listed CRD has a file in its release or in the previous one that lists it, and every file is listed. The
//! limits are those of other archives.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_model::channel::Channel;
use crd_model::document::{HtmlCharacters, JsonWriter, SchemaVersion};
use crd_model::{Channels, CustomResourceDefinition, parallel};
use lzma_rust2::{XzOptions, XzWriter};
use serde::Serialize;
use serde_json::{Value, json};

use crate::published::limits::{MOST_CRD_BYTES, MOST_ERRORS, MOST_MAPS};
use crate::published::{Input, Source, texts};
use crate::{BundleVersion, Release, Released};

/// The name of the archive in `bundles/`.
pub const FILE_NAME: &str = "history.tar.xz";

/// The code of an archive whose content is wrong.
pub const MALFORMED: &str = "history::malformed";

/// The list of releases in the archive.
pub const INDEX: &str = "history.json";

/// The format of the archive. A reader refuses every other format.
const FORMAT: u32 = 1;

/// The file `history.json` in a history archive. The archive also has the file `VERSION/CHANNEL/NAME.json` for each CRD, without the text that only
/// people read and without stamps. A CRD that the previous release has with the same structure in the same channel has no file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Index<'a> {
    /// The format of the archive.
    format: SchemaVersion<FORMAT>,
    /// Every release, lowest version first, each once.
    releases: Vec<IndexedRelease<'a>>,
}

/// A stable release.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct IndexedRelease<'a> {
    /// The names of the CRDs of each channel, in alphabetical order.
    channels: BTreeMap<Channel, Vec<&'a str>>,
    /// The release date in UTC. Readers also accept a date.
    released: Option<Released>,
    /// The version, such as `v1.6.1`; not a pre-release.
    version: &'a str,
}

fn names(crds: &[Arc<CustomResourceDefinition>]) -> Vec<&str> {
    crds.iter().map(|crd| &*crd.name).collect()
}

/// The level of `xz`: its dictionary of 8 MiB holds several releases of the largest APIs.
const LEVEL: u32 = 6;

/// The content of an archive: releases whose names are their versions, with their dates.
///
/// A CRD with the structure of the previous release is the same value.
#[derive(Clone, Debug, Default)]
pub struct HistoryArchive {
    releases: Vec<Release>,
}

impl PartialEq for HistoryArchive {
    fn eq(&self, other: &Self) -> bool {
        self.releases.len() == other.releases.len()
            && self.releases.iter().zip(&other.releases).all(|(one, other)| is_same(one, other))
    }
}

/// Whether two releases of archives are equal.
pub fn is_same(one: &Release, other: &Release) -> bool {
    (one.version, one.released, &one.channels) == (other.version, other.released, &other.channels)
}

/// The path of a CRD's file.
pub fn path(release: &str, channel: Channel, name: &str) -> String {
    format!("{release}/{channel}/{name}.json")
}

/// A CRD as a line of compact JSON.
fn text(crd: &CustomResourceDefinition) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    crd.send(&mut writer);
    writer.finish() + "\n"
}

/// The `.tar.xz` with these files, by path, in their order.
///
/// # Errors
/// A path is too long for a tar archive.
pub fn tar_xz(files: impl IntoIterator<Item = (String, String)>) -> io::Result<Vec<u8>> {
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(LEVEL))?;
    let mut tar = tar::Builder::new(&mut xz);
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_path(&path)?;
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_cksum();
        tar.append(&header, text.as_bytes())?;
    }
    tar.finish()?;
    drop(tar);
    xz.finish()
}

impl HistoryArchive {
    /// An archive of these releases, which have versions and dates. Texts and stamps are left out.
    pub fn new(releases: impl IntoIterator<Item = Release>) -> Self {
        let mut given = releases.into_iter().collect::<Vec<_>>();
        given.sort_by_key(|release| release.version);
        let mut releases: Vec<Release> = Vec::new();
        for release in given {
            let mut channels = release.structures();
            for (channel, crds) in &mut channels {
                let previous = releases.last().map(|release| release.of_channel(*channel)).unwrap_or_default();
                for crd in &mut *crds {
                    if let Some(same) = previous.iter().find(|known| *known == crd) {
                        *crd = Arc::clone(same);
                    }
                }
                crds.sort_by(|one, other| one.name.cmp(&other.name));
            }
            releases.extend(release.version.map(|version| archived(version, release.released, channels)));
        }
        Self { releases }
    }

    /// The releases, lowest version first.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// The same as values.
    pub fn into_releases(self) -> Vec<Release> {
        self.releases
    }

    /// The packed archive.
    ///
    /// # Errors
    /// A CRD cannot be stored: its path is too long for a tar archive.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        tar_xz(self.files())
    }

    /// The files in their order: the list of releases, then the CRDs of each release.
    fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![(INDEX.to_owned(), self.index())];
        let mut previous: Option<&Release> = None;
        for release in &self.releases {
            for (channel, crds) in &release.channels {
                let known = previous.map(|previous| previous.of_channel(*channel)).unwrap_or_default();
                let new = crds.iter().filter(|crd| !known.contains(crd));
                files.extend(new.map(|crd| (path(&release.name, *channel, &crd.name), text(crd))));
            }
            previous = Some(release);
        }
        files
    }

    fn index(&self) -> String {
        let releases = self.releases.iter().map(|release| IndexedRelease {
            channels: release.channels.iter().map(|(channel, crds)| (*channel, names(crds))).collect(),
            released: release.released,
            version: &release.name,
        });
        json!(Index { format: SchemaVersion, releases: releases.collect() }).to_string() + "\n"
    }

    /// Reads an archive.
    ///
    /// # Errors
    /// All errors of the archive, of its list and of its files; at most [`MOST_ERRORS`].
    pub fn read(input: Input) -> Result<Self, Vec<Diagnostic>> {
        let archive = input.name.clone();
        let (sources, errors) = texts(input);
        fail_on(errors)?;
        let mut reader = ArchiveReader { archive, files: BTreeMap::new(), errors: Vec::new() };
        for source in sources {
            reader.add(source);
        }
        let listed = reader.index();
        let read = reader.releases(listed);
        reader.errors.truncate(MOST_ERRORS);
        fail_on(reader.errors)?;
        Ok(Self { releases: read })
    }
}

/// A release as the index lists it.
struct Listed {
    version: BundleVersion,
    released: Released,
    channels: Vec<(Channel, Vec<String>)>,
}

/// What reads an archive.
struct ArchiveReader {
    /// The name of the archive in messages.
    archive: String,
    /// The texts of its files by path.
    files: BTreeMap<String, Source>,
    errors: Vec<Diagnostic>,
}

impl ArchiveReader {
    fn error(&mut self, path: &str, message: impl AsRef<str>) {
        let file = if path.is_empty() { self.archive.clone() } else { format!("{}!{path}", self.archive) };
        self.errors.push(malformed(&file, message));
    }

    fn add(&mut self, source: Source) {
        let path = source.name.get(self.archive.len() + 1..).unwrap_or_default().to_owned();
        if self.files.insert(path.clone(), source).is_some() {
            self.error(&path, "this file is in the archive twice");
        }
    }

    /// The releases of the index. What is malformed is left out.
    fn index(&mut self) -> Vec<Listed> {
        let Some(source) = self.files.remove(INDEX) else {
            self.error("", format!("the archive has no `{INDEX}`"));
            return Vec::new();
        };
        let index = match serde_json::from_str::<Value>(&source.text) {
            Ok(index) => index,
            Err(error) => {
                self.error(INDEX, format!("this is not valid JSON: {error}"));
                return Vec::new();
            }
        };
        match index.get("format") {
            Some(format) if format.as_u64() == Some(u64::from(FORMAT)) => {}
            Some(format) => {
                self.error(INDEX, format!("the format is {format}, and this version reads format {FORMAT}"));
                return Vec::new();
            }
            None => self.error(INDEX, "`format` is missing"),
        }
        let Some(releases) = index.get("releases").and_then(Value::as_array) else {
            self.error(INDEX, "`releases` must be a list");
            return Vec::new();
        };
        let mut listed: Vec<Listed> = Vec::new();
        for (position, release) in releases.iter().enumerate() {
            let Some(release) = self.listed(position, release) else { continue };
            if listed.last().is_some_and(|last| last.version >= release.version) {
                self.error(INDEX, format!("{} must be listed once, after all lower versions", release.version));
            } else {
                listed.push(release);
            }
        }
        listed
    }

    fn listed(&mut self, position: usize, release: &Value) -> Option<Listed> {
        let text = |key: &str| release.get(key).and_then(Value::as_str).unwrap_or_default();
        let version = text("version").parse::<BundleVersion>();
        let version = version.map_err(|error| error.to_string()).and_then(|version| match version.is_release() {
            true => Ok(version),
            false => Err(format!("{version} is a pre-release, and only stable releases are kept")),
        });
        let released = text("released").parse::<Released>().map_err(|error| error.to_string());
        let mut channels = Vec::new();
        let mut wrong = [version.as_ref().err().cloned(), released.as_ref().err().cloned()].to_vec();
        match release.get("channels").and_then(Value::as_object) {
            Some(listed) => {
                for (name, crds) in listed {
                    let names = crds.as_array().map(|crds| crds.iter().map(|name| name.as_str().map(str::to_owned)));
                    match (Channel::named(name), names.and_then(Iterator::collect::<Option<Vec<_>>>)) {
                        (Some(channel), Some(names)) => channels.push((channel, names)),
                        (None, _) => wrong.push(Some(format!("`{name}` is not a channel"))),
                        (_, None) => wrong.push(Some(format!("the channel {name} must be a list of names of CRDs"))),
                    }
                }
            }
            None => wrong.push(Some("`channels` must be a map of channels".to_owned())),
        }
        let called = version.as_ref().map_or_else(|_| format!("release {}", position + 1), ToString::to_string);
        for message in wrong.into_iter().flatten() {
            self.error(INDEX, format!("{called}: {message}"));
        }
        Some(Listed { version: version.ok()?, released: released.ok()?, channels })
    }

    /// Reads the files of the listed releases.
    fn releases(&mut self, listed: Vec<Listed>) -> Vec<Release> {
        if self.has_too_many_maps() {
            return Vec::new();
        }
        let wanted = listed.iter().flat_map(|release| {
            let of_channel = |(channel, names): &(Channel, Vec<String>)| {
                let (version, channel) = (release.version.to_string(), *channel);
                names.iter().map(move |name| path(&version, channel, name)).collect::<Vec<_>>()
            };
            release.channels.iter().flat_map(of_channel)
        });
        let wanted = wanted.collect::<BTreeSet<_>>();
        let unlisted = self.files.keys().filter(|path| !wanted.contains(*path)).cloned().collect::<Vec<_>>();
        for path in unlisted {
            self.error(&path, format!("`{INDEX}` does not list this file"));
            self.files.remove(&path);
        }
        let files = self.files.iter().collect::<Vec<_>>();
        let read = parallel::each(&files, |(path, source)| crd(source).map(|crd| (path.as_str(), Arc::new(crd))));
        let mut errors = Vec::new();
        let crds = successes(read, &mut errors).into_iter().map(|(path, crd)| (path.to_owned(), crd));
        let crds = crds.collect::<BTreeMap<_, _>>();
        // A file that cannot be read is already reported, and may be missing in later releases.
        let unread = self.files.keys().filter(|path| !crds.contains_key(*path));
        let unread = unread.filter_map(|path| Some(path.split_once('/')?.1.to_owned())).collect::<BTreeSet<_>>();
        self.errors.extend(errors);
        let mut releases: Vec<Release> = Vec::new();
        for Listed { version, released, channels } in listed {
            let name_of_release = version.to_string();
            let mut of_release = Channels::new();
            for (channel, names) in channels {
                let previous = releases.last().map(|release| release.of_channel(channel)).unwrap_or_default();
                let (mut found, mut missing) = (Vec::new(), Vec::new());
                for name in names {
                    let path = path(&name_of_release, channel, &name);
                    let known = || previous.iter().find(|crd| *crd.name == *name).cloned();
                    match crds.get(&path).cloned().or_else(known) {
                        Some(crd) if *crd.name == *name => found.push(crd),
                        Some(crd) => missing.push((path, format!("this is the CRD `{}`", crd.name))),
                        None if path.split_once('/').is_some_and(|(_, path)| unread.contains(path)) => {}
                        None => {
                            let message = "this file is missing, and the previous release does not have the CRD";
                            missing.push((path, message.to_owned()));
                        }
                    }
                }
                found.sort_by(|one, other| one.name.cmp(&other.name));
                if let Some(twice) = found.windows(2).find(|pair| pair[0].name == pair[1].name) {
                    let path = path(&name_of_release, channel, &twice[0].name);
                    missing.push((path, format!("`{INDEX}` lists this CRD twice")));
                }
                for (path, message) in missing {
                    self.error(&path, message);
                }
                of_release.insert(channel, found);
            }
            releases.push(archived(version, Some(released), of_release));
        }
        releases
    }

    /// Reports texts with more maps than all CRDs of one input may have. Braces in texts count too.
    fn has_too_many_maps(&mut self) -> bool {
        let maps = self.files.values().map(|source| source.text.matches('{').count()).sum::<usize>();
        if maps > MOST_MAPS {
            self.error(
                "",
                format!("the CRDs have more than {MOST_MAPS} maps, which is a hundred times those of Gateway API"),
            );
        }
        maps > MOST_MAPS
    }
}

/// A release of an archive.
fn archived(version: BundleVersion, released: Option<Released>, channels: Channels) -> Release {
    Release { released, is_structure: true, ..Release::new(version.to_string(), Some(version), channels) }
}

/// The CRD of a file.
fn crd(source: &Source) -> Result<CustomResourceDefinition, Vec<Diagnostic>> {
    let Source { name, text, .. } = source;
    let bytes = text.len();
    if bytes > MOST_CRD_BYTES {
        let message = format!(
            "this CRD is {} KiB as JSON, and no API server takes more than {} KiB",
            bytes >> 10,
            MOST_CRD_BYTES >> 10
        );
        return Err(malformed(name, message).into());
    }
    let wrong = |error| malformed(name, format!("this is not the JSON of a CRD: {error}"));
    let value = serde_json::from_str::<Value>(text).map_err(wrong)?;
    let malformed = |error: crd_model::schema::ReadError| malformed(name, error.to_string());
    CustomResourceDefinition::from_value(&value).map_err(|errors| errors.into_iter().map(malformed).collect())
}

fn malformed(file: &str, message: impl AsRef<str>) -> Diagnostic {
    let help = "restore the archive, or write it again with `history --format archive`";
    crate::published::error(MALFORMED, file, None, None, message, help)
}

#[cfg(test)]
mod tests;
