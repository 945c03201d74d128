//! What moving from experimental to standard loses, by resource.
//!
//! Invariants: the same name in several API versions is one entry; the content of a version that standard does not serve is not listed with
//! that version.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::schema::SchemaPath;

use super::bundles::Bundles;
use crd_stamps::experimental_only::{Element, experimental_only};

/// What one resource loses.
pub(super) struct Losses<'a> {
    pub(super) crd: &'a CustomResourceDefinition,
    /// True if standard has no such resource; nothing else is listed then.
    pub(super) whole: bool,
    /// API versions that standard does not serve.
    pub(super) versions: Vec<String>,
    /// Fields and values, by path.
    pub(super) parts: Vec<Part>,
}

/// A field or values that standard has not.
pub(super) struct Part {
    pub(super) path: SchemaPath,
    pub(super) element: Element,
    /// The API versions that have it; none if those are all that both channels serve.
    pub(super) versions: Vec<String>,
}

/// What each resource loses that loses anything; none if the release has not both channels.
pub(super) fn losses<'a>(bundles: &Bundles<'a>) -> Vec<Losses<'a>> {
    let (Some(standard), Some(experimental)) =
        (bundles.new.get(&Channel::Standard), bundles.new.get(&Channel::Experimental))
    else {
        return Vec::new();
    };
    let found = experimental.iter().map(|(name, crd)| of(standard.get(name).copied(), crd));
    found.filter(|losses| losses.whole || !losses.versions.is_empty() || !losses.parts.is_empty()).collect()
}

fn of<'a>(standard: Option<&CustomResourceDefinition>, crd: &'a CustomResourceDefinition) -> Losses<'a> {
    let found = experimental_only(standard, crd);
    let is_version = |element: &Element| matches!(element, Element::Version { .. });
    let unserved = found.iter().filter(|only| is_version(&only.element)).filter_map(|only| only.version.clone());
    let unserved = unserved.collect::<BTreeSet<_>>();
    let served = crd.versions.iter().filter(|version| version.served);
    let both = served.map(|version| version.name.to_string()).filter(|name| !unserved.contains(name));
    let both = both.collect::<BTreeSet<_>>();
    let mut parts: BTreeMap<(SchemaPath, String), (Element, BTreeSet<String>)> = BTreeMap::new();
    for only in &found {
        let Some(version) = only.version.as_ref().filter(|version| both.contains(*version)) else { continue };
        let key = (only.path.clone(), format!("{:?}", only.element));
        parts.entry(key).or_insert_with(|| (only.element.clone(), BTreeSet::new())).1.insert(version.clone());
    }
    let parts = parts.into_iter().map(|((path, _), (element, versions))| {
        let versions = if versions == both { Vec::new() } else { versions.into_iter().collect() };
        Part { path, element, versions }
    });
    // A version that experimental does not serve either is not a loss.
    let versions = crd.versions.iter().filter(|version| version.served && unserved.contains(&*version.name));
    Losses {
        crd,
        whole: found.iter().any(|only| only.element == Element::Resource),
        versions: versions.map(|version| version.name.to_string()).collect(),
        parts: parts.collect(),
    }
}
