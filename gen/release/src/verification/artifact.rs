//! A named artefact of a layout: its signatures, its provenance, and the CRDs in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crd_bundle::Digest;
use crd_bundle::manifest::{self, BundleManifest};
use crd_bundle::published::{Input, texts};
use crd_diagnostics::{fail_on, printable};
use crd_oci::layout::{REF_NAME, REPOSITORY, TAG, TITLE};
use crd_oci::media_type::{FLUX_CONTENT, SIGSTORE_BUNDLE};
use crd_oci::signature::{COSIGN_SIGNATURE, PROVENANCE, Statement, Subject};
use crd_oci::source::{Blobs, MOST_LAYER, MOST_MANIFEST};
use crd_oci::{Descriptor, Manifest};

use super::{Verification, WRONG_CHECKSUM, WRONG_PROVENANCE};

pub(super) struct Artifact<'a> {
    pub(super) blobs: &'a dyn Blobs,
    pub(super) folder: &'a Path,
    pub(super) digest: Digest,
    pub(super) descriptor: &'a Descriptor,
    pub(super) manifest: &'a Manifest,
    pub(super) referrers: &'a [(Digest, &'a Manifest)],
}

/// The most bytes that are looked into, in all artefacts together: 100 times those of a release.
const MOST_OPENED: u64 = 128 << 20;
const DO_NOT_USE: &str = "do not use it: copy or download the layout again";
const UNSIGNED: &str = "do not use it, or leave out `--key`";

impl Artifact<'_> {
    pub(super) fn verify(&self, result: &mut Verification<'_>) {
        let is_signature = |manifest: &Manifest| manifest.artifact_type.as_deref() == Some(SIGSTORE_BUNDLE);
        let (signatures, about): (Vec<_>, Vec<_>) =
            self.referrers.iter().partition(|(_, manifest)| is_signature(manifest));
        let mut types = BTreeSet::new();
        for (digest, signature) in &signatures {
            let at = self.shown(&format!("/sha256:{digest}"));
            let Some(statement) = self.statement(signature, &at, result) else { continue };
            if !statement.subjects.iter().any(|subject| subject.sha256 == self.digest) {
                result.refuse("verify::subject", &at, "is signed, and is about another artefact", DO_NOT_USE);
            } else if statement.predicate_type == PROVENANCE {
                self.compare(&statement.subjects, &signatures, &about, result);
                self.compare_name(&statement, result);
            }
            types.insert(statement.predicate_type);
        }
        for (kind, what) in [(COSIGN_SIGNATURE, "signature"), (PROVENANCE, "provenance")] {
            if result.key.is_some() && !types.contains(kind) {
                result.refuse("verify::unsigned", &self.shown(""), &format!("has no {what} of the key"), UNSIGNED);
            }
        }
        if let Some(layer) = self.manifest.layers.iter().find(|layer| layer.media_type == FLUX_CONTENT) {
            self.crds(layer, &about, result);
        }
    }

    /// The statement of a referrer, if the signature is of the key.
    fn statement(&self, referrer: &Manifest, at: &Path, result: &mut Verification<'_>) -> Option<Statement> {
        if result.key.is_none() {
            result.unchecked.push(format!("the signature `{}`", result.shown(at)));
            return None;
        }
        // cosign reads no other.
        let [layer] = &*referrer.layers else {
            result.refuse("verify::files", at, "has not exactly one layer", DO_NOT_USE);
            return None;
        };
        let text = self.text(layer, result)?;
        result.signed_statement(&text, at)
    }

    /// Compares the subjects of provenance with the artefact and its referrers. A signature that was added later is not one of them.
    fn compare(
        &self,
        stated: &[Subject],
        signatures: &[(Digest, &Manifest)],
        about: &[(Digest, &Manifest)],
        result: &mut Verification<'_>,
    ) {
        let expected = about.iter().map(|(digest, _)| *digest).chain([self.digest]).collect::<BTreeSet<_>>();
        let found = stated.iter().map(|subject| subject.sha256).collect::<BTreeSet<_>>();
        let mut wrong = expected.symmetric_difference(&found).collect::<Vec<_>>();
        wrong.retain(|digest| !signatures.iter().any(|(signature, _)| signature == *digest));
        for digest in wrong {
            let predicate = match expected.contains(digest) {
                true => format!("has the referrer sha256:{digest}, which its provenance does not have"),
                false => format!("lacks the referrer sha256:{digest} of its provenance"),
            };
            result.refuse(WRONG_PROVENANCE, &self.shown(""), &predicate, DO_NOT_USE);
        }
    }

    /// Compares the names in the index, which has no signature, with that of the provenance.
    fn compare_name(&self, statement: &Statement, result: &mut Verification<'_>) {
        let signed = statement.subjects.iter().find(|subject| subject.sha256 == self.digest);
        let signed = signed.map_or("", |subject| &*subject.name);
        let (repository, tag) = signed.rsplit_once(':').unwrap_or_default();
        let full = signed.replace(['/', ':'], "-");
        // Programs that copy an artefact into a layout keep its tag as the name, and no repository.
        let names = [(REF_NAME, &*full), (REF_NAME, tag), (REPOSITORY, repository), (TAG, tag)];
        let is_signed = |key: &str, name: &String| names.contains(&(key, &**name));
        let listed = [REF_NAME, REPOSITORY, TAG].map(|key| Some((key, self.descriptor.annotations.get(key)?)));
        if !listed.into_iter().flatten().all(|(key, name)| is_signed(key, name)) {
            let predicate = format!("is `{}` in its provenance", printable(signed));
            result.refuse("verify::subject", &self.shown(""), &predicate, DO_NOT_USE);
        }
    }

    /// Compares the files of a layer with those of a channel in the manifest of the bundle.
    fn crds(&self, layer: &Descriptor, about: &[(Digest, &Manifest)], result: &mut Verification<'_>) {
        let is_manifest =
            |layer: &&Descriptor| layer.annotations.get(TITLE).is_some_and(|title| title == manifest::FILE_NAME);
        let listed = about.iter().flat_map(|(_, referrer)| &referrer.layers).find(is_manifest);
        let Some(text) = listed.and_then(|listed| self.text(listed, result)) else {
            let predicate = format!("has no referrer `{}`, so its CRDs are not known", manifest::FILE_NAME);
            return result.refuse("verify::files", &self.shown(""), &predicate, DO_NOT_USE);
        };
        let at = self.shown("/bundle.yaml");
        let Some(stated) = result.read(BundleManifest::from_yaml(&text, &at)) else { return };
        let Some(bytes) = self.bytes(layer, MOST_LAYER, result) else { return };
        let (sources, errors) = texts(Input::new(self.shown("").display().to_string(), bytes));
        result.read(fail_on(errors));
        let found = sources.into_iter().map(|source| (source.path, Digest::of(source.text.as_bytes())));
        let found = found.collect::<BTreeSet<_>>();
        let of_channel = |channel: &crd_model::channel::Channel| {
            let files = stated.files.iter().filter_map(|file| {
                let name = file.path.strip_prefix(channel.name())?.strip_prefix('/')?;
                Some((name.to_owned(), file.sha256))
            });
            files.collect::<BTreeSet<_>>()
        };
        let channels = stated.channels.iter().map(of_channel);
        let expected = channels.max_by_key(|files| files.intersection(&found).count()).unwrap_or_default();
        expected.intersection(&found).for_each(|_| result.pass("layer file"));
        let names = expected.symmetric_difference(&found).map(|(name, _)| name).collect::<BTreeSet<_>>();
        for name in names {
            let predicate = format!("does not have `{}` as {} states it", printable(name), manifest::FILE_NAME);
            result.refuse(WRONG_CHECKSUM, &self.shown(""), &predicate, DO_NOT_USE);
        }
    }

    fn text(&self, layer: &Descriptor, result: &mut Verification<'_>) -> Option<String> {
        self.bytes(layer, MOST_MANIFEST, result).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a layer to look into. One layer can be listed thousands of times.
    fn bytes(&self, layer: &Descriptor, most: u64, result: &mut Verification<'_>) -> Option<Vec<u8>> {
        result.opened = result.opened.saturating_add(layer.size);
        if result.opened > MOST_OPENED {
            let predicate = format!("has more than {MOST_OPENED} bytes of signatures, CRDs and their manifests");
            result.refuse("oci::too-large", self.folder, &predicate, DO_NOT_USE);
            return None;
        }
        result.read(self.blobs.blob(layer, most))
    }

    /// The name of the artefact in messages, with a part of it.
    fn shown(&self, part: &str) -> PathBuf {
        let name = self.descriptor.annotations.get(REF_NAME).map(|name| printable(name));
        let name = name.unwrap_or_else(|| format!("sha256:{}", self.digest));
        PathBuf::from(format!("{}/{name}{part}", self.folder.display()))
    }
}
