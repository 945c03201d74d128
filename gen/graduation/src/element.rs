//! How graduation names the elements of an API: what can be in experimental and not in standard.

use crd_bundle::Digest;
use crd_model::inventory::{Element, Kind};
use serde::Serialize;

/// Whether conformance tests can cover elements of a kind: rules and constraints are part of the validation of a field that has tests.
pub(crate) fn has_conformance(kind: Kind) -> bool {
    !matches!(kind, Kind::Rule | Kind::Constraint)
}

/// What the path of an element does not name: an API version, a value, a rule, or a keyword with its value.
pub(crate) fn detail(element: &Element) -> &str {
    if element.kind == Kind::Field { "" } else { &element.name }
}

/// An element, as documents have it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ElementDocument<'e> {
    /// The name of the CRD.
    crd: &'e str,
    /// The schema path of a field, or of the node with the value, rule or constraint: `spec.rules[*].retry`. Empty for resources and versions.
    path: &'e str,
    /// What it is.
    kind: Kind,
    /// The name of the version, the value (without quotes if it is a text), the CEL rule, or the keyword with its value. Empty otherwise.
    text: &'e str,
}

impl<'e> From<&'e Element> for ElementDocument<'e> {
    fn from(element: &'e Element) -> Self {
        Self { crd: &element.crd, path: &element.path, kind: element.kind, text: detail(element) }
    }
}

/// The id of an element, one word that no shell changes: `httproutes/spec.rules.retry`, `httproutes/spec.rules.filters.type=CORS`,
/// `tlsroutes@v1alpha2`. Rules have the first digits of the digest of their expression: `httproutes/spec.rules:rule-1f0c3a52`.
pub fn id(element: &Element) -> String {
    let plural = element.crd.split('.').next().unwrap_or_default();
    let (path, name) = (element.path.replace("[*]", ""), &element.name);
    match element.kind {
        Kind::Resource => plural.to_owned(),
        Kind::Version => format!("{plural}@{name}"),
        Kind::Field => format!("{plural}/{path}"),
        Kind::Value => format!("{plural}/{path}={name}"),
        Kind::Rule => {
            let digest = Digest::of(name.as_bytes()).to_string();
            format!("{plural}/{path}:rule-{}", digest.get(..8).unwrap_or(&digest))
        }
        Kind::Constraint => format!("{plural}/{path}:{}", name.split(' ').next().unwrap_or_default()),
    }
}
