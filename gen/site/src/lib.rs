//! The API reference in the browser: one HTML file without network access, from the releases of a project.
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-release`, `crd-cluster` or `ureq`.
//!
//! Invariants: pure functions over values: no clock, files or network. The same input gives the same bytes. Text of CRDs is never markup.

mod clients;
mod data;
mod difference;
mod page;
mod picture;
mod reference;
mod resources;
mod state;
mod text;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crd_bundle::Release;
use crd_model::channel::Channel;
use crd_model::parallel;
use serde::Serialize;
use serde_json::Value;

/// The last line of a page.
pub const GENERATED: &str = "<!-- Written by `crd-channels docs`. -->\n";

/// What a site is made from.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// The name of the project.
    pub name: String,
    /// Its releases, lowest version first. The last one is shown first.
    pub releases: Vec<SiteRelease>,
    /// The channels that any release has, the most stable first.
    pub channels: Vec<Channel>,
    /// The JSON documents of `diff` for each release and the next one.
    pub differences: Vec<Value>,
    /// The tombstones: objects with the keys `crd`, `kind`, `path`, `name`, `removed`, `reason` and `replacement`.
    pub removed: Vec<Value>,
    /// The lenses in words, as `conversions` prints them, without examples.
    pub conversions: Vec<Value>,
    /// The document `graduation.json`.
    pub graduation: Option<Value>,
    /// What needs features: objects with the keys `crd`, `path`, `value` and `features`, and the projects that pass one of them, `passing`.
    pub features: Vec<Value>,
    /// By the index of a release and a channel, the bytes of CRDs as kubectl writes them into an annotation, by name.
    pub sizes: BTreeMap<(usize, Channel), BTreeMap<String, usize>>,
    /// The bytes that Helm stores of the chart of each channel of the newest release.
    pub charts: BTreeMap<Channel, usize>,
}

/// A release of a site.
#[derive(Clone, Debug)]
pub struct SiteRelease {
    pub release: Release,
    /// What it is called: its version, or a word if it has none.
    pub label: String,
    /// Whether it is the candidate.
    pub is_unreleased: bool,
    /// Whether its CRDs have descriptions.
    pub has_text: bool,
}

impl SiteRelease {
    /// A release that is called so.
    pub fn new(release: Release, label: String, is_unreleased: bool) -> Self {
        Self { has_text: release.has_text(), release, label, is_unreleased }
    }
}

/// A page, and what it contains.
#[derive(Clone, Debug)]
pub struct Page {
    pub html: String,
    pub counts: Counts,
}

/// What a page contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Releases.
    pub releases: usize,
    /// Resources of all releases.
    pub resources: usize,
    /// API versions of these resources.
    pub versions: usize,
    /// Fields, list items and map values of these versions.
    pub fields: usize,
    /// Findings of all neighbours.
    pub findings: usize,
    /// Bytes of the packed data.
    #[serde(rename = "dataBytes")]
    pub data: usize,
}

/// Why a page cannot be made: an error in this crate.
#[derive(Debug)]
pub struct SiteError(String);

impl fmt::Display for SiteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for SiteError {}

/// The page of a site.
///
/// # Errors
/// The template has an error, or the data cannot be packed. Both are errors in this crate.
pub fn page(site: &Site) -> Result<Page, SiteError> {
    let data = || {
        let mut resources = resources::resources(site);
        let json = data::json(site, &mut resources);
        let (packed, pictures) = parallel::both(|| data::packed(&json), || picture::pictures(site, &resources));
        (resources, packed, pictures)
    };
    let ((resources, packed, pictures), reference) = parallel::both(data, || reference::reference(site));
    let packed = packed.map_err(|error| SiteError(error.to_string()))?;
    let parts = page::Parts { name: &site.name, data: &packed, pictures: &pictures, reference: &reference };
    let html = page::page(&parts).map_err(|error| SiteError(error.to_string()))?;
    let html = format!("{}\n{GENERATED}", html.trim_end());
    let versions = resources.iter().flat_map(|resource| &resource.versions);
    let counts = Counts {
        releases: site.releases.len(),
        resources: resources.len(),
        versions: versions.clone().count(),
        fields: versions.map(|version| version.root.count() - 1).sum(),
        findings: site
            .differences
            .iter()
            .filter_map(|document| {
                let more = document.get("more").and_then(Value::as_u64).and_then(|more| usize::try_from(more).ok());
                Some(document.get("findings")?.as_array()?.len() + more.unwrap_or_default())
            })
            .sum(),
        data: packed.len(),
    };
    Ok(Page { html, counts })
}

/// The channels of releases, the most stable first.
pub fn channels(releases: &[SiteRelease]) -> Vec<Channel> {
    let channels = releases.iter().flat_map(|release| release.release.channels.keys().copied());
    channels.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Domains in which many projects have their groups.
const SHARED_DOMAINS: [&str; 3] = ["k8s.io", "x-k8s.io", "kubernetes.io"];

/// The API group of the newest release: the domain of all groups, otherwise the group with most of its resources, otherwise the first group.
pub fn group(releases: &[SiteRelease]) -> String {
    let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, crd) in releases.last().into_iter().flat_map(|release| release.release.crds()) {
        groups.entry(&crd.group).or_default().insert(&crd.name);
    }
    let all: usize = groups.values().map(BTreeSet::len).sum();
    let Some((first, _)) = groups.first_key_value() else { return "CRDs".to_owned() };
    let is_below = |group: &str, domain: &str| {
        group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let domains = first.match_indices('.').filter_map(|(dot, _)| first.get(dot + 1..));
    let domains = domains.filter(|domain| domain.contains('.') && !SHARED_DOMAINS.contains(domain));
    let domain =
        std::iter::once(*first).chain(domains).find(|domain| groups.keys().all(|group| is_below(group, domain)));
    let most = || groups.iter().find(|(_, crds)| crds.len() * 2 > all).map(|(most, _)| *most);
    domain.or_else(most).unwrap_or(first).to_owned()
}
