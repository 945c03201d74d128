//! What policies look for: each way to use something that only experimental has, or that an implementation does not support.
//!
//! Invariants: only resources, and fields and enum values in `spec`; what is the same in several resources or versions is one entry; they are
//! sorted by name, and so is what messages list.

use crd_apiserver::apply_defaults;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::schema::path::{SchemaPath, Step, values};
use crd_model::{CustomResourceDefinition, Schema};
use serde_json::{Value, json};

use super::condition::{End, Hop, condition, text};
use crate::admission::{Bundle, resource_rule};
use crd_stamps::experimental_only::{Element, ExperimentalOnly, experimental_only, with_versions};

/// A resource that has something to look for.
pub(in crate::admission) struct Guarded<'r> {
    /// In experimental, or in a cluster.
    pub(in crate::admission) crd: &'r CustomResourceDefinition,
    /// What messages call the resource, if it is an element as a whole.
    whole: Option<String>,
    found: Vec<Found>,
}

impl<'r> Guarded<'r> {
    /// A resource with its elements, and what messages add to the name of each.
    pub(in crate::admission) fn of<'e>(
        crd: &'r CustomResourceDefinition,
        elements: impl Iterator<Item = (&'e ExperimentalOnly, String)>,
    ) -> Option<Self> {
        let (mut found, mut whole) = (Vec::new(), None);
        for (entry, suffix) in elements {
            if entry.element == Element::Resource && crd.versions.iter().any(|version| version.served) {
                whole = Some(format!("the resource {}.{}{suffix}", crd.names.plural, crd.group));
            }
            let named = entry.version.as_deref();
            let version = crd.versions.iter().find(|version| version.served && Some(version.name.as_ref()) == named);
            if let Some(version) =
                version.filter(|_| entry.path.steps().first() == Some(&Step::Field("spec".to_owned())))
            {
                let suffixed = |found: Found| Found { name: found.name + &suffix, ..found };
                found.extend(uses_of(version, &entry.path, &entry.element).into_iter().map(suffixed));
            }
        }
        (whole.is_some() || !found.is_empty()).then_some(Self { crd, whole, found })
    }

    /// Which requests are looked at.
    pub(in crate::admission) fn rule(&self) -> Value {
        // Whatever is done to an object of a resource that is an element: it was there before.
        let operations: &[&str] = if self.whole.is_some() { &["CREATE"] } else { &["CREATE", "UPDATE"] };
        resource_rule(self.crd, operations)
    }

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
pub(in crate::admission) struct Use<'r> {
    /// What messages call it: `spec.rules[*].retry`.
    pub(in crate::admission) name: String,
    steps: Vec<Hop>,
    /// None for a resource as a whole.
    end: Option<End>,
    /// Resources and, where it is not the same in all of their versions, which.
    resources: Vec<(&'r Guarded<'r>, Vec<String>)>,
}

impl Use<'_> {
    /// The condition that the request is for a resource and version with this element.
    pub(in crate::admission) fn location(&self) -> String {
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
    pub(in crate::admission) fn is_new(&self, now: &str, before: &str) -> String {
        let Some(end) = &self.end else { return format!("{before} == null") };
        let [now, then] = [now, before].map(|base| condition(base, &self.steps, end));
        format!("{now} && !({before} != null && {then})")
    }
}

/// The resources that have something to look for.
pub(super) fn guarded(bundle: Bundle<'_>) -> Vec<Guarded<'_>> {
    guarded_among(bundle.channel(Channel::Standard), bundle.channel(Channel::Experimental))
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
        guarded.extend(Guarded::of(crd, entries.iter().map(|entry| (entry, String::new()))));
    }
    guarded
}

/// The uses of an element that only experimental has. None if a default has the same value.
fn uses_of(version: &Version, path: &SchemaPath, element: &Element) -> Vec<Found> {
    let (steps, defaults) = along(&version.schema, path.steps());
    let path = path.text();
    let found = |name: String, end: End| Found { version: version.name.to_string(), name, steps: steps.clone(), end };
    match element {
        Element::Field => vec![found(path, End::Other(defaults))],
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
        Element::Empty => vec![found(format!("{path} (absent or empty)"), End::Empty)],
        Element::Resource | Element::Version { .. } => Vec::new(),
    }
}

/// A value as messages show it.
fn plain(value: &Value) -> String {
    value.as_str().filter(|text| !text.is_empty()).map_or_else(|| value.to_string(), str::to_owned)
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
            for value in values(&default, path.get(index + 1..).unwrap_or_default()) {
                if !value.is_null() && !defaults.contains(value) {
                    defaults.push(value.clone());
                }
            }
        }
    }
    (steps, defaults)
}

/// All ways to use something, those that are the same in several places once.
pub(in crate::admission) fn uses<'r>(all: &'r [Guarded<'r>]) -> Vec<Use<'r>> {
    let mut uses: Vec<Use<'r>> = Vec::new();
    for guarded in all {
        if let Some(name) = guarded.whole.clone() {
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

/// What the variables of a policy have in common: the object now and before, and its resource, with and without the version.
pub(in crate::admission) fn basics() -> Vec<(String, String)> {
    let resource = "request.resource.resource + '.' + request.resource.group";
    let version = "request.resource.resource + '.' + request.resource.version + '.' + request.resource.group";
    [("now", "dyn(object)"), ("before", "dyn(oldObject)"), ("resource", resource), ("version", version)]
        .map(|(name, expression)| (name.to_owned(), expression.to_owned()))
        .into()
}

/// A variable for each use, with its name in messages if the object newly uses it; and the list of these variables.
pub(in crate::admission) fn looks(uses: &[Use<'_>]) -> (Vec<(String, String)>, String) {
    let look = |(used, name): (&Use<'_>, &String)| {
        let is_new = used.is_new("variables.now", "variables.before");
        (name.clone(), format!("{} && {is_new} ? {} : ''", used.location(), text(&used.name)))
    };
    let names = names(uses);
    let all = names.iter().map(|name| format!("variables.{name}")).collect::<Vec<_>>().join(", ");
    (uses.iter().zip(&names).map(look).collect(), format!("[{all}].filter(path, path != '')"))
}

/// Variables as a policy has them.
pub(in crate::admission) fn written(variables: Vec<(String, String)>) -> Vec<Value> {
    variables.into_iter().map(|(name, expression)| json!({ "name": name, "expression": expression })).collect()
}

/// A name for each, that a variable of CEL may have.
fn names(uses: &[Use<'_>]) -> Vec<String> {
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
