//! The artefacts of a release as an OCI layout: for each channel a bundle for Flux and the Helm chart, and documents that refer to the bundle.
//!
//! Invariants: the layout has the bytes that `dist/` has. Both channels have the same documents, each stored once. `created` is the release date.
//! With a key, each bundle and chart has two referrers more: the signature of its manifest, and the provenance of it and its other referrers.

use std::collections::BTreeMap;
use std::io::Read;

use crd_bundle::{Digest, manifest};
use crd_model::channel::Channel;
use crd_model::yaml;
use crd_oci::layout::{Artifact, Blob, CREATED, Layout};
use crd_oci::signature::{Statement, Subject};
use crd_oci::{Descriptor, media_type};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::archive::{Entry, tar_gz};
use crate::kustomization::{self, kustomization};
use crate::signatures::Signer;
use crate::template::TemplateError;
use crate::{Artefact, NOTES, Release, bindings, chart, sbom};

/// The folder of the layout in `dist/`.
pub const FOLDER: &str = "oci";

/// The name of the file with the layer of a bundle.
fn layer_name(release: &Release, channel: Channel) -> String {
    format!("{}-{channel}-{}.tar.gz", release.name, release.version)
}

/// The layer of a channel: its CRDs and a kustomization of them.
///
/// # Errors
/// A path that no archive takes.
pub fn layer(release: &Release, channel: Channel) -> Result<Artefact, TemplateError> {
    let files = release.channel(channel);
    let names = files.iter().map(|file| &file.name).collect::<Vec<_>>();
    let mut entries = vec![Entry::new(kustomization::FILE, kustomization(&names))];
    entries.extend(files.iter().map(|file| Entry::new(&*file.name, &*file.text)));
    let name = layer_name(release, channel);
    let bytes = tar_gz(&entries, release.released).map_err(|refused| refused.of(&name))?;
    Ok(Artefact { name, bytes })
}

/// The layout of a release. `files` are those of `dist/`, the layers, and `bundle.yaml`.
pub fn layout<'a>(
    release: &Release,
    files: impl IntoIterator<Item = &'a Artefact>,
    signer: Option<&Signer<'_>>,
) -> Layout {
    let parts = Parts { release, files: files.into_iter().map(|file| (&*file.name, &*file.bytes)).collect() };
    let mut layout = Layout::default();
    for released in &release.channels {
        let (bundle, chart) = (parts.bundle(released.channel), parts.chart(released.channel));
        for (artifact, documents) in [(bundle, parts.documents()), (chart, Vec::new())] {
            let name = artifact.name.clone().map(|(repository, tag)| format!("{repository}:{tag}")).unwrap_or_default();
            let subject = layout.add(artifact);
            let mut about = vec![(name, subject.clone())];
            for (artifact_type, document) in documents {
                let title = document.title.clone().unwrap_or_default();
                about.push((title, layout.add(parts.referrer(&subject, artifact_type, document, []))));
            }
            if let Some(signer) = signer {
                parts.sign(&mut layout, about, signer);
            }
        }
    }
    layout
}

/// What a layout is made of.
struct Parts<'a> {
    release: &'a Release,
    files: BTreeMap<&'a str, &'a [u8]>,
}

impl Parts<'_> {
    fn blob(&self, media_type: &str, title: &str) -> Blob {
        let bytes = self.files.get(title).map(|bytes| bytes.to_vec()).unwrap_or_default();
        Blob { media_type: media_type.to_owned(), title: Some(title.to_owned()), bytes }
    }

    fn annotations(&self, title: &str, description: &str, version: &str) -> BTreeMap<String, String> {
        let keys = [("title", title), ("description", description), ("version", version)];
        let keys = keys.map(|(key, value)| (format!("org.opencontainers.image.{key}"), value.to_owned()));
        [self.created()].into_iter().chain(keys).collect()
    }

    fn created(&self) -> (String, String) {
        (CREATED.to_owned(), self.release.released.to_string())
    }

    /// What Flux applies. The config is one of an image, as Flux writes it.
    fn bundle(&self, channel: Channel) -> Artifact {
        let (name, version) = (&self.release.name, self.release.version.to_string());
        let layer = self.blob(media_type::FLUX_CONTENT, &layer_name(self.release, channel));
        let mut tar = Vec::new();
        // Our own archive can be read.
        let _ = GzDecoder::new(&*layer.bytes).read_to_end(&mut tar);
        let diff_ids = [format!("sha256:{}", Digest::of(tar))];
        let config = json!({
            "architecture": "", "config": {}, "created": self.created().1, "os": "",
            "rootfs": { "diff_ids": diff_ids, "type": "layers" },
        });
        let description = format!("the CRDs of {name} {version}, {channel} channel");
        Artifact {
            config: Some(document(media_type::FLUX_CONFIG, &config)),
            layers: vec![layer],
            annotations: self.annotations(&format!("{name}-{channel}"), &description, &version),
            name: Some((channel.name().to_owned(), tag(&version))),
            ..Artifact::default()
        }
    }

    /// What Helm installs. The config is `Chart.yaml`.
    fn chart(&self, channel: Channel) -> Artifact {
        let (name, version) = (chart::chart_name(self.release, channel), self.release.plain_version());
        let layer = self.blob(media_type::HELM_CONTENT, &chart::file_name(self.release, channel));
        let config = chart_yaml(&layer.bytes).unwrap_or_default();
        let description = config.get("description").and_then(Value::as_str).unwrap_or_default();
        Artifact {
            annotations: self.annotations(&name, description, &version),
            name: Some((format!("charts/{name}"), tag(&version))),
            config: Some(document(media_type::HELM_CONFIG, &config)),
            layers: vec![layer],
            ..Artifact::default()
        }
    }

    /// The documents about a bundle, with their artefact types.
    fn documents(&self) -> Vec<(String, Blob)> {
        let own = |what: &str| format!("application/vnd.crd-channels.{what}.v1");
        let sbom = sbom::file_name(self.release);
        let mut known = vec![(own("bundle"), "application/yaml", manifest::FILE_NAME)];
        let documents = self.release.documents.iter().map(|document| &*document.name);
        known.extend(documents.map(|name| (own(name.trim_end_matches(".json")), "application/json", name)));
        known.extend([
            (own("schemas"), "application/gzip", bindings::SCHEMAS),
            (SBOM.to_owned(), SBOM, &sbom),
            (own("release-notes"), "text/markdown", NOTES),
            (own("reference"), "text/html", REFERENCE),
        ]);
        known
            .into_iter()
            .map(|(artifact_type, media_type, name)| (artifact_type, self.blob(media_type, name)))
            .collect()
    }

    fn referrer(
        &self,
        subject: &Descriptor,
        artifact_type: String,
        layer: Blob,
        annotations: impl IntoIterator<Item = (String, String)>,
    ) -> Artifact {
        Artifact {
            artifact_type: Some(artifact_type),
            layers: vec![layer],
            subject: Some(subject.clone()),
            annotations: annotations.into_iter().chain([self.created()]).collect(),
            ..Artifact::default()
        }
    }

    /// Adds the signature of a manifest, and the provenance of it and its referrers. `about` has the manifest first.
    fn sign(&self, layout: &mut Layout, mut about: Vec<(String, Descriptor)>, signer: &Signer<'_>) {
        let Some((_, subject)) = about.first().cloned() else { return };
        let Some(digest) = subject.sha256() else { return };
        let mut add = |statement: &Statement| {
            let bytes = signer.key.sign_statement(statement).into_bytes();
            let bundle = Blob { media_type: media_type::SIGSTORE_BUNDLE.to_owned(), title: None, bytes };
            layout.add(self.referrer(&subject, bundle.media_type.clone(), bundle, statement.annotations()))
        };
        let signature = add(&Statement::of_artifact(digest));
        about.push(("signature".to_owned(), signature));
        let subjects = about.iter().filter_map(|(name, of)| Some(Subject { name: name.clone(), sha256: of.sha256()? }));
        add(&signer.provenance(self.release, subjects.collect()));
    }
}

/// The type of an SBOM of CycloneDX.
const SBOM: &str = "application/vnd.cyclonedx+json";
/// The file with the API reference.
pub const REFERENCE: &str = "reference.html";

fn document(media_type: &str, value: &Value) -> Blob {
    Blob { media_type: media_type.to_owned(), title: None, bytes: value.to_string().into_bytes() }
}

/// A version as a tag, with Helm's rule for build metadata.
fn tag(version: &str) -> String {
    version.replace('+', "_")
}

/// The `Chart.yaml` of a chart.
fn chart_yaml(chart: &[u8]) -> Option<Value> {
    let mut archive = tar::Archive::new(GzDecoder::new(chart));
    let mut entry = archive.entries().ok()?.flatten().find(|entry| entry.path_bytes().ends_with(b"/Chart.yaml"))?;
    let mut text = String::new();
    entry.read_to_string(&mut text).ok()?;
    yaml::read(&text).ok()?.pop()
}
