//! The CRDs of the unreleased bundles, and the example manifests of each channel.
//!
//! Invariants: the CRDs are read from the files that the servers install, with the YAML reader of `crd-model`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crd_channels::Channel;
use crd_model::crd::{Scope, Version};
use crd_model::{CustomResourceDefinition, yaml};
use serde_json::{Value, json};

use crate::server::{self, Crds};

const MANIFESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../api-types/tests/manifests");

/// The CRDs of the unreleased bundle in a channel, for a server.
pub(crate) fn crds_of(channel: Channel) -> Crds {
    match channel {
        Channel::Standard => Crds::Standard,
        Channel::Experimental => Crds::Experimental,
    }
}

/// The documents of a YAML file.
fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    yaml::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All YAML files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
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

/// The CRDs of the unreleased bundle in a channel.
pub(crate) fn crds(channel: Channel) -> &'static [CustomResourceDefinition] {
    static CRDS: OnceLock<[Vec<CustomResourceDefinition>; Channel::ALL.len()]> = OnceLock::new();
    let all = CRDS.get_or_init(|| {
        Channel::ALL.map(|channel| {
            let documents = files(&server::bundle(channel.name())).into_iter().flat_map(|file| read(&file));
            documents
                .filter(|document| document["kind"] == "CustomResourceDefinition")
                .map(|document| CustomResourceDefinition::from_value(&document).expect("our own CRD is readable"))
                .collect()
        })
    });
    &all[channel as usize]
}

/// A version of a resource, from its CRD.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionedKind {
    pub(crate) crd: &'static CustomResourceDefinition,
    pub(crate) version: &'static Version,
}

impl VersionedKind {
    /// All versions of all resources of a channel, also unserved ones.
    pub(crate) fn all(channel: Channel) -> impl Iterator<Item = VersionedKind> {
        crds(channel).iter().flat_map(|crd| crd.versions.iter().map(move |version| VersionedKind { crd, version }))
    }

    /// The version and resource of an object.
    pub(crate) fn of(channel: Channel, object: &Value) -> Option<VersionedKind> {
        VersionedKind::all(channel)
            .find(|versioned| object["apiVersion"] == versioned.api_version() && object["kind"] == versioned.kind())
    }

    pub(crate) fn api_version(&self) -> String {
        format!("{}/{}", self.crd.group, self.version.name)
    }

    pub(crate) fn kind(&self) -> &'static str {
        &self.crd.names.kind
    }

    /// For messages: `gateway.networking.k8s.io/v1 Gateway`.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.api_version(), self.kind())
    }

    pub(crate) fn is_cluster_wide(&self) -> bool {
        self.crd.scope == Scope::Cluster
    }

    pub(crate) fn has_status(&self) -> bool {
        self.version.subresources.as_ref().is_some_and(|subresources| subresources.status)
    }

    /// The object with this name, and with this namespace if the resource is namespaced.
    pub(crate) fn placed(&self, object: &Value, namespace: &str, name: &str) -> Value {
        let mut object = object.clone();
        object["metadata"] = match self.is_cluster_wide() {
            true => json!({"name": name}),
            false => json!({"name": name, "namespace": namespace}),
        };
        object
    }

    /// The path of the collection; the namespace is ignored for cluster-scoped objects.
    pub(crate) fn collection(&self, namespace: &str) -> String {
        let (group, version, plural) = (&self.crd.group, &self.version.name, &self.crd.names.plural);
        if self.is_cluster_wide() {
            format!("/apis/{group}/{version}/{plural}")
        } else {
            format!("/apis/{group}/{version}/namespaces/{namespace}/{plural}")
        }
    }
}

/// The paths of all collections that a channel serves, over all namespaces.
pub(crate) fn collections(channel: Channel) -> Vec<String> {
    VersionedKind::all(channel)
        .filter(|versioned| versioned.version.served)
        .map(|versioned| format!("/apis/{}/{}", versioned.api_version(), versioned.crd.names.plural))
        .collect()
}

/// A document of an example manifest.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    /// Its file, below the folder of examples.
    pub(crate) file: String,
    pub(crate) object: Value,
}

fn examples(file: String, documents: Vec<Value>) -> impl Iterator<Item = Example> {
    documents.into_iter().map(move |object| Example { file: file.clone(), object })
}

/// The repository's examples of a channel.
pub(crate) fn our_examples(channel: Channel) -> Vec<Example> {
    let files = files(&Path::new(MANIFESTS).join(channel.name())).into_iter();
    let name = |path: &Path| path.strip_prefix(MANIFESTS).expect("it is below").display().to_string();
    files.flat_map(|path| examples(name(&path), read(&path))).collect()
}

/// The examples of a channel that Gateway API published.
pub(crate) fn upstream_examples(channel: Channel) -> Vec<Example> {
    let files = crd_testdata::gateway_api_examples(channel.name()).into_iter();
    let documents = |text: &str| yaml::read(text).expect("a manifest is readable");
    files.flat_map(|file| examples(format!("{channel}/{}", file.path), documents(file.text))).collect()
}
