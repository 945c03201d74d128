//! The types of a catalogue: their resources, and their CRDs in every channel.

use std::sync::Arc;

use crd_bundle::{BundleVersion, Release, stamp};
use crd_compat::Channels;
use crd_diagnostics::{Diagnostic, all};
use crd_generate::{AnnotatedResource, Catalogue, annotated};
use crd_model::parallel;

use crate::session::Session;

/// The types of a catalogue.
pub(crate) struct Types<'c> {
    pub(crate) catalogue: &'c Catalogue,
    pub(crate) resources: Vec<AnnotatedResource>,
    /// Their CRDs in every channel, stamped with a version. A channel may have none.
    pub(crate) candidate: Release,
}

impl<'c> Types<'c> {
    /// Reads the types. Their CRDs are stamped with this version.
    pub(crate) fn read(
        catalogue: &'c Catalogue,
        version: BundleVersion,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        session.begin("generating the CRDs of the types");
        Self::of(catalogue, annotated(catalogue)?, version)
    }

    /// The types of these resources.
    pub(crate) fn of(
        catalogue: &'c Catalogue,
        resources: Vec<AnnotatedResource>,
        version: BundleVersion,
    ) -> Result<Self, Vec<Diagnostic>> {
        let crds = all(parallel::each(&resources, |resource| resource.in_channels(catalogue)))?;
        let mut channels = catalogue.channels().iter().map(|channel| (*channel, Vec::new())).collect::<Channels>();
        for (channel, mut crd) in crds.into_iter().flatten() {
            stamp(&mut crd, catalogue.prefix(), version, channel);
            channels.entry(channel).or_default().push(Arc::new(crd));
        }
        let constants = Some(catalogue.condition_constants().clone());
        let candidate = Release { constants, ..Release::new("the types", Some(version), channels) };
        Ok(Self { catalogue, resources, candidate })
    }
}
