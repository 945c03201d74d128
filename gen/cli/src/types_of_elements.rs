//! What the Rust types add to elements: conformance features, the lines of markers, and what prevents the removal of a marker.
//!
//! Invariants: a blocker is what `generate` reports about the types without the marker, or something around the element that is experimental too.

use std::collections::BTreeSet;

use crd_generate::{AnnotatedResource, Catalogue, ExperimentalMark, MarkKind};
use crd_graduation::{Element, Kind, Presence, SourceLine};
use crd_model::channel::Channel;

/// The resources of a catalogue, with their markers.
pub(crate) struct TypesOfElements {
    catalogue: Catalogue,
    resources: Vec<AnnotatedResource>,
}

impl TypesOfElements {
    pub(crate) fn of(catalogue: &Catalogue, resources: Vec<AnnotatedResource>) -> Self {
        Self { catalogue: catalogue.clone(), resources }
    }

    fn resource(&self, element: &Element) -> Option<&AnnotatedResource> {
        self.resources.iter().find(|resource| resource.crd_name() == element.crd)
    }

    /// The conformance features of an element, sorted.
    pub(crate) fn features(&self, element: &Element) -> Vec<String> {
        let declared = self.resource(element).map(AnnotatedResource::features).unwrap_or_default().into_iter();
        let of_element = declared.filter(|declared| {
            declared.path == element.path
                && match element.kind {
                    Kind::Resource | Kind::Field => declared.value.is_none(),
                    Kind::Version => declared.value.is_none() && declared.versions.contains(&&*element.text),
                    Kind::Value => declared.value.as_ref() == Some(&element.text),
                    Kind::Rule | Kind::Constraint => false,
                }
        });
        of_element.map(|declared| declared.feature.to_owned()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The marks that keep an element out of standard.
    pub(crate) fn marks(&self, element: &Element) -> Vec<ExperimentalMark> {
        let marks = self.resource(element).map(AnnotatedResource::experimental_marks).unwrap_or_default();
        marks.into_iter().filter(|mark| marks_element(mark, element)).collect()
    }

    /// The line of the marker of an element.
    pub(crate) fn source(&self, element: &Element) -> Option<SourceLine> {
        let mark = self.marks(element).into_iter().next()?;
        Some(SourceLine { file: mark.marker.file.to_owned(), line: mark.marker.line })
    }

    /// The line of the field or type of an element.
    pub(crate) fn line(&self, element: &Element) -> Option<SourceLine> {
        let resource = self.resource(element)?;
        let origin = resource.version_names().find_map(|version| resource.origin(version, &element.path))?;
        Some(SourceLine { file: origin.location.file.to_owned(), line: origin.location.line })
    }

    /// What prevents that standard has the element after the removal of its markers.
    pub(crate) fn blockers(&self, element: &Element) -> Vec<String> {
        let marks = self.marks(element);
        let mut blockers = Vec::new();
        let Some(resource) = self.resource(element).filter(|_| !marks.is_empty()) else { return blockers };
        for above in marks.iter().filter_map(|mark| mark.below.as_ref()).filter(|above| **above != element.path) {
            let what = if above.is_empty() { "the API version" } else { above };
            blockers.push(format!("{what} is experimental itself, and contains the element"));
        }
        let is_removed = |mark: &ExperimentalMark| marks.iter().any(|known| known.marker == mark.marker);
        match resource.graduated(&is_removed).project(&self.catalogue, Channel::Standard) {
            Err(errors) => blockers.extend(errors.into_iter().map(|error| error.message)),
            Ok(standard) => {
                let has_it = standard.is_some_and(|crd| Presence::of(&crd).has(element));
                if !has_it && blockers.is_empty() {
                    blockers.push("standard does not have the element without the marker either".to_owned());
                }
            }
        }
        blockers.extend(self.unconverted(resource, element));
        blockers.sort();
        blockers.dedup();
        blockers
    }

    /// A declared rename to the element without a lens: objects with the old name have no way to the new one.
    fn unconverted(&self, resource: &AnnotatedResource, element: &Element) -> Option<String> {
        let tombstones = resource.tombstones();
        let old = tombstones.iter().find(|declared| {
            let new = declared.tombstone.replacement.unwrap_or_default();
            let names_it = match (element.kind, declared.value) {
                (Kind::Field, false) if declared.path.is_empty() => element.path == new,
                (Kind::Field, false) => element.path == format!("{}.{new}", declared.path),
                (Kind::Value, true) => element.path == declared.path && element.text == new,
                _ => false,
            };
            names_it && !declared.has_lens
        })?;
        Some(format!("`{}` was renamed to it without a conversion", old.tombstone.name))
    }
}

fn marks_element(mark: &ExperimentalMark, element: &Element) -> bool {
    if mark.path != element.path {
        return false;
    }
    match (element.kind, mark.kind) {
        (Kind::Resource, MarkKind::Resource) => true,
        (Kind::Version, MarkKind::Resource) => mark.versions.contains(&&*element.text),
        (Kind::Field, MarkKind::Field | MarkKind::Type) => mark.value.is_none(),
        (Kind::Value, MarkKind::Value | MarkKind::Type) => mark.value.as_ref() == Some(&element.text),
        (Kind::Rule, MarkKind::Rule) => mark.text.as_ref() == Some(&element.text),
        // `kubebuilder:validation:Pattern` is the keyword `pattern`.
        (Kind::Constraint, MarkKind::Marker) => {
            let marker = mark.text.as_deref().and_then(|name| name.rsplit(':').next()).unwrap_or_default();
            let keyword = element.text.split(' ').next().unwrap_or_default();
            marker.eq_ignore_ascii_case(keyword)
        }
        _ => false,
    }
}
