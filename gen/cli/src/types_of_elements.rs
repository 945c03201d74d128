//! What the Rust types add to elements: conformance features, the lines of markers, and what prevents the removal of a marker.
//!
//! Invariants: a blocker is what `generate` reports about the types without the marker, or a marker around them.

use crd_bundle::BundleVersion;
use crd_generate::{AnnotatedResource, Catalogue};
use crd_graduation::{Element, SourceLine};

/// The resources of a catalogue, with their markers.
pub(crate) struct TypesOfElements {
    resources: Vec<AnnotatedResource>,
}

impl TypesOfElements {
    pub(crate) fn of(_catalogue: &Catalogue, resources: Vec<AnnotatedResource>, _bundle: BundleVersion) -> Self {
        Self { resources }
    }

    /// The conformance features of an element.
    pub(crate) fn features(&self, _element: &Element) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn blockers(&self, _element: &Element) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn source(&self, _element: &Element) -> Option<SourceLine> {
        None
    }

    /// The line of the field or type of an element.
    pub(crate) fn line(&self, element: &Element) -> Option<SourceLine> {
        let resource = self.resources.iter().find(|resource| resource.crd_name() == element.crd)?;
        let origin = resource.version_names().find_map(|version| resource.origin(version, &element.path))?;
        Some(SourceLine { file: origin.location.file.to_owned(), line: origin.location.line })
    }
}
