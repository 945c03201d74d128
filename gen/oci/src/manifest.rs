//! Descriptors, manifests and indices, as their JSON has them.

use std::collections::BTreeMap;

use crd_bundle::Digest;
use serde::{Deserialize, Serialize};

use crate::media_type::{INDEX, MANIFEST};

/// A reference to a blob by its digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What the blob is.
    pub media_type: String,
    /// `sha256:` and 64 digits.
    pub digest: String,
    /// The number of its bytes.
    pub size: u64,
    /// Facts about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// The type of the artefact, if the blob is the manifest of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
}

impl Descriptor {
    /// The descriptor of these bytes.
    pub fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: format!("sha256:{}", Digest::of(bytes)),
            size: bytes.len() as u64,
            ..Self::default()
        }
    }

    /// The digest; nothing if it is not SHA-256 in its one form. Every path and address is built from the result, never from the text.
    pub fn sha256(&self) -> Option<Digest> {
        self.digest.strip_prefix("sha256:")?.parse().ok()
    }
}

/// The manifest of an artefact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// 2.
    pub schema_version: u32,
    /// [`MANIFEST`].
    #[serde(default)]
    pub media_type: String,
    /// The type of the artefact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Its config.
    pub config: Descriptor,
    /// Its contents.
    pub layers: Vec<Descriptor>,
    /// The manifest that this one is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// Facts about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A list of manifests: `index.json` of a layout, and the answer to a question for referrers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// 2.
    pub schema_version: u32,
    /// [`INDEX`].
    #[serde(default)]
    pub media_type: String,
    /// The manifests.
    pub manifests: Vec<Descriptor>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            schema_version: 2,
            media_type: MANIFEST.to_owned(),
            artifact_type: None,
            config: Descriptor::default(),
            layers: Vec::new(),
            subject: None,
            annotations: BTreeMap::new(),
        }
    }
}

impl Default for Index {
    fn default() -> Self {
        Self { schema_version: 2, media_type: INDEX.to_owned(), manifests: Vec::new() }
    }
}
