//! The bundle that a webhook is compiled from: its CRDs in each channel, and its lenses.
//!
//! Invariant: one source. The version, the CRDs and the lenses are those of the catalogue from which the bundle is released.

use std::collections::BTreeMap;

use crd_convert::{Code, Conversions, Document};
use crd_diagnostics::Diagnostic;
use crd_generate::{Catalogue, Projection, annotated, generate};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_stamps::{BundleVersion, stamp};

use crate::codes;

/// A bundle.
#[derive(Debug)]
pub struct Bundle {
    pub(crate) name: String,
    pub(crate) prefix: String,
    pub(crate) version: BundleVersion,
    pub(crate) channels: BTreeMap<Channel, Vec<CustomResourceDefinition>>,
    pub(crate) conversions: Conversions,
}

impl Bundle {
    /// The bundle that the types of a catalogue become.
    ///
    /// # Errors
    /// Everything that `cargo xtask generate` reports about the types.
    pub fn of_catalogue(catalogue: &Catalogue) -> Result<Self, Vec<Diagnostic>> {
        let version = catalogue.next_version();
        let resources = annotated(catalogue)?;
        let projection = Projection::new(catalogue, resources, "crd-webhook");
        let document = &projection.lenses()?.document;
        let mut channels = BTreeMap::new();
        for channel in catalogue.channels() {
            let mut crds = generate(catalogue, *channel)?;
            crds.iter_mut().for_each(|crd| stamp(crd, catalogue.prefix(), version, *channel));
            channels.insert(*channel, crds);
        }
        let (name, functions) = (catalogue.settings().name(), catalogue.lens_functions());
        Self::new(name, catalogue.prefix(), version, channels, document, functions)
    }

    /// The bundle of CRDs that exist as files. `name` is that of the API, `prefix` that of its stamps. `document` is its `conversions.json`, if it has
    /// one, and `functions` are those of its lenses.
    ///
    /// # Errors
    /// A version that is not a semantic version with `v`, and lenses that cannot be used.
    pub fn of_crds(
        name: &str,
        prefix: &str,
        bundle_version: &str,
        channels: BTreeMap<Channel, Vec<CustomResourceDefinition>>,
        document: Option<Document>,
        functions: &[Code],
    ) -> Result<Self, Vec<Diagnostic>> {
        let none = || Document {
            generator: "crd-webhook".to_owned(),
            prefix: prefix.to_owned(),
            lenses: Vec::new(),
            removed: Vec::new(),
        };
        let document = document.unwrap_or_else(none);
        Self::new(name, prefix, version(bundle_version)?, channels, &document, functions)
    }

    fn new(
        name: &str,
        prefix: &str,
        version: BundleVersion,
        channels: BTreeMap<Channel, Vec<CustomResourceDefinition>>,
        document: &Document,
        functions: &[Code],
    ) -> Result<Self, Vec<Diagnostic>> {
        let conversions = Conversions::with_known_code(document, functions).map_err(|errors| {
            errors.iter().map(|error| codes::LENSES.finding(error.to_string())).collect::<Vec<_>>()
        })?;
        let (name, prefix) = (name.to_owned(), prefix.to_owned());
        Ok(Self { name, prefix, version, channels, conversions })
    }

    /// Its version.
    pub fn version(&self) -> BundleVersion {
        self.version
    }

    /// The CRDs of a channel; none if the bundle does not have it.
    pub fn crds(&self, channel: Channel) -> &[CustomResourceDefinition] {
        self.channels.get(&channel).map(Vec::as_slice).unwrap_or_default()
    }
}

fn version(text: &str) -> Result<BundleVersion, Vec<Diagnostic>> {
    text.parse().map_err(|error| vec![codes::VERSION.finding(format!("the version of the bundle: {error}"))])
}
