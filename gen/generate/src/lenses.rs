//! Lenses of the types and the settings, as the document `conversions.json`.
//!
//! A marker names places below its type or struct, in the current form. A lens is about the forms of its time: the names that places have
//! got in later bundles are replaced with those that they had when the lens applies.
//!
//! Invariants: all errors are reported together, each with the line of its marker; a lens keeps its name when later lenses are added, because
//! conversion data refers to it; the same types give the same document.

use std::collections::{BTreeMap, BTreeSet};

use crd_convert::path::Segment;
use crd_convert::{
    BundleVersion, Conversions, Document, DocumentError, Identity, Lens, Operation, OperationKind, Path, Removed, Step,
};
use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{Field, Location, Tombstone, TypeDescriptor};
use crd_markers::json::Json;
use crd_markers::rule::{self, Marker, Rule};
use serde_json::{Map, Value, json};

use crate::annotated::{Core, DeclaredTombstone, Node};
use crate::assemble::AnnotatedResource;
use crate::catalogue::Catalogue;
use crate::constant::value;
use crate::problem::{at, merged};
use crate::settings::FILE_NAME;

/// The conversions of a catalogue, and the line of each lens by its name. A lens of the settings has no Rust source.
pub(crate) fn conversions(
    catalogue: &Catalogue,
    resources: &[AnnotatedResource],
    generator: &str,
) -> Result<(Document, BTreeMap<String, Location>), Vec<Diagnostic>> {
    let (mut declared, mut errors) = (Vec::new(), Vec::new());
    for resource in resources {
        declared.extend(of_resource(resource, &mut errors));
    }
    declared.extend(catalogue.settings().lenses.iter().map(|(lens, line)| Declared {
        lens: lens.clone(),
        source: Source::Settings(*line),
        steps: Vec::new(),
    }));
    if !errors.is_empty() {
        return Err(merged(errors));
    }
    let is_empty = declared.is_empty();
    declared.sort_by(|one, other| (&one.lens.resource, one.lens.since).cmp(&(&other.lens.resource, other.lens.since)));
    let document = Document {
        generator: generator.to_owned(),
        prefix: catalogue.prefix().to_owned(),
        lenses: declared.iter().map(|declared| declared.lens.clone()).collect(),
        // Without lenses, nothing is written.
        removed: resources
            .iter()
            .filter(|_| !is_empty)
            .flat_map(removed)
            // Types that several resources share have one tombstone, and a lens of each resource.
            .filter(|removed| !declared.iter().any(|declared| declared.converts(removed)))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
    };
    match Conversions::with_code(&document, catalogue.lens_functions()) {
        Ok(_) => {
            let line = |declared: &Declared| match declared.source {
                Source::Marker(location) => Some((declared.lens.name.clone(), location)),
                Source::Settings(_) => None,
            };
            Ok((document, declared.iter().filter_map(line).collect()))
        }
        Err(invalid) => Err(merged(invalid.iter().map(|error| problem(error, &declared)).collect())),
    }
}

/// A lens and where it is declared.
struct Declared {
    lens: Lens,
    source: Source,
    /// The sources of the steps.
    steps: Vec<Source>,
}

impl Declared {
    /// Whether the lens reads a removed field.
    fn converts(&self, removed: &Removed) -> bool {
        let places = || self.lens.steps.iter().flat_map(|step| step.operation.reads());
        self.lens.target() == (&removed.group, &removed.kind)
            && removed.value.is_none()
            && removed.path.as_ref().is_some_and(|path| places().any(|place| place == path))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Marker(Location),
    /// The line in the settings.
    Settings(usize),
}

impl Source {
    fn problem(self, error: &DocumentError) -> Diagnostic {
        match self {
            Self::Marker(location) => {
                at(Diagnostic::error("types::lens", error.message.clone()).help(&*error.help), location)
            }
            Self::Settings(line) => Diagnostic::error("catalogue::lens", format!("{}: {}", error.path, error.message))
                .at_line(FILE_NAME, line)
                .help(&*error.help),
        }
    }
}

/// The diagnostic of an error at a path such as `$.lenses[2].steps[0].to`.
fn problem(error: &DocumentError, declared: &[Declared]) -> Diagnostic {
    let index = |key: &str| {
        let (_, rest) = error.path.split_once(key)?;
        rest.split_once(']')?.0.parse::<usize>().ok()
    };
    let lens = index("$.lenses[").and_then(|index| declared.get(index));
    let step = lens.and_then(|lens| lens.steps.get(index(".steps[")?));
    let source = step.or(lens.map(|lens| &lens.source));
    let mut error = error.clone();
    // The source names the lens.
    if let Some((_, below)) = error.path.split_once(']').filter(|_| lens.is_some()) {
        error.path = format!("${below}");
    }
    // Messages name other lenses by their index.
    for (index, declared) in declared.iter().enumerate().rev() {
        let name = format!("the lens `{}`", declared.lens.name);
        error.message = error.message.replace(&format!("`$.lenses[{index}]`"), &name);
        for step in 0..declared.lens.steps.len() {
            error.message = error.message.replace(&format!("`$.lenses[{index}].steps[{step}]`"), &name);
        }
    }
    match source {
        Some(source) => source.problem(&error),
        None => Diagnostic::error("catalogue::lens", error.to_string()),
    }
}

/// Where a type is used, or a field of it.
struct Site {
    owner: &'static TypeDescriptor,
    field: Option<&'static Field>,
    /// The place of the type.
    path: String,
    /// The fields that identify the items of lists on the way.
    keys: Map<String, Value>,
    /// The place of its values, if the type is an enum.
    values: Option<String>,
}

impl Site {
    fn markers(&self) -> &'static [Marker] {
        self.field.map_or(self.owner.markers, |field| field.markers)
    }

    fn lenses(&self) -> impl Iterator<Item = (rule::Lens, Location)> {
        let file = self.owner.location.file;
        self.markers().iter().filter_map(move |marker| match marker.rule {
            Rule::Lens(lens) => Some((lens, Location { file, line: marker.line })),
            _ => None,
        })
    }

    /// The place of the field, or of the type.
    fn place(&self) -> String {
        match self.field {
            Some(field) => below(&self.path, &quoted(field.wire_name)),
            None => self.values.as_ref().unwrap_or(&self.path).clone(),
        }
    }
}

/// A name as a part of a path.
fn quoted(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '$');
    match !name.is_empty() && name.chars().all(is_plain) {
        true => name.to_owned(),
        false => format!("[{}]", Value::from(name)),
    }
}

fn below(path: &str, place: &str) -> String {
    let dot = if path.is_empty() || place.is_empty() || place.starts_with(['[', '{']) { "" } else { "." };
    format!("{path}{dot}{place}")
}

fn has_lens(root: &Node) -> bool {
    let mut is_found = false;
    root.each(&mut |node| {
        let (owner, properties) = match &node.core {
            Core::Object { owner, properties, .. } => (owner, properties.as_slice()),
            Core::Union { owner, .. } | Core::Enum { owner, .. } => (owner, &[][..]),
            Core::List(_) | Core::Map(_) | Core::Leaf(_) | Core::Foreign(_) => return,
        };
        let of_fields = properties.iter().flat_map(|property| property.field.markers);
        is_found |= owner.markers.iter().chain(of_fields).any(|marker| matches!(marker.rule, Rule::Lens(_)));
    });
    is_found
}

/// Every type and field of a schema, each at the places where it is used.
fn sites(node: &Node) -> Vec<Site> {
    let mut found = Vec::new();
    visit(node, String::new(), &Map::new(), &mut found);
    found
}

fn visit(node: &Node, path: String, keys: &Map<String, Value>, found: &mut Vec<Site>) {
    let mut site = |owner, field, values| {
        found.push(Site { owner, field, path: path.clone(), keys: keys.clone(), values });
    };
    match &node.core {
        Core::Object { owner, properties, .. } => {
            site(*owner, None, None);
            for property in properties {
                site(*owner, Some(property.field), None);
            }
        }
        Core::Union { owner, tag, .. } => site(*owner, None, tag.map(|tag| below(&path, &quoted(tag)))),
        Core::Enum { owner, .. } => site(*owner, None, Some(path.clone())),
        Core::List(_) | Core::Map(_) | Core::Leaf(_) | Core::Foreign(_) => {}
    }
    for (step, inner) in node.children() {
        let path = match step {
            None => path.clone(),
            Some(Segment::Field(name)) => below(&path, &quoted(name)),
            Some(Segment::Item) => format!("{path}[*]"),
            Some(Segment::Value) => format!("{path}{{*}}"),
        };
        let names = node.markers().filter_map(|applied| match applied.marker.rule {
            Rule::ListMapKey(name) if step == Some(Segment::Item) => Some(name),
            _ => None,
        });
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            visit(inner, path, keys, found);
        } else {
            let mut keys = keys.clone();
            keys.insert(path.clone(), json!(names));
            visit(inner, path, &keys, found);
        }
    }
}

/// The operation of a marker that is about the identity of a resource.
const RESOURCE: &str = "resource";

/// The operations that have one place with the key `path`.
const OF_ONE_PLACE: [&str; 3] = ["default", "constant", "drop"];

/// A marker as a step of `conversions.json`.
fn step(site: &Site, lens: &rule::Lens) -> Value {
    let operation = lens.operation;
    let mut step = Map::from_iter([("operation".to_owned(), Value::from(operation))]);
    // Places of a field's marker are below the struct.
    let place = |place: &mut Value| {
        if let Value::String(text) = place {
            *text = below(&site.path, text);
        }
    };
    for (name, argument) in lens.arguments {
        let mut argument = value(argument);
        match (*name, &mut argument) {
            ("since", _) => continue,
            ("reason", _) if operation != "drop" => continue,
            ("from" | "to" | "path", Value::Array(items)) => items.iter_mut().for_each(place),
            ("from" | "to" | "path", Value::Object(entries)) => entries.values_mut().for_each(place),
            ("from" | "to" | "path", text) => place(text),
            _ => {}
        }
        step.insert((*name).to_owned(), argument);
    }
    let defaults: &[&str] = if OF_ONE_PLACE.contains(&operation) { &["path"] } else { &["from", "to"] };
    for key in defaults {
        step.entry(*key).or_insert_with(|| site.place().into());
    }
    if operation == "scale" {
        for key in ["multiply", "divide"] {
            step.entry(key).or_insert_with(|| 1.into());
        }
    }
    let places: Vec<&str> = defaults.iter().filter_map(|key| step.get(*key)?.as_str()).collect();
    let is_on_the_way = |list: &&String| places.iter().any(|place| place.starts_with(list.as_str()));
    let keys: Map<String, Value> = site
        .keys
        .iter()
        .filter(|(list, _)| is_on_the_way(list))
        .map(|(list, names)| (list.clone(), names.clone()))
        .collect();
    if !keys.is_empty() {
        step.insert("keys".to_owned(), keys.into());
    }
    step.into()
}

/// A step with its bundle and marker.
struct Change {
    since: BundleVersion,
    /// The places are those of the bundle before `since`, and of `since`.
    step: Step,
    lens: rule::Lens,
    /// The name of the field that has the marker.
    field: Option<&'static str>,
    location: Location,
}

impl Change {
    fn key(&self) -> (BundleVersion, String) {
        let operation = &self.step.operation;
        (self.since, format!("{} {}", place(operation), operation.kind.name()))
    }

    /// Whether it writes a place that the other one reads, writes or goes through: then the other one has the new name.
    fn is_before(&self, other: &Self) -> bool {
        let (own, other) = (&self.step.operation, &other.step.operation);
        let goes_through = |new: &Path| {
            let mut places = other.reads().into_iter().chain(other.writes());
            places.any(|place| place.segments().starts_with(new.segments()))
        };
        !(own.is_in_place() && own.writes() == other.writes()) && own.writes().into_iter().any(goes_through)
    }
}

/// The changes in the order of their bundles, and within a bundle in the order in which they apply.
fn ordered(mut rest: Vec<Change>) -> Vec<Change> {
    let mut ordered = Vec::with_capacity(rest.len());
    while let Some(first) = rest.first() {
        let is_free = |at: usize, change: &Change| {
            let mut others =
                rest.iter().enumerate().filter(|(index, other)| *index != at && other.since == first.since);
            change.since == first.since && others.all(|(_, other)| !other.is_before(change))
        };
        // In a circle, which is an error of the document, the first one is next.
        let next = rest.iter().enumerate().position(|(at, change)| is_free(at, change)).unwrap_or(0);
        ordered.push(rest.remove(next));
    }
    ordered
}

/// The place that names a lens: an old name never returns.
fn place(operation: &Operation) -> String {
    let places = operation.reads().into_iter().chain(operation.writes());
    places.map(ToString::to_string).next().unwrap_or_default()
}

fn bundle(text: &str) -> Option<BundleVersion> {
    // A tombstone may name a pre-release.
    BundleVersion::parse_release(text.split('-').next()?).ok()
}

/// The steps of a resource, in the order in which they apply.
fn changes(resource: &AnnotatedResource, errors: &mut Vec<Diagnostic>) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    // Most resources do not have lenses.
    for (_, root) in resource.roots().filter(|(_, root)| has_lens(root)) {
        for site in sites(root) {
            for (lens, location) in site.lenses().filter(|(lens, _)| lens.operation != RESOURCE) {
                let since = lens.text("since").and_then(bundle);
                let field = site.field.map(|field| field.wire_name);
                match (Step::from_value(&step(&site, &lens)), since) {
                    (Ok(step), Some(since)) => changes.push(Change { since, step, lens, field, location }),
                    // The macro refuses another bundle.
                    (Ok(_), None) => {}
                    (Err(invalid), _) => {
                        errors.extend(invalid.iter().map(|error| Source::Marker(location).problem(error)));
                    }
                }
            }
        }
    }
    // Versions share types.
    changes.sort_by_cached_key(Change::key);
    changes.dedup_by(|one, other| (one.location, &one.step) == (other.location, &other.step));
    let mut changes = ordered(changes);
    let mut later: Vec<(BundleVersion, Operation)> = Vec::new();
    for change in changes.iter_mut().rev() {
        let all = later.iter().filter(|(since, _)| *since > change.since);
        change.step = all.fold(change.step.clone(), |step, (_, operation)| step.before(operation));
        later.push((change.since, change.step.operation.clone()));
    }
    changes
}

/// The lenses of a resource, in the order in which they apply.
fn of_resource(resource: &AnnotatedResource, errors: &mut Vec<Diagnostic>) -> Vec<Declared> {
    let crd = resource.crd_name();
    let mut identities = identities(resource, &crd);
    let changes = changes(resource, errors);
    let mut declared: Vec<Declared> = Vec::new();
    for change in changes {
        let source = Source::Marker(change.location);
        // What changes together with the kind applies to objects of the old kind only.
        let mut with_kind = identities
            .iter_mut()
            .filter(|declared| declared.lens.since == change.since && declared.lens.source() != declared.lens.target());
        if let (Some(of_kind), None) = (with_kind.next(), with_kind.next()) {
            of_kind.lens.steps.push(change.step);
            of_kind.steps.push(source);
            continue;
        }
        let (group, kind) = kind_at(resource, &identities, change.since);
        let operation = change.step.operation.kind.name();
        let name = format!("{group}/{kind} {} {operation} {}", change.since, place(&change.step.operation));
        let (since, steps) = (change.since, vec![change.step]);
        let lens = Lens { name, resource: crd.clone(), group, kind, since, identity: None, is_merged: false, steps };
        declared.push(Declared { lens, source, steps: Vec::new() });
    }
    declared.extend(identities);
    declared.sort_by_key(|declared| (declared.lens.since, declared.lens.identity.is_none()));
    declared
}

/// The group and kind that objects had in a bundle.
fn kind_at(resource: &AnnotatedResource, identities: &[Declared], bundle: BundleVersion) -> (String, String) {
    let after = identities.iter().rfind(|declared| declared.lens.since <= bundle);
    let found = match (after, identities.first()) {
        (Some(after), _) => after.lens.target(),
        (None, Some(first)) => first.lens.source(),
        (None, None) => resource.identity(),
    };
    (found.0.to_owned(), found.1.to_owned())
}

/// The lenses of `+lens:resource` markers, in the order of their bundles. Each leads to the old identity of the next one.
fn identities(resource: &AnnotatedResource, crd: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    for (root, _) in resource.roots() {
        let Some(current) = root.resource else { continue };
        let mut markers: Vec<(BundleVersion, rule::Lens, Location)> = Vec::new();
        for marker in root.markers {
            let Rule::Lens(lens) = marker.rule else { continue };
            let since = lens.text("since").and_then(bundle).filter(|_| lens.operation == RESOURCE);
            let location = Location { file: root.location.file, line: marker.line };
            markers.extend(since.map(|since| (since, lens, location)));
        }
        markers.sort_by_key(|(since, ..)| *since);
        let mut parts = (current.group, current.version, current.kind);
        let mut of_root = Vec::new();
        for of_bundle in markers.chunk_by(|(one, ..), (other, ..)| one == other).rev() {
            let new = parts;
            for (index, (since, lens, location)) in of_bundle.iter().enumerate() {
                let part = |name: &str, same: &'static str| lens.text(name).unwrap_or(same);
                let old = (part("group", new.0), part("version", new.1), part("kind", new.2));
                if index == 0 {
                    parts = old;
                }
                let [from, to] = [old, new].map(|(group, version, kind)| Identity {
                    api_version: format!("{group}/{version}"),
                    kind: kind.to_owned(),
                });
                let name = format!("{}/{} {since} {RESOURCE} {from}", new.0, new.2);
                let lens = Lens {
                    name,
                    resource: crd.to_owned(),
                    group: new.0.to_owned(),
                    kind: new.2.to_owned(),
                    since: *since,
                    identity: Some((from, to)),
                    is_merged: index > 0,
                    steps: Vec::new(),
                };
                of_root.push(Declared { lens, source: Source::Marker(*location), steps: Vec::new() });
            }
        }
        found.append(&mut of_root);
    }
    found.sort_by_key(|declared| declared.lens.since);
    found
}

/// Names with a tombstone and without a lens.
fn removed(resource: &AnnotatedResource) -> Vec<Removed> {
    let (group, kind) = resource.identity();
    let mut removed = Vec::new();
    for (_, root) in resource.roots() {
        for site in sites(root).into_iter().filter(|site| site.field.is_none()) {
            removed.extend(site.owner.tombstones.iter().filter_map(|tombstone| {
                let name = quoted(tombstone.name);
                let path = site.values.clone().unwrap_or_else(|| below(&site.path, &name));
                Some(Removed {
                    group: group.to_owned(),
                    kind: kind.to_owned(),
                    version: None,
                    path: Some(path.parse().ok()?),
                    value: site.values.is_some().then(|| tombstone.name.to_owned()),
                    since: bundle(tombstone.removed)?,
                    reason: tombstone.reason.to_owned(),
                })
            }));
        }
    }
    removed
}

impl AnnotatedResource {
    /// Every tombstone that the types declare, at each path where the types are used, over all versions. Lenses are tombstones too.
    pub fn tombstones(&self) -> Vec<DeclaredTombstone> {
        let mut found = Vec::new();
        for (_, root) in self.roots() {
            root.tombstones("", &mut found);
        }
        found.extend(of_lenses(self));
        found
    }
}

/// The tombstones that lenses are. Names that were gone before the resource got its kind belong to another CRD.
fn of_lenses(resource: &AnnotatedResource) -> Vec<DeclaredTombstone> {
    // Errors are those of the document.
    let changes = changes(resource, &mut Vec::new());
    let identities = identities(resource, "");
    let changed_kind = identities.iter().rfind(|declared| declared.lens.source() != declared.lens.target());
    let changed_kind = changed_kind.map(|declared| declared.lens.since);
    let is_of_crd = |change: &&Change| changed_kind.is_none_or(|kind| kind < change.since);
    let places = changes.iter().enumerate().map(|(index, change)| {
        // A bundle before `since` had the names that the other lenses of `since` replace first.
        let first = changes[..index].iter().rev().filter(|first| first.since == change.since);
        (change, first.fold(change.step.clone(), |step, first| step.before(&first.step.operation)))
    });
    places.filter(|(change, _)| is_of_crd(change)).flat_map(|(change, old)| change.tombstones(&old.operation)).collect()
}

impl Change {
    /// The old names, at the places that this operation has in the bundle before.
    fn tombstones(&self, operation: &Operation) -> Vec<DeclaredTombstone> {
        let of = |path: &str, name, replacement, value| DeclaredTombstone {
            // Tombstones have the same sign for lists and maps.
            path: path.replace("{*}", "[*]"),
            value,
            has_lens: true,
            tombstone: Tombstone {
                name,
                removed: self.lens.text("since").unwrap_or_default(),
                reason: self.lens.text("reason").unwrap_or("a lens converts it"),
                replacement,
                line: self.location.line,
            },
            location: self.location,
        };
        if operation.is_in_place() {
            let values = match (&operation.kind, self.lens.argument("values")) {
                (OperationKind::Values { .. }, Some(Json::Object(values))) => values,
                _ => return Vec::new(),
            };
            return values.iter().map(|(old, new)| of(&place(operation), old, text(new), true)).collect();
        }
        let new = self.field.map_or_else(|| self.texts("to"), |field| vec![field]);
        let replacement = new.first().copied().filter(|new| !new.contains(['.', '[', '{']));
        let old = self.texts(if OF_ONE_PLACE.contains(&operation.kind.name()) { "path" } else { "from" });
        let tombstone = |path: &Path| {
            let (Segment::Field(last), around) = path.segments().split_last()? else { return None };
            // The same name for as long as the program runs.
            let names = old.iter().map(|old| old.rsplit_once('.').map_or(*old, |(_, name)| name));
            let name = names.into_iter().find(|name| name == last)?;
            let around = Path::new(around).map_or_else(String::new, |path| path.to_string());
            Some(of(&around, name, replacement, false))
        };
        operation.reads().into_iter().filter_map(tombstone).collect()
    }

    /// The strings of an argument.
    fn texts(&self, name: &str) -> Vec<&'static str> {
        match self.lens.argument(name) {
            Some(Json::String(text)) => vec![text],
            Some(Json::List(items)) => items.iter().filter_map(text).collect(),
            Some(Json::Object(entries)) => entries.iter().filter_map(|(_, value)| text(value)).collect(),
            _ => Vec::new(),
        }
    }
}

fn text(json: &Json) -> Option<&'static str> {
    match json {
        Json::String(text) => Some(text),
        _ => None,
    }
}
