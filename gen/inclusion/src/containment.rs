//! Containment: where the CRDs of standard have or accept something that the CRDs of experimental lack or refuse.
//!
//! GEP-922 requires that experimental contains standard: a user who changes the channel must not lose anything. Short names, columns and
//! defaults may differ.

use std::sync::Arc;

use crd_cel::laid_out;
use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;
use crd_model::schema::{Text, Validation};
use serde::Serialize;

use crate::difference::Difference;
use crate::direction::Direction;
use crate::edit::Presence;
use crate::pairs::paired;
use crate::position::{Elsewhere, Position};
use crate::prover::Prover;
use crate::walk::{LocatedDifference, differences_of_version};

/// A schema path where standard exceeds experimental, or may exceed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Excess {
    /// The name of the CRD.
    pub crd: String,
    /// The API version; none for what concerns the resource.
    pub version: Option<String>,
    /// The schema path; empty for what concerns the resource or the version.
    pub path: String,
    /// How standard exceeds experimental.
    pub message: String,
    /// What to do about it.
    #[serde(rename = "help")]
    pub fix: &'static str,
    /// The path and the constraint, without texts that may change: two bundles with the same identity have the same excess.
    #[serde(skip)]
    pub identity: String,
}

const FIX: &str = "Let experimental accept what standard accepts, or restrict standard to what experimental accepts.";
const FIX_OF_RULE: &str = "Add the rule to standard. If every object of standard satisfies it, which was not proven, add a waiver to \
    `bundles/waivers.yaml`.";

/// Every schema path where the CRDs of standard are not contained in those of experimental, or where containment cannot be proven.
pub fn containment(
    standard: &[CustomResourceDefinition],
    experimental: &[CustomResourceDefinition],
    prover: &Arc<Prover>,
) -> Vec<Excess> {
    let mut pairs = paired(standard, experimental, |crd| &*crd.name);
    pairs.sort_by_key(|(old, new)| old.or(*new).map(|crd| &*crd.name));
    let mut found = Vec::new();
    for (standard, experimental) in pairs {
        let Some(standard) = standard else { continue };
        let mut found = Found { crd: standard, version: None, prover, found: &mut found };
        match experimental {
            None => found.add("", "experimental does not have this resource"),
            // Most CRDs are equal, and comparing is cheaper than walking.
            Some(experimental) if experimental == standard => {}
            Some(experimental) => found.resource(experimental),
        }
    }
    found
}

struct Found<'f> {
    crd: &'f CustomResourceDefinition,
    version: Option<&'f Version>,
    prover: &'f Arc<Prover>,
    found: &'f mut Vec<Excess>,
}

impl<'f> Found<'f> {
    fn add(&mut self, path: &str, message: &str) {
        self.push(path.to_owned(), message.to_owned(), FIX, format!("{path} {message}"));
    }

    fn push(&mut self, path: String, message: String, fix: &'static str, identity: String) {
        let (crd, version) = (self.crd.name.to_string(), self.version.map(|version| version.name.to_string()));
        self.found.push(Excess { crd, version, path, message, fix, identity });
    }

    fn resource(&mut self, experimental: &'f CustomResourceDefinition) {
        for differs in [self.crd.names.kind != experimental.names.kind, self.crd.scope != experimental.scope] {
            if differs {
                self.add("", "experimental has another kind or scope");
            }
        }
        for (standard, experimental) in paired(&self.crd.versions, &experimental.versions, |version| &version.name) {
            let Some(standard) = standard else { continue };
            self.version = Some(standard);
            match experimental {
                None => self.add("", "experimental does not have this API version"),
                Some(experimental) => self.in_version(standard, experimental),
            }
        }
    }

    fn in_version(&mut self, standard: &'f Version, experimental: &'f Version) {
        if standard.served && !experimental.served {
            self.add("", "experimental does not serve this API version");
        }
        let known = |field: &Text| experimental.selectable_fields.contains(field);
        let mut lacking = standard.selectable_fields.iter().filter(|field| !known(field)).collect::<Vec<_>>();
        lacking.sort();
        lacking.dedup();
        for field in lacking {
            let message = "experimental does not have this part of standard: `selectableFields`";
            self.push(String::new(), message.to_owned(), FIX, format!("{message} {field}"));
        }
        let [in_standard, in_experimental] = [standard, experimental].map(|version| version.subresources.as_ref());
        if in_standard.is_some_and(|in_standard| in_standard.status)
            && !in_experimental.is_some_and(|in_experimental| in_experimental.status)
        {
            self.add("", "experimental does not have this part of standard: the status subresource");
        }
        let [in_standard, in_experimental] =
            [in_standard, in_experimental].map(|subresources| subresources.and_then(|both| both.scale.as_ref()));
        if in_standard.is_some() && in_standard != in_experimental {
            self.add("", "experimental does not have this part of standard: the scale subresource");
        }
        let (standard, experimental) = (&standard.schema, &experimental.schema);
        let elsewhere = Elsewhere::default();
        for located in differences_of_version(standard, experimental, &|_, _| None, elsewhere, self.prover.clone()) {
            self.in_schema(&located);
        }
    }

    fn in_schema(&mut self, located: &LocatedDifference<'_>) {
        let LocatedDifference { position, difference } = located;
        let Some(message) = message(difference, position) else { return };
        let path = located.path();
        // A rule is identified by its expression, in any layout and with any message.
        let (fix, identity) = match difference {
            Difference::Rule(rule) => {
                (FIX_OF_RULE, rule.after().map_or_else(|| message.clone(), |rule| laid_out(&rule.rule)))
            }
            _ => (FIX, message.clone()),
        };
        self.push(path.clone(), message, fix, format!("{path} {} {identity}", difference.description()));
    }
}

/// How standard exceeds experimental here; none if it does not.
fn message(difference: &Difference<'_>, position: &Position<'_>) -> Option<String> {
    // What standard refuses and experimental accepts is not searched.
    let direction = if difference.refuses_nothing(position) { None } else { difference.direction(position) };
    let message = match (difference, direction) {
        (Difference::Required(name), Some(Direction::Tightened)) => {
            // With a default it may be absent. A field that only experimental has is not in an object of standard.
            let name = name.value();
            let property = position.new_node().and_then(|node| node.properties.get(name));
            if property.is_some_and(|property| property.default.is_some()) {
                return None;
            }
            return Some(format!("experimental requires `{name}`, and standard does not"));
        }
        (Difference::EnumValue(Presence::Removed(value)), Some(_)) => {
            return Some(format!("experimental does not have the value {value}"));
        }
        (Difference::Rule(rule), Some(Direction::Tightened | Direction::Neither)) if !rule.is_removal() => {
            let words = |rule: &&Validation| rule.message.as_deref().unwrap_or(&rule.rule).to_owned();
            let words = rule.after().map(words).unwrap_or_default();
            return Some(format!("experimental may be stricter: it has the rule `{words}`"));
        }
        (_, Some(Direction::Tightened)) => {
            return Some(format!("experimental is stricter: {}", difference.description()));
        }
        (_, Some(Direction::Neither)) => {
            return Some(format!("experimental may be stricter: {} differs", difference.description()));
        }
        (Difference::Field(Presence::Removed(_)), _) => "experimental does not have this field",
        (Difference::Field(Presence::Added(_)), _) if position.keeps_unknown_fields() => {
            "experimental may be stricter: it has a schema for this field, and standard keeps any value"
        }
        (Difference::Type { .. } | Difference::Items(_), _) => "experimental has another type here",
        (Difference::ListType(_) | Difference::ListMapKeys(_) | Difference::MapType(_), _) => {
            "experimental merges this list or map differently"
        }
        (Difference::PreserveUnknownFields(Presence::Removed(())), _) => {
            "experimental does not preserve unknown fields here"
        }
        (Difference::EmbeddedResource(_), _) => "only one of both channels has an embedded resource here",
        _ => return None,
    };
    Some(message.to_owned())
}
