//! The releases of Gateway API as they were published, without the code that makes the page: plain JSON.
//!
//! Invariant: past releases are read from the archive of the test data, and released bundles from their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::pages::{folder, root};

pub(crate) const CHANNELS: [&str; 2] = ["standard", "experimental"];

/// A published release.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) version: String,
    /// The folder with a folder of each channel.
    pub(crate) folder: PathBuf,
    /// The CRDs by channel.
    pub(crate) crds: BTreeMap<&'static str, Vec<Value>>,
}

/// A version of a CRD in a release and channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version<'r> {
    pub(crate) release: &'r str,
    pub(crate) channel: &'static str,
    pub(crate) crd: &'r str,
    pub(crate) kind: &'r str,
    pub(crate) name: &'r str,
    pub(crate) is_served: bool,
    pub(crate) schema: &'r Value,
}

/// A workspace with the published CRDs of all releases as bundles, and the removed names of this repository.
pub(crate) fn workspace() -> &'static Path {
    static WORKSPACE: OnceLock<PathBuf> = OnceLock::new();
    WORKSPACE.get_or_init(|| {
        let workspace = folder("published");
        let bundles = workspace.join("bundles");
        crd_testdata::unpack_history("gateway-api", &bundles);
        for file in ["bundles/tombstones.yaml", "crd-channels.yaml"] {
            fs::copy(root().join(file), workspace.join(file)).expect("a file is copied");
        }
        workspace
    })
}

/// All releases, lowest version first.
pub(crate) fn releases() -> &'static [Release] {
    static RELEASES: OnceLock<Vec<Release>> = OnceLock::new();
    RELEASES.get_or_init(|| {
        let archive = workspace().join("bundles");
        let bundles = root().join("bundles");
        let versions = |folder: &Path| {
            let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            names.filter(|name| name.starts_with('v')).collect::<Vec<_>>()
        };
        let mut folders = BTreeMap::new();
        // A release of this repository replaces the one of upstream, which has other descriptions.
        for folder in [&archive, &bundles] {
            folders.extend(
                versions(folder)
                    .into_iter()
                    .map(|version| (numbers(&version), (version.clone(), folder.join(version)))),
            );
        }
        folders.into_values().map(|(version, folder)| read(version, folder)).collect()
    })
}

/// The numbers of a stable version, which order it.
fn numbers(version: &str) -> Vec<u32> {
    let parts = version.trim_start_matches('v').split('.');
    parts.map(|part| part.parse().unwrap_or_else(|_| panic!("{version} is not a stable version"))).collect()
}

fn read(version: String, folder: PathBuf) -> Release {
    let crds = CHANNELS.into_iter().filter(|channel| folder.join(channel).is_dir());
    let crds = crds.map(|channel| {
        let entries =
            fs::read_dir(folder.join(channel)).expect("a folder").map(|entry| entry.expect("an entry").path());
        let crds = entries.flat_map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            match path.extension().is_some_and(|extension| extension == "json") {
                true => vec![serde_json::from_str(&text).expect("JSON")],
                false => crd_model::yaml::read(&text).unwrap_or_else(|error| panic!("{}: {error:?}", path.display())),
            }
        });
        (channel, crds.filter(|crd: &Value| crd["kind"] == "CustomResourceDefinition").collect())
    });
    Release { version, crds: crds.collect(), folder }
}

impl Release {
    /// The versions of all CRDs in all channels.
    pub(crate) fn versions(&self) -> Vec<Version<'_>> {
        let mut found = Vec::new();
        for (channel, crds) in &self.crds {
            for crd in crds {
                for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
                    found.push(Version {
                        release: &self.version,
                        channel,
                        crd: crd["metadata"]["name"].as_str().expect("a name"),
                        kind: crd["spec"]["names"]["kind"].as_str().expect("a kind"),
                        name: version["name"].as_str().expect("a name"),
                        is_served: version["served"] == true,
                        schema: &version["schema"]["openAPIV3Schema"],
                    });
                }
            }
        }
        found
    }
}

/// A node of a schema.
#[derive(Debug)]
pub(crate) struct Node<'s> {
    /// `[*]` for list items and map values.
    pub(crate) path: String,
    /// Whether it is a property, not an item.
    pub(crate) is_field: bool,
    pub(crate) schema: &'s Value,
}

/// The nodes below a schema.
pub(crate) fn nodes(schema: &Value) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    collect(schema, "", &mut found);
    found
}

fn collect<'s>(schema: &'s Value, path: &str, found: &mut Vec<Node<'s>>) {
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        found.push(Node { path: path.clone(), is_field: true, schema });
        collect(schema, &path, found);
    }
    for schema in [&schema["items"], &schema["additionalProperties"]].into_iter().filter(|schema| schema.is_object()) {
        let path = format!("{path}[*]");
        found.push(Node { path: path.clone(), is_field: false, schema });
        collect(schema, &path, found);
    }
}
