//! The types of a catalogue: their resources, and their CRDs in every channel.

use std::sync::Arc;

use crd_bundle::{BundleVersion, Release, stamp};
use crd_compat::Channels;
use crd_diagnostics::Diagnostic;
use crd_generate::{AnnotatedResource, Catalogue, CodePart, Projection, annotated};
use crd_model::CustomResourceDefinition;

use crd_generator::catalogue::GENERATOR;
use crd_generator::session::Session;

/// Refuses source for a subcommand that uses parts of the compiled catalogue.
pub(crate) fn check_parts(catalogue: &Catalogue, subcommand: &str, uses: &[CodePart]) -> Result<(), Diagnostic> {
    let is_absent = |part: &CodePart| uses.contains(part) && catalogue.absent().contains(part);
    let absent = CodePart::ALL.into_iter().filter(|(part, ..)| is_absent(part)).map(|(_, _, name)| name);
    let absent = absent.collect::<Vec<_>>();
    if absent.is_empty() {
        return Ok(());
    }
    let message = format!("`{subcommand}` needs what only compiled code has: {}", absent.join(", "));
    Err(Diagnostic::error("usage::generator-only", message).help(format!("run `cargo xtask {subcommand}`")))
}

/// The types of a catalogue.
pub(crate) struct Types<'c> {
    pub(crate) projection: Projection<'c>,
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
        let projection = Projection::new(catalogue, resources, GENERATOR);
        let mut channels = catalogue.channels().iter().map(|channel| (*channel, Vec::new())).collect::<Channels>();
        for (channel, crd) in projection.crds()?.iter().flatten() {
            let mut crd = CustomResourceDefinition::clone(crd);
            stamp(&mut crd, catalogue.prefix(), version, *channel);
            channels.entry(*channel).or_default().push(Arc::new(crd));
        }
        let constants = Some(catalogue.condition_constants().clone());
        let candidate = Release { constants, ..Release::new("the types", Some(version), channels) };
        Ok(Self { projection, candidate })
    }
}
