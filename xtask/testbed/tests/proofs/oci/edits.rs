//! A copy of the layout of a release, changed as an attacker would change it.
//!
//! Invariants: what is stored gets its digest, unless a bit is flipped. Manifests are found by their name, or by what is about them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The type of signatures, and that of provenance.
pub(super) const SIGNATURE: &str = "https://sigstore.dev/cosign/sign/v1";
pub(super) const PROVENANCE: &str = "https://slsa.dev/provenance/v1";
/// The type of the bill of materials.
pub(super) const SBOM: &str = "application/vnd.cyclonedx+json";

pub(super) struct Layout {
    pub(super) folder: PathBuf,
}

impl Layout {
    pub(super) fn copy_of(layout: &Path, folder: &Path) -> Layout {
        let copied = Command::new("cp").arg("-r").args([layout, folder]).status();
        assert!(copied.expect("cp runs").success());
        Layout { folder: folder.to_owned() }
    }

    fn path(&self, digest: &Value) -> PathBuf {
        let digest = digest.as_str().expect("a digest");
        self.folder.join("blobs").join(digest.replace(':', "/"))
    }

    pub(super) fn read(&self, descriptor: &Value) -> Vec<u8> {
        fs::read(self.path(&descriptor["digest"])).expect("a blob")
    }

    pub(super) fn manifest(&self, descriptor: &Value) -> Value {
        serde_json::from_slice(&self.read(descriptor)).expect("a manifest")
    }

    pub(super) fn index(&self) -> Value {
        serde_json::from_slice(&fs::read(self.folder.join("index.json")).expect("an index")).expect("an index")
    }

    pub(super) fn write_index(&self, index: &Value) {
        fs::write(self.folder.join("index.json"), index.to_string()).expect("written");
    }

    fn listed(&self, is: impl Fn(&Value) -> bool) -> Value {
        let index = self.index();
        let found = index["manifests"].as_array().expect("manifests").iter().find(|entry| is(entry));
        found.cloned().unwrap_or_else(|| panic!("the manifest is not in {index:#}"))
    }

    /// The descriptor of the artefact with this name.
    pub(super) fn named(&self, name: &str) -> Value {
        self.listed(|entry| entry["annotations"]["org.opencontainers.image.ref.name"] == name)
    }

    /// The descriptor of what is about an artefact: of this type, or a statement of this type.
    pub(super) fn about(&self, subject: &Value, kind: &str) -> Value {
        self.listed(|entry| {
            let manifest = self.manifest(entry);
            let kinds = [&manifest["artifactType"], &manifest["annotations"]["dev.sigstore.bundle.predicateType"]];
            manifest["subject"]["digest"] == subject["digest"] && kinds.iter().any(|found| **found == kind)
        })
    }

    /// Flips the last bit of the byte in the middle of a blob.
    pub(super) fn flip(&self, descriptor: &Value) {
        let mut bytes = self.read(descriptor);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(self.path(&descriptor["digest"]), bytes).expect("written");
    }

    /// Stores bytes; the descriptor becomes that of these bytes.
    pub(super) fn store(&self, descriptor: &mut Value, bytes: &[u8]) {
        let digest = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        descriptor["digest"] = format!("sha256:{digest}").into();
        descriptor["size"] = bytes.len().into();
        fs::write(self.path(&descriptor["digest"]), bytes).expect("written");
    }

    /// Replaces a manifest in the index.
    pub(super) fn replace(&self, old: &Value, manifest: &Value) -> Value {
        let mut new = old.clone();
        self.store(&mut new, manifest.to_string().as_bytes());
        let mut index = self.index();
        for entry in index["manifests"].as_array_mut().expect("manifests") {
            if entry["digest"] == old["digest"] {
                (entry["digest"], entry["size"]) = (new["digest"].clone(), new["size"].clone());
            }
        }
        self.write_index(&index);
        new
    }

    /// Replaces the only layer of an artefact.
    pub(super) fn replace_layer(&self, descriptor: &Value, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Value {
        let mut manifest = self.manifest(descriptor);
        let bytes = change(self.read(&manifest["layers"][0]));
        self.store(&mut manifest["layers"][0], &bytes);
        self.replace(descriptor, &manifest)
    }

    /// What is about one artefact becomes about another one.
    pub(super) fn attach(&self, descriptor: &Value, subject: &Value) -> Value {
        let mut manifest = self.manifest(descriptor);
        for field in ["digest", "size"] {
            manifest["subject"][field] = subject[field].clone();
        }
        self.replace(descriptor, &manifest)
    }

    /// Removes a manifest from the index.
    pub(super) fn remove(&self, descriptor: &Value) {
        let mut index = self.index();
        let manifests = index["manifests"].as_array_mut().expect("manifests");
        manifests.retain(|entry| entry["digest"] != descriptor["digest"]);
        self.write_index(&index);
    }

    /// Lists a manifest that is about an artefact: a copy of one, with this layer.
    pub(super) fn add(&self, copied: &Value, layer: &[u8]) {
        let mut manifest = self.manifest(copied);
        self.store(&mut manifest["layers"][0], layer);
        let mut new = copied.clone();
        self.store(&mut new, manifest.to_string().as_bytes());
        let mut index = self.index();
        index["manifests"].as_array_mut().expect("manifests").push(new);
        self.write_index(&index);
    }
}
