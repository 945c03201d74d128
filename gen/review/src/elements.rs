//! What the Rust types add to elements: conformance features, the lines of markers, and what prevents the removal of a marker.
//!
//! Invariants: a blocker is what `generate` reports about the types without the marker, or something around the element that is experimental too.

use std::collections::BTreeSet;

use crd_diagnostics::{Diagnostic, SourceLine};
use crd_generate::{AnnotatedResource, Catalogue, DeclaredFeature, ExperimentalMark, MarkKind, Origin, at};
use crd_graduation::{Outcome, early_problem};
use crd_model::channel::Channel;
use crd_model::crd::is_alpha;
use crd_model::inventory::{Element, Inventory, Kind};

/// The resources of a catalogue, with their markers.
pub struct TypesOfElements<'t> {
    pub catalogue: &'t Catalogue,
    resources: Vec<MarkedResource<'t>>,
}

struct MarkedResource<'t> {
    resource: &'t AnnotatedResource,
    marks: Vec<ExperimentalMark>,
    features: Vec<DeclaredFeature>,
}

impl<'t> TypesOfElements<'t> {
    /// The resources of a catalogue.
    pub fn of(catalogue: &'t Catalogue, resources: &'t [AnnotatedResource]) -> Self {
        let marked = |resource: &'t AnnotatedResource| MarkedResource {
            marks: resource.experimental_marks(),
            features: resource.features(),
            resource,
        };
        Self { catalogue, resources: resources.iter().map(marked).collect() }
    }

    fn resource(&self, element: &Element) -> Option<&MarkedResource<'t>> {
        self.resources.iter().find(|marked| marked.resource.crd_name() == element.crd)
    }

    /// The conformance features of an element, sorted.
    pub fn features(&self, element: &Element) -> Vec<String> {
        let declared = self.resource(element).map(|marked| &*marked.features).unwrap_or_default();
        let of_element = declared.iter().filter(|declared| {
            declared.path == element.path
                && match element.kind {
                    Kind::Resource | Kind::Field => declared.value.is_none(),
                    Kind::Version => declared.value.is_none() && declared.versions.contains(&&*element.name),
                    Kind::Value => declared.value.as_ref() == Some(&element.name),
                    Kind::Rule | Kind::Constraint => false,
                }
        });
        of_element.map(|declared| declared.feature.to_owned()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The marks that keep an element out of standard.
    pub fn marks(&self, element: &Element) -> Vec<ExperimentalMark> {
        let marks = self.resource(element).map(|marked| &*marked.marks).unwrap_or_default();
        marks.iter().filter(|mark| marks_element(mark, element)).cloned().collect()
    }

    /// The line of the marker of an element.
    pub fn source(&self, element: &Element) -> Option<SourceLine> {
        let mark = self.marks(element).into_iter().next()?;
        Some(SourceLine { file: mark.marker.file.to_owned(), line: mark.marker.line })
    }

    /// The feature gate that the marker of an element names.
    pub fn gate(&self, element: &Element) -> Option<String> {
        self.marks(element).into_iter().find_map(|mark| mark.gate).map(str::to_owned)
    }

    /// Where the field or type of an element is written.
    pub fn origin(&self, element: &Element) -> Option<Origin> {
        let resource = self.resource(element)?.resource;
        resource.version_names().find_map(|version| resource.origin(version, &element.path))
    }

    /// The problem that an element graduates before it meets all criteria.
    pub fn early(&self, element: &Element, outcomes: &[Outcome]) -> Diagnostic {
        let problem = early_problem(element, outcomes);
        match self.origin(element) {
            Some(origin) => at(problem, origin.location),
            None => problem,
        }
    }

    /// What prevents that standard has the element after the removal of its markers.
    pub fn blockers(&self, element: &Element) -> Vec<String> {
        let marks = self.marks(element);
        let mut blockers = Vec::new();
        let Some(marked) = self.resource(element).filter(|_| !marks.is_empty()) else { return blockers };
        for above in marks.iter().filter_map(|mark| mark.below.as_ref()).filter(|above| **above != element.path) {
            let what = if above.is_empty() { "the API version" } else { above };
            blockers.push(format!("{what} is experimental itself, and contains the element"));
        }
        match self.standard(marked, &|mark| contains(&marks, mark)) {
            Err(errors) => match self.names_experimental(marked, &marks, element) {
                Some(blocker) => blockers.push(blocker),
                None => blockers.extend(errors.into_iter().map(|error| error.message)),
            },
            Ok(standard) => {
                // The alpha versions of a resource are what blocks it then.
                let is_alpha = element.kind == Kind::Resource && marked.resource.version_names().all(is_alpha);
                let has_it = standard.is_some_and(|standard| standard.has(element));
                if !has_it && !is_alpha && blockers.is_empty() {
                    blockers.push("standard does not have the element without the marker either".to_owned());
                }
            }
        }
        blockers.extend(unconverted(marked.resource, element));
        blockers.sort();
        blockers.dedup();
        blockers
    }

    /// The resources as if the source did not have these marks.
    pub fn graduated(&self, is_removed: &dyn Fn(&ExperimentalMark) -> bool) -> Vec<AnnotatedResource> {
        self.resources.iter().map(|marked| marked.resource.graduated(is_removed)).collect()
    }

    /// Whether standard does not have the element without these marks. Errors of the types are not about the element.
    pub fn is_blocked(&self, element: &Element, is_removed: &dyn Fn(&ExperimentalMark) -> bool) -> bool {
        let standard = self.resource(element).map(|marked| self.standard(marked, is_removed));
        standard.is_some_and(|standard| standard.is_ok_and(|standard| !standard.is_some_and(|has| has.has(element))))
    }

    /// What standard has without these marks.
    fn standard(
        &self,
        marked: &MarkedResource<'_>,
        is_removed: &dyn Fn(&ExperimentalMark) -> bool,
    ) -> Result<Option<Inventory>, Vec<Diagnostic>> {
        let standard = marked.resource.graduated(is_removed).project(self.catalogue, Channel::Standard)?;
        Ok(standard.map(|crd| Inventory::of(&crd)))
    }

    /// Of a rule: the experimental fields next to it that it names, if standard can have the rule together with them.
    fn names_experimental(
        &self,
        marked: &MarkedResource<'_>,
        marks: &[ExperimentalMark],
        element: &Element,
    ) -> Option<String> {
        let field = |mark: &ExperimentalMark| {
            let name = mark.path.strip_prefix(&element.path)?.trim_start_matches('.');
            let is_name = mark.value.is_none() && !name.is_empty() && !name.contains(['.', '[']);
            let is_part = |character: char| character.is_alphanumeric() || character == '_';
            let is_named = element.name.split(|character| !is_part(character)).any(|word| word == name);
            (is_name && is_named).then(|| name.to_owned())
        };
        let fields = marked.marks.iter().filter_map(|mark| Some((field(mark)?, mark)));
        let fields = fields.filter(|_| element.kind == Kind::Rule).collect::<Vec<_>>();
        let together = marks.iter().chain(fields.iter().map(|(_, mark)| *mark)).cloned().collect::<Vec<_>>();
        if fields.is_empty() || self.standard(marked, &|mark| contains(&together, mark)).is_err() {
            return None;
        }
        let names = fields.into_iter().map(|(name, _)| format!("`{name}`")).collect::<BTreeSet<_>>();
        let names = names.into_iter().collect::<Vec<_>>().join(" and ");
        Some(format!("the rule names {names}, and only experimental has that: graduate them together"))
    }
}

/// A declared rename to the element without a lens: objects with the old name have no way to the new one.
fn unconverted(resource: &AnnotatedResource, element: &Element) -> Option<String> {
    let tombstones = resource.tombstones();
    let old = tombstones.iter().find(|declared| {
        let new = declared.tombstone.replacement.unwrap_or_default();
        let kind = if declared.value { Kind::Value } else { Kind::Field };
        element.is_same(&Element::at(&element.crd, kind, &declared.path, new)) && !declared.has_lens
    })?;
    Some(format!("`{}` was renamed to it without a conversion", old.tombstone.name))
}

fn contains(marks: &[ExperimentalMark], mark: &ExperimentalMark) -> bool {
    marks.iter().any(|known| known.marker == mark.marker)
}

fn marks_element(mark: &ExperimentalMark, element: &Element) -> bool {
    if mark.path != element.path {
        return false;
    }
    match (element.kind, mark.kind) {
        (Kind::Resource, MarkKind::Resource) => true,
        (Kind::Version, MarkKind::Resource) => mark.versions.contains(&&*element.name),
        (Kind::Field, MarkKind::Field | MarkKind::Type) => mark.value.is_none(),
        (Kind::Value, MarkKind::Value | MarkKind::Type) => mark.value.as_ref() == Some(&element.name),
        (Kind::Rule, MarkKind::Rule) => mark.text.as_ref() == Some(&element.name),
        // `kubebuilder:validation:Pattern` is the keyword `pattern`.
        (Kind::Constraint, MarkKind::Marker) => {
            let marker = mark.text.as_deref().and_then(|name| name.rsplit(':').next()).unwrap_or_default();
            let keyword = element.name.split(' ').next().unwrap_or_default();
            marker.eq_ignore_ascii_case(keyword)
        }
        _ => false,
    }
}
