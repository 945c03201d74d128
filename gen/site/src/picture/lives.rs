//! The life of everything experimental: from the release in which it came until it is in standard or gone.
//!
//! Invariants: what is below something experimental and lives within its life is not listed. A resource and an API version are listed by
//! their names.

use std::collections::{BTreeMap, BTreeSet};

use crd_model::schema::Step;

use super::figure::{Bar, Figure, Picture};
use super::time::Time;
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;
use crate::tree::{ByChannel, ChangePoints, Node};

/// How a life ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Standard,
    Removed,
    Lives,
}

impl End {
    /// The end in a release, in words.
    fn in_words(self, release: &str) -> String {
        match self {
            Self::Standard => format!("in standard since {release}"),
            Self::Removed => format!("removed in {release}"),
            Self::Lives => "still experimental".to_owned(),
        }
    }
}

/// A life. Releases are numbers on the time axis.
struct Life {
    path: String,
    from: usize,
    /// The release of the end; without one, the number of releases.
    to: usize,
    end: End,
    changes: Vec<usize>,
}

impl Life {
    /// Whether both begin, change and end together.
    fn is_like(&self, other: &Self) -> bool {
        (self.from, self.to, self.end, &self.changes) == (other.from, other.to, other.end, &other.changes)
    }
}

/// Where a path of a resource exists: by number on the time axis, whether standard and experimental have it, and whether it changed.
#[derive(Default, Clone)]
struct Presence {
    channels: Vec<ByChannel<bool>>,
    changes: BTreeSet<usize>,
}

const LEGEND: [(&str, &str); 4] =
    [("experimental", "experimental"), ("standard", "in standard"), ("change", "changed"), ("gone", "removed")];
/// The path of a resource.
const WHOLE: &str = "the resource";
/// The width of a picture on a narrow screen, in pixels.
const NARROWEST: f64 = 640.0;

pub(super) fn lives(site: &Site, time: &Time, resources: &[Resource<'_>]) -> Option<Figure> {
    if site.channels.len() < 2 || time.releases.len() < 2 {
        return None;
    }
    let label = |number: usize| time.label(site, number);
    let (mut bars, mut table, mut counts) = (Vec::new(), Vec::new(), [0_usize; 3]);
    for resource in resources {
        let kind = &*resource.newest.names.kind;
        let lives = of_resource(resource, time);
        for life in &lives {
            let words = life.end.in_words(&label(life.to));
            if let Some(count) = counts.get_mut(life.end as usize) {
                *count += 1;
            }
            let changes = life.changes.iter().map(|change| label(*change)).collect::<Vec<_>>().join(", ");
            table.push(vec![kind.to_owned(), life.path.clone(), label(life.from), changes, words]);
        }
        // Those that live in the same way have one bar.
        for alike in lives.chunk_by(|one, other| one.is_like(other)) {
            bars.extend(alike.first().map(|life| bar(site, time, kind, life, alike.len() - 1)));
        }
    }
    if bars.is_empty() {
        return None;
    }
    let [graduated, removed, live] = counts;
    let distances = if time.is_dated {
        "Time runs from left to right."
    } else {
        "Releases are at equal distances, because dates are unknown."
    };
    let axis = time.labels(site, |number| at_time(time, number) * NARROWEST);
    let axis = axis.into_iter().map(|(x, label)| (x / NARROWEST, label)).collect();
    Some(Figure {
        id: "lives",
        title: "The life of everything experimental",
        description: format!(
            "{} experimental fields, versions and resources: {graduated} are in standard, {removed} were removed, and {live} are still experimental.",
            graduated + removed + live
        ),
        caption: format!(
            "A bar starts in the first release that has a field, version or resource in experimental only. Fields below it that live as long are not \
             listed, and fields of a resource with equal lives have one bar. A dot is any change of its schema, also one that does not count for \
             graduation. {distances} Late patches of older minors are left out."
        ),
        legend: LEGEND.map(|(class, text)| (class, text.to_owned())).to_vec(),
        picture: Picture::Lives(axis, bars),
        columns: ["Kind", "Path", "Experimental from", "Changed in", "End"].map(str::to_owned).to_vec(),
        rows: table,
    })
}

/// Where a release is, as a share of the width. Both ends have room for half a label and for what lives on.
fn at_time(time: &Time, number: usize) -> f64 {
    0.03 + time.position(number) * 0.92
}

/// The bar of a life, and of so many more that are like it.
fn bar(site: &Site, time: &Time, kind: &str, life: &Life, more: usize) -> Bar {
    let label = |number: usize| time.label(site, number);
    let (from, right) = (at_time(time, life.from), 1.0);
    let to = if life.end == End::Lives { right } else { at_time(time, life.to) };
    let mut parts = vec![("experimental", from, to)];
    let mut dots = life.changes.iter().map(|change| ("change", at_time(time, *change))).collect::<Vec<_>>();
    match life.end {
        End::Standard => parts.push(("standard", to, right)),
        End::Removed => dots.push(("gone", to)),
        End::Lives => {}
    }
    let path = if life.path == WHOLE { String::new() } else { format!(" {}", life.path) };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let words = format!("since {}, {}", label(life.from), life.end.in_words(&label(life.to)));
    Bar { label: format!("{kind}{path}{more}"), words, parts, dots }
}

/// The lives in a resource.
fn of_resource(resource: &Resource<'_>, time: &Time) -> Vec<Life> {
    let mut presences: BTreeMap<Vec<String>, Presence> = BTreeMap::new();
    let (root, count) = (Vec::new(), time.releases.len());
    let whole = presences.entry(root).or_insert_with(|| Presence::empty(count));
    whole.add(&resource.presence, time, 0);
    for version in &resource.versions {
        let name = vec![format!("version {}", version.name)];
        presences.entry(name).or_insert_with(|| Presence::empty(count)).add(&version.facts, time, ABSENT);
        add(&mut presences, &mut Vec::new(), &version.root, time);
    }
    let mut lives: Vec<(Vec<String>, Life)> = Vec::new();
    for (path, presence) in &presences {
        for life in presence.lives(path) {
            let is_below = |above: &[String], other: &Life| {
                path.starts_with(above) && other.from <= life.from && other.to >= life.to
            };
            // A version is not above its fields: they can be in other versions too.
            if !lives.iter().any(|(above, other)| is_below(above, other)) {
                lives.push((path.clone(), life));
            }
        }
    }
    let mut lives = lives.into_iter().map(|(_, life)| life).collect::<Vec<_>>();
    lives.sort_by(|one, other| (one.from, &one.path).cmp(&(other.from, &other.path)));
    lives
}

/// Adds the properties below a node. Returns the releases in which anything changed, by number.
fn add(
    presences: &mut BTreeMap<Vec<String>, Presence>,
    path: &mut Vec<String>,
    node: &Node<'_>,
    time: &Time,
) -> BTreeSet<usize> {
    let mut changes = changes(&node.states, time);
    for child in &node.children {
        let depth = path.len();
        match (child.step, path.last_mut()) {
            (Some(Step::Field(name)), _) => path.push(name.to_owned()),
            (Some(Step::Item | Step::Value), Some(last)) => last.push_str("[*]"),
            _ => {}
        }
        let below = add(presences, path, child, time);
        if let Some(Step::Field(_)) = child.step {
            let presence = presences.entry(path.clone()).or_insert_with(|| Presence::empty(time.releases.len()));
            presence.add(&child.states, time, ABSENT);
            presence.changes.extend(&below);
            // What is added to a node, or removed from it, changes it.
            let ends = ends(&child.states, time);
            changes.extend(ends);
        }
        changes.extend(below);
        path.truncate(depth);
        if let (Some(Step::Item | Step::Value), Some(last)) = (child.step, path.last_mut()) {
            last.truncate(last.len().saturating_sub("[*]".len()));
        }
    }
    changes
}

/// The values of change points in the releases of the axis.
fn values(points: &ChangePoints, time: &Time, before: i64) -> Vec<ByChannel<i64>> {
    time.releases.iter().map(|release| points.at(*release, before)).collect()
}

/// Where the experimental state changes.
fn changes(points: &ChangePoints, time: &Time) -> BTreeSet<usize> {
    let values = values(points, time, ABSENT);
    let pairs = values.iter().zip(values.iter().skip(1)).enumerate();
    let changed = pairs.filter(|(_, ([_, old], [_, new]))| old != new && *old != ABSENT && *new != ABSENT);
    changed.map(|(number, _)| number + 1).collect()
}

/// Where a node begins or ends to exist in experimental.
fn ends(points: &ChangePoints, time: &Time) -> Vec<usize> {
    let values = values(points, time, ABSENT);
    let pairs = values.iter().zip(values.iter().skip(1)).enumerate();
    let changed = pairs.filter(|(_, ([_, old], [_, new]))| (*old == ABSENT) != (*new == ABSENT));
    changed.map(|(number, _)| number + 1).collect()
}

impl Presence {
    fn empty(count: usize) -> Self {
        Self { channels: vec![[false; 2]; count], changes: BTreeSet::new() }
    }

    fn add(&mut self, points: &ChangePoints, time: &Time, before: i64) {
        for (channels, values) in self.channels.iter_mut().zip(values(points, time, before)) {
            for (channel, value) in channels.iter_mut().zip(values) {
                *channel |= value > before;
            }
        }
    }

    fn lives(&self, path: &[String]) -> Vec<Life> {
        let mut lives: Vec<Life> = Vec::new();
        let mut from = None;
        let count = self.channels.len();
        for (number, channels) in self.channels.iter().enumerate() {
            match (from, channels) {
                (None, [false, true]) => from = Some(number),
                (Some(start), [true, _] | [false, false]) => {
                    let end = if channels[0] { End::Standard } else { End::Removed };
                    lives.push(self.life(path, start, number, end));
                    from = None;
                }
                _ => {}
            }
        }
        lives.extend(from.map(|start| self.life(path, start, count, End::Lives)));
        lives
    }

    fn life(&self, path: &[String], from: usize, to: usize, end: End) -> Life {
        let name = if path.is_empty() { WHOLE.to_owned() } else { path.join(".") };
        let changes = self.changes.iter().copied().filter(|change| *change > from && *change < to);
        Life { path: name, from, to, end, changes: changes.collect() }
    }
}
