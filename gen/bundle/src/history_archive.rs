//! The history archive: releases that were made before the bundles in `bundles/`, as structure without text, with their dates.
//!
//! A .tar.xz with `history.json`, which lists the releases and the CRDs of each channel, and `VERSION/CHANNEL/NAME.json` for each CRD. A CRD
//! that the previous release has with the same structure in the same channel has no file.
//!
//! Invariants: stable releases only, each once, lowest first. The unpacked bytes depend on the releases only, and so do the packed ones for one
//! version of lzma-rust2. Every listed CRD has a file in its release or in the previous one that lists it, and every file is listed. The
//! limits are those of other archives.

mod outline;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use crd_diagnostics::{Diagnostic, fail_on, successes};
use crd_model::channel::Channel;
use crd_model::document::{HtmlCharacters, JsonWriter};
use crd_model::schema::Text;
use crd_model::{CustomResourceDefinition, parallel};
use lzma_rust2::{XzOptions, XzWriter};
use serde_json::{Map, Value, json};

use crate::published::limits::{MOST_CRD_BYTES, MOST_ERRORS, MOST_MAPS};
use crate::published::{Input, Source, texts};
use crate::stamp::{BUNDLE_VERSION, CHANNEL};
use crate::{BundleVersion, Released};

/// The name of the archive in `bundles/`.
pub const FILE_NAME: &str = "history.tar.xz";

/// The code of an archive whose content is wrong.
pub const MALFORMED: &str = "history::malformed";

/// The list of releases in the archive.
pub const INDEX: &str = "history.json";

/// The format of the archive. A reader refuses every other format.
const FORMAT: u64 = 1;

/// The level of `xz`: its dictionary of 8 MiB holds several releases of the largest APIs.
const LEVEL: u32 = 6;

/// The CRDs of a release by channel, each channel sorted by name.
pub type PastChannels = BTreeMap<Channel, Vec<Arc<CustomResourceDefinition>>>;

/// A release of the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRelease {
    /// Its version.
    pub version: BundleVersion,
    /// Its release date.
    pub released: Released,
    /// Its CRDs as [`structure`]. A CRD with the structure of the previous release is the same value.
    pub channels: PastChannels,
}

impl PastRelease {
    /// Its CRDs by channel, as other readers take them: each one as a file of this archive.
    pub fn inputs(&self, archive: &str) -> Vec<(Channel, Input)> {
        let inputs = self.channels.iter().flat_map(|(channel, crds)| {
            let name = |name: &str| format!("{archive}!{}", path(self.version, *channel, name));
            crds.iter().map(move |crd| (*channel, Input::new(name(&crd.name), text(crd))))
        });
        inputs.collect()
    }
}

/// The content of an archive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryArchive {
    releases: Vec<PastRelease>,
}

/// A CRD without the text that only people read, and without stamps: what the archive keeps. Messages of CEL rules stay, because they are part
/// of the rules.
#[must_use]
pub fn structure(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    let is_stamp = |key: &Text| {
        let names = [BUNDLE_VERSION, CHANNEL];
        names.iter().any(|name| key.strip_suffix(name).is_some_and(|prefix| prefix.ends_with('/')))
    };
    crd.annotations.retain(|key, _| !is_stamp(key));
    for version in &mut crd.versions {
        version.deprecation_warning = None;
        for column in &mut version.columns {
            column.description = None;
        }
        version.schema.each_mut(&mut |schema| {
            schema.description = None;
            schema.title = None;
            schema.example = None;
            schema.external_docs = None;
        });
    }
    crd
}

/// The path of a CRD's file.
fn path(version: BundleVersion, channel: Channel, name: &str) -> String {
    format!("{version}/{channel}/{name}.json")
}

/// A CRD as a line of compact JSON.
fn text(crd: &CustomResourceDefinition) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    crd.send(&mut writer);
    writer.finish() + "\n"
}

impl HistoryArchive {
    /// An archive of these releases: version, release date, and CRDs by channel. Texts and stamps are left out.
    pub fn new(
        releases: impl IntoIterator<Item = (BundleVersion, Released, BTreeMap<Channel, Vec<CustomResourceDefinition>>)>,
    ) -> Self {
        let mut given = releases.into_iter().collect::<Vec<_>>();
        given.sort_by_key(|(version, ..)| *version);
        let mut releases: Vec<PastRelease> = Vec::new();
        for (version, released, channels) in given {
            let of_channel = |(channel, crds): (Channel, Vec<CustomResourceDefinition>)| {
                let previous = releases.last().and_then(|release| release.channels.get(&channel));
                let kept = |crd: &CustomResourceDefinition| {
                    let crd = structure(crd);
                    let same = previous.into_iter().flatten().find(|known| ***known == crd);
                    same.cloned().unwrap_or_else(|| Arc::new(crd))
                };
                let mut crds = crds.iter().map(kept).collect::<Vec<_>>();
                crds.sort_by(|one, other| one.name.cmp(&other.name));
                (channel, crds)
            };
            let channels = channels.into_iter().map(of_channel).collect();
            releases.push(PastRelease { version, released, channels });
        }
        Self { releases }
    }

    /// The releases, lowest version first.
    pub fn releases(&self) -> &[PastRelease] {
        &self.releases
    }

    /// The packed archive.
    ///
    /// # Errors
    /// A CRD cannot be stored: its path is too long for a tar archive.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(LEVEL))?;
        let mut tar = tar::Builder::new(&mut xz);
        for (path, text) in self.files() {
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

    /// The files in their order: the list of releases, then the CRDs of each release.
    fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![(INDEX.to_owned(), self.index())];
        let mut previous: Option<&PastRelease> = None;
        for release in &self.releases {
            for (channel, crds) in &release.channels {
                let known = previous.and_then(|previous| previous.channels.get(channel));
                let is_known = |crd: &&Arc<CustomResourceDefinition>| known.is_some_and(|known| known.contains(crd));
                let new = crds.iter().filter(|crd| !is_known(crd));
                files.extend(new.map(|crd| (path(release.version, *channel, &crd.name), text(crd))));
            }
            previous = Some(release);
        }
        files
    }

    fn index(&self) -> String {
        let release = |release: &PastRelease| {
            let channels = release.channels.iter().map(|(channel, crds)| {
                let names = crds.iter().map(|crd| Value::String(crd.name.to_string()));
                (channel.name().to_owned(), names.collect::<Value>())
            });
            let channels = channels.collect::<Map<_, _>>();
            let (version, released) = (release.version.to_string(), release.released.to_string());
            json!({"channels": channels, "released": released, "version": version})
        };
        let releases = self.releases.iter().map(release).collect::<Vec<_>>();
        json!({"format": FORMAT, "releases": releases}).to_string() + "\n"
    }

    /// Reads an archive.
    ///
    /// # Errors
    /// All errors of the archive, of its list and of its files; at most [`MOST_ERRORS`].
    pub fn read(input: Input) -> Result<Self, Vec<Diagnostic>> {
        Self::read_releases(input, &<[_]>::to_vec)
    }

    /// Reads the outlines of CRDs, in a third of the time: their names, their enum values, and their API versions without other properties. The
    /// CRDs of some releases are read as a whole: `whole` chooses them among all, which it gets lowest first.
    ///
    /// # Errors
    /// As [`HistoryArchive::read`], without errors in the parts of CRDs that an outline does not have.
    pub fn read_outlines(
        input: Input,
        whole: &dyn Fn(&[BundleVersion]) -> Vec<BundleVersion>,
    ) -> Result<Vec<PastRelease>, Vec<Diagnostic>> {
        Self::read_releases(input, whole).map(|archive| archive.releases)
    }

    fn read_releases(
        input: Input,
        whole: &dyn Fn(&[BundleVersion]) -> Vec<BundleVersion>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let archive = input.name.clone();
        let (sources, errors) = texts(input);
        fail_on(errors)?;
        let mut reader = ArchiveReader { archive, files: BTreeMap::new(), errors: Vec::new() };
        for source in sources {
            reader.add(source);
        }
        let listed = reader.index();
        let whole = whole(&listed.iter().map(|release| release.version).collect::<Vec<_>>());
        let read = reader.releases(listed, &|version| whole.contains(&version));
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
            Some(format) if format.as_u64() == Some(FORMAT) => {}
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
    fn releases(&mut self, listed: Vec<Listed>, is_whole: &dyn Fn(BundleVersion) -> bool) -> Vec<PastRelease> {
        if self.has_too_many_maps() {
            return Vec::new();
        }
        let wanted = listed.iter().flat_map(|release| {
            let of_channel = |(channel, names): &(Channel, Vec<String>)| {
                let (version, channel) = (release.version, *channel);
                names.iter().map(move |name| path(version, channel, name)).collect::<Vec<_>>()
            };
            release.channels.iter().flat_map(of_channel)
        });
        let wanted = wanted.collect::<BTreeSet<_>>();
        let unlisted = self.files.keys().filter(|path| !wanted.contains(*path)).cloned().collect::<Vec<_>>();
        for path in unlisted {
            self.error(&path, format!("`{INDEX}` does not list this file"));
            self.files.remove(&path);
        }
        let whole = self.files_of(&listed, is_whole);
        let files = self.files.iter().collect::<Vec<_>>();
        let read = parallel::each(&files, |(path, source)| {
            crd(source, whole.contains(*path)).map(|crd| (path.as_str(), Arc::new(crd)))
        });
        let mut errors = Vec::new();
        let crds = successes(read, &mut errors).into_iter().map(|(path, crd)| (path.to_owned(), crd));
        let crds = crds.collect::<BTreeMap<_, _>>();
        // A file that cannot be read is already reported, and may be missing in later releases.
        let unread = self.files.keys().filter(|path| !crds.contains_key(*path));
        let unread = unread.filter_map(|path| Some(path.split_once('/')?.1.to_owned())).collect::<BTreeSet<_>>();
        self.errors.extend(errors);
        let mut releases: Vec<PastRelease> = Vec::new();
        for Listed { version, released, channels } in listed {
            let mut of_release = PastChannels::new();
            for (channel, names) in channels {
                let previous = releases.last().and_then(|release| release.channels.get(&channel));
                let (mut found, mut missing) = (Vec::new(), Vec::new());
                for name in names {
                    let path = path(version, channel, &name);
                    let known = || previous.into_iter().flatten().find(|crd| *crd.name == *name).cloned();
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
                    let path = path(version, channel, &twice[0].name);
                    missing.push((path, format!("`{INDEX}` lists this CRD twice")));
                }
                for (path, message) in missing {
                    self.error(&path, message);
                }
                of_release.insert(channel, found);
            }
            releases.push(PastRelease { version, released, channels: of_release });
        }
        releases
    }

    /// The files with the CRDs of some releases. Those that did not change are in earlier releases.
    fn files_of(&self, listed: &[Listed], is_wanted: &dyn Fn(BundleVersion) -> bool) -> BTreeSet<String> {
        let (mut latest, mut files) = (BTreeMap::new(), BTreeSet::new());
        for release in listed {
            for (channel, names) in &release.channels {
                for name in names {
                    let path = path(release.version, *channel, name);
                    if self.files.contains_key(&path) {
                        latest.insert((*channel, name), path);
                    }
                    let wanted = latest.get(&(*channel, name)).filter(|_| is_wanted(release.version));
                    files.extend(wanted.cloned());
                }
            }
        }
        files
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

/// The CRD of a file, or its outline.
fn crd(source: &Source, is_whole: bool) -> Result<CustomResourceDefinition, Vec<Diagnostic>> {
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
    if !is_whole {
        return Ok(outline::outline(text).map_err(wrong)?);
    }
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
