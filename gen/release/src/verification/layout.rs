//! An OCI layout: each blob, each manifest and each subject.
//!
//! Invariants: each blob is read once, whatever lists it. A path is made from a digest only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_bundle::Digest;
use crd_diagnostics::printable;
use crd_oci::layout::REF_NAME;
use crd_oci::media_type::{INDEX, MANIFEST};
use crd_oci::source::{Blobs, MOST_INDEX, MOST_LAYER, MOST_MANIFESTS, index, manifest};
use crd_oci::{Descriptor, Manifest};

use super::{Verification, artifact};

const DO_NOT_USE: &str = "do not use it: copy or download the layout again";

/// The manifests of a layout, by digest.
type Manifests = BTreeMap<Digest, (Descriptor, Manifest)>;

/// Verifies the layout in a folder. Returns the blobs that something lists, each with its size.
pub fn layout(blobs: &dyn Blobs, folder: &Path, result: &mut Verification<'_>) -> BTreeMap<Digest, u64> {
    // The sizes of blobs that something lists.
    let mut sizes = BTreeMap::new();
    let manifests = manifests(blobs, folder, &mut sizes, result);
    let mut referrers: BTreeMap<Digest, Vec<(Digest, &Manifest)>> = BTreeMap::new();
    for (digest, (_, manifest)) in &manifests {
        for part in manifest.layers.iter().chain([&manifest.config]) {
            if is_new(part, folder, &mut sizes, result) {
                let bytes = result.check("blob", blobs.blob(part, MOST_LAYER));
                if let Some(bytes) = bytes.filter(|_| part.media_type.ends_with("json")) {
                    result.json("oci::malformed", &folder.join(&part.digest), &bytes);
                }
            }
        }
        let Some(subject) = &manifest.subject else { continue };
        let listed = subject.sha256().and_then(|of| Some((of, &manifests.get(&of)?.0)));
        match listed.filter(|(_, listed)| listed.size == subject.size && listed.media_type == subject.media_type) {
            Some((of, _)) => referrers.entry(of).or_default().push((*digest, manifest)),
            None => {
                let predicate =
                    format!("has no manifest {}, the subject of sha256:{digest}", printable(&subject.digest));
                result.refuse("verify::subject", folder, &predicate, DO_NOT_USE);
            }
        }
    }
    for (digest, (descriptor, manifest)) in &manifests {
        if manifest.subject.is_none() {
            let about = referrers.get(digest).map(Vec::as_slice).unwrap_or_default();
            artifact::Artifact { blobs, folder, digest: *digest, descriptor, manifest, referrers: about }
                .verify(result);
        }
    }
    if manifests.is_empty() {
        result.refuse("verify::files", folder, "contains no artefact", DO_NOT_USE);
    }
    sizes
}

/// The manifests that can be read; those of an index in the index, too.
fn manifests(
    blobs: &dyn Blobs,
    folder: &Path,
    sizes: &mut BTreeMap<Digest, u64>,
    result: &mut Verification<'_>,
) -> Manifests {
    let mut found = Manifests::new();
    let (mut names, mut bytes) = (BTreeSet::new(), 0);
    let mut rest = result.read(blobs.manifests()).unwrap_or_default();
    rest.reverse();
    while let Some(descriptor) = rest.pop() {
        let is_new = is_new(&descriptor, folder, sizes, result);
        let name = descriptor.annotations.get(REF_NAME);
        if let Some(name) = name.filter(|name| !is_new || !names.insert(name.to_string())) {
            let predicate = format!("lists `{}` twice, or its artefact under another name", printable(name));
            result.refuse("verify::subject", folder, &predicate, DO_NOT_USE);
        }
        if !is_new {
            continue;
        }
        bytes += descriptor.size.min(MOST_INDEX);
        if sizes.len() > MOST_MANIFESTS || bytes > MOST_LAYER {
            let predicate =
                format!("has more than {MOST_MANIFESTS} manifests, or more than {MOST_LAYER} bytes of them");
            result.refuse("verify::files", folder, &predicate, DO_NOT_USE);
            break;
        }
        match &*descriptor.media_type {
            MANIFEST => {
                if let (Some(read), Some(digest)) =
                    (result.check("manifest", manifest(blobs, &descriptor)), descriptor.sha256())
                {
                    found.insert(digest, (descriptor, read));
                }
            }
            INDEX => rest.extend(
                result.check("manifest", index(blobs, &descriptor)).into_iter().flat_map(|index| index.manifests),
            ),
            other => {
                let predicate = format!("lists {}, which is not a manifest", printable(other));
                result.refuse("verify::files", folder, &predicate, DO_NOT_USE);
            }
        }
    }
    found
}

/// Whether a blob is listed for the first time. A digest has one size.
fn is_new(part: &Descriptor, folder: &Path, sizes: &mut BTreeMap<Digest, u64>, result: &mut Verification<'_>) -> bool {
    // What is not a digest is reported by the reader.
    let Some(digest) = part.sha256() else { return true };
    let known = sizes.insert(digest, part.size);
    if known.is_some_and(|size| size != part.size) {
        result.refuse("oci::altered", folder, &format!("lists sha256:{digest} with two sizes"), DO_NOT_USE);
    }
    known.is_none()
}
