//! What the guardrails look for: each way to use something that only experimental has.
//!
//! Invariants: only resources, and fields and enum values in `spec`; what is the same in several resources or versions is one entry; they are
//! sorted by name, and so is what messages list.

use crd_apiserver::apply_defaults;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::schema::AdditionalProperties;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::Value;

use super::condition::{End, Hop, condition, text};
use crate::Release;
use crate::experimental_only::{Path, Step, What, experimental_only};

/// A resource that has something to look for.
pub(super) struct Guarded<'r> {
    /// In experimental.
    pub(super) crd: &'r CustomResourceDefinition,
    pub(super) is_new_resource: bool,
    found: Vec<Found>,
}

impl Guarded<'_> {
    /// The versions through which objects are written.
    pub(super) fn versions(&self) -> Vec<&str> {
        self.crd.versions.iter().filter(|version| version.served).map(|version| version.name.as_ref()).collect()
    }
}

/// A way to use something, in one version.
struct Found {
    version: String,
    name: String,
    way: Vec<Hop>,
    end: End,
}

/// A way to use something, wherever it is the same.
pub(super) struct Use<'r> {
    /// What messages call it: `spec.rules[*].retry`.
    pub(super) name: String,
    way: Vec<Hop>,
    /// None for a resource as a whole.
    end: Option<End>,
    /// Resources and, where it is not the same in all of their versions, which.
    resources: Vec<(&'r Guarded<'r>, Vec<String>)>,
}

impl Use<'_> {
    /// The condition that the request is for a resource, and a version, that has it.
    pub(super) fn place(&self) -> String {
        let (mut resources, mut versions) = (Vec::new(), Vec::new());
        for (guarded, named) in &self.resources {
            let (plural, group) = (&guarded.crd.names.plural, &guarded.crd.group);
            if named.is_empty() || guarded.versions().iter().all(|version| named.iter().any(|named| named == version)) {
                resources.push(text(&format!("{plural}.{group}")));
            } else {
                versions.extend(named.iter().map(|version| text(&format!("{plural}.{version}.{group}"))));
            }
        }
        let conditions = [("variables.resource", resources), ("variables.version", versions)];
        let conditions: Vec<String> = conditions
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(variable, names)| format!("{variable} in [{}]", names.join(", ")))
            .collect();
        if conditions.len() > 1 { format!("({})", conditions.join(" || ")) } else { conditions.concat() }
    }

    /// The condition that the object uses it and, if it was there before, did not.
    pub(super) fn is_new(&self, now: &str, before: &str) -> String {
        let Some(end) = &self.end else { return format!("{before} == null") };
        let [now, then] = [now, before].map(|base| condition(base, &self.way, end));
        format!("{now} && !({before} != null && {then})")
    }
}

/// The resources that have something to look for.
pub(super) fn guarded(release: &Release) -> Vec<Guarded<'_>> {
    let crds = |channel| release.channel(channel).iter().map(|file| &file.crd);
    guarded_among(crds(Channel::Standard), crds(Channel::Experimental))
}

/// The same, of the CRDs of both channels.
pub(super) fn guarded_among<'c>(
    standard: impl Iterator<Item = &'c CustomResourceDefinition> + Clone,
    experimental: impl Iterator<Item = &'c CustomResourceDefinition>,
) -> Vec<Guarded<'c>> {
    let mut guarded = Vec::new();
    for crd in experimental {
        let standard = standard.clone().find(|standard| standard.name == crd.name);
        let standard = standard.map(|standard| with_all_versions(standard, crd));
        let entries = experimental_only(standard.as_ref(), crd);
        let mut found = Vec::new();
        for entry in &entries {
            let named = entry.version.as_deref();
            let version = crd.versions.iter().find(|version| version.served && Some(version.name.as_ref()) == named);
            if let Some(version) = version.filter(|_| entry.path.0.first() == Some(&Step::Field("spec".to_owned()))) {
                found.extend(ways(version, &entry.path, &entry.what));
            }
        }
        let is_new_resource = standard.is_none() && crd.versions.iter().any(|version| version.served);
        if is_new_resource || !found.is_empty() {
            guarded.push(Guarded { crd, is_new_resource, found });
        }
    }
    guarded
}

/// Standard's CRD with every version that experimental has: where standard lists none, the version that standard stores is used.
fn with_all_versions(
    standard: &CustomResourceDefinition,
    experimental: &CustomResourceDefinition,
) -> CustomResourceDefinition {
    let mut standard = standard.clone();
    let stored = standard.versions.iter().find(|version| version.storage).cloned();
    for version in &experimental.versions {
        if let (None, Some(stored)) = (standard.versions.iter().find(|known| known.name == version.name), &stored) {
            standard.versions.push(Version { name: version.name.clone(), ..stored.clone() });
        }
    }
    standard
}

/// The ways to use one thing that only experimental has. None where a default looks the same.
fn ways(version: &Version, path: &Path, what: &What) -> Vec<Found> {
    let (way, given) = along(&version.schema, &path.0);
    let found = |name: String, end: End| Found { version: version.name.to_string(), name, way: way.clone(), end };
    match what {
        What::Field => vec![found(path.to_string(), End::Other(given))],
        What::Values(values) => {
            let said = values.iter().filter(|value| !given.contains(value));
            said.map(|value| found(format!("{path}={}", plain(value)), End::Is(value.clone()))).collect()
        }
        What::ValuesBut(known) => {
            let names = known.iter().map(plain).collect::<Vec<_>>().join(" and ");
            let given = given.into_iter().filter(|value| !known.contains(value));
            let end = End::Other(known.iter().cloned().chain(given).collect());
            vec![found(format!("{path} (other than {names})"), end)]
        }
        What::Resource | What::Version { .. } => Vec::new(),
    }
}

/// A value as messages show it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The way along a path, and everything that defaults put at its end.
fn along(schema: &Schema, path: &[Step]) -> (Vec<Hop>, Vec<Value>) {
    let (mut way, mut given) = (Vec::new(), Vec::new());
    let mut node = Some(schema);
    for (index, step) in path.iter().enumerate() {
        node = node.and_then(|node| match step {
            Step::Field(name) => node.properties.get(name),
            Step::Items => node.items.as_deref(),
            Step::MapValues => match &node.additional_properties {
                Some(AdditionalProperties::Values(values)) => Some(values),
                _ => None,
            },
        });
        way.push(Hop { step: step.clone(), nullable: node.is_some_and(|node| node.nullable) });
        if let Some((node, default)) = node.and_then(|node| Some((node, node.default.as_ref()?))) {
            let mut default = default.clone();
            apply_defaults(node, &mut default);
            ends(&default, path.get(index + 1..).unwrap_or_default(), &mut given);
        }
    }
    (way, given)
}

/// What a value has at the end of a path.
fn ends(value: &Value, path: &[Step], found: &mut Vec<Value>) {
    let Some((step, path)) = path.split_first() else {
        if !value.is_null() && !found.contains(value) {
            found.push(value.clone());
        }
        return;
    };
    match (step, value) {
        (Step::Field(name), Value::Object(entries)) => {
            entries.get(name).into_iter().for_each(|inner| ends(inner, path, found))
        }
        (Step::Items, Value::Array(items)) => items.iter().for_each(|inner| ends(inner, path, found)),
        (Step::MapValues, Value::Object(entries)) => entries.values().for_each(|inner| ends(inner, path, found)),
        _ => {}
    }
}

/// All ways to use something, those that are the same in several places once.
pub(super) fn uses<'r>(all: &'r [Guarded<'r>]) -> Vec<Use<'r>> {
    let mut uses: Vec<Use<'r>> = Vec::new();
    for guarded in all {
        if guarded.is_new_resource {
            let name = format!("the resource {}.{}", guarded.crd.names.plural, guarded.crd.group);
            uses.push(Use { name, way: Vec::new(), end: None, resources: vec![(guarded, Vec::new())] });
        }
        for found in &guarded.found {
            let is_same = |used: &&mut Use<'_>| {
                used.name == found.name && used.way == found.way && used.end.as_ref() == Some(&found.end)
            };
            let Some(known) = uses.iter_mut().find(is_same) else {
                let (name, way, end) = (found.name.clone(), found.way.clone(), Some(found.end.clone()));
                uses.push(Use { name, way, end, resources: vec![(guarded, vec![found.version.clone()])] });
                continue;
            };
            match known.resources.iter_mut().find(|(known, _)| std::ptr::eq(*known, guarded)) {
                Some((_, versions)) => versions.push(found.version.clone()),
                None => known.resources.push((guarded, vec![found.version.clone()])),
            }
        }
    }
    // What has one name and still differs keeps its order.
    uses.sort_by(|left, right| left.name.cmp(&right.name));
    uses
}

/// A name for each, that a variable of CEL may have.
pub(super) fn names(uses: &[Use<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for used in uses {
        let words =
            used.name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name = ["uses"].into_iter().chain(words).collect::<Vec<_>>().join("_");
        let more = (2..).map(|number| format!("{name}_{number}"));
        // A free number always exists.
        names.extend([name.clone()].into_iter().chain(more).find(|name| !names.contains(name)));
    }
    names
}
