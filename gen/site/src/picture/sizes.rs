//! The bytes of each CRD over the releases against the limit of annotations.
//!
//! Invariants: of a resource in two channels, the larger CRD counts. A release whose bytes are unknown has no point.

use crd_model::crd::ANNOTATIONS_LIMIT;

use super::figure::{Anchor, Canvas, Figure, Picture, WIDTH, float, is_visible, number, short};
use super::time::Time;
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;

const LEFT: f64 = 70.0;
const TOP: f64 = 20.0;
const HEIGHT: f64 = 360.0;
/// The steps of the scale.
const STEPS: [i64; 8] = [10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000, 100_000_000];
/// The largest resources have a colour, and more have a line and a label.
const COLOURED: usize = 6;
const LABELLED: usize = 24;
/// The distance of labels.
const LINE: f64 = 15.0;

/// Resources of one size: their names, and their bytes by number of the release on the axis.
struct Series<'r> {
    kinds: Vec<&'r str>,
    points: Vec<(usize, i64)>,
}

/// The bytes in the last release that has the resources.
fn last(series: &Series<'_>) -> i64 {
    series.points.last().map_or(0, |(_, bytes)| *bytes)
}

pub(super) fn sizes(site: &Site, time: &Time, resources: &[Resource<'_>]) -> Option<Figure> {
    let mut series = resources.iter().map(|resource| series(resource, time)).collect::<Vec<_>>();
    series.retain(|series| !series.points.is_empty());
    series.sort_by_key(|series| (std::cmp::Reverse(last(series)), series.kinds.clone()));
    // Equal lines are one with all names.
    series.dedup_by(|other, first| {
        let is_same = other.points == first.points;
        if is_same {
            first.kinds.append(&mut other.kinds);
        }
        is_same
    });
    let limit = i64::try_from(ANNOTATIONS_LIMIT).unwrap_or(i64::MAX);
    // A line needs two points, and one at the bottom of the picture shows nothing.
    let points = series.iter().filter(|series| series.points.len() > 1).flat_map(|series| &series.points);
    let highest = points.map(|(_, bytes)| *bytes).max().filter(|highest| is_visible(*highest, limit))?;
    let all = series.len();
    series.truncate(LABELLED);
    let (top, right) = (float(highest.max(limit)) * 1.08, WIDTH - 260.0);
    let x = |number: usize| LEFT + time.position(number) * (right - LEFT);
    let y = |bytes: i64| TOP + HEIGHT - float(bytes) / top * HEIGHT;
    let mut canvas = Canvas::of_height(TOP + HEIGHT + 44.0);
    canvas.scale((LEFT, right), &STEPS, (top, 8.0), y, |tick| format!("{} k", number(tick / 1000)));
    for (x, label) in time.labels(site, x) {
        canvas.line((x, TOP + HEIGHT), (x, TOP + HEIGHT + 5.0), "axis");
        canvas.text((x, TOP + HEIGHT + 20.0), Anchor::Middle, "small", &label);
    }
    canvas.line((LEFT, y(limit)), (right, y(limit)), "limit");
    canvas.text(
        (LEFT + 6.0, y(limit) - 6.0),
        Anchor::Start,
        "limit",
        &format!("{}: above it, kubectl apply fails", number(limit)),
    );
    lines(&mut canvas, &series, all, right, (&x, &y));
    let labels = site.releases.iter().map(|release| release.label.clone());
    let columns = std::iter::once("Resource, channel".to_owned()).chain(labels).collect::<Vec<_>>();
    let rows = resources.iter().flat_map(|resource| table(site, resource)).collect();
    let largest = series
        .first()
        .map(|series| format!("The largest is {} with {} bytes.", series.kinds.join(" and "), number(last(series))));
    Some(Figure {
        id: "sizes",
        title: "The size of each CRD",
        description: format!("{} Annotations of an object have at most {} bytes.", largest.unwrap_or_default(), number(limit)),
        caption: "Bytes as compact JSON, as kubectl apply copies them into an annotation; of two channels, the larger. Releases with texts are computed. \
                  Those of releases whose texts are not stored are read from a table, if there is one."
            .to_owned(),
        legend: Vec::new(),
        picture: Picture::Drawn(canvas),
        columns,
        rows,
    })
}

/// The line of each size, and its name at the right. `all` is the number of lines with those that have no room.
fn lines(
    canvas: &mut Canvas,
    series: &[Series<'_>],
    all: usize,
    right: f64,
    (x, y): (&dyn Fn(usize) -> f64, &dyn Fn(i64) -> f64),
) {
    let mut ends = Vec::new();
    for (place, series) in series.iter().enumerate() {
        let class = if place < COLOURED { format!("curve c{place}") } else { "curve rest".to_owned() };
        let points = series.points.iter().map(|(place, bytes)| (x(*place), y(*bytes))).collect::<Vec<_>>();
        let tip = format!("{}: {} bytes at last", series.kinds.join(", "), number(last(series)));
        canvas.path(&points, &class, &tip);
        let dot = class.replace("curve", "point");
        points.iter().for_each(|point| canvas.dot(*point, 2.5, &dot, ""));
        ends.extend(points.last().copied());
    }
    let rows = spread(&ends.iter().map(|(_, y)| *y).collect::<Vec<_>>(), TOP + HEIGHT);
    for (place, ((series, end), row)) in series.iter().zip(&ends).zip(rows).enumerate() {
        let class = if place < COLOURED { format!("c{place}") } else { "rest".to_owned() };
        // A line that ended before the last release is not continued.
        let from = if end.0 + 1.0 < right { (right + 8.0, row) } else { *end };
        canvas.path(&[from, (right + 8.0, row), (right + 16.0, row)], &format!("curve leader {class}"), "");
        let name = short(&series.kinds.join(", "), 30);
        let text = format!("{name} {}", number(last(series)));
        canvas.text((right + 20.0, row + 4.0), Anchor::Start, &format!("label {class}"), &text);
    }
    if all > series.len() {
        let text = format!("and {} smaller in the table", all - series.len());
        canvas.text((right + 20.0, TOP + HEIGHT + 38.0), Anchor::Start, "small", &text);
    }
}

/// Positions at the distance of lines, as near as possible to these, which go downwards: none is below the bottom.
fn spread(wanted: &[f64], bottom: f64) -> Vec<f64> {
    let mut rows = Vec::new();
    let mut free = f64::MIN;
    for y in wanted {
        let row = y.max(free);
        free = row + LINE;
        rows.push(row);
    }
    let mut below = bottom;
    for row in rows.iter_mut().rev() {
        *row = row.min(below);
        below = *row - LINE;
    }
    rows
}

fn series<'r>(resource: &'r Resource<'_>, time: &Time) -> Series<'r> {
    let points = time.releases.iter().enumerate().filter_map(|(place, release)| {
        let largest = resource.sizes.at(*release, ABSENT).into_iter().max()?;
        (largest != ABSENT).then_some((place, largest))
    });
    Series { kinds: vec![&resource.newest.names.kind], points: points.collect() }
}

fn table(site: &Site, resource: &Resource<'_>) -> Vec<Vec<String>> {
    let rows = site.channels.iter().map(|channel| {
        let mut row = vec![format!("{}, {channel}", resource.newest.names.kind)];
        for release in 0..site.releases.len() {
            let bytes = resource.sizes.at(release, ABSENT).get(*channel as usize).copied().unwrap_or(ABSENT);
            row.push(if bytes == ABSENT { String::new() } else { number(bytes) });
        }
        row
    });
    rows.filter(|row| row.iter().skip(1).any(|cell| !cell.is_empty())).collect()
}
