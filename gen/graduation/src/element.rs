//! The elements of an API: what can be in experimental and not in standard.
//!
//! Invariants: an element is one thing in all API versions of its resource. Two elements with equal parts are the same element.

use std::fmt;

use crd_bundle::Digest;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A resource.
    Resource,
    /// An API version of a resource.
    Version,
    /// A field.
    Field,
    /// A value of an enum.
    Value,
    /// A CEL rule.
    Rule,
    /// A keyword of a schema, such as a pattern, on a node that both channels have.
    Constraint,
}

/// Every kind with its word.
pub const KINDS: [(Kind, &str); 6] = [
    (Kind::Resource, "resource"),
    (Kind::Version, "version"),
    (Kind::Field, "field"),
    (Kind::Value, "value"),
    (Kind::Rule, "rule"),
    (Kind::Constraint, "constraint"),
];

impl Kind {
    /// Its word.
    pub fn word(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    /// Whether conformance tests can cover it: rules and constraints are part of the validation of a field that has tests.
    pub fn has_conformance(self) -> bool {
        !matches!(self, Kind::Rule | Kind::Constraint)
    }
}

/// An element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// The name of the CRD.
    pub crd: String,
    /// The schema path of a field, or of the node with the value, rule or constraint: `spec.rules[*].retry`. Empty for resources and versions.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The name of the version, the value (without quotes if it is a text), the CEL rule, or the keyword with its value. Empty otherwise.
    pub text: String,
}

impl Element {
    /// A resource.
    pub fn resource(crd: &str) -> Self {
        Self { crd: crd.to_owned(), path: String::new(), kind: Kind::Resource, text: String::new() }
    }

    /// An API version.
    pub fn version(crd: &str, version: &str) -> Self {
        Self { crd: crd.to_owned(), path: String::new(), kind: Kind::Version, text: version.to_owned() }
    }

    /// A field.
    pub fn field(crd: &str, path: &str) -> Self {
        Self { crd: crd.to_owned(), path: path.to_owned(), kind: Kind::Field, text: String::new() }
    }

    /// A value, rule or constraint of a node.
    pub fn of_node(crd: &str, path: &str, kind: Kind, text: impl Into<String>) -> Self {
        Self { crd: crd.to_owned(), path: path.to_owned(), kind, text: text.into() }
    }

    /// The field that the element is in: of a field its parent. None for resources, versions, and fields at the root.
    pub fn parent(&self) -> Option<&str> {
        let path = match self.kind {
            Kind::Resource | Kind::Version => return None,
            Kind::Field => self.path.rsplit_once('.').map_or("", |(parent, _)| parent),
            Kind::Value | Kind::Rule | Kind::Constraint => &self.path,
        };
        let path = path.trim_end_matches("[*]");
        (!path.is_empty()).then_some(path)
    }

    /// Whether a schema path is the element or below it.
    pub fn covers(&self, path: &str) -> bool {
        match self.kind {
            Kind::Resource => true,
            Kind::Field => is_below(path, &self.path),
            Kind::Version | Kind::Value | Kind::Rule | Kind::Constraint => false,
        }
    }
}

/// Whether a path is another one or leads on from it.
pub(crate) fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The name of an element, one word that no shell changes: `httproutes/spec.rules.retry`, `httproutes/spec.rules.filters.type=CORS`, `tlsroutes@v1alpha2`. Rules
/// have the first digits of the digest of their expression: `httproutes/spec.rules:rule-1f0c3a52`.
impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = self.crd.split('.').next().unwrap_or_default();
        let path = self.path.replace("[*]", "");
        match self.kind {
            Kind::Resource => formatter.write_str(plural),
            Kind::Version => write!(formatter, "{plural}@{}", self.text),
            Kind::Field => write!(formatter, "{plural}/{path}"),
            Kind::Value => write!(formatter, "{plural}/{path}={}", self.text),
            Kind::Rule => {
                let digest = Digest::of(self.text.as_bytes()).to_string();
                write!(formatter, "{plural}/{path}:rule-{}", digest.get(..8).unwrap_or(&digest))
            }
            Kind::Constraint => {
                let keyword = self.text.split(' ').next().unwrap_or_default();
                write!(formatter, "{plural}/{path}:{keyword}")
            }
        }
    }
}
