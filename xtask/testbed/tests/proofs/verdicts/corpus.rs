//! The release histories of projects: those of the nine that are archived, and those whose folders a proof names.
//!
//! Invariants: a channel of a project is a history of its own, and all of its CRDs are compared as those of standard, so that no column is
//! milder. A CRD that cannot be read is counted and left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_bundle::published::{Input, read};
use crd_channels::Channel;
use crd_compat::Channels;
use crd_model::CustomResourceDefinition;

use crate::witnesses::Bundle;

/// The channel that all CRDs are compared in.
pub(crate) const CHANNEL: Channel = Channel::Standard;

/// The releases of a project in one channel, oldest first.
pub(crate) struct History {
    pub(crate) name: String,
    pub(crate) releases: Vec<Bundle>,
    /// The files that cannot be read, and why.
    pub(crate) unread: Vec<String>,
}

/// Two neighbouring releases.
pub(crate) struct Neighbours<'h> {
    pub(crate) history: &'h str,
    pub(crate) old: &'h Bundle,
    pub(crate) new: &'h Bundle,
}

impl<'h> Neighbours<'h> {
    /// The CRDs that both have and that differ.
    pub(crate) fn changed(&self) -> impl Iterator<Item = [&'h CustomResourceDefinition; 2]> {
        let news = crds(self.new);
        crds(self.old).iter().filter_map(move |old| {
            let new = news.iter().find(|new| new.name == old.name)?;
            (old != new).then_some([&**old, &**new])
        })
    }
}

/// The CRDs of a release.
pub(crate) fn crds(bundle: &Bundle) -> &[Arc<CustomResourceDefinition>] {
    bundle.channels.get(&CHANNEL).map(Vec::as_slice).unwrap_or_default()
}

/// All neighbouring releases.
pub(crate) fn neighbours(histories: &[History]) -> Vec<Neighbours<'_>> {
    let pairs = histories.iter().flat_map(|history| {
        let pairs = history.releases.windows(2);
        pairs.map(|pair| Neighbours { history: &history.name, old: &pair[0], new: &pair[1] })
    });
    pairs.collect()
}

/// Every history in a proof; otherwise the newest releases of Gateway API, because reading all of them takes minutes. `word` begins the API groups
/// of a test.
pub(crate) fn histories(word: &str) -> Vec<History> {
    let (projects, newest) = match crd_testdata::is_proof() {
        true => (crd_testdata::HISTORIES, usize::MAX),
        false => (&["gateway-api"][..], 3),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let of = |project: &&str| {
        let folder = folder.path().join(project);
        crd_testdata::unpack_history(project, &folder);
        let mut versions = entries(&folder).into_iter().map(|path| (name_of(&path), path)).collect::<Vec<_>>();
        versions.sort_by_key(|(version, _)| numbers(version));
        of_project(word, project, &versions[versions.len().saturating_sub(newest)..])
    };
    projects.iter().flat_map(of).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths = entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8").to_owned()
}

/// The JSON and YAML files of a folder and those below it.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => files(&path, found),
            Some("json" | "yaml") => found.push(path),
            _ => {}
        }
    }
}

/// The numbers of a version: `v1.10.0` and `release-4.20`.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|letter: char| !letter.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// The histories of a project, one for each channel. Each version has the folder of its CRDs; the oldest version is first.
pub(crate) fn of_project(word: &str, project: &str, versions: &[(String, PathBuf)]) -> Vec<History> {
    let mut histories: BTreeMap<String, History> = BTreeMap::new();
    for (version, folder) in versions {
        let mut found = Vec::new();
        files(folder, &mut found);
        let mut releases: BTreeMap<String, Vec<Arc<CustomResourceDefinition>>> = BTreeMap::new();
        for file in found {
            let channel = file.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            let channel = channel.into_iter().find(|part| part == "standard" || part == "experimental");
            let name = channel.map_or(project.to_owned(), |channel| format!("{project}-{channel}"));
            let history = histories.entry(name.clone()).or_insert_with(|| History {
                name: name.clone(),
                releases: Vec::new(),
                unread: Vec::new(),
            });
            let path = file.display().to_string();
            let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
            let crds = releases.entry(name).or_default();
            match read(&path, [Input::new(path.clone(), bytes)]) {
                // Some projects publish a CRD in two folders.
                Ok(published) => crds.extend(
                    published
                        .crds
                        .into_iter()
                        .map(|one| Arc::new(one.crd))
                        .filter(|crd| !crds.iter().any(|known| known.name == crd.name))
                        .collect::<Vec<_>>(),
                ),
                Err(errors) => history.unread.push(format!("{path}: {}", errors[0].message)),
            }
        }
        for (name, crds) in releases {
            let history = histories.get_mut(&name).expect("it was added");
            let word = format!("{word}-{name}-{version}").to_lowercase();
            let word = word.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-").replace("--", "-");
            history.releases.push(Bundle { word, channels: Channels::from([(CHANNEL, crds)]) });
        }
    }
    histories.into_values().collect()
}
