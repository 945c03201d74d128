//! The document `features.json`: which conformance features the types need, and the implementations that the settings declare.
//!
//! Invariants: status needs no features, because implementations write it. A field of which every feature is also that of something below it is not
//! listed: using the field means using what is below. The same types give the same document.

use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::Diagnostic;
use crd_model::schema::path::is_below;
use crd_stamps::features::{FeatureElement, Features};

use crate::assemble::AnnotatedResource;
use crate::catalogue::Catalogue;
use crate::settings::FILE_NAME;

/// The document of a catalogue, or the names and paths of the settings that the types do not have.
pub(crate) fn features(
    catalogue: &Catalogue,
    resources: &[AnnotatedResource],
    generator: &str,
) -> Result<Features, Vec<Diagnostic>> {
    let implementations = catalogue.settings().implementations.clone();
    let errors = unknown(catalogue, resources);
    crd_diagnostics::fail_on(errors)?;
    let elements = resources.iter().flat_map(elements).collect();
    Ok(Features::new(generator, catalogue.prefix(), implementations, elements))
}

fn elements(resource: &AnnotatedResource) -> Vec<FeatureElement> {
    type Place<'p> = (String, Option<String>, &'p str);
    let mut all: BTreeMap<Place<'_>, BTreeSet<String>> = BTreeMap::new();
    for declared in resource.features() {
        if declared.path == "status" || declared.path.starts_with("status.") {
            continue;
        }
        for version in declared.versions {
            let place = (declared.path.clone(), declared.value.clone(), version);
            all.entry(place).or_default().insert(declared.feature.to_owned());
        }
    }
    let is_container = |(path, value, version): &Place<'_>, features: &BTreeSet<String>| {
        let below = all.iter().filter(|((below, _, of), _)| below != path && is_below(below, path) && of == version);
        let below = below.flat_map(|(_, features)| features).collect::<BTreeSet<_>>();
        value.is_none() && !path.is_empty() && features.iter().all(|feature| below.contains(feature))
    };
    let mut elements: Vec<FeatureElement> = Vec::new();
    for (place, features) in all.iter().filter(|(place, features)| !is_container(place, features)) {
        let (path, value, version) = place;
        let is_same = |of: &&mut FeatureElement| of.path == *path && of.value == *value && of.features == *features;
        match elements.iter_mut().find(is_same) {
            Some(same) => same.versions.push((*version).to_owned()),
            None => elements.push(FeatureElement {
                crd: resource.crd_name(),
                path: path.clone(),
                value: value.clone(),
                versions: vec![(*version).to_owned()],
                features: features.clone(),
            }),
        }
    }
    elements
}

/// What `implementations` names and the types do not have.
fn unknown(catalogue: &Catalogue, resources: &[AnnotatedResource]) -> Vec<Diagnostic> {
    let settings = catalogue.settings();
    let Some(implementations) = &settings.implementations else { return Vec::new() };
    let mut errors = Vec::new();
    let lines = &settings.implementation_lines;
    let mut check = |line: Option<&usize>, crd: &str, path: Option<&String>| {
        let of_crd = resources.iter().find(|resource| resource.crd_name() == crd);
        let message = match (of_crd, path) {
            (None, _) => format!("`implementations` names `{crd}`, which is not a CRD of the types"),
            (Some(resource), Some(path)) if !resource.has(path) => {
                format!("`implementations` names the path `{path}`, which {crd} does not have")
            }
            _ => return,
        };
        let error = Diagnostic::error("settings::value", message).at_line(FILE_NAME, line.copied().unwrap_or(1));
        errors.push(error.help("a CRD is `PLURAL.GROUP`, and a path such as `spec.parentRefs[*]`"));
    };
    let first = lines.first();
    check(first, &implementations.class, Some(&implementations.features));
    check(first, &implementations.class, implementations.controller.as_ref());
    for (reference, line) in implementations.references.iter().zip(lines.iter().skip(1)) {
        check(Some(line), &reference.from, Some(&reference.path));
        reference.to.iter().for_each(|to| check(Some(line), to, None));
    }
    errors
}
