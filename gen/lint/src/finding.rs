//! The findings of conventions in CRDs, and which of them are new.
//!
//! Invariants: a finding is about one declaration, in all of its places. What has one origin in Rust is one declaration. Without Rust, nodes that are equal, below equal
//! parents by the same name, are. What both channels have is a finding of standard.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_model::channel::Channel;
use crd_model::schema::Schema;
use crd_model::schema::{SchemaPath, Step, nodes};
use crd_model::{Channels, CustomResourceDefinition, parallel};

use crate::known::{is_known, is_of_pod};
use crate::rule::{Convention, Node, Problem};

/// A problem of a declaration.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Convention,
    /// The channel: experimental, if only that channel has it.
    pub channel: Channel,
    pub problem: Problem,
    /// Where the declaration is, sorted; at least one place.
    pub places: Vec<Place>,
    /// Whether no place of the declaration has the problem in the baseline.
    pub is_new: bool,
    /// Whether the baseline has it in experimental, and it is in standard from now on.
    pub graduates: bool,
}

/// A node of a CRD.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The name of the CRD.
    pub crd: String,
    pub version: String,
    /// The path of the node; empty for the root.
    pub path: String,
}

/// A problem at one place.
struct Occurrence<'s> {
    rule: &'static Convention,
    problem: Problem,
    place: Place,
    declared: Declared<'s>,
}

/// What makes two places one declaration without Rust: the node, and the one that contains it with the step between them. Of a root, the name of its CRD.
type Declared<'s> = (&'s Schema, Option<(&'s Schema, Step)>, Option<&'s str>);

/// What a channel of the baseline has: the rule and part of each problem, with its CRD, API version and path. Without a version, it is in any; without a rule, it
/// is a served version.
type Known = BTreeSet<(&'static str, Option<String>, String, String, String)>;

/// Where a place comes from in Rust.
pub type Origin<'o> = &'o dyn Fn(&Place) -> Option<String>;

/// Every finding of these conventions in the served versions of a candidate, by rule and place. Without a baseline, all are new. `moved` are the new names of
/// CRDs of the baseline.
#[must_use]
pub fn findings(
    rules: &[&'static Convention],
    candidate: &Channels,
    baseline: Option<&Channels>,
    moved: &BTreeMap<String, String>,
) -> Vec<Finding> {
    findings_of_types(rules, candidate, baseline, moved, &|_| None)
}

/// The same for a candidate that comes from Rust types.
#[must_use]
pub fn findings_of_types(
    rules: &[&'static Convention],
    candidate: &Channels,
    baseline: Option<&Channels>,
    moved: &BTreeMap<String, String>,
    origin: Origin<'_>,
) -> Vec<Finding> {
    let known = |channel: Channel| match baseline.and_then(|channels| channels.get(&channel)) {
        Some(crds) => known(rules, crds, moved),
        None => Known::new(),
    };
    let experimental = known(Channel::Experimental);
    let mut found: Vec<Finding> = Vec::new();
    for (channel, crds) in candidate {
        let known = known(*channel);
        let mut of_channel = declarations(*channel, occurrences(rules, crds), origin);
        for finding in &mut of_channel {
            finding.is_new = !has(&known, finding);
            finding.graduates = *channel == Channel::Standard && finding.is_new && has(&experimental, finding);
        }
        found.extend(of_channel);
    }
    let identities = |finding: &Finding, place: &Place| {
        let (rule, part) = (finding.rule.name, finding.problem.part.clone());
        let of_place = [Some(format!("{place:?}")), origin(place)].into_iter().flatten();
        of_place.map(|of_place| (rule, part.clone(), of_place)).collect::<Vec<_>>()
    };
    let (mut found, experimental): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|finding| finding.channel == Channel::Standard);
    let of_standard =
        |finding: &Finding| finding.places.iter().flat_map(|place| identities(finding, place)).collect::<Vec<_>>();
    let standard = found.iter().flat_map(of_standard).collect::<BTreeSet<_>>();
    found.extend(experimental.into_iter().map(|mut finding| {
        let places = std::mem::take(&mut finding.places).into_iter();
        finding.places = places
            .filter(|place| !identities(&finding, place).iter().any(|of_place| standard.contains(of_place)))
            .collect();
        finding
    }));
    found.retain(|finding| !finding.places.is_empty());
    found.sort_by(|one, other| (one.rule.name, &one.places).cmp(&(other.rule.name, &other.places)));
    found
}

/// The findings about values of one `enum` as one finding, which names all of them.
#[must_use]
pub fn by_enum(found: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, Vec<String>)> = Vec::new();
    for finding in found {
        let values = finding.problem.part.iter().cloned().collect::<Vec<_>>();
        let is_same = |other: &Finding| {
            let of = |finding: &Finding| (finding.rule.name, finding.channel, finding.is_new, finding.graduates);
            finding.rule.name == "enum-case" && of(other) == of(&finding)
        };
        // They are sorted by place.
        let mut of_place = merged.iter_mut().rev().take_while(|(other, _)| other.places == finding.places);
        match of_place.find(|(other, _)| is_same(other)) {
            Some((_, known)) => known.extend(values),
            None => merged.push((finding, values)),
        }
    }
    let named = merged.into_iter().map(|(mut finding, values)| {
        if values.len() > 1 {
            let values = values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
            finding.problem.message = format!("the enum values {values} are not in CamelCase");
        }
        finding
    });
    named.collect()
}

fn known(
    rules: &[&'static Convention],
    crds: &[Arc<CustomResourceDefinition>],
    moved: &BTreeMap<String, String>,
) -> Known {
    let served = crds
        .iter()
        .flat_map(|crd| crd.versions.iter().filter(|version| version.served).map(move |version| (crd, version)));
    let served = served.map(|(crd, version)| ("", None, crd.name.to_string(), version.name.to_string(), String::new()));
    let mut known = served.collect::<Known>();
    for Occurrence { rule, problem, place, .. } in occurrences(rules, crds) {
        for crd in [Some(&place.crd), moved.get(&place.crd)].into_iter().flatten() {
            for version in ["", &place.version] {
                known.insert((rule.name, problem.part.clone(), crd.clone(), version.to_owned(), place.path.clone()));
            }
        }
    }
    known
}

/// Whether a place of the finding has the problem: in its API version, or if that is new, in any.
fn has(known: &Known, Finding { rule, problem, places, .. }: &Finding) -> bool {
    places.iter().cloned().any(|Place { crd, version, path }| {
        let is_served = known.contains(&("", None, crd.clone(), version.clone(), String::new()));
        known.contains(&(rule.name, problem.part.clone(), crd, if is_served { version } else { String::new() }, path))
    })
}

/// The problems of each declaration.
fn declarations(channel: Channel, occurrences: Vec<Occurrence<'_>>, origin: Origin<'_>) -> Vec<Finding> {
    let mut found = BTreeMap::<_, Vec<(Declared<'_>, Finding)>>::new();
    for Occurrence { rule, problem, place, declared } in occurrences {
        let origin = origin(&place);
        let is_in_rust = origin.is_some();
        let alike = found.entry((rule.name, problem.message.clone(), problem.part.clone(), origin)).or_default();
        match alike.iter_mut().find(|(known, _)| is_in_rust || *known == declared) {
            Some((_, finding)) => finding.places.push(place),
            None => {
                let finding = Finding { rule, channel, problem, places: vec![place], is_new: true, graduates: false };
                alike.push((declared, finding));
            }
        }
    }
    let mut found = found.into_values().flatten().map(|(_, finding)| finding).collect::<Vec<_>>();
    found.iter_mut().for_each(|finding| finding.places.sort());
    found
}

fn occurrences<'s>(rules: &[&'static Convention], crds: &'s [Arc<CustomResourceDefinition>]) -> Vec<Occurrence<'s>> {
    let crds = crds.iter().map(|crd| &**crd).collect::<Vec<_>>();
    parallel::each(&crds, |crd| of_crd(rules, crd)).into_iter().flatten().collect()
}

fn of_crd<'s>(rules: &[&'static Convention], crd: &'s CustomResourceDefinition) -> Vec<Occurrence<'s>> {
    let mut found = Vec::new();
    for version in crd.versions.iter().filter(|version| version.served) {
        let mut skipped: Option<SchemaPath> = None;
        for (path, schema) in nodes(&version.schema) {
            if skipped.as_ref().is_some_and(|above| path.steps().starts_with(above.steps())) || is_fixed(&path) {
                continue;
            }
            let parent = path.above().and_then(|above| above.node(&version.schema));
            let name = match path.steps().last() {
                Some(Step::Field(name)) => Some(&**name),
                _ => None,
            };
            let is_of_pod = name.zip(parent).is_some_and(|(name, parent)| is_of_pod(name, parent));
            if is_of_pod || is_known(schema) {
                skipped = Some(path.clone());
            }
            if is_of_pod {
                continue;
            }
            let node = Node { crd, version, path: &path, name, schema, parent };
            for rule in rules {
                let mut problems = Vec::new();
                (rule.check)(&node, &mut problems);
                found.extend(problems.into_iter().map(|problem| Occurrence {
                    rule,
                    problem,
                    place: Place { crd: crd.name.to_string(), version: version.name.to_string(), path: path.text() },
                    declared: (
                        schema,
                        parent.zip(path.steps().last().cloned()),
                        parent.is_none().then_some(&*crd.name),
                    ),
                }));
            }
        }
    }
    found
}

/// Whether Kubernetes fixes the field for all objects.
fn is_fixed(path: &SchemaPath) -> bool {
    let fixed = ["apiVersion", "kind", "metadata"];
    matches!(path.steps().first(), Some(Step::Field(name)) if fixed.contains(&name.as_str()))
}
