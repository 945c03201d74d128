//! Hand-written manifests: each is valid in its channel, and the types read it and write back the same document.
//!
//! Invariants: manifests of other APIs are counted and named, never silently skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crd_channels::Channel;
use crd_model::yaml;
use serde_json::Value;

use crate::objects::{Published, published, version_of, versions};

const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/manifests");

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "yaml") {
            found.push(entry);
        }
    }
    found
}

/// The documents of a channel with the path of their file.
pub(crate) type Documents = fn(Channel) -> Vec<(String, Value)>;

pub(crate) fn ours(channel: Channel) -> Vec<(String, Value)> {
    let files = files(&Path::new(OURS).join(channel.name())).into_iter();
    files.flat_map(|path| read(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap())).collect()
}

pub(crate) fn upstream(channel: Channel) -> Vec<(String, Value)> {
    crd_testdata::gateway_api_examples(channel.name()).into_iter().flat_map(|file| read(file.path, file.text)).collect()
}

fn read(path: &str, text: &str) -> Vec<(String, Value)> {
    let read = yaml::read(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(!read.is_empty(), "{path} is empty");
    read.into_iter().map(|document| (path.to_owned(), document)).collect()
}

fn in_channel(document: &Value, channel: Channel) -> Option<&'static Published> {
    let version = version_of(document)?;
    published().iter().find(|published| published.channel == channel && std::ptr::eq(published.version, version))
}

/// Reads and writes the documents of both channels: how many of each `apiVersion kind` there were, and of how many other kinds.
fn check(documents: Documents) -> (BTreeMap<String, usize>, BTreeMap<String, usize>) {
    let (mut ours, mut foreign) = (BTreeMap::new(), BTreeMap::new());
    for channel in Channel::ALL {
        for (file, document) in documents(channel) {
            let name = [&document["apiVersion"], &document["kind"]].map(|part| part.as_str().unwrap()).join(" ");
            let Some(version) = version_of(&document) else {
                *foreign.entry(name).or_default() += 1;
                continue;
            };
            let written =
                (version.rewrite)(&document.to_string()).unwrap_or_else(|error| panic!("{file}: {name}: {error}"));
            let written: Value = serde_json::from_str(&written).unwrap();
            assert!(written == document, "{file}: {name} is written as\n{written:#}\ninstead of\n{document:#}");
            let published = in_channel(&document, channel).unwrap_or_else(|| panic!("{file}: {channel} has no {name}"));
            let violations = published.violations(&document);
            assert!(violations.is_empty(), "{file}: {name}: {violations:#?}");
            *ours.entry(name).or_default() += 1;
        }
    }
    println!(
        "{} of Gateway API {ours:?}, {} of other APIs {foreign:?}",
        ours.values().sum::<usize>(),
        foreign.values().sum::<usize>()
    );
    (ours, foreign)
}

#[test]
fn our_manifests_read_and_write_back() {
    let (ours, foreign) = check(self::ours);
    assert!(foreign.is_empty(), "{foreign:?}");
    let kinds: BTreeSet<&str> = ours.keys().map(|name| name.split_once(' ').unwrap().1).collect();
    let all: BTreeSet<&str> = versions().iter().map(|version| version.kind).collect();
    assert_eq!(kinds, all, "every kind has a manifest");
}

/// Manifests under `experimental` need that channel: standard does not have the kind, or it rejects or drops a part.
#[test]
fn our_experimental_manifests_do_not_fit_standard() {
    for (file, document) in ours(Channel::Experimental) {
        if let Some(published) = in_channel(&document, Channel::Standard) {
            assert!(!published.violations(&document).is_empty(), "{file}: {} fits standard", document["kind"]);
        }
    }
}

#[test]
fn upstream_examples_read_and_write_back() {
    let (ours, foreign) = check(upstream);
    // Namespaces that the examples live in. Anything else here is a kind that we ought to have.
    assert_eq!(foreign.keys().collect::<Vec<_>>(), ["v1 Namespace"]);
    assert!(ours.values().sum::<usize>() >= 103, "{ours:?}");
}
