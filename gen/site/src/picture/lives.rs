//! The life of everything experimental: from the release in which it came until it is in standard or gone.
//!
//! Invariants: what is below something experimental and lives within its life is not listed. A resource and an API version are listed by
//! their names.

use std::collections::{BTreeMap, BTreeSet};

use super::figure::{Anchor, Canvas, Figure, WIDTH, at, tail};
use super::time::Time;
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;
use crate::tree::{ByChannel, ChangePoints, Edge, Node};

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

/// Where a path of a resource exists: by number on the time axis, whether standard and experimental have it, and whether it changed.
#[derive(Default, Clone)]
struct Presence {
    channels: Vec<ByChannel<bool>>,
    changes: BTreeSet<usize>,
}

const LEGEND: [(&str, &str); 4] =
    [("experimental", "experimental"), ("standard", "in standard"), ("change", "changed"), ("gone", "removed")];
const ROW: f64 = 20.0;
const LEFT: f64 = 345.0;
/// The characters of a label that fit left of the bars.
const LABEL: usize = 44;
const TOP: f64 = 46.0;

/// The picture.
pub(super) fn lives(site: &Site, time: &Time, resources: &[Resource<'_>]) -> Option<Figure> {
    if site.channels.len() < 2 || time.releases.len() < 2 {
        return None;
    }
    let groups = resources.iter().map(|resource| (resource, of_resource(resource, time)));
    let groups = groups.filter(|(_, lives)| !lives.is_empty()).collect::<Vec<_>>();
    if groups.is_empty() {
        return None;
    }
    let right = WIDTH - 60.0;
    let x = |number: usize| LEFT + time.position(number) * (right - LEFT);
    let mut canvas = Canvas::default();
    let rows: usize = groups.iter().map(|(_, lives)| lives.len() + 1).sum();
    let bottom = TOP + at(rows) * ROW;
    time.axis(&mut canvas, site, (LEFT, right), (TOP, bottom));
    let label = |number: usize| time.label(site, number);
    let (mut y, mut table, mut counts) = (TOP, Vec::new(), [0_usize; 3]);
    for (resource, lives) in &groups {
        let kind = &*resource.newest.names.kind;
        canvas.text((0.0, y + 15.0), Anchor::Start, "strong", &tail(kind, 60));
        canvas.line((0.0, y + 1.0), (WIDTH, y + 1.0), "grid");
        y += ROW;
        for life in lives {
            let words = life.end.in_words(&label(life.to));
            if let Some(count) = counts.get_mut(life.end as usize) {
                *count += 1;
            }
            let tip = format!("{kind} {}: experimental from {}, {words}", life.path, label(life.from));
            bar(&mut canvas, life, (y, right), &x, &tip);
            for change in &life.changes {
                canvas.dot((x(*change), y + 10.0), 3.0, "change", &format!("changed in {}", label(*change)));
            }
            let changes = life.changes.iter().map(|change| label(*change)).collect::<Vec<_>>().join(", ");
            table.push(vec![kind.to_owned(), life.path.clone(), label(life.from), changes, words]);
            y += ROW;
        }
    }
    canvas.height = bottom + 8.0;
    let [graduated, removed, live] = counts;
    let distances = if time.is_dated {
        "Time runs from left to right."
    } else {
        "Releases are at equal distances, because dates are unknown."
    };
    Some(Figure {
        id: "lives",
        title: "The life of everything experimental",
        description: format!(
            "{} experimental fields, versions and resources: {graduated} are in standard, {removed} were removed, and {live} are still experimental.",
            graduated + removed + live
        ),
        caption: format!(
            "A bar starts in the first release that has a field, version or resource in experimental only. Fields below it that live as long are not \
             listed. A dot is any change of its schema, also one that does not count for graduation. {distances} Late patches of older minors are left out."
        ),
        legend: LEGEND.map(|(class, text)| (class, text.to_owned())).to_vec(),
        canvas,
        columns: ["Kind", "Path", "Experimental from", "Changed in", "End"].map(str::to_owned).to_vec(),
        rows: table,
    })
}

/// Draws the bar of a life, and its end. `right` is the end of the axis, and `x` is where a release is.
fn bar(canvas: &mut Canvas, life: &Life, (y, right): (f64, f64), x: &dyn Fn(usize) -> f64, tip: &str) {
    let end = if life.end == End::Lives { right + 8.0 } else { x(life.to) };
    canvas.text((LEFT - 10.0, y + 14.0), Anchor::End, "label", &tail(&life.path, LABEL));
    canvas.bar((x(life.from), y + 5.0), (end - x(life.from), 10.0), "experimental", tip);
    match life.end {
        End::Standard => canvas.bar((end, y + 5.0), (right + 8.0 - end, 10.0), "standard", tip),
        End::Removed => {
            canvas.line((end - 4.0, y + 6.0), (end + 4.0, y + 14.0), "gone");
            canvas.line((end - 4.0, y + 14.0), (end + 4.0, y + 6.0), "gone");
        }
        End::Lives => {}
    }
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
        match child.edge {
            Edge::Property(name) => path.push(name.to_owned()),
            Edge::Items | Edge::Values => {
                if let Some(last) = path.last_mut() {
                    last.push_str("[*]");
                }
            }
            Edge::Root => {}
        }
        let below = add(presences, path, child, time);
        if let Edge::Property(_) = child.edge {
            let presence = presences.entry(path.clone()).or_insert_with(|| Presence::empty(time.releases.len()));
            presence.add(&child.states, time, ABSENT);
            presence.changes.extend(&below);
            // What is added to a node, or removed from it, changes it.
            let ends = ends(&child.states, time);
            changes.extend(ends);
        }
        changes.extend(below);
        path.truncate(depth);
        if let (Edge::Items | Edge::Values, Some(last)) = (child.edge, path.last_mut()) {
            last.truncate(last.len().saturating_sub("[*]".len()));
        }
    }
    changes
}

/// The values of change points in the releases of the axis.
fn values(points: &ChangePoints, time: &Time, before: i64) -> Vec<ByChannel<i64>> {
    let at = |release: &usize| {
        let until = points.iter().take_while(|(from, _)| from <= release);
        until.last().map_or([before; 2], |(_, values)| *values)
    };
    time.releases.iter().map(at).collect()
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
        let name = if path.is_empty() { "the resource".to_owned() } else { path.join(".") };
        let changes = self.changes.iter().copied().filter(|change| *change > from && *change < to);
        Life { path: name, from, to, end, changes: changes.collect() }
    }
}
