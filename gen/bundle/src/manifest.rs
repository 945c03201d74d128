//! The manifest of a bundle, `bundle.yaml`: its version, its history, and the digests by which a later change is found.
//!
//! Invariants: the same manifest is the same bytes, and what was written reads back; reading is strict (an unknown key
//! may be what a newer program relies on) and reports all errors together, each with its line; paths lead into the bundle's
//! folder and nowhere else; files are sorted by path, ledger entries stand as in the ledger.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_model::document::send_value;
use crd_model::profile::Profile;
use crd_model::yaml::{Document, Section, Start, YamlWriter, documents, locate};
use serde_json::{Map, Value, json};

use crate::digest::Digest;
use crate::released::Released;
use crate::{Bump, BundleVersion};

/// The name of the file in the bundle's folder.
pub const FILE_NAME: &str = "bundle.yaml";

/// The format of manifests, and that of bundles with conversions: a program that reads only format 1 refuses these, because it cannot read conversions.
const FORMAT: u64 = 1;
const FORMAT_WITH_CONVERSIONS: u64 = 2;

/// The keys of a manifest.
const KEYS: &[&str] = &[
    "baseline",
    "channels",
    "earlier",
    "files",
    "format",
    "imported",
    "profile",
    "released",
    "tombstones",
    "tool",
    "verdict",
    "version",
    "waivers",
];

/// The manifest of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleManifest {
    pub version: BundleVersion,
    /// The channels it has, the most stable first.
    pub channels: Vec<Channel>,
    /// The baseline; none for the first bundle.
    pub baseline: Option<BundleVersion>,
    /// The bundles below it that were there, lowest first, so that a later change of one is found.
    pub earlier: Vec<EarlierBundle>,
    /// Whether it was published elsewhere and imported.
    pub imported: bool,
    /// The profile of the project. The default one has no key, as in manifests of older programs.
    pub profile: Profile,
    /// Every file except for the manifest, by path.
    pub files: Vec<ManifestFile>,
    /// The tombstone ledger as it was; none if there was no ledger.
    pub tombstones: Option<LedgerRecord>,
    /// What the change over the baseline asked for; none without a baseline.
    pub verdict: Option<VerdictRecord>,
    /// The digest of the waivers as they were; none if there were none.
    pub waivers: Option<Digest>,
    /// When it was released. An imported bundle may not know it.
    pub released: Option<Released>,
    /// The program that made it, with its version; none for an imported bundle.
    pub tool: Option<String>,
}

/// What the change over the baseline asked for, after waivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictRecord {
    pub bundle: Bump,
    /// For each compared channel, the most stable first.
    pub channels: Vec<(Channel, Bump)>,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifestFile {
    /// Its path in the bundle's folder, with `/`: `standard/example.com_things.yaml`.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

/// A bundle that existed when another one was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EarlierBundle {
    pub version: BundleVersion,
    /// The digest of its manifest, which has those of its files.
    pub sha256: Digest,
}

/// The tombstone ledger as it was when the bundle was released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// The digest of the whole ledger.
    pub sha256: Digest,
    /// Its entries, in its order.
    pub entries: Vec<LedgerEntry>,
}

/// One entry of the ledger as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// What the entry is called in the ledger.
    pub id: String,
    /// The digest of the entry, as the ledger computes it.
    pub sha256: Digest,
}

impl BundleManifest {
    /// The text of the file.
    pub fn to_yaml(&self) -> String {
        let mut writer = YamlWriter::new(Start::None);
        send_value(&self.to_value(), &mut writer);
        writer.finish()
    }

    /// The format of this manifest.
    fn format(&self) -> u64 {
        match self.files.iter().any(|file| file.path == crd_convert::FILE_NAME) {
            true => FORMAT_WITH_CONVERSIONS,
            false => FORMAT,
        }
    }

    fn to_value(&self) -> Value {
        let (mut channels, mut earlier, mut files) = (self.channels.clone(), self.earlier.clone(), self.files.clone());
        channels.sort_unstable();
        earlier.sort_unstable();
        files.sort_unstable();
        let digests = |key: &str, items: Vec<(String, Digest)>| {
            let items = items.into_iter().map(|(name, sha256)| json!({ key: name, "sha256": sha256.to_string() }));
            items.collect::<Vec<_>>()
        };
        let earlier = earlier.into_iter().map(|bundle| (bundle.version.to_string(), bundle.sha256)).collect();
        let files = files.into_iter().map(|file| (file.path, file.sha256)).collect();
        let tombstones = self.tombstones.as_ref().map(|ledger| {
            let entries = ledger.entries.iter().map(|entry| (entry.id.clone(), entry.sha256)).collect();
            json!({ "entries": digests("id", entries), "sha256": ledger.sha256.to_string() })
        });
        let verdict = self.verdict.as_ref().map(|verdict| {
            let channels = verdict.channels.iter().map(|(channel, bump)| (channel.name(), *bump));
            let words = channels.chain([("bundle", verdict.bundle)]);
            words.map(|(key, bump)| (key.to_owned(), bump.word().into())).collect::<Map<_, _>>()
        });
        let mut value = json!({
            "baseline": self.baseline.map(|version| version.to_string()),
            "channels": channels.into_iter().map(Channel::name).collect::<Vec<_>>(),
            "earlier": (!self.earlier.is_empty()).then(|| digests("version", earlier)),
            "files": digests("path", files),
            "format": self.format(),
            "imported": self.imported,
            "profile": (self.profile != Profile::default()).then(|| self.profile.name()),
            "released": self.released.map(|released| released.to_string()),
            "tombstones": tombstones,
            "tool": self.tool,
            "verdict": verdict,
            "version": self.version.to_string(),
            "waivers": self.waivers.map(|digest| digest.to_string()),
        });
        // What a bundle does not have has no key.
        if let Some(map) = value.as_object_mut() {
            map.retain(|_, part| !part.is_null());
        }
        value
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// All errors, by line.
    pub fn from_yaml(text: &str, file: &Path) -> Result<Self, Vec<Diagnostic>> {
        let error = |line: usize, column: usize, message: String| {
            Diagnostic::error("bundle::manifest", message).at_position(file, line, column)
        };
        let mut documents = documents(text);
        let (value, section) = match documents.next() {
            Some(Ok(Document { value, section, .. })) => (value, section),
            Some(Err(errors)) => {
                return Err(errors.into_iter().map(|yaml| error(yaml.line, yaml.column, yaml.message)).collect());
            }
            None => (Value::Null, Section::default()),
        };
        let mut reader = Reader { errors: Vec::new() };
        let manifest = reader.manifest(&value);
        if documents.next().is_some() {
            reader.fail("", "there is more than one document: a manifest is one");
        }
        if let (Some(manifest), true) = (manifest, reader.errors.is_empty()) {
            return Ok(manifest);
        }
        let paths: Vec<&str> = reader.errors.iter().map(|(path, _)| path.as_str()).collect();
        let located = locate(text, section, &paths).into_iter().zip(&reader.errors);
        let mut errors: Vec<Diagnostic> = located
            .map(|(place, (path, message))| {
                let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
                error(place.line, place.column, format!("{path}{message}"))
            })
            .collect();
        errors.sort_by_key(|error| (error.location.line, error.location.column));
        Err(errors)
    }
}

/// Reads a manifest, and collects errors by path.
struct Reader {
    errors: Vec<(String, String)>,
}

impl Reader {
    fn fail(&mut self, path: &str, message: impl Into<String>) {
        self.errors.push((path.to_owned(), message.into()));
    }

    #[expect(clippy::too_many_lines, reason = "each key is read and checked in its order")]
    fn manifest(&mut self, value: &Value) -> Option<BundleManifest> {
        let expected = format!("this is not a bundle manifest: it must be a map with `format: {FORMAT}`");
        let map = self.map(value, "", &expected)?;
        let format = match map.get("format").map(|format| (format, format.as_u64())) {
            Some((_, Some(format @ (FORMAT | FORMAT_WITH_CONVERSIONS)))) => Some(format),
            Some((_, Some(newer))) if newer > FORMAT_WITH_CONVERSIONS => {
                let message = format!(
                    "the format is {newer}, and this program reads {FORMAT} and {FORMAT_WITH_CONVERSIONS}: use a newer one"
                );
                self.fail("format", message);
                return None;
            }
            Some((other, _)) => {
                self.fail("format", format!("expected {FORMAT} or {FORMAT_WITH_CONVERSIONS}, found {other}"));
                None
            }
            None => {
                self.fail("", format!("`format` is missing: write `format: {FORMAT}`"));
                None
            }
        };
        self.known(map, "", KEYS);
        let version = self.parsed(map, "", "version", "v1.6.1");
        let baseline = map.get("baseline").and_then(|_| self.parsed(map, "", "baseline", "v1.6.0"));
        let imported = match map.get("imported") {
            Some(Value::Bool(imported)) => Some(*imported),
            Some(other) => {
                self.fail("imported", format!("expected true or false, found {other}"));
                None
            }
            None => {
                self.fail("", "`imported` is missing: write true if the bundle was published elsewhere, else false");
                None
            }
        };
        let profile = match map.get("profile") {
            Some(_) => self.parsed(map, "", "profile", "semver"),
            None => Some(Profile::default()),
        };
        let channels = self.channels(map);
        let earlier = self.earlier(map);
        let files = self.files(map);
        let tombstones = map.get("tombstones").and_then(|value| self.ledger(value));
        let verdict = map.get("verdict").and_then(|value| self.verdict(value));
        let waivers = map.get("waivers").and_then(|_| self.parsed(map, "", "waivers", "ba7816bf…"));
        let released = map.get("released").and_then(|_| self.parsed(map, "", "released", "2026-11-21T16:53:52Z"));
        let tool = map.get("tool").and_then(|_| self.parsed(map, "", "tool", "crd-channels 0.1.0"));
        let manifest = BundleManifest {
            version: version?,
            channels,
            baseline,
            earlier,
            imported: imported?,
            profile: profile?,
            files,
            tombstones,
            verdict,
            waivers,
            released,
            tool,
        };
        if let Some(found) = format.filter(|format| *format != manifest.format()) {
            let has = if found == FORMAT { "has" } else { "does not have" };
            let name = crd_convert::FILE_NAME;
            let message = format!("expected {}, because the bundle {has} `{name}`; found {found}", manifest.format());
            self.fail("format", message);
        }
        Some(manifest)
    }

    fn verdict(&mut self, value: &Value) -> Option<VerdictRecord> {
        let above = "verdict";
        let map = self.map(value, above, "expected a map with `bundle` and a key for each channel")?;
        let channels = Channel::ALL.map(Channel::name);
        self.known(map, above, &[&["bundle"][..], &channels[..]].concat());
        let bundle = self.parsed(map, above, "bundle", "minor");
        let mut of_channels = Vec::new();
        for channel in Channel::ALL.into_iter().filter(|channel| map.contains_key(channel.name())) {
            of_channels.extend(self.parsed(map, above, channel.name(), "minor").map(|bump| (channel, bump)));
        }
        Some(VerdictRecord { bundle: bundle?, channels: of_channels })
    }

    fn map<'v>(&mut self, value: &'v Value, path: &str, expected: &str) -> Option<&'v Map<String, Value>> {
        let map = value.as_object();
        if map.is_none() {
            self.fail(path, expected);
        }
        map
    }

    fn known(&mut self, map: &Map<String, Value>, above: &str, known: &[&str]) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let message = "this is not a key of a manifest: remove it".to_owned();
            self.fail(&below(above, key), message);
        }
    }

    fn list<'v>(&mut self, map: &'v Map<String, Value>, above: &str, key: &str) -> &'v [Value] {
        match map.get(key) {
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.fail(&below(above, key), "expected a list");
                &[]
            }
            None => {
                self.fail(above, format!("`{key}` is missing: write a list, `[]` if there are none"));
                &[]
            }
        }
    }

    /// A string that means something.
    fn parsed<T: std::str::FromStr<Err: fmt::Display>>(
        &mut self,
        map: &Map<String, Value>,
        above: &str,
        key: &str,
        example: &str,
    ) -> Option<T> {
        let Some(value) = map.get(key) else {
            self.fail(above, format!("`{key}` is missing: write it, such as `{key}: {example}`"));
            return None;
        };
        let Some(text) = value.as_str() else {
            self.fail(&below(above, key), format!("expected a string such as {example}, found {value}"));
            return None;
        };
        text.parse().map_err(|error: T::Err| self.fail(&below(above, key), error.to_string())).ok()
    }

    fn channels(&mut self, map: &Map<String, Value>) -> Vec<Channel> {
        let mut channels = Vec::new();
        for (index, item) in self.list(map, "", "channels").iter().enumerate() {
            let path = format!("channels[{index}]");
            match item.as_str().and_then(Channel::named) {
                None => {
                    let known: Vec<&str> = Channel::ALL.iter().map(|channel| channel.name()).collect();
                    self.fail(&path, format!("{item} is not a channel: expected one of {}", known.join(", ")));
                }
                Some(channel) if channels.last().is_some_and(|last| *last >= channel) => {
                    self.fail(&path, "channels stand once each, the most stable first");
                }
                Some(channel) => channels.push(channel),
            }
        }
        channels
    }

    /// The entries of a list of digests: the path of the name, the name, and the digest.
    fn digests<T: std::str::FromStr<Err: fmt::Display>>(
        &mut self,
        map: &Map<String, Value>,
        above: &str,
        key: &str,
        (name, example): (&str, &str),
    ) -> Vec<(String, T, Digest)> {
        let mut digests = Vec::new();
        for (index, item) in self.list(map, above, key).iter().enumerate() {
            let path = format!("{}[{index}]", below(above, key));
            let expected = format!("expected a map with `{name}` and `sha256`");
            let Some(item) = self.map(item, &path, &expected) else { continue };
            self.known(item, &path, &[name, "sha256"]);
            let parsed = self.parsed(item, &path, name, example);
            let sha256 = self.parsed(item, &path, "sha256", "ba7816bf…");
            if let (Some(parsed), Some(sha256)) = (parsed, sha256) {
                digests.push((below(&path, name), parsed, sha256));
            }
        }
        digests
    }

    fn earlier(&mut self, map: &Map<String, Value>) -> Vec<EarlierBundle> {
        let mut earlier: Vec<EarlierBundle> = Vec::new();
        if map.contains_key("earlier") {
            for (path, version, sha256) in self.digests(map, "", "earlier", ("version", "v1.6.0")) {
                if earlier.last().is_some_and(|last| last.version >= version) {
                    self.fail(&path, "bundles stand once each, the lowest first");
                }
                earlier.push(EarlierBundle { version, sha256 });
            }
        }
        earlier
    }

    fn files(&mut self, map: &Map<String, Value>) -> Vec<ManifestFile> {
        let mut files: Vec<ManifestFile> = Vec::new();
        let named = ("path", "standard/example.com_things.yaml");
        for (at, path, sha256) in self.digests::<String>(map, "", "files", named) {
            let problem = if !is_inside(&path) {
                Some("is not a path inside the bundle's folder: write it with `/`, without `..`, and not from the root")
            } else if files.last().is_some_and(|last| last.path >= path) {
                Some("is not behind the one before: files stand once each, sorted by path")
            } else {
                None
            };
            match problem {
                Some(problem) => self.fail(&at, format!("{path:?} {problem}")),
                None => files.push(ManifestFile { path, sha256 }),
            }
        }
        files
    }

    fn ledger(&mut self, value: &Value) -> Option<LedgerRecord> {
        let above = "tombstones";
        let map = self.map(value, above, "expected a map with `entries` and `sha256`")?;
        self.known(map, above, &["entries", "sha256"]);
        let sha256 = self.parsed(map, above, "sha256", "ba7816bf…");
        let mut ids = BTreeSet::new();
        let mut entries = Vec::new();
        for (path, id, sha256) in self.digests::<String>(map, above, "entries", ("id", "what the ledger calls it")) {
            if !ids.insert(id.clone()) {
                self.fail(&path, format!("{id:?} appears here twice"));
            }
            entries.push(LedgerEntry { id, sha256 });
        }
        Some(LedgerRecord { sha256: sha256?, entries })
    }
}

fn below(above: &str, key: &str) -> String {
    if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") }
}

/// Whether a path stays in the folder that it starts from, on every system.
fn is_inside(path: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name != "." && name != "..";
    path.split('/').all(is_name)
        && !path.contains(|character: char| character.is_control() || r#"\:"#.contains(character))
}

#[cfg(test)]
mod tests {
    use crd_diagnostics::text::one_line;

    use super::*;

    fn read(text: &str) -> Result<BundleManifest, Vec<Diagnostic>> {
        BundleManifest::from_yaml(text, Path::new(FILE_NAME))
    }

    fn manifest() -> BundleManifest {
        let file = |path: &str| ManifestFile { path: path.to_owned(), sha256: Digest::of(path) };
        let entry = |id: &str| LedgerEntry { id: id.to_owned(), sha256: Digest::of(id) };
        BundleManifest {
            version: "v1.6.1".parse().unwrap(),
            channels: vec![Channel::Standard, Channel::Experimental],
            baseline: Some("v1.6.0".parse().unwrap()),
            earlier: ["v1.5.0", "v1.6.0"]
                .map(|version| EarlierBundle { version: version.parse().unwrap(), sha256: Digest::of(version) })
                .to_vec(),
            imported: false,
            profile: Profile::Semver,
            files: vec![file("experimental/a.yaml"), file("standard/a.yaml")],
            tombstones: Some(LedgerRecord {
                sha256: Digest::of(""),
                entries: vec![entry("z: first"), entry("a\nsecond")],
            }),
            verdict: Some(VerdictRecord {
                bundle: Bump::Minor,
                channels: vec![(Channel::Standard, Bump::None), (Channel::Experimental, Bump::Minor)],
            }),
            waivers: Some(Digest::of("waivers")),
            released: Some("2026-11-21T16:53:52Z".parse().unwrap()),
            tool: Some("crd-channels 0.1.0".to_owned()),
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a test lists its cases")]
    fn manifests_read_back() {
        let digest = |text: &str| Digest::of(text).to_string();
        assert_eq!(
            manifest().to_yaml(),
            format!(
                "\
baseline: v1.6.0
channels:
- standard
- experimental
earlier:
- sha256: {}
  version: v1.5.0
- sha256: {}
  version: v1.6.0
files:
- path: experimental/a.yaml
  sha256: {}
- path: standard/a.yaml
  sha256: {}
format: 1
imported: false
profile: semver
released: '2026-11-21T16:53:52Z'
tombstones:
  entries:
  - id: 'z: first'
    sha256: {}
  - id: |-
      a
      second
    sha256: {}
  sha256: {}
tool: crd-channels 0.1.0
verdict:
  bundle: minor
  experimental: minor
  standard: none
version: v1.6.1
waivers: {}
",
                digest("v1.5.0"),
                digest("v1.6.0"),
                digest("experimental/a.yaml"),
                digest("standard/a.yaml"),
                digest("z: first"),
                digest("a\nsecond"),
                digest(""),
                digest("waivers")
            )
        );
        assert_eq!(read(&manifest().to_yaml()), Ok(manifest()));
        let small = BundleManifest {
            baseline: None,
            earlier: vec![],
            tombstones: None,
            files: vec![],
            imported: true,
            verdict: None,
            waivers: None,
            released: None,
            tool: None,
            profile: Profile::Gep922,
            ..manifest()
        };
        assert!(!small.to_yaml().contains("profile"), "{}", small.to_yaml());
        assert_eq!(read(&small.to_yaml()), Ok(small.clone()));
        assert_eq!(read(&format!("{}profile: gep-922\n", small.to_yaml())), Ok(small.clone()));
        let mut shuffled = manifest();
        shuffled.files.reverse();
        shuffled.earlier.reverse();
        shuffled.channels.reverse();
        assert_eq!(shuffled.to_yaml(), manifest().to_yaml());
    }

    /// The errors without the name of the file.
    fn errors(text: &str) -> Vec<String> {
        let errors = read(text).unwrap_err();
        errors.iter().map(|error| one_line(error).trim_start_matches("bundle.yaml:").to_owned()).collect()
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a test lists its cases")]
    fn what_is_wrong_is_told_by_line() {
        let text = "\
baseline: 1.6
channels: [experimental, standard, beta]
files:
- path: ../secret
  sha256: abc
- path: b.yaml
  sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
  size: 3
- path: a.yaml
  sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
- path: /c
  sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
- path
format: 1
imported: yesterday
profile: strict
tombstones:
  entries:
  - id: x
    sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
  - id: x
    sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
  sha256: 1
version: v1.6
verdict:
  bundle: huge
  beta: none
released: soon
waivers: none
later: 1
earlier:
- version: v1.5.0
  sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
- version: v1.4.0
  sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
  by: me
";
        assert_eq!(
            errors(text),
            [
                "1:1: baseline: expected a string such as v1.6.0, found 1.6",
                "2:26: channels[1]: channels stand once each, the most stable first",
                "2:36: channels[2]: \"beta\" is not a channel: expected one of standard, experimental",
                "5:3: files[0].sha256: a SHA-256 digest is 64 hexadecimal digits in lower case",
                "8:3: files[1].size: this is not a key of a manifest: remove it",
                "9:3: files[2].path: \"a.yaml\" is not behind the one before: files stand once each, sorted by path",
                "11:3: files[3].path: \"/c\" is not a path inside the bundle's folder: write it with `/`, without `..`, and \
                 not from the root",
                "13:3: files[4]: expected a map with `path` and `sha256`",
                "15:1: imported: expected true or false, found \"yesterday\"",
                "16:1: profile: `strict` is not a profile: expected one of gep-922, api-guide, semver",
                "21:5: tombstones.entries[1].id: \"x\" appears here twice",
                "23:3: tombstones.sha256: expected a string such as ba7816bf…, found 1",
                "24:1: version: `v1.6` is not a bundle version: unexpected end of input while parsing minor version number. Write vMAJOR.MINOR.PATCH, such as \
                 v1.6.1, or a pre-release such as v1.7.0-rc.1",
                "26:3: verdict.bundle: `huge` is not a version bump: expected one of none, patch, minor, major",
                "27:3: verdict.beta: this is not a key of a manifest: remove it",
                "28:1: released: `soon` is not a release date: write a date such as 2026-11-21 (its midnight in UTC) or a \
                 moment such as 2026-11-21T16:53:52Z, between 1970 and 2106",
                "29:1: waivers: a SHA-256 digest is 64 hexadecimal digits in lower case",
                "30:1: later: this is not a key of a manifest: remove it",
                "34:3: earlier[1].version: bundles stand once each, the lowest first",
                "36:3: earlier[1].by: this is not a key of a manifest: remove it",
            ]
        );
        assert_eq!(
            errors("format: 1\n"),
            [
                "1:1: `version` is missing: write it, such as `version: v1.6.1`",
                "1:1: `imported` is missing: write true if the bundle was published elsewhere, else false",
                "1:1: `channels` is missing: write a list, `[]` if there are none",
                "1:1: `files` is missing: write a list, `[]` if there are none",
            ]
        );
        assert_eq!(
            errors("# later\nformat: 3\n"),
            ["2:1: format: the format is 3, and this program reads 1 and 2: use a newer one"]
        );
        for (text, expected) in [
            ("", "1:1: this is not a bundle manifest: it must be a map with `format: 1`"),
            ("- a\n", "1:1: this is not a bundle manifest: it must be a map with `format: 1`"),
            ("a: 1\na: 2\n", "2:1: the key \"a\" is already in this map, in line 1: remove one"),
            ("a: [\n", "1:4: this is not YAML: unclosed bracket '[', and the text ends"),
        ] {
            assert_eq!(errors(text), [expected], "{text:?}");
        }
        let twice = format!("{}---\na: 1\n", manifest().to_yaml());
        assert_eq!(errors(&twice), ["1:1: there is more than one document: a manifest is one"]);
    }

    #[test]
    fn a_bundle_with_conversions_has_the_next_format() {
        let file = ManifestFile { path: "conversions.json".to_owned(), sha256: Digest::of("") };
        let with = BundleManifest { files: vec![file], ..manifest() };
        let text = with.to_yaml();
        assert!(text.contains("\nformat: 2\n"), "{text}");
        assert_eq!(read(&text), Ok(with));
        let error = errors(&text.replace("format: 2", "format: 1"));
        assert_eq!(error, ["13:1: format: expected 2, because the bundle has `conversions.json`; found 1"]);
        let error = errors(&manifest().to_yaml().replace("format: 1", "format: 2"));
        assert_eq!(error, ["15:1: format: expected 1, because the bundle does not have `conversions.json`; found 2"]);
        let error = errors(&text.replace("format: 2", "format: two"));
        assert_eq!(error, ["13:1: format: expected 1 or 2, found \"two\""]);
    }

    #[test]
    fn paths_stay_in_the_folder() {
        for path in ["a", "standard/a.yaml", "a/b/c d", "..a/b..", "é"] {
            assert!(is_inside(path), "{path}");
        }
        for path in
            ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/../b", "./a", "a\\b", "C:a", "a\nb", "\0"]
        {
            assert!(!is_inside(path), "{path}");
        }
    }
}
