//! The table of everything that only experimental has, with the assessment of each element.
//!
//! Invariants: rows are ordered by resource, path and kind. The table depends on its inputs only.

use crd_bundle::{BundleVersion, Release, Released};
use crd_diagnostics::SourceLine;
use crd_model::channel::Channel;
use crd_model::crd::{is_alpha, is_ga};
use crd_model::graduation::Graduation;
use crd_model::inventory::{Element, Kind};
use crd_model::parallel;

use crate::assessment::{Assessment, Basis};
use crate::life::{Life, Lives};
use crate::only_experimental::only_experimental;

#[derive(Clone, Debug)]
pub struct Row {
    pub element: Element,
    /// The kind of its resource, such as `HTTPRoute`.
    pub resource: String,
    /// The API versions that have it.
    pub versions: Vec<String>,
    pub life: Life,
    pub features: Vec<String>,
    pub assessment: Assessment,
    /// What else prevents its graduation, one sentence each, without a full stop.
    pub blockers: Vec<String>,
    /// The line of its `+experimental` marker, if types are known.
    pub source: Option<SourceLine>,
    /// The feature gate that its marker names.
    pub gate: Option<String>,
}

impl Row {
    /// Whether it may graduate on the date of the table.
    pub fn is_ready(&self) -> bool {
        self.assessment.is_ready() && self.blockers.is_empty()
    }
}

#[derive(Clone, Debug)]
pub struct Table {
    /// The bundle that it is about: the next one.
    pub bundle: BundleVersion,
    /// The date of its states; none if it is unknown.
    pub as_of: Option<Released>,
    pub graduation: Graduation,
    pub rows: Vec<Row>,
}

/// What types add to a table. Without types, each is empty.
pub struct OfTypes<'t> {
    /// The conformance features of an element.
    pub features: &'t (dyn Fn(&Element) -> Vec<String> + Sync),
    /// What prevents the graduation of an element.
    pub blockers: &'t (dyn Fn(&Element) -> Vec<String> + Sync),
    /// The line of the marker of an element.
    pub source: &'t (dyn Fn(&Element) -> Option<SourceLine> + Sync),
    /// The feature gate that the marker of an element names.
    pub gate: &'t (dyn Fn(&Element) -> Option<String> + Sync),
}

impl Table {
    /// The same table with another basis, such as another date.
    #[must_use]
    pub fn assessed(mut self, basis: Basis<'_>) -> Self {
        for row in &mut self.rows {
            row.assessment = basis.assess(&row.element, &row.life, &row.features);
        }
        Self { bundle: basis.bundle, as_of: basis.as_of, graduation: basis.graduation.clone(), rows: self.rows }
    }
}

/// The table of the last release of `lives`, which is the candidate.
pub fn table(lives: &Lives<'_>, basis: Basis<'_>, types: &OfTypes<'_>) -> Table {
    let mut rows = Vec::new();
    if let Some((index, candidate)) = lives.releases().iter().enumerate().next_back() {
        let all = only_experimental(candidate);
        let elements = all.iter().filter(|(element, versions)| {
            // Of a version that standard does not serve, the version is the element.
            let is_element =
                |version: &String| all.contains_key(&Element::at(&element.crd, Kind::Version, "", version));
            element.kind == Kind::Version || !versions.iter().all(is_element)
        });
        // What blocks an element is the projection of its resource without its marks.
        let found = parallel::each(&elements.collect::<Vec<_>>(), |(element, versions)| {
            let life = lives.of(index, element)?;
            let features = (types.features)(element);
            let assessment = basis.assess(element, &life, &features);
            let mut blockers = of_versions(candidate, element);
            blockers.extend((types.blockers)(element));
            let crd = candidate.crd(Channel::Experimental, &element.crd);
            Some(Row {
                resource: crd.map(|crd| crd.names.kind.to_string()).unwrap_or_default(),
                versions: versions.iter().cloned().collect(),
                source: (types.source)(element),
                gate: (types.gate)(element),
                element: (*element).clone(),
                life,
                features,
                assessment,
                blockers,
            })
        });
        rows.extend(found.into_iter().flatten());
    }
    Table { bundle: basis.bundle, as_of: basis.as_of, graduation: basis.graduation.clone(), rows }
}

/// What the API versions of a resource prevent. A resource that graduates has a GA version (versioning page of Gateway API).
fn of_versions(candidate: &Release, element: &Element) -> Vec<String> {
    let crd = candidate.crd(Channel::Experimental, &element.crd);
    match element.kind {
        Kind::Resource if crd.is_some_and(|crd| crd.versions.iter().all(|version| !is_ga(&version.name))) => {
            vec!["the resource has no GA version such as `v1`".to_owned()]
        }
        Kind::Version if is_alpha(&element.name) => {
            vec!["an alpha version does not graduate: its resource graduates with a GA version".to_owned()]
        }
        _ => Vec::new(),
    }
}
