//! The resources of a site over all releases.
//!
//! Invariants: resources and versions have the order of their names. The work of each resource is independent of other resources.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crd_cel::Expression;
use crd_cel::estimate::Estimator;
use crd_model::channel::Channel;
use crd_model::crd::Version;
use crd_model::{CustomResourceDefinition, Schema, parallel};

use crate::Site;
use crate::state::{ABSENT, Interner, facts};
use crate::tree::{Builder, ByChannel, CHANNELS, ChangePoints, Node, Row, push};

/// A resource over all releases.
#[derive(Debug)]
pub(crate) struct Resource<'s> {
    /// Its CRD in the newest release that has it, in its most stable channel.
    pub(crate) newest: &'s CustomResourceDefinition,
    /// Whether each channel has it.
    pub(crate) presence: ChangePoints,
    pub(crate) sizes: ChangePoints,
    pub(crate) versions: Vec<ResourceVersion<'s>>,
    /// The states of its nodes, by index.
    pub(crate) states: Vec<String>,
    /// The facts of its versions, by index.
    pub(crate) facts: Vec<String>,
}

/// An API version of a resource over all releases.
#[derive(Debug)]
pub(crate) struct ResourceVersion<'s> {
    pub(crate) name: &'s str,
    /// Its facts, by index.
    pub(crate) facts: ChangePoints,
    /// The root of its schema.
    pub(crate) root: Node<'s>,
    /// The costs of its rules in the newest release.
    pub(crate) costs: Costs,
}

/// The estimated costs of the rules of an API version in the newest release.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    /// By path, one for each rule; [`ABSENT`] of a rule that has no estimate.
    pub(crate) rules: HashMap<String, ByChannel<Vec<i64>>>,
    /// Their sum with those of message expressions; [`ABSENT`] where the channel does not have the version.
    pub(crate) totals: ByChannel<i64>,
}

/// A CRD in each channel that has it.
type Crds<'s> = ByChannel<Option<&'s CustomResourceDefinition>>;

/// The resources of a site.
pub(crate) fn resources(site: &Site) -> Vec<Resource<'_>> {
    let has_text = site.releases.iter().map(|release| release.has_text).collect::<Vec<_>>();
    // By name, the CRD in each release and channel.
    let mut rows: BTreeMap<&str, Vec<(usize, Crds<'_>)>> = BTreeMap::new();
    for (index, release) in site.releases.iter().enumerate() {
        let mut crds: BTreeMap<&str, Crds<'_>> = BTreeMap::new();
        for (slot, channel) in Channel::ALL.into_iter().enumerate() {
            for crd in release.release.of_channel(channel) {
                if let Some(place) = crds.entry(&crd.name).or_default().get_mut(slot) {
                    *place = Some(crd);
                }
            }
        }
        crds.into_iter().for_each(|(name, crds)| rows.entry(name).or_default().push((index, crds)));
    }
    let rows = rows.into_iter().collect::<Vec<_>>();
    parallel::each(&rows, |(name, rows)| resource(site, name, rows, &has_text)).into_iter().flatten().collect()
}

fn resource<'s>(
    site: &'s Site,
    name: &str,
    rows: &[(usize, ByChannel<Option<&'s CustomResourceDefinition>>)],
    has_text: &[bool],
) -> Option<Resource<'s>> {
    let newest = rows.iter().rev().find_map(|(_, crds)| crds.iter().flatten().next().copied())?;
    let count = site.releases.len();
    let (mut presence, mut sizes) = (ChangePoints::default(), ChangePoints::default());
    for release in 0..count {
        let crds = rows.iter().find(|(index, _)| *index == release).map_or([None; CHANNELS], |(_, crds)| *crds);
        presence.add(release, crds.map(|crd| i64::from(crd.is_some())), 0);
        let mut slot = Channel::ALL.into_iter();
        let size = |_| {
            let channel = slot.next()?;
            site.sizes.get(&(release, channel)).and_then(|sizes| sizes.get(name)).copied()
        };
        let bytes = [(); CHANNELS].map(size).map(|bytes| bytes.and_then(|bytes| i64::try_from(bytes).ok()));
        sizes.add(release, bytes.map(|bytes| bytes.unwrap_or(ABSENT)), ABSENT);
    }
    let names = rows.iter().flat_map(|(_, crds)| crds.iter().flatten()).flat_map(|crd| &crd.versions);
    let names = names.map(|version| &*version.name).collect::<BTreeSet<_>>();
    let (mut builder, mut of_versions) = (Builder { states: Interner::default(), has_text }, Interner::default());
    let versions = names.into_iter().map(|name| {
        let find =
            |crd: Option<&'s CustomResourceDefinition>| crd?.versions.iter().find(|version| version.name == name);
        let (mut points, mut below) = (ChangePoints::default(), Vec::new());
        let mut last: ByChannel<(Option<&Version>, i64)> = [(None, ABSENT); CHANNELS];
        let mut next = 0;
        for (release, crds) in rows {
            let found = crds.map(find);
            if *release > next {
                points.add(next, [ABSENT; CHANNELS], ABSENT);
            }
            next = release + 1;
            for (last, version) in last.iter_mut().zip(found) {
                *last = match (*last, version) {
                    (_, None) => (None, ABSENT),
                    ((Some(known), index), Some(version)) if std::ptr::eq(known, version) => (Some(known), index),
                    (_, Some(version)) => (Some(version), of_versions.index(facts(version))),
                };
            }
            points.add(*release, last.map(|(_, index)| index), ABSENT);
            if found.iter().any(Option::is_some) {
                let schemas = found.map(|version| version.map(|version| &version.schema));
                push(&mut below, Row { from: *release, to: release + 1, schemas });
            }
        }
        if next < count {
            points.add(next, [ABSENT; CHANNELS], ABSENT);
        }
        let root = builder.node(None, &below);
        let in_newest = below.last().filter(|row| row.to == count).map_or([None; CHANNELS], |row| row.schemas);
        ResourceVersion { name, facts: points, root, costs: costs(in_newest) }
    });
    let versions = versions.collect();
    let (states, facts) = (builder.states.into_texts(), of_versions.into_texts());
    Some(Resource { newest, presence, sizes, versions, states, facts })
}

/// The costs of the rules of schemas.
fn costs(schemas: ByChannel<Option<&Schema>>) -> Costs {
    let mut costs = Costs { rules: HashMap::new(), totals: [ABSENT; CHANNELS] };
    let bounded = |cost: u64| i64::try_from(cost).unwrap_or(i64::MAX);
    for (slot, schema) in schemas.into_iter().enumerate() {
        let Some(schema) = schema else { continue };
        let estimate = Estimator::new(schema).worst();
        if let Some(total) = costs.totals.get_mut(slot) {
            *total = bounded(estimate.total);
        }
        for rule in estimate.rules.iter().filter(|rule| rule.expression == Expression::Rule) {
            let of_node = costs.rules.entry(rule.path.clone()).or_default();
            let Some(of_node) = of_node.get_mut(slot) else { continue };
            if of_node.len() <= rule.index {
                of_node.resize(rule.index + 1, ABSENT);
            }
            if let Some(cost) = of_node.get_mut(rule.index) {
                *cost = bounded(rule.cost);
            }
        }
    }
    costs
}
