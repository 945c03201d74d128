//! What the types of a catalogue give: CRDs in each channel, lenses, features and constants. Generation, the comparison with source, reviews and releases
//! share one value.
//!
//! Invariants: each part is computed when it is first needed, and once. A command reports the errors of the parts that it needs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crd_convert::Document;
use crd_diagnostics::{Diagnostic, all};
use crd_markers::descriptor::Location;
use crd_model::{constants, parallel};
use crd_stamps::features::{self, Features};

use crate::assemble::{AnnotatedResource, InChannels};
use crate::catalogue::Catalogue;
use crate::features::features;
use crate::lenses::conversions;
use crate::problem::merged;

/// The lenses of types and settings.
#[derive(Clone, Debug)]
pub struct DeclaredLenses {
    /// The document of all lenses.
    pub document: Document,
    /// The line of each lens that a type declares, by its name.
    pub locations: BTreeMap<String, Location>,
}

/// A document of a bundle next to its channels.
#[derive(Debug)]
pub struct BundleFile {
    /// The name of its file.
    pub name: &'static str,
    pub text: String,
    /// Whether it has nothing to say.
    pub is_empty: bool,
}

/// What the types of a catalogue give.
pub struct Projection<'c> {
    /// The catalogue of the types.
    pub catalogue: &'c Catalogue,
    pub resources: Vec<AnnotatedResource>,
    /// Who writes the documents.
    generator: &'static str,
    crds: Part<Vec<InChannels>>,
    lenses: Part<DeclaredLenses>,
    features: Part<Features>,
}

/// A part, or all errors in it.
type Part<T> = OnceLock<Result<T, Vec<Diagnostic>>>;

fn computed<T>(part: &Part<T>, compute: impl FnOnce() -> Result<T, Vec<Diagnostic>>) -> Result<&T, Vec<Diagnostic>> {
    part.get_or_init(compute).as_ref().map_err(Clone::clone)
}

impl<'c> Projection<'c> {
    /// The projection of these resources. `generator` is what the documents name as their writer.
    pub fn new(catalogue: &'c Catalogue, resources: Vec<AnnotatedResource>, generator: &'static str) -> Self {
        let (crds, lenses, features) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { catalogue, resources, generator, crds, lenses, features }
    }

    /// The CRDs of each resource.
    ///
    /// # Errors
    /// Those of all resources in all channels.
    pub fn crds(&self) -> Result<&[InChannels], Vec<Diagnostic>> {
        let crds = computed(&self.crds, || {
            let project = |resource: &AnnotatedResource| resource.in_channels(self.catalogue);
            all(parallel::each_largest_first(&self.resources, AnnotatedResource::nodes, project)).map_err(merged)
        });
        crds.map(Vec::as_slice)
    }

    /// The lenses.
    ///
    /// # Errors
    /// Everything that is wrong in them.
    pub fn lenses(&self) -> Result<&DeclaredLenses, Vec<Diagnostic>> {
        computed(&self.lenses, || {
            self.catalogue.computations.add_lenses();
            let (document, locations) = conversions(self.catalogue, &self.resources, self.generator)?;
            Ok(DeclaredLenses { document, locations })
        })
    }

    /// The features.
    ///
    /// # Errors
    /// The names and paths of the settings that the types do not have.
    pub fn features(&self) -> Result<&Features, Vec<Diagnostic>> {
        computed(&self.features, || {
            self.catalogue.computations.add_features();
            features(self.catalogue, &self.resources, self.generator)
        })
    }

    /// The files next to the channels: constants, lenses and features, each or its errors.
    pub fn documents(&self) -> [Result<BundleFile, Vec<Diagnostic>>; 3] {
        let constants = self.catalogue.condition_constants();
        let constants =
            BundleFile { name: constants::FILE_NAME, text: constants.to_json(), is_empty: constants.is_empty() };
        let lenses = self.lenses().map(|DeclaredLenses { document, .. }| BundleFile {
            name: crd_convert::FILE_NAME,
            text: document.write(),
            is_empty: document.lenses.is_empty(),
        });
        let features = self.features().map(|document| BundleFile {
            name: features::FILE_NAME,
            text: document.to_json(),
            is_empty: document.elements.is_empty(),
        });
        [Ok(constants), lenses, features]
    }
}
