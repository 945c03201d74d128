//! Which elements of a release only experimental has.
//!
//! Invariants: an element is present if any API version has it. The outermost elements are listed: below a new field, or in a resource that
//! standard does not have, nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::Release;
use crd_model::channel::Channel;
use crd_model::inventory::{Element, Kind, declared, value_name};
use crd_model::schema::path::{Step, text};
use crd_model::schema::{Counterpart, walk_together};
use crd_stamps::experimental_only::{self, ExperimentalOnly, experimental_only};
use serde_json::Value;

/// What only experimental has in a release, with the API versions that have it there.
pub fn only_experimental(release: &Release) -> BTreeMap<Element, BTreeSet<String>> {
    let mut found: BTreeMap<Element, BTreeSet<String>> = BTreeMap::new();
    for crd in release.of_channel(Channel::Experimental) {
        let name = &*crd.name;
        let standard = release.crd(Channel::Standard, name);
        let mut add = |element: Element, version: &str| {
            found.entry(element).or_default().insert(version.to_owned());
        };
        for ExperimentalOnly { version, path, element } in experimental_only(standard, crd) {
            let version = version.unwrap_or_default();
            let mut add_value =
                |value: &Value| add(Element::at(name, Kind::Value, &path.text(), value_name(value)), &version);
            match element {
                experimental_only::Element::Resource => {
                    crd.versions.iter().for_each(|version| add(Element::resource(name), &version.name));
                }
                experimental_only::Element::Version { .. } => {
                    add(Element::at(name, Kind::Version, "", &*version), &version)
                }
                experimental_only::Element::Field => {
                    if let (Some(above), Some(Step::Field(field))) = (path.above(), path.steps().last()) {
                        add(Element::at(name, Kind::Field, &above.text(), &**field), &version);
                    }
                }
                experimental_only::Element::Values(values) => values.iter().for_each(&mut add_value),
                // A constraint, below.
                experimental_only::Element::ValuesExcept(_) | experimental_only::Element::Empty => {}
            }
        }
        for version in &crd.versions {
            let known = standard.and_then(|crd| crd.versions.iter().find(|known| known.name == version.name));
            let Some(known) = known else { continue };
            walk_together(&version.schema, &known.schema, &mut |steps, node, known| {
                let Counterpart::Node(known) = known else { return };
                for kind in [Kind::Rule, Kind::Constraint] {
                    let known = declared(known, kind);
                    for new in declared(node, kind).into_iter().filter(|new| !known.contains(new)) {
                        add(Element::at(name, kind, &text(steps), new), &version.name);
                    }
                }
            });
        }
    }
    found
}
