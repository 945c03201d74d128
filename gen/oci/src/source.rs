//! Sources of artefacts, and which CRDs an artefact has.
//!
//! Invariants: nothing looks into a blob whose size or digest is not that of its descriptor. An index can contain indices, and those only manifests.
//! Artefacts about other artefacts have no CRDs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::published::layout::can_have_crds;
use crd_bundle::published::limits::{MOST_BYTES, MOST_UNPACKED};
use crd_bundle::published::tree::join;
use crd_bundle::published::{Input, texts};
use crd_bundle::{Digest, json};
use crd_diagnostics::layout::some_of;
use crd_diagnostics::{Diagnostic, fail_on, printable};
use serde::de::DeserializeOwned;

use crate::codes;
use crate::layout::{REF_NAME, REPOSITORY, TAG, TITLE};
use crate::media_type::{FLUX_CONTENT, HELM_CONTENT, INDEX, MANIFEST};
use crate::{Descriptor, Index, Manifest};

/// The most bytes of a manifest.
pub const MOST_MANIFEST: u64 = 4 << 20;
/// The most bytes of an index.
pub const MOST_INDEX: u64 = 4 << 20;
/// The most bytes of a layer.
pub const MOST_LAYER: u64 = MOST_BYTES as u64;
/// The most manifests of a source, and the most bytes of them together.
pub const MOST_MANIFESTS: usize = 10_000;
const MOST_OF_MANIFESTS: u64 = MOST_LAYER;

/// A place that artefacts are read from.
pub trait Blobs {
    /// Its name in messages.
    fn name(&self) -> String;

    /// The manifests and indices that it lists, or that the user chose.
    ///
    /// # Errors
    /// It cannot be read.
    fn manifests(&self) -> Result<Vec<Descriptor>, Diagnostic>;

    /// The bytes of a blob or manifest, not checked; at most one more than its descriptor has.
    ///
    /// # Errors
    /// It cannot be read.
    fn unchecked(&self, descriptor: &Descriptor, digest: Digest) -> Result<Vec<u8>, Diagnostic>;

    /// The bytes of a blob or manifest: of this size and digest.
    ///
    /// # Errors
    /// It cannot be read, has more than `most` bytes, or has other bytes.
    fn blob(&self, descriptor: &Descriptor, most: u64) -> Result<Vec<u8>, Diagnostic> {
        let (named, digest) = (printable(&descriptor.digest), digest_of(descriptor, &self.name())?);
        if descriptor.size > most {
            let message = format!("{named} has {} bytes, and the limit is {most}", descriptor.size);
            return Err(codes::TOO_LARGE.finding(message).at_file(self.name()));
        }
        let bytes = self.unchecked(descriptor, digest)?;
        let other = match bytes.len() as u64 {
            size if size != descriptor.size => format!("has another size than the {} bytes", descriptor.size),
            _ if Digest::of(&bytes) != digest => "does not have the digest".to_owned(),
            _ => return Ok(bytes),
        };
        let error = codes::ALTERED.finding(format!("{named} {other} that the artefact lists"));
        Err(error
            .at_file(self.name())
            .help("do not use it: it was damaged or replaced; copy or push the artefact again"))
    }
}

fn digest_of(descriptor: &Descriptor, source: &str) -> Result<Digest, Diagnostic> {
    descriptor.sha256().ok_or_else(|| {
        let error = codes::MALFORMED.finding(format!("`{}` is not a SHA-256 digest", printable(&descriptor.digest)));
        error.at_file(source).help("push the artefact with a tool that uses SHA-256")
    })
}

/// Reads a manifest. Addresses can be built from the digests in it.
///
/// # Errors
/// Those of [`Blobs::blob`]; and it is something else.
pub fn manifest(blobs: &dyn Blobs, descriptor: &Descriptor) -> Result<Manifest, Diagnostic> {
    let read: Manifest = document(blobs, descriptor, MOST_MANIFEST)?;
    for part in read.layers.iter().chain([&read.config]).chain(&read.subject) {
        digest_of(part, &blobs.name())?;
    }
    is_of_type(blobs, descriptor, &read.media_type).map(|()| read)
}

/// Reads an index.
///
/// # Errors
/// Those of [`Blobs::blob`]; and it is something else.
pub fn index(blobs: &dyn Blobs, descriptor: &Descriptor) -> Result<Index, Diagnostic> {
    let read: Index = document(blobs, descriptor, MOST_INDEX)?;
    is_of_type(blobs, descriptor, &read.media_type).map(|()| read)
}

fn document<T: DeserializeOwned>(blobs: &dyn Blobs, descriptor: &Descriptor, most: u64) -> Result<T, Diagnostic> {
    parse(&blobs.blob(descriptor, most)?, &blobs.name(), &descriptor.digest)
}

/// Parses a manifest, an index, or another document of a source. `what` is its name there.
///
/// # Errors
/// It is something else.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], source: &str, what: &str) -> Result<T, Diagnostic> {
    json::read(bytes).map_err(|error| malformed(source, &format!("{} is malformed: {error}", printable(what))))
}

/// A document that states another type could be read as both.
fn is_of_type(blobs: &dyn Blobs, descriptor: &Descriptor, stated: &str) -> Result<(), Diagnostic> {
    if stated.is_empty() || stated == descriptor.media_type {
        return Ok(());
    }
    let (digest, stated) = (printable(&descriptor.digest), printable(stated));
    Err(malformed(
        &blobs.name(),
        &format!("{digest} is listed as `{}`, and is `{stated}`", printable(&descriptor.media_type)),
    ))
}

fn malformed(source: &str, message: &str) -> Diagnostic {
    codes::MALFORMED.finding(message).at_file(source).help("push or copy the artefact again")
}

/// All manifests of a source, with their descriptors. What is neither a manifest nor an index is left out.
///
/// # Errors
/// One of them cannot be read, or they exceed a limit.
pub fn manifests(blobs: &dyn Blobs) -> Result<Vec<(Descriptor, Manifest)>, Diagnostic> {
    let (mut found, mut seen, mut bytes) = (Vec::new(), BTreeSet::new(), 0);
    let mut rest = blobs.manifests()?.into_iter().map(|descriptor| (descriptor, false)).collect::<Vec<_>>();
    rest.reverse();
    while let Some((descriptor, is_nested)) = rest.pop() {
        // One manifest can have several names.
        if !seen.insert((descriptor.digest.clone(), descriptor.annotations.clone())) {
            continue;
        }
        bytes += descriptor.size.min(MOST_INDEX);
        if seen.len() > MOST_MANIFESTS || bytes > MOST_OF_MANIFESTS {
            let message =
                format!("has more than {MOST_MANIFESTS} manifests, or more than {MOST_OF_MANIFESTS} bytes of them");
            return Err(codes::TOO_LARGE.finding(message).at_file(blobs.name()));
        }
        match &*descriptor.media_type {
            MANIFEST => {
                let manifest = manifest(blobs, &descriptor)?;
                found.push((descriptor, manifest));
            }
            INDEX if is_nested => return Err(malformed(&blobs.name(), "has an index in an index in an index")),
            INDEX => rest.extend(index(blobs, &descriptor)?.manifests.into_iter().rev().map(|inner| (inner, true))),
            _ => {}
        }
    }
    Ok(found)
}

/// An artefact with CRDs.
#[derive(Clone, Debug)]
pub struct WithCrds {
    /// Its manifest, with the annotations of the list that it is in.
    pub descriptor: Descriptor,
    /// The layers with CRDs: archives and YAML files.
    pub layers: Vec<Descriptor>,
}

/// The artefacts with CRDs. Charts count only without artefacts for Flux, because those have the same CRDs.
///
/// # Errors
/// Those of [`manifests`]; and that there are none.
pub fn with_crds(blobs: &dyn Blobs) -> Result<Vec<WithCrds>, Diagnostic> {
    let mut found: Vec<(usize, WithCrds)> = Vec::new();
    let mut other = BTreeSet::new();
    for (descriptor, manifest) in manifests(blobs)?.into_iter().filter(|(_, manifest)| manifest.subject.is_none()) {
        let ranked = RANKS.iter().enumerate().find(|(_, is)| manifest.layers.iter().any(is));
        match ranked {
            None => other.extend(manifest.layers.into_iter().map(|layer| printable(&layer.media_type))),
            Some((rank, is)) => {
                let layers = manifest.layers.into_iter().filter(is).collect();
                found.push((rank, WithCrds { descriptor, layers }));
            }
        }
    }
    let Some(best) = found.iter().map(|(rank, _)| *rank).min() else {
        let other = other.into_iter().take(3).collect::<Vec<_>>().join(", ");
        let message =
            format!("has no layer with CRDs{}", if other.is_empty() { other } else { format!("; it has {other}") });
        let help = "name an artefact with a layer for Flux, a Helm chart, an archive or a YAML file";
        return Err(codes::NO_CRDS.finding(message).at_file(blobs.name()).help(help));
    };
    Ok(found.into_iter().filter(|(rank, _)| *rank == best).map(|(_, found)| found).collect())
}

/// Which layers have CRDs; the first that an artefact has counts.
const RANKS: [fn(&Descriptor) -> bool; 3] = [
    |layer| layer.media_type == FLUX_CONTENT,
    |layer| layer.media_type == HELM_CONTENT,
    |layer| {
        let media_type = &*layer.media_type;
        let title = layer.annotations.get(TITLE).map(String::as_str).unwrap_or_default();
        let is_archive =
            ["tar", "tar+gzip", "tar.gzip", "x-gtar", "x-tar", "gzip"].iter().any(|end| media_type.ends_with(end));
        is_archive || media_type.ends_with("yaml") || [".yaml", ".yml"].iter().any(|end| title.ends_with(end))
    },
];

/// What a source has for a reader of CRDs.
#[derive(Debug)]
pub enum Content {
    /// Files, by their paths.
    Files(Vec<(String, String)>),
    /// The archive of a chart, which is all that there is.
    Chart(Vec<u8>),
}

/// The content of a source: the archive of its only artefact if that is a chart, else [`files`].
///
/// # Errors
/// Those of [`files`].
pub fn content(blobs: &dyn Blobs, by_release: bool) -> Result<Content, Vec<Diagnostic>> {
    let found = with_crds(blobs)?;
    if let [WithCrds { layers, .. }] = &*found
        && let [layer] = &**layers
        && layer.media_type == HELM_CONTENT
        && !by_release
    {
        return Ok(Content::Chart(blobs.blob(layer, MOST_LAYER)?));
    }
    files_of(blobs, found, by_release).map(Content::Files)
}

/// The files with CRDs of all artefacts, by path. Artefacts of one tag are in a folder each, if there are several: the channels of a release. Each tag is in
/// a folder if `by_release`.
///
/// # Errors
/// Those of [`with_crds`]; archives that cannot be read; and several tags, unless `by_release`.
pub fn files(blobs: &dyn Blobs, by_release: bool) -> Result<Vec<(String, String)>, Vec<Diagnostic>> {
    files_of(blobs, with_crds(blobs)?, by_release)
}

/// The files of these artefacts.
fn files_of(
    blobs: &dyn Blobs,
    found: Vec<WithCrds>,
    by_release: bool,
) -> Result<Vec<(String, String)>, Vec<Diagnostic>> {
    let mut tags: BTreeMap<String, Vec<WithCrds>> = BTreeMap::new();
    for found in found {
        let tag = [TAG, REF_NAME].iter().find_map(|key| found.descriptor.annotations.get(*key));
        tags.entry(tag.cloned().unwrap_or_default()).or_default().push(found);
    }
    if tags.len() > 1 && !by_release {
        let names = tags.keys().map(|tag| format!("`{}:{}`", blobs.name(), printable(tag))).collect::<Vec<_>>();
        let error = codes::SEVERAL.finding(format!("has {} releases", tags.len())).at_file(blobs.name());
        return Err(error.help(format!("name one: {}", some_of(&names, 3))).into());
    }
    let (mut files, mut bytes) = (BTreeMap::new(), 0);
    for (tag, found) in &tags {
        for one in found {
            let folder = if by_release { tag } else { "" };
            let name = one.descriptor.annotations.get(REPOSITORY).unwrap_or(&one.descriptor.digest);
            let folder = if found.len() > 1 { join(folder, name) } else { folder.to_owned() };
            for layer in &one.layers {
                let title = layer.annotations.get(TITLE).filter(|title| can_have_crds(title));
                let title = title.map_or("crds.yaml", String::as_str);
                let shown = format!("{}!{}", blobs.name(), printable(&join(&folder, title)));
                let (sources, errors) = texts(Input::new(shown, blobs.blob(layer, MOST_LAYER)?));
                fail_on(errors)?;
                for source in sources {
                    let path = below(&join(&folder, if source.path.is_empty() { title } else { &source.path }));
                    bytes += source.text.len() as u64;
                    if bytes > MOST_UNPACKED {
                        let message = format!("unpacks to more than {MOST_UNPACKED} bytes");
                        return Err(codes::TOO_LARGE.finding(message).at_file(blobs.name()).into());
                    }
                    if files.insert(path.clone(), Arc::unwrap_or_clone(source.text)).is_some() {
                        return Err(malformed(&blobs.name(), &format!("has two files `{}`", printable(&path))).into());
                    }
                }
            }
        }
    }
    Ok(files.into_iter().collect())
}

/// A path that leads nowhere else. Titles can be absolute, because `oras push` writes the paths that its user names.
fn below(path: &str) -> String {
    path.split('/').filter(|name| !["", ".", ".."].contains(name)).collect::<Vec<_>>().join("/")
}
