//! The life of an element: since when it is in experimental, what changed since then, and where it came from.
//!
//! Written rules:
//! * A change counts if it could break users: the rules of `diff` would require more than a minor bundle if it were in standard. Texts do not count, and loosened
//!   constraints count if the project asks for that.
//! * A declared rename (a tombstone with a replacement) keeps the age of an element, and counts as a change.
//! * A move to another struct, and a return after a removal, start a new life.
//! * An element is one thing in all API versions. A new API version is not compared with an older one.
//!
//! Invariants: a life is the unbroken run of releases, in the order of their versions, that have the element in experimental and not in standard.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::{BundleVersion, Release, Released};
use crd_compat::policy::Policy;
use crd_compat::tombstone::Tombstone;
use crd_compat::{Channels, Comparison, Declared, Direction, Finding, RequiredBump};
use crd_model::channel::Channel;
use crd_model::inventory::{Element, Inventory, Kind};
use crd_model::{Profile, parallel};
use serde::{Serialize, Serializer};

use crate::day::day_if_known;
use crate::element::id;

/// A bundle with its release date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dated {
    /// The bundle.
    pub bundle: BundleVersion,
    /// Its release date; none if it is not released, or if the date is unknown.
    #[serde(serialize_with = "day_if_known")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub date: Option<Released>,
}

/// A change that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The rule of `diff`.
    pub rule: &'static str,
    /// The schema path.
    pub path: String,
    /// What happened, in one sentence.
    pub message: String,
}

/// The life of an element up to a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Life {
    /// The first bundle that has it.
    pub first: Dated,
    /// The last bundle that changed it; the first one if there is none.
    pub unchanged_since: Dated,
    /// What changed in that bundle. Empty if it is the first one.
    pub changes: Vec<Change>,
    /// The number of minor series with a release that has it.
    pub minors: usize,
    /// Its older names, the newest first, each with the bundle that has the next one.
    #[serde(serialize_with = "ancestors")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Ancestor>"))]
    pub ancestors: Vec<(Element, BundleVersion)>,
}

/// An older name of an element.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Ancestor {
    /// The name.
    name: String,
    /// The bundle that has the next name.
    renamed_in: BundleVersion,
}

fn ancestors<S: Serializer>(all: &[(Element, BundleVersion)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(|(old, until)| Ancestor { name: id(old), renamed_in: *until }))
}

/// A finding about experimental between two neighbouring releases, as if it were standard.
struct Step {
    crd: String,
    version: Option<String>,
    path: String,
    change: Change,
}

struct Rename {
    since: BundleVersion,
    old: Element,
    new: Element,
}

/// The releases of a project, with what each of them has and changed.
pub struct Lives<'t> {
    releases: &'t [Release],
    present: Vec<BTreeMap<Channel, BTreeMap<&'t str, Inventory>>>,
    /// By the index of the later release.
    steps: Vec<Vec<Step>>,
    renames: Vec<Rename>,
}

impl<'t> Lives<'t> {
    /// Compares every release with the one before it. `declared` is what the tombstones declare. `loosening_counts` is true if loosened constraints count as changes.
    pub fn new(releases: &'t [Release], tombstones: &[Tombstone], declared: &Declared, loosening_counts: bool) -> Self {
        let all = releases.iter().collect::<Vec<&'t Release>>();
        let present = parallel::each(&all, |release| {
            let release: &'t Release = release;
            let of_channel = |channel: &Channel| {
                let crds = release.of_channel(*channel).iter();
                (*channel, crds.map(|crd| (&*crd.name, Inventory::of(crd))).collect())
            };
            release.channels.keys().map(of_channel).collect()
        });
        let pairs = releases.windows(2).collect::<Vec<_>>();
        let compared = parallel::each(&pairs, |pair| match pair {
            [old, new] => steps(old, new, declared, loosening_counts),
            _ => Vec::new(),
        });
        let steps = std::iter::once(Vec::new()).chain(compared).collect();
        Self { releases, present, steps, renames: tombstones.iter().filter_map(rename).collect() }
    }

    pub fn releases(&self) -> &'t [Release] {
        self.releases
    }

    /// The version and the date of a release.
    pub(crate) fn dated(&self, release: usize) -> Option<Dated> {
        let release = self.releases.get(release)?;
        Some(Dated { bundle: release.version?, date: release.released })
    }

    /// Whether a channel of a release has an element.
    pub fn has(&self, release: usize, channel: Channel, element: &Element) -> bool {
        let channels = self.present.get(release).and_then(|channels| channels.get(&channel));
        channels.and_then(|crds| crds.get(&*element.crd)).is_some_and(|presence| presence.has(element))
    }

    /// The elements of a channel of a release.
    pub fn elements(&self, release: usize, channel: Channel) -> impl Iterator<Item = &Element> {
        let channels = self.present.get(release).and_then(|channels| channels.get(&channel));
        channels.into_iter().flat_map(|crds| crds.values().flat_map(Inventory::iter))
    }

    fn is_experimental(&self, release: usize, element: &Element) -> bool {
        self.has(release, Channel::Experimental, element) && !self.has(release, Channel::Standard, element)
    }

    /// The name that an element had before a release that renamed it; the same name otherwise.
    fn before(&self, release: usize, element: &Element) -> Option<Element> {
        let version = self.releases.get(release)?.version?;
        self.renames.iter().filter(|rename| rename.since == version).find_map(|rename| renamed_back(rename, element))
    }

    /// The name and the index of the release before this one, if the element was only experimental there.
    pub fn earlier(&self, release: usize, element: &Element) -> Option<(usize, Element)> {
        let previous = release.checked_sub(1)?;
        if self.is_experimental(previous, element) {
            return Some((previous, element.clone()));
        }
        let old = self.before(release, element)?;
        self.is_experimental(previous, &old).then_some((previous, old))
    }

    /// The life of an element that is only in experimental in this release.
    pub fn of(&self, release: usize, element: &Element) -> Option<Life> {
        let (mut index, mut name) = (release, element.clone());
        let mut ancestors = Vec::new();
        let mut last_change: Option<(usize, Vec<Change>)> = None;
        let mut minors = BTreeSet::new();
        loop {
            let version = self.releases.get(index)?.version?;
            minors.insert((version.major, version.minor));
            let Some((previous, old)) = self.earlier(index, &name) else { break };
            let mut changes = self.changes(index, &name);
            if old != name {
                let message = format!("`{}` was renamed to `{}`", id(&old), id(&name));
                changes.push(Change { rule: "renamed", path: name.path.clone(), message });
                ancestors.push((old.clone(), version));
            }
            if last_change.is_none() && !changes.is_empty() {
                last_change = Some((index, changes));
            }
            (index, name) = (previous, old);
        }
        let (changed, changes) = last_change.unwrap_or((index, Vec::new()));
        let (first, unchanged_since) = (self.dated(index)?, self.dated(changed)?);
        Some(Life { first, unchanged_since, changes, minors: minors.len(), ancestors })
    }

    /// The changes of an element between a release and the one before it.
    pub fn changes(&self, release: usize, element: &Element) -> Vec<Change> {
        let steps = self.steps.get(release).into_iter().flatten();
        let about = |step: &&Step| {
            step.crd == element.crd
                && match element.kind {
                    Kind::Version => step.version.as_ref() == Some(&element.name),
                    _ => element.contains(&step.path) && (element.kind == Kind::Resource || !step.path.is_empty()),
                }
        };
        let mut changes: Vec<Change> = Vec::new();
        for step in steps.filter(about) {
            // Several API versions have the same change.
            if !changes.contains(&step.change) {
                changes.push(step.change.clone());
            }
        }
        changes
    }
}

/// The changes of experimental that count.
fn steps(old: &Release, new: &Release, declared: &Declared, loosening_counts: bool) -> Vec<Step> {
    let crds = |release: &Release, other: &Release| {
        let other = other.of_channel(Channel::Experimental);
        // Equal CRDs have no changes.
        let crds = release.of_channel(Channel::Experimental).iter().filter(|crd| !other.contains(crd));
        crds.cloned().collect::<Vec<_>>()
    };
    let (old, new) = (crds(old, new), crds(new, old));
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    // New names count as graduated: they need no experimental stage here.
    let baseline = Channels::from([(Channel::Standard, old), (Channel::Experimental, new.clone())]);
    let candidate = Channels::from([(Channel::Standard, new)]);
    let findings = Comparison::new(&baseline, &candidate, Policy::from(Profile::Gep922), declared).findings();
    findings.into_iter().filter(|finding| counts(finding, loosening_counts)).map(step).collect()
}

/// Whether a change could break users.
fn counts(finding: &Finding, loosening_counts: bool) -> bool {
    let breaks = match finding.required_bump {
        RequiredBump::None | RequiredBump::Patch | RequiredBump::Minor => false,
        RequiredBump::Major | RequiredBump::Waiver | RequiredBump::NotAllowed => true,
    };
    breaks || (loosening_counts && finding.direction == Some(Direction::Loosened))
}

fn step(finding: Finding) -> Step {
    let Finding { rule, crd, version, path, message, .. } = finding;
    Step { crd, version, change: Change { rule, path: path.clone(), message }, path }
}

fn rename(tombstone: &Tombstone) -> Option<Rename> {
    let replacement = tombstone.replacement.as_deref()?;
    let since = tombstone.removed.parse().ok()?;
    let old = &tombstone.name;
    let new = match old.kind {
        Kind::Resource => Element::resource(replacement),
        Kind::Field | Kind::Value => Element::at(&old.crd, old.kind, old.place(), replacement),
        Kind::Version | Kind::Rule | Kind::Constraint => return None,
    };
    let old = old.clone();
    Some(Rename { since, old, new })
}

/// The old name of an element that a rename concerns: the renamed element, or one below it.
fn renamed_back(rename: &Rename, element: &Element) -> Option<Element> {
    let Rename { old, new, .. } = rename;
    if element.crd != new.crd {
        return None;
    }
    match new.kind {
        Kind::Resource => Some(Element { crd: old.crd.clone(), ..element.clone() }),
        Kind::Field => {
            let rest = element.path.strip_prefix(&new.path).filter(|_| new.covers(element))?;
            let name = if element.is_same(new) { &old.name } else { &element.name };
            Some(Element { path: format!("{}{rest}", old.path), name: name.clone(), ..element.clone() })
        }
        _ => element.is_same(new).then(|| old.clone()),
    }
}
