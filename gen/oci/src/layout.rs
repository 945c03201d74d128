//! A layout: artefacts as files of a folder.
//!
//! Invariants: a blob is stored once, under its digest. Referrers are in the index too, so that programs which copy a layout find them.

use std::collections::BTreeMap;

use crate::{Descriptor, Index, Manifest, media_type};

/// The annotation with the name of a manifest in a layout.
pub const REF_NAME: &str = "org.opencontainers.image.ref.name";
/// The annotation with the repository of a manifest, below the one that a user pushes to: `standard`.
pub const REPOSITORY: &str = "crd-channels/repository";
/// The annotation with its tag there: `v1.7.0`.
pub const TAG: &str = "crd-channels/tag";

/// The annotation with the name of the file that a layer is.
pub const TITLE: &str = "org.opencontainers.image.title";
/// The annotation with the time of a manifest.
pub const CREATED: &str = "org.opencontainers.image.created";

/// A blob to be stored.
#[derive(Clone, Debug)]
pub struct Blob {
    pub media_type: String,
    /// The name of the file, in `org.opencontainers.image.title`.
    pub title: Option<String>,
    pub bytes: Vec<u8>,
}

/// An artefact to be stored.
#[derive(Clone, Debug, Default)]
pub struct Artifact {
    pub artifact_type: Option<String>,
    /// Its config; without one, the empty config.
    pub config: Option<Blob>,
    pub layers: Vec<Blob>,
    /// The manifest that it is about.
    pub subject: Option<Descriptor>,
    pub annotations: BTreeMap<String, String>,
    /// Its repository below the one that a user pushes to, and its tag there. A referrer has neither: it goes where its subject is.
    pub name: Option<(String, String)>,
}

/// A layout that is being built.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    blobs: BTreeMap<String, Vec<u8>>,
    index: Index,
}

impl Layout {
    /// Stores an artefact, and returns the descriptor of its manifest.
    pub fn add(&mut self, artifact: Artifact) -> Descriptor {
        let empty = Blob { media_type: media_type::EMPTY.to_owned(), title: None, bytes: b"{}".to_vec() };
        let config = self.store(artifact.config.unwrap_or(empty));
        let layers = artifact.layers.into_iter().map(|layer| self.store(layer)).collect();
        let manifest = Manifest {
            artifact_type: artifact.artifact_type,
            config,
            layers,
            subject: artifact.subject,
            annotations: artifact.annotations,
            ..Manifest::default()
        };
        let bytes = serde_json::to_vec(&manifest).unwrap_or_default();
        let plain = Descriptor {
            artifact_type: manifest.artifact_type.clone(),
            ..self.store(Blob { media_type: media_type::MANIFEST.to_owned(), title: None, bytes })
        };
        let mut listed = plain.clone();
        if let Some((repository, tag)) = artifact.name {
            listed.annotations.insert(REF_NAME.to_owned(), format!("{}-{tag}", repository.replace('/', "-")));
            listed.annotations.insert(REPOSITORY.to_owned(), repository);
            listed.annotations.insert(TAG.to_owned(), tag);
        }
        self.index.manifests.push(listed);
        plain
    }

    fn store(&mut self, blob: Blob) -> Descriptor {
        let mut descriptor = Descriptor::of(&blob.media_type, &blob.bytes);
        let title = blob.title.map(|title| (TITLE.to_owned(), title));
        descriptor.annotations.extend(title);
        self.blobs.insert(descriptor.digest.clone(), blob.bytes);
        descriptor
    }

    /// The files of the layout, by path.
    pub fn files(self) -> BTreeMap<String, Vec<u8>> {
        let blobs =
            self.blobs.into_iter().map(|(digest, bytes)| (format!("blobs/{}", digest.replace(':', "/")), bytes));
        let index = serde_json::to_vec(&self.index).unwrap_or_default();
        let version = br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec();
        blobs.chain([("index.json".to_owned(), index), ("oci-layout".to_owned(), version)]).collect()
    }
}
