//! What each release changed: resources, API versions and fields that were added, changed or removed.
//!
//! Invariants: an element of a resource counts once, in however many channels and API versions it changed. What is below something that was added
//! or removed does not count. Texts, labels and annotations do not count.

use std::collections::BTreeMap;

use super::figure::{Anchor, Canvas, Figure, GAP, LETTER, Picture, WIDTH, at, float, spaced, tail};
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;
use crate::tree::{ChangePoints, Node};

const LEFT: f64 = 50.0;
const TOP: f64 = 16.0;
const HEIGHT: f64 = 300.0;
/// The steps of the scale.
const STEPS: [i64; 14] = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000];
/// The width of a bar with room for an upright label.
const SMALLEST: f64 = 13.0;
/// How many bars may be higher than the picture.
const OUTLIERS: usize = 3;
/// What can happen to an element, with its class. Of several, the last one counts.
const KINDS: [(&str, &str); 3] = [("fill c7", "changed"), ("fill c0", "added"), ("fill c5", "removed")];
const CHANGED: usize = 0;
const ADDED: usize = 1;
const REMOVED: usize = 2;

/// What happened to an element of a resource, by release and path.
type Found = BTreeMap<(usize, String), usize>;

/// Change points, and what they have where something does not exist.
type Points<'p> = (&'p ChangePoints, i64);

/// The numbers of changes by [`KINDS`].
type Counts = [i64; KINDS.len()];

pub(super) fn changes(site: &Site, resources: &[Resource<'_>]) -> Option<Figure> {
    let mut counts = vec![[0_i64; KINDS.len()]; site.releases.len()];
    for ((release, _), kind) in resources.iter().flat_map(of_resource) {
        if let Some(count) = counts.get_mut(release).and_then(|counts| counts.get_mut(kind)) {
            *count += 1;
        }
    }
    // The first release changes nothing. One bar shows nothing.
    let counts = counts.into_iter().zip(&site.releases).skip(1).collect::<Vec<_>>();
    let bars = of_minors(&counts);
    let sums = bars.iter().map(|(counts, _)| counts.iter().sum::<i64>());
    let highest = sums.clone().max().filter(|_| sums.clone().filter(|sum| *sum > 0).count() > 1)?;
    let cap = cap(sums.collect());
    let canvas = drawn(&bars, cap);
    let cells = |(counts, release): &(Counts, &crate::SiteRelease)| {
        std::iter::once(release.label.clone()).chain(counts.iter().map(i64::to_string)).collect()
    };
    let cut = if cap < highest { " A bar with a gap is higher than the picture: its number counts." } else { "" };
    Some(Figure {
        id: "changes",
        title: "What each minor changed",
        description: format!("The most changes of one minor are {highest}."),
        caption: format!(
            "A bar is a minor with its patches, each release compared with the version before it: resources, API versions and fields. One counts once, in \
             however many channels and API versions it changed, and what is below something that was added or removed does not count. Texts, labels and \
             annotations are not compared.{cut} The table has each release."
        ),
        legend: KINDS.map(|(class, kind)| (class, kind.to_owned())).to_vec(),
        picture: Picture::Drawn(canvas),
        columns: ["Release", "Changed", "Added", "Removed"].map(str::to_owned).to_vec(),
        rows: counts.iter().map(cells).collect(),
    })
}

/// The changes of each minor with its name. A release without a version is one for itself.
fn of_minors(counts: &[(Counts, &crate::SiteRelease)]) -> Vec<(Counts, String)> {
    let mut minors: Vec<(Counts, String)> = Vec::new();
    for (counts, release) in counts {
        let name = match release.release.version {
            Some(version) => format!("v{}.{}", version.major, version.minor),
            None => tail(&release.label, 8),
        };
        match minors.last_mut().filter(|(_, last)| *last == name) {
            Some((known, _)) => known.iter_mut().zip(counts).for_each(|(known, count)| *known += count),
            None => minors.push((*counts, name)),
        }
    }
    minors
}

/// The height of the picture in changes: that of the highest bar, unless few bars are so much higher that they flatten the rest.
fn cap(mut sums: Vec<i64>) -> i64 {
    sums.sort_unstable_by_key(|sum| std::cmp::Reverse(*sum));
    let outliers =
        sums.windows(2).take(OUTLIERS).rposition(|pair| matches!(pair, [high, low] if *high > 3 * *low && *low > 0));
    let highest = outliers.and_then(|last| sums.get(last + 1)).map(|next| next + next / 3);
    highest.or(sums.first().copied()).unwrap_or(1).max(1)
}

/// The bars, each with its number and its name.
fn drawn(bars: &[(Counts, String)], cap: i64) -> Canvas {
    let (top, right) = (float(cap) * 1.06, WIDTH - 20.0);
    let step = (right - LEFT) / at(bars.len());
    let y = |count: i64| TOP + HEIGHT - float(count.min(cap)) / top * HEIGHT;
    let middle = |number: usize| LEFT + step * (at(number) + 0.5);
    let longest = bars.iter().map(|(_, name)| name.chars().count()).max().unwrap_or_default();
    let is_upright = step < at(longest) * LETTER + GAP / 2.0;
    let mut canvas = Canvas::of_height(TOP + HEIGHT + if is_upright { 64.0 } else { 24.0 });
    canvas.scale((LEFT, right), &STEPS, (top, 6.0), y, |tick| tick.to_string());
    for (number, (counts, name)) in bars.iter().enumerate() {
        let mut below = 0;
        for ((class, kind), count) in KINDS.into_iter().zip(counts).filter(|(_, count)| **count > 0) {
            let above = below + count;
            let size = (step * 0.7, y(below) - y(above));
            canvas.bar((middle(number) - step * 0.35, y(above)), size, class, &format!("{name}: {count} {kind}"));
            below = above;
        }
        if below > cap {
            canvas.bar((middle(number) - step * 0.5, y(cap) + 14.0), (step, 6.0), "cut", "");
        }
        if below > 0 && step > SMALLEST {
            canvas.label((middle(number), y(below) - 4.0), is_upright, Anchor::Start, &below.to_string());
        }
        if step > SMALLEST {
            canvas.label((middle(number), TOP + HEIGHT + 16.0), is_upright, Anchor::End, name);
        }
    }
    if step <= SMALLEST {
        let labels = bars.iter().enumerate().map(|(number, (_, name))| (middle(number), name.clone()));
        for (x, label) in spaced(labels) {
            canvas.text((x, TOP + HEIGHT + 16.0), Anchor::Middle, "small", &label);
        }
    }
    canvas
}

/// What happened to a resource.
fn of_resource(resource: &Resource<'_>) -> Found {
    let (mut found, presence) = (Found::new(), (&resource.presence, 0));
    add(&mut found, "", presence, None);
    for version in &resource.versions {
        let facts = (&version.facts, ABSENT);
        add(&mut found, &format!("version {}", version.name), facts, Some(presence));
        visit(&mut found, "", &version.root, facts);
    }
    found
}

fn visit(found: &mut Found, path: &str, node: &Node<'_>, above: Points<'_>) {
    let states = (&node.states, ABSENT);
    // The items of a list belong to the list, and the root of a version to the resource.
    let step = node.step.filter(|step| step.name().is_some());
    let path = step.map_or_else(|| path.to_owned(), |step| step.path_from(path));
    add(found, &path, states, Some(above));
    node.children.iter().for_each(|child| visit(found, &path, child, states));
}

/// Adds what happened to an element in the channels that have what is above it before and after.
fn add(found: &mut Found, path: &str, (points, absent): Points<'_>, above: Option<Points<'_>>) {
    let mut last = points.at(0, absent);
    for (release, values) in points.iter().filter(|(release, _)| *release > 0) {
        let around =
            above.map(|(above, absent)| [release - 1, *release].map(|release| (above.at(release, absent), absent)));
        for (channel, (old, new)) in last.iter().zip(values).enumerate().filter(|(_, (old, new))| old != new) {
            let exists = |(values, absent): &([i64; 2], i64)| values.get(channel).is_some_and(|value| value > absent);
            if around.as_ref().is_some_and(|around| !around.iter().all(exists)) {
                continue;
            }
            let kind = if *old == absent {
                ADDED
            } else if *new == absent {
                REMOVED
            } else {
                CHANGED
            };
            let known = found.entry((*release, path.to_owned())).or_insert(kind);
            *known = kind.max(*known);
        }
        last = *values;
    }
}
