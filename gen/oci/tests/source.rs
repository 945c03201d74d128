//! Sources: which CRDs an artefact has, and hostile artefacts.

use std::collections::BTreeMap;

use crd_bundle::Digest;
use crd_diagnostics::Diagnostic;
use crd_oci::layout::{Artifact, Blob, Layout};
use crd_oci::source::{Blobs, MOST_LAYER, with_crds};
use crd_oci::{Descriptor, Index, media_type};

/// An edit of a descriptor, with its name and the code of the error.
type Edit = (&'static str, fn(&mut Descriptor), &'static str);

/// A layout in memory.
struct Memory(BTreeMap<String, Vec<u8>>);

impl Blobs for Memory {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn manifests(&self) -> Result<Vec<Descriptor>, Diagnostic> {
        Ok(serde_json::from_slice::<Index>(&self.0["index.json"]).unwrap().manifests)
    }

    fn unchecked(&self, _: &Descriptor, digest: Digest) -> Result<Vec<u8>, Diagnostic> {
        Ok(self.0[&format!("blobs/sha256/{digest}")].clone())
    }
}

fn layer(media_type: &str, title: &str, text: &str) -> Blob {
    let title = Some(title.to_owned()).filter(|title| !title.is_empty());
    Blob { media_type: media_type.to_owned(), title, bytes: text.as_bytes().to_vec() }
}

fn layers(artifacts: impl IntoIterator<Item = Vec<Blob>>) -> Result<Vec<String>, Diagnostic> {
    let mut layout = Layout::default();
    for layers in artifacts {
        layout.add(Artifact { layers, ..Artifact::default() });
    }
    texts(&Memory(layout.files()))
}

fn texts(memory: &Memory) -> Result<Vec<String>, Diagnostic> {
    let layers = with_crds(memory)?.into_iter().flat_map(|found| found.layers);
    layers.map(|layer| Ok(String::from_utf8(memory.blob(&layer, MOST_LAYER)?).unwrap())).collect()
}

/// A layout with an index that lists these manifests.
fn indexed(
    manifests: Vec<Descriptor>,
    mut files: BTreeMap<String, Vec<u8>>,
) -> (Descriptor, BTreeMap<String, Vec<u8>>) {
    let bytes = serde_json::to_vec(&Index { manifests, ..Index::default() }).unwrap();
    let descriptor = Descriptor::of(media_type::INDEX, &bytes);
    files.insert(format!("blobs/{}", descriptor.digest.replace(':', "/")), bytes);
    let top = Index { manifests: vec![descriptor.clone()], ..Index::default() };
    files.insert("index.json".to_owned(), serde_json::to_vec(&top).unwrap());
    (descriptor, files)
}

#[test]
fn layers_with_crds_are_found() {
    let flux = || vec![layer(media_type::FLUX_CONTENT, "", "flux"), layer("text/plain", "a", "other")];
    let chart = || vec![layer(media_type::HELM_CONTENT, "", "chart")];
    let oras = |media_type, title| vec![layer(media_type, title, "oras")];
    assert_eq!(layers([flux(), chart(), oras("application/yaml", "a")]).unwrap(), ["flux"]);
    assert_eq!(layers([chart()]).unwrap(), ["chart"]);
    for (media_type, title) in [
        ("application/vnd.oci.image.layer.v1.tar", "crds.yaml"),
        ("application/vnd.example.v1.tar+gzip", ""),
        ("text/x-yaml", ""),
        ("text/plain", "crds.yml"),
    ] {
        assert_eq!(layers([oras(media_type, title)]).unwrap(), ["oras"], "{media_type}");
    }
    let error = layers([oras("application/json", "sbom.json")]).unwrap_err();
    assert_eq!((error.code, &*error.message), ("oci::no-crds", "has no layer with CRDs; it has application/json"));
}

#[test]
fn an_artefact_about_another_has_no_crds() {
    let mut layout = Layout::default();
    let flux = layer(media_type::FLUX_CONTENT, "", "flux");
    let subject = layout.add(Artifact { layers: vec![flux], ..Artifact::default() });
    let schemas = vec![layer(media_type::FLUX_CONTENT, "", "schemas")];
    layout.add(Artifact { layers: schemas, subject: Some(subject), ..Artifact::default() });
    assert_eq!(texts(&Memory(layout.files())).unwrap(), ["flux"]);
}

#[test]
fn what_is_not_as_listed_is_refused() {
    let mut layout = Layout::default();
    let flux = layer(media_type::FLUX_CONTENT, "", "flux");
    let manifest = layout.add(Artifact { layers: vec![flux], ..Artifact::default() });
    let files = layout.files();
    let (index, nested) = indexed(vec![manifest.clone()], files.clone());
    assert_eq!(texts(&Memory(nested.clone())).unwrap(), ["flux"]);
    let edits: [Edit; 6] = [
        ("a digest that is a path", |it| it.digest = "sha256:../../../../etc/passwd".to_owned(), "oci::malformed"),
        ("another digest", |it| it.digest = it.digest.replacen("sha256", "sha512", 1), "oci::malformed"),
        ("another size", |it| it.size += 1, "oci::altered"),
        ("a huge size", |it| it.size = u64::MAX, "oci::too-large"),
        ("another type", |it| it.media_type = media_type::INDEX.to_owned(), "oci::malformed"),
        ("an unknown type", |it| it.media_type = "text/plain".to_owned(), "oci::no-crds"),
    ];
    for (name, edit, code) in edits {
        let mut edited = manifest.clone();
        edit(&mut edited);
        let error = texts(&Memory(indexed(vec![edited], files.clone()).1)).unwrap_err();
        assert_eq!(error.code, code, "{name}: {error}");
    }
    let mut flipped = files.clone();
    flipped.values_mut().filter(|bytes| **bytes == b"flux").for_each(|bytes| bytes[0] ^= 1);
    assert_eq!(texts(&Memory(flipped)).unwrap_err().code, "oci::altered");
    let (second, files) = indexed(vec![index], nested);
    let (_, files) = indexed(vec![second], files);
    assert_eq!(texts(&Memory(files)).unwrap_err().message, "has an index in an index in an index");
}

#[test]
fn the_number_of_manifests_is_limited() {
    let of =
        |number: usize| Descriptor { size: 1 << 20, ..Descriptor::of("text/plain", number.to_string().as_bytes()) };
    for (number, code) in [(60, "oci::no-crds"), (65, "oci::too-large")] {
        let files = indexed((0..number).map(of).collect(), BTreeMap::new()).1;
        assert_eq!(texts(&Memory(files)).unwrap_err().code, code);
    }
}
