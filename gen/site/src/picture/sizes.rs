//! The bytes of each CRD over the releases against the limit of annotations.
//!
//! Invariants: of a resource in two channels, the larger CRD counts. A release whose bytes are unknown has no point.

use crd_model::crd::ANNOTATIONS_LIMIT;

use super::figure::{Anchor, Canvas, Figure, Picture, WIDTH, float, is_visible, number, tail};
use super::time::Time;
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;

const LEFT: f64 = 70.0;
const TOP: f64 = 20.0;
const HEIGHT: f64 = 360.0;
/// The steps of the scale.
const STEPS: [i64; 8] = [10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000, 100_000_000];
/// The largest resources have a colour and a label.
const LABELLED: usize = 6;
/// The distance of labels.
const LINE: f64 = 15.0;

/// A resource: its name, and its bytes by number of the release on the axis.
struct Series<'r> {
    kind: &'r str,
    points: Vec<(usize, i64)>,
}

/// The picture.
pub(super) fn sizes(site: &Site, time: &Time, resources: &[Resource<'_>]) -> Option<Figure> {
    let mut series = resources.iter().map(|resource| series(resource, time)).collect::<Vec<_>>();
    series.retain(|series| !series.points.is_empty());
    let last = |series: &Series<'_>| series.points.last().map_or(0, |(_, bytes)| *bytes);
    series.sort_by_key(|series| (std::cmp::Reverse(last(series)), series.kind.to_owned()));
    let limit = i64::try_from(ANNOTATIONS_LIMIT).unwrap_or(i64::MAX);
    // A line needs two points, and one at the bottom of the picture shows nothing.
    let points = series.iter().filter(|series| series.points.len() > 1).flat_map(|series| &series.points);
    let highest = points.map(|(_, bytes)| *bytes).max().filter(|highest| is_visible(*highest, limit))?;
    let (top, right) = (float(highest.max(limit)) * 1.08, WIDTH - 200.0);
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
    let mut label_free = f64::MIN;
    for (place, series) in series.iter().enumerate() {
        let class = if place < LABELLED { format!("curve c{place}") } else { "curve rest".to_owned() };
        let points = series.points.iter().map(|(place, bytes)| (x(*place), y(*bytes))).collect::<Vec<_>>();
        let tip = format!("{}: {} bytes at last", series.kind, number(last(series)));
        canvas.path(&points, &class, &tip);
        let dot = class.replace("curve", "point");
        points.iter().for_each(|point| canvas.dot(*point, 2.5, &dot, ""));
        if let (true, Some((x, y))) = (place < LABELLED, points.last()) {
            let y = (y + 4.0).max(label_free);
            label_free = y + LINE;
            canvas.text(
                (x.max(right) + 10.0, y),
                Anchor::Start,
                &format!("label t{place}"),
                &format!("{} {}", tail(series.kind, 18), number(last(series))),
            );
        }
    }
    let labels = site.releases.iter().map(|release| release.label.clone());
    let columns = std::iter::once("Resource, channel".to_owned()).chain(labels).collect::<Vec<_>>();
    let rows = resources.iter().flat_map(|resource| table(site, resource)).collect();
    let largest =
        series.first().map(|series| format!("The largest is {} with {} bytes.", series.kind, number(last(series))));
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

fn series<'r>(resource: &'r Resource<'_>, time: &Time) -> Series<'r> {
    let points = time.releases.iter().enumerate().filter_map(|(place, release)| {
        let largest = resource.sizes.at(*release, ABSENT).into_iter().max()?;
        (largest != ABSENT).then_some((place, largest))
    });
    Series { kind: &resource.newest.names.kind, points: points.collect() }
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
