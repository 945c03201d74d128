//! How far the migration of a CRD is: an annotation of the CRD, so that the next run goes on from the cluster.
//!
//! Invariants: the annotation is written together with the transitional CRD that it describes. If the versions of the CRD have
//! another digest, another client has changed the CRD.

use std::io::{Read, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crd_bundle::structure;
use crd_model::CustomResourceDefinition;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const ANNOTATION: &str = "crd-channels/migration";

/// The largest `spec` of a CRD that is read from an annotation, in bytes: more than a server stores.
const LARGEST: u64 = 16 << 20;

/// A stage of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Objects of all forms can be read and written, and get the new form.
    Open,
    /// Only objects of the new form can be written.
    Gate,
    /// As [`Stage::Open`], and objects get the old form again.
    Back,
    /// Only objects of the old form can be written.
    BackGate,
}

/// Every stage with its name.
const STAGES: [(Stage, &str); 4] =
    [(Stage::Open, "open"), (Stage::Gate, "gate"), (Stage::Back, "back"), (Stage::BackGate, "back-gate")];

impl Stage {
    pub(crate) fn name(self) -> &'static str {
        STAGES.iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    /// The stage after an open one.
    pub(crate) fn gate(self) -> Option<Self> {
        match self {
            Self::Open => Some(Self::Gate),
            Self::Back => Some(Self::BackGate),
            Self::Gate | Self::BackGate => None,
        }
    }

    /// Whether objects of all forms can be written.
    pub(crate) fn is_open(self) -> bool {
        self.gate().is_some()
    }
}

/// The state of a migration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// The target, such as `v1.6.1 standard`.
    pub(crate) to: String,
    pub(crate) stage: Stage,
    /// The `spec` of the CRD before the migration.
    pub(crate) spec: Value,
    /// The digest of the versions of the transitional CRD.
    pub(crate) digest: String,
}

impl State {
    /// The state in an annotation. Nothing if it cannot be read.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let text = |key: &str| value.get(key)?.as_str();
        let bytes = BASE64_STANDARD.decode(text("spec")?).ok()?;
        let mut spec = Vec::new();
        GzDecoder::new(&*bytes).take(LARGEST).read_to_end(&mut spec).ok()?;
        let name = text("stage")?;
        Some(Self {
            to: text("to")?.to_owned(),
            stage: STAGES.iter().find(|(_, known)| *known == name)?.0,
            spec: serde_json::from_slice(&spec).ok()?,
            digest: text("digest")?.to_owned(),
        })
    }

    /// The text of the annotation.
    pub(crate) fn text(&self) -> String {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let _ = encoder.write_all(self.spec.to_string().as_bytes());
        let spec = BASE64_STANDARD.encode(encoder.finish().unwrap_or_default());
        json!({"to": self.to, "stage": self.stage.name(), "digest": self.digest, "spec": spec}).to_string()
    }
}

/// The digest of the versions of a CRD, without text that only people read.
pub(crate) fn digest(crd: &CustomResourceDefinition) -> String {
    let versions = structure(crd).to_value().pointer("/spec/versions").map(Value::to_string).unwrap_or_default();
    Sha256::digest(versions).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
