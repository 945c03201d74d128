//! Pushes a layout: each named artefact with its referrers.
//!
//! Invariants: tags are compared before anything is sent, and a tag never changes. A tag is written last, so that a client that finds it finds everything
//! else. What the registry has is not sent again.

use std::collections::BTreeMap;

use crate::layout::{REPOSITORY, TAG};
use crate::source::{Blobs, MOST_LAYER, MOST_MANIFEST, manifests};
use crate::{Descriptor, Manifest};
use crd_diagnostics::{Diagnostic, fail_on, successes};
use serde::Serialize;

use super::{Lookup, Reference, Registry, Timeouts, codes};

/// An artefact that the registry has now, or would have.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pushed {
    /// Its host, repository and tag.
    pub reference: Reference,
    /// The digest of its manifest.
    pub digest: String,
    /// Whether the registry had the tag before.
    #[serde(rename = "existed")]
    pub was_there: bool,
    /// How many blobs and manifests were sent or would be, also those of its referrers.
    pub sent: usize,
    /// How many artefacts are about it, such as signatures.
    pub referrers: usize,
}

struct Push<'p> {
    layout: &'p dyn Blobs,
    /// The manifests about another one, by the digest of their subject.
    about: BTreeMap<String, Vec<(Descriptor, Manifest)>>,
    progress: &'p dyn Fn(&str),
    dry_run: bool,
}

/// Pushes a layout to a repository, to which the repository of each artefact is added.
///
/// # Errors
/// The layout has no named artefacts, a tag has another digest, or the registry refuses or cannot be reached.
pub fn push(
    layout: &dyn Blobs,
    to: &Reference,
    timeouts: &Timeouts,
    credentials: Lookup<'_>,
    dry_run: bool,
    progress: &dyn Fn(&str),
) -> Result<Vec<Pushed>, Vec<Diagnostic>> {
    if to.name.is_some() {
        let error = codes::REFERENCE.finding(format!("{to} has a tag or a digest, and the layout has the tags"));
        return Err(error.help("leave it out").into());
    }
    let (mut named, mut about) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
    for (descriptor, manifest) in manifests(layout)? {
        let name = |key| descriptor.annotations.get(key).cloned();
        match (name(REPOSITORY).zip(name(TAG)), &manifest.subject) {
            (Some((repository, tag)), _) => {
                let reference = format!("{}/{}/{repository}:{tag}", to.host, to.repository).parse::<Reference>()?;
                if named.iter().any(|(other, _)| *other == reference) {
                    let error = codes::UNNAMED.finding(format!("has two artefacts for {reference}"));
                    return Err(error.at_file(layout.name()).help("write the layout again").into());
                }
                named.push((reference, (descriptor, manifest)));
            }
            (None, Some(subject)) => about.entry(subject.digest.clone()).or_default().push((descriptor, manifest)),
            (None, None) => {}
        }
    }
    if named.is_empty() {
        let error = codes::UNNAMED.finding("has no artefact with a repository and a tag").at_file(layout.name());
        return Err(error.help("name `dist/oci` of a release").into());
    }
    let push = Push { layout, about, progress, dry_run };
    let mut errors = Vec::new();
    let actions = if dry_run { "pull" } else { "pull,push" };
    let opened = named.into_iter().map(|(reference, artefact)| {
        let registry = Registry::new(reference.clone(), actions, timeouts, credentials);
        progress(&format!("{reference}: reading the tag"));
        let was_there = is_there(&registry, &reference, &artefact.0)?;
        Ok::<_, Diagnostic>((registry, reference, artefact, was_there))
    });
    let opened = successes(opened, &mut errors);
    fail_on(errors)?;
    let sent = opened.into_iter().map(|(registry, reference, artefact, was_there)| {
        progress(&format!("{reference}: sending"));
        let tag = reference.name.as_deref();
        let sent = push.artefact(&registry, &artefact, tag, was_there).map_err(|error| {
            let help = error.help.iter().map(|help| format!("{help}; ")).collect::<String>();
            error.help(format!("{help}run the push again: what was sent is kept"))
        })?;
        let descriptor = artefact.0;
        let referrers = push.about.get(&descriptor.digest).map_or(0, Vec::len);
        Ok(Pushed { reference, digest: descriptor.digest, was_there, sent, referrers })
    });
    sent.collect()
}

/// Whether a tag exists. It must not have another digest.
fn is_there(registry: &Registry<'_>, reference: &Reference, descriptor: &Descriptor) -> Result<bool, Diagnostic> {
    let existing = registry.manifest(reference.name.as_deref().unwrap_or_default())?;
    match existing.map(|(existing, _)| existing.digest) {
        Some(digest) if digest != descriptor.digest => {
            let message = format!("{reference} exists with other content: {digest}, not {}", descriptor.digest);
            Err(codes::TAG_EXISTS.finding(message).help("a released version never changes: release a new version"))
        }
        existing => Ok(existing.is_some()),
    }
}

impl Push<'_> {
    /// Sends the manifests about an artefact, and then itself; returns how many blobs and manifests were sent.
    fn artefact(
        &self,
        registry: &Registry<'_>,
        artefact: &(Descriptor, Manifest),
        tag: Option<&str>,
        is_there: bool,
    ) -> Result<usize, Diagnostic> {
        // What is about a manifest can have such manifests itself, in a chain of any length.
        let (mut all, mut next) = (vec![artefact], 0);
        while let Some((descriptor, _)) = all.get(next) {
            all.extend(self.about.get(&descriptor.digest).into_iter().flatten());
            next += 1;
        }
        let mut sent = 0;
        for one in all[1..].iter().rev() {
            sent += self.one(registry, one, None, registry.has(&one.0)?)?;
        }
        Ok(sent + self.one(registry, artefact, tag, is_there)?)
    }

    /// Sends a manifest, and its blobs before it.
    fn one(
        &self,
        registry: &Registry<'_>,
        (descriptor, manifest): &(Descriptor, Manifest),
        tag: Option<&str>,
        is_there: bool,
    ) -> Result<usize, Diagnostic> {
        let referrers = self.about.get(&descriptor.digest).map(Vec::as_slice).unwrap_or_default();
        let mut sent = 0;
        if !self.dry_run
            && let (Some(digest), false) = (descriptor.sha256(), referrers.is_empty())
        {
            let listed = |(descriptor, manifest): &(Descriptor, Manifest)| Descriptor {
                artifact_type: Some(
                    manifest.artifact_type.clone().unwrap_or_else(|| manifest.config.media_type.clone()),
                ),
                annotations: manifest.annotations.clone(),
                ..descriptor.clone()
            };
            registry.list_referrers(digest, referrers.iter().map(listed).collect())?;
        }
        if is_there {
            return Ok(sent);
        }
        for blob in std::iter::once(&manifest.config).chain(&manifest.layers) {
            if registry.has(blob)? {
                continue;
            }
            sent += 1;
            if !self.dry_run {
                (self.progress)(&format!("{}: {} bytes", blob.digest, blob.size));
                registry.upload(blob, &self.layout.blob(blob, MOST_LAYER)?)?;
            }
        }
        if !self.dry_run {
            let bytes = self.layout.blob(descriptor, MOST_MANIFEST)?;
            registry.store(tag.unwrap_or(&descriptor.digest), &descriptor.media_type, &bytes)?;
        }
        Ok(sent + 1)
    }
}
