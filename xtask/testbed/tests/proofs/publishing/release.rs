//! Example releases: the unreleased CRDs, stamped with example versions, and their files.
//!
//! Invariants: a release of 1.7.0 and later has a field that 1.6.1 does not have, in both channels. Its description contains the syntax of
//! template engines.

use std::fs;
use std::path::{Path, PathBuf};

use crd_bundle::admission::{ReleasedChannel, guardrails, safe_upgrades};
use crd_bundle::{BundleFile, BundleVersion, Released, files, stamp};
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_release::template::Templates;
use crd_release::{Artefact, Release, archive, chart, install};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::documents::crds;

/// The prefix of the stamps.
pub(super) const PREFIX: &str = gateway_api_types::GROUP;

/// The CRD that has one more field from 1.7.0 on.
pub(super) const CHANGED: &str = "httproutes.gateway.networking.k8s.io";

/// That field, below `spec`.
pub(super) const NEW_FIELD: &str = "novelty";

/// Text that a template engine could evaluate by mistake.
pub(super) const BRACES: &str = "{{ .Values.nothing }} and {{- fail \"rendered\" -}} and }} and {{{{ and {{";

/// A release and its files, in a separate folder.
pub(super) struct Published {
    pub(super) release: Release,
    pub(super) safe_upgrades: Vec<Value>,
    pub(super) guardrails: Vec<Value>,
    folder: TempDir,
}

impl Published {
    /// The release of this version, with all CRDs.
    pub(super) fn of(version: &str) -> Published {
        Self::with(version, |_| true)
    }

    /// A release with few CRDs, for long stories: those of the unchanged objects, one more, and those that only experimental has.
    pub(super) fn of_few(version: &str) -> Published {
        let few = ["gatewayclasses", "gateways", "httproutes", "referencegrants"];
        let in_standard: Vec<&str> = crds(Channel::Standard).iter().map(|crd| &*crd.name).collect();
        Self::with(version, |crd| few.contains(&&*crd.names.plural) || !in_standard.contains(&&*crd.name))
    }

    fn with(version: &str, is_in: impl Fn(&CustomResourceDefinition) -> bool) -> Published {
        let version: BundleVersion = version.parse().expect("a version");
        let channels = Channel::ALL.map(|channel| {
            let crds = crds(channel).iter().filter(|crd| is_in(crd));
            ReleasedChannel { channel, files: files(crds.map(|crd| crd_of(crd, version, channel))) }
        });
        let release = Release {
            documents: Vec::new(),
            webhook: None,
            policies: Vec::new(),
            name: "gateway-api".to_owned(),
            prefix: PREFIX.to_owned(),
            version,
            released: "2026-11-21".parse::<Released>().expect("a date"),
            channels: channels.into(),
        };
        let (safe_upgrades, guardrails) = (safe_upgrades::policies(&release), guardrails::policies(&release));
        // Stories are statics, which are never dropped. Their files are in a folder that `cargo clean` removes.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        Published { release, safe_upgrades, guardrails, folder }
    }

    pub(super) fn files(&self, channel: Channel) -> &[BundleFile] {
        self.release.channel(channel)
    }

    /// The path of `standard-install.yaml`.
    pub(super) fn install_file(&self, channel: Channel) -> PathBuf {
        let artefact = install::install(&self.release, channel, &self.safe_upgrades, &Templates::embedded());
        self.written(&artefact.expect("an install file"))
    }

    /// The Helm chart of a channel.
    pub(super) fn chart(&self, channel: Channel) -> PathBuf {
        let templates = Templates::embedded();
        let artefact = chart::chart(&self.release, channel, &self.safe_upgrades, &self.guardrails, &templates);
        self.written(&artefact.expect("a chart"))
    }

    /// The estimated size of Helm's revision, in bytes.
    pub(super) fn stored_size(&self, channel: Channel) -> usize {
        let templates = Templates::embedded();
        chart::stored_size(&self.release, channel, &self.safe_upgrades, &self.guardrails, &templates).expect("a chart")
    }

    /// The folder of the unpacked archive.
    pub(super) fn unpacked(&self) -> PathBuf {
        let templates = Templates::embedded();
        let artefact = archive::bundle_archive(&self.release, &self.safe_upgrades, &self.guardrails, &templates);
        let artefact = artefact.expect("an archive");
        let folder = self.folder.path().join("unpacked");
        let gunzip = flate2::read::GzDecoder::new(&*artefact.bytes);
        tar::Archive::new(gunzip).unpack(&folder).expect("the archive unpacks");
        let mut entries = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let top = entries.next().expect("a folder in it");
        assert_eq!((entries.next(), top.is_dir()), (None, true), "one folder at the top");
        top
    }

    /// A folder such as `bundles/v1.6.1/standard`.
    pub(super) fn bundle_folder(&self, channel: Channel) -> PathBuf {
        let folder = self.folder.path().join(self.release.version.to_string()).join(channel.name());
        fs::create_dir_all(&folder).expect("created");
        let names: Vec<&str> = self.files(channel).iter().map(|file| &*file.name).collect();
        for file in self.files(channel) {
            write(&folder, &file.name, file.text.as_bytes());
        }
        let text = crd_release::kustomization::kustomization(&names);
        write(&folder, crd_release::kustomization::FILE, text.as_bytes());
        folder
    }

    fn written(&self, artefact: &Artefact) -> PathBuf {
        write(self.folder.path(), &artefact.name, &artefact.bytes)
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("written");
    path
}

fn crd_of(unreleased: &CustomResourceDefinition, version: BundleVersion, channel: Channel) -> CustomResourceDefinition {
    let mut crd = unreleased.clone();
    if crd.name == CHANGED && (version.major, version.minor) >= (1, 7) {
        let mut value = crd.to_value();
        for version in value["spec"]["versions"].as_array_mut().expect("versions") {
            let spec = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
            assert!(spec.is_object(), "the new field has a place");
            spec[NEW_FIELD] = json!({ "type": "string", "description": BRACES });
        }
        crd = CustomResourceDefinition::from_value(&value).expect("a CRD");
    }
    stamp(&mut crd, PREFIX, version, channel);
    crd
}

/// For messages and maps: `ValidatingAdmissionPolicy safe-upgrades`.
pub(super) fn kind_and_name(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    format!("{} {}", text("/kind"), text("/metadata/name"))
}
