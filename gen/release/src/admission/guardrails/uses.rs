//! What the guardrails look for: each way to use something that only experimental has.
//!
//! Invariants: only resources, and fields and enum values in `spec`; what is the same in several resources or versions is one entry; they are
//! sorted by name, and so is what messages list.

use crd_apiserver::apply_defaults;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::Value;

use super::condition::{End, Hop, condition, text};
use crate::Release;
use crd_stamps::experimental_only::{Element, Path, Step, experimental_only, with_versions};

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
    steps: Vec<Hop>,
    end: End,
}

/// A way to use something, wherever it is the same.
pub(super) struct Use<'r> {
    /// What messages call it: `spec.rules[*].retry`.
    pub(super) name: String,
    steps: Vec<Hop>,
    /// None for a resource as a whole.
    end: Option<End>,
    /// Resources and, where it is not the same in all of their versions, which.
    resources: Vec<(&'r Guarded<'r>, Vec<String>)>,
}

impl Use<'_> {
    /// The condition that the request is for a resource and version with this element.
    pub(super) fn location(&self) -> String {
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
        let [now, then] = [now, before].map(|base| condition(base, &self.steps, end));
        format!("{now} && !({before} != null && {then})")
    }
}

/// The resources that have something to look for.
pub(super) fn guarded(release: &Release) -> Vec<Guarded<'_>> {
    let crds = |channel| release.channel(channel).iter().map(|file| &*file.crd);
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
        let standard =
            standard.map(|standard| with_versions(standard, crd.versions.iter().map(|version| &*version.name)));
        let entries = experimental_only(standard.as_ref(), crd);
        let mut found = Vec::new();
        for entry in &entries {
            let named = entry.version.as_deref();
            let version = crd.versions.iter().find(|version| version.served && Some(version.name.as_ref()) == named);
            if let Some(version) = version.filter(|_| entry.path.0.first() == Some(&Step::Field("spec".to_owned()))) {
                found.extend(uses_of(version, &entry.path, &entry.element));
            }
        }
        let is_new_resource = standard.is_none() && crd.versions.iter().any(|version| version.served);
        if is_new_resource || !found.is_empty() {
            guarded.push(Guarded { crd, is_new_resource, found });
        }
    }
    guarded
}

/// The uses of an element that only experimental has. None if a default has the same value.
fn uses_of(version: &Version, path: &Path, element: &Element) -> Vec<Found> {
    let (steps, defaults) = along(&version.schema, &path.0);
    let found = |name: String, end: End| Found { version: version.name.to_string(), name, steps: steps.clone(), end };
    match element {
        Element::Field => vec![found(path.to_string(), End::Other(defaults))],
        Element::Values(values) => {
            let listed = values.iter().filter(|value| !defaults.contains(value));
            listed.map(|value| found(format!("{path}={}", plain(value)), End::Is(value.clone()))).collect()
        }
        Element::ValuesExcept(excluded) => {
            let names = excluded.iter().map(plain).collect::<Vec<_>>().join(" and ");
            let defaults = defaults.into_iter().filter(|value| !excluded.contains(value));
            let end = End::Other(excluded.iter().cloned().chain(defaults).collect());
            vec![found(format!("{path} (other than {names})"), end)]
        }
        Element::Resource | Element::Version { .. } => Vec::new(),
    }
}

/// A value as messages show it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The steps of a path, and all values that defaults put at its end.
fn along(schema: &Schema, path: &[Step]) -> (Vec<Hop>, Vec<Value>) {
    let (mut steps, mut defaults) = (Vec::new(), Vec::new());
    let mut node = Some(schema);
    for (index, step) in path.iter().enumerate() {
        node = node.and_then(|node| step.below(node));
        steps.push(Hop { step: step.clone(), nullable: node.is_some_and(|node| node.nullable) });
        if let Some((node, default)) = node.and_then(|node| Some((node, node.default.as_ref()?))) {
            let mut default = default.clone();
            apply_defaults(node, &mut default);
            ends(&default, path.get(index + 1..).unwrap_or_default(), &mut defaults);
        }
    }
    (steps, defaults)
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
            uses.push(Use { name, steps: Vec::new(), end: None, resources: vec![(guarded, Vec::new())] });
        }
        for found in &guarded.found {
            let is_same = |used: &&mut Use<'_>| {
                used.name == found.name && used.steps == found.steps && used.end.as_ref() == Some(&found.end)
            };
            let Some(same) = uses.iter_mut().find(is_same) else {
                let (name, steps, end) = (found.name.clone(), found.steps.clone(), Some(found.end.clone()));
                uses.push(Use { name, steps, end, resources: vec![(guarded, vec![found.version.clone()])] });
                continue;
            };
            match same.resources.iter_mut().find(|(other, _)| std::ptr::eq(*other, guarded)) {
                Some((_, versions)) => versions.push(found.version.clone()),
                None => same.resources.push((guarded, vec![found.version.clone()])),
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
