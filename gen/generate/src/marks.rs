//! Which names of a schema have a conformance feature, and which marks keep names and markers out of standard.
//!
//! Invariants: a path is spelled as in findings; something that a type declares is listed at every path where the type is used; what is the
//! same in several API versions is listed once, with these versions.

use crd_markers::descriptor::{Location, TypeDescriptor};
use crd_markers::rule::{Marker, Rule};
use crd_markers::table::{Meaning, entries};
use crd_names::channel::Channel;

use crate::annotated::{Applied, Core, Declared, Node, Origin, Property, Removed, below};
use crate::project::validation;
use crate::settings::ControllerGen;
use crate::written::WrittenCrds;

/// A `+conformance:feature` marker, at one of the paths that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredFeature {
    /// The API versions that have it at this path, sorted by name.
    pub versions: Vec<&'static str>,
    /// The schema path of the field or type, or of the enum that has the value; empty for the API version itself.
    pub path: String,
    /// The value, if the feature is of a value. An empty one is that of an absent or empty field.
    pub value: Option<String>,
    /// The name of the feature.
    pub feature: &'static str,
    /// The line of the marker.
    pub location: Location,
}

/// A `+lint:allow` marker, at one of the paths that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredException {
    /// The schema path of the field or type, or of the enum that has the value; empty for the API version itself.
    pub path: String,
    /// The value, if the exception is of a value.
    pub value: Option<String>,
    /// The convention that need not be kept.
    pub rule: &'static str,
    /// The line of the marker.
    pub location: Location,
}

/// What a `+experimental` marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    /// A field, or a variant that is a field.
    Field,
    /// A value of an enum, or of the field that names a variant.
    Value,
    /// A type, so that each field that has it is experimental.
    Type,
    /// The root type of an API version.
    Resource,
    /// A marker that is a CEL rule in the schema.
    Rule,
    Marker,
}

/// A `+experimental`, of its own or as the prefix of a marker, at one of the paths where it keeps something out of standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentalMark {
    /// The API versions that have it at this path, sorted by name.
    pub versions: Vec<&'static str>,
    /// The schema path of the field, of the enum that has the value, of a field whose type is marked, or of what the marker is on; empty for
    /// a root type.
    pub path: String,
    /// The value, if a value is marked, or the type of a variant's data.
    pub value: Option<String>,
    pub kind: MarkKind,
    /// Of a rule, the CEL expression. Of another marker, its name.
    pub text: Option<String>,
    /// The path of the closest experimental field, value or API version that contains it. It is equal to `path` for the marked type of a
    /// marked field, and for the markers of an experimental field.
    pub below: Option<String>,
    /// The type, and the field or variant, that is marked or has the marker.
    pub origin: Origin,
    /// The line of `+experimental`. It identifies the mark: a type that is used at several paths has one mark.
    pub marker: Location,
    /// The feature gate that the marker names.
    pub gate: Option<&'static str>,
}

impl DeclaredFeature {
    /// Whether only the API versions can differ.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.path, &self.value, self.feature, self.location)
            == (&other.path, &other.value, other.feature, other.location)
    }
}

impl ExperimentalMark {
    /// Whether only the API versions can differ.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.path, &self.value, self.kind, &self.text, &self.below, &self.origin, self.marker)
            == (&other.path, &other.value, other.kind, &other.text, &other.below, &other.origin, other.marker)
    }
}

/// What several API versions declare, the same once.
pub(crate) fn in_all_versions<T>(
    of_versions: impl Iterator<Item = Vec<T>>,
    is_same: impl Fn(&T, &T) -> bool,
    versions: impl Fn(&mut T) -> &mut Vec<&'static str>,
) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for mut declared in of_versions.flatten() {
        match all.iter_mut().find(|known| is_same(known, &declared)) {
            Some(known) => versions(known).append(versions(&mut declared)),
            None => all.push(declared),
        }
    }
    all
}

/// The name of a marker, as authors write it.
pub(crate) fn name(marker: &Marker) -> String {
    let meaning = Meaning::Rule(marker.rule.kind());
    let row = entries().into_iter().find(|entry| entry.spec.meaning == meaning && entry.items == marker.items);
    row.map(|entry| entry.name).unwrap_or_default()
}

/// The features of an API version of a kind, and its exceptions of conventions.
pub(crate) fn features(
    version: &'static str,
    kind: &'static str,
    root: &Node,
) -> (Vec<DeclaredFeature>, Vec<DeclaredException>) {
    let nothing = Removed::new();
    let mut walk = Walk {
        version,
        kind,
        removed: &nothing,
        controller_gen: ControllerGen::default(),
        marks: Vec::new(),
        features: Vec::new(),
        exceptions: Vec::new(),
    };
    walk.root(root);
    (walk.features, walk.exceptions)
}

/// The marks of an API version, without the removed ones.
pub(crate) fn experimental(
    version: &'static str,
    root: &Node,
    removed: &Removed,
    controller_gen: ControllerGen,
    written: &WrittenCrds,
) -> Vec<ExperimentalMark> {
    let (marks, features, exceptions) = Default::default();
    let mut walk = Walk { version, kind: "", removed, controller_gen, marks, features, exceptions };
    walk.root(root);
    walk.marks.iter_mut().for_each(|mark| mark.gate = written.gates.get(&mark.marker).copied());
    walk.marks
}

/// A name of a schema.
struct Name {
    path: String,
    value: Option<String>,
}

struct Walk<'a> {
    version: &'static str,
    kind: &'static str,
    removed: &'a Removed,
    controller_gen: ControllerGen,
    marks: Vec<ExperimentalMark>,
    features: Vec<DeclaredFeature>,
    exceptions: Vec<DeclaredException>,
}

impl Walk<'_> {
    fn root(&mut self, node: &Node) {
        let name = Name { path: String::new(), value: None };
        let marked = self.marked(&node.types);
        self.types(&marked, &name, MarkKind::Resource, None);
        self.node(node, "", (!marked.is_empty()).then_some(""), &[]);
    }

    fn marked(&self, types: &[&'static TypeDescriptor]) -> Vec<&'static TypeDescriptor> {
        types.iter().copied().filter(|descriptor| Declared::of_type(descriptor).mark(self.removed).is_some()).collect()
    }

    /// A node. `flattened` are the marked types whose fields are in the object because the types are flattened into it.
    fn node(&mut self, node: &Node, path: &str, inside: Option<&str>, flattened: &[&'static TypeDescriptor]) {
        let name = |value: Option<&str>| Name { path: path.to_owned(), value: value.map(str::to_owned) };
        for descriptor in &node.types {
            self.declared(descriptor, descriptor.markers, &name(None));
        }
        for applied in node.markers() {
            let inside = if flattened.is_empty() { inside } else { inside.or(Some(path)) };
            self.marker(applied, &name(None), inside);
        }
        match &node.core {
            Core::List(inner) | Core::Map(inner) => self.node(inner, &format!("{path}[*]"), inside, &[]),
            Core::Object { owner, properties, inlined } => {
                for property in properties {
                    let path = below(path, property.field.wire_name);
                    let name = Name { path: path.clone(), value: None };
                    self.property(owner, property, (&name, &path), inside, flattened);
                }
                for node in inlined {
                    let mut flattened = flattened.to_vec();
                    flattened.extend(self.marked(&node.types));
                    self.node(node, path, inside, &flattened);
                }
            }
            Core::Union { owner, tag: None, variants, .. } => {
                for variant in variants {
                    let path = below(path, variant.field.wire_name);
                    let name = Name { path: path.clone(), value: None };
                    self.property(owner, variant, (&name, &path), inside, &[]);
                }
            }
            // The fields of a variant are next to the tag.
            Core::Union { owner, tag: Some(tag), variants, .. } => {
                for variant in variants {
                    let name = Name { path: below(path, tag), value: Some(variant.field.wire_name.to_owned()) };
                    self.property(owner, variant, (&name, path), inside, &[]);
                }
            }
            Core::Enum { owner, values, .. } => {
                for variant in values.iter().map(|value| value.variant) {
                    let name = name(Some(variant.wire_name));
                    let declared = Declared::of_variant(owner, variant);
                    let location = Location { file: owner.location.file, line: variant.line };
                    let origin = Origin { type_name: owner.name, field: Some(variant.name), location };
                    self.mark(declared, &name, MarkKind::Value, inside, origin);
                    self.declared(owner, variant.markers, &name);
                }
            }
            Core::Leaf(_) | Core::Foreign(_) => {}
        }
    }

    /// A field, or a variant with data. `content` is the path of its node.
    fn property(
        &mut self,
        owner: &'static TypeDescriptor,
        property: &Property,
        (name, content): (&Name, &str),
        inside: Option<&str>,
        flattened: &[&'static TypeDescriptor],
    ) {
        let field = property.field;
        let declared = Declared::of_field(owner, field);
        let location = Location { file: owner.location.file, line: field.line };
        let origin = Origin { type_name: owner.name, field: Some(field.name), location };
        let kind = if name.value.is_some() { MarkKind::Value } else { MarkKind::Field };
        self.mark(declared, name, kind, inside, origin);
        self.declared(owner, field.markers, name);

        let mark = declared.mark(self.removed);
        let mut marked = flattened.to_vec();
        let mut node = Some(&property.node);
        while let Some(inner) = node {
            marked.extend(self.marked(&inner.types));
            node = match &inner.core {
                Core::List(inner) | Core::Map(inner) => Some(inner),
                _ => None,
            };
        }
        // The struct of a variant's fields has the mark of the variant.
        marked.retain(|descriptor| Declared::of_type(descriptor).mark(self.removed) != mark);
        let around = if mark.is_some() { Some(name.path.as_str()) } else { inside };
        self.types(&marked, name, MarkKind::Type, around);
        let around = if marked.is_empty() { around } else { Some(name.path.as_str()) };
        self.node(&property.node, content, around, &[]);
    }

    /// Types that are marked themselves.
    fn types(&mut self, marked: &[&'static TypeDescriptor], name: &Name, kind: MarkKind, inside: Option<&str>) {
        for descriptor in marked {
            let origin = Origin { type_name: descriptor.name, field: None, location: descriptor.location };
            self.mark(Declared::of_type(descriptor), name, kind, inside, origin);
        }
    }

    fn mark(&mut self, declared: Declared, name: &Name, kind: MarkKind, inside: Option<&str>, origin: Origin) {
        if let Some(marker) = declared.mark(self.removed) {
            self.push(name, kind, None, inside, origin, marker);
        }
    }

    /// A marker that is for experimental only.
    fn marker(&mut self, applied: &Applied, name: &Name, inside: Option<&str>) {
        if applied.channels.contains(Channel::Standard) {
            return;
        }
        let (kind, text) = match validation(&applied.marker.rule, self.controller_gen) {
            Some(validation) => (MarkKind::Rule, validation.rule.into_owned()),
            None => (MarkKind::Marker, self::name(applied.marker)),
        };
        let file = applied.owner.location.file;
        let location = applied.field.map_or(applied.owner.location, |field| Location { file, line: field.line });
        let field = applied.field.map(|field| field.name);
        let origin = Origin { type_name: applied.owner.name, field, location };
        self.push(name, kind, Some(text), inside, origin, applied.location());
    }

    fn push(
        &mut self,
        name: &Name,
        kind: MarkKind,
        text: Option<String>,
        inside: Option<&str>,
        origin: Origin,
        marker: Location,
    ) {
        let Name { path, value } = name;
        self.marks.push(ExperimentalMark {
            versions: vec![self.version],
            path: path.clone(),
            value: value.clone(),
            kind,
            text,
            below: inside.map(str::to_owned),
            origin,
            marker,
            gate: None,
        });
    }

    fn declared(&mut self, owner: &'static TypeDescriptor, markers: &[Marker], name: &Name) {
        for marker in markers {
            let location = Location { file: owner.location.file, line: marker.line };
            if let Rule::Lint(lint) = marker.rule {
                let Name { path, value } = name;
                let (path, value) = (path.clone(), value.clone());
                self.exceptions.push(DeclaredException { path, value, rule: lint.allow, location });
            }
            let Rule::ConformanceFeature(text) = marker.rule else { continue };
            // `KIND/FEATURE=VALUE`
            let (kind, text) = text.split_once('/').unwrap_or((self.kind, text));
            if kind != self.kind {
                continue;
            }
            let (feature, value) = text.split_once('=').map_or((text, None), |(feature, value)| (feature, Some(value)));
            self.features.push(DeclaredFeature {
                versions: vec![self.version],
                path: name.path.clone(),
                value: value.map(str::to_owned).or_else(|| name.value.clone()),
                feature,
                location,
            });
        }
    }
}
