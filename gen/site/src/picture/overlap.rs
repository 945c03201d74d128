//! Where standard and experimental overlap in the newest release.
//!
//! Invariants: fields, values and rules count once for each resource, in however many API versions they are.

use std::collections::BTreeSet;

use crd_model::Schema;
use crd_model::channel::Channel;

use super::figure::{Anchor, Canvas, Figure, WIDTH, number};
use crate::Site;
use crate::tree::{Edge, edges};

/// What is counted.
const COUNTED: [&str; 4] = ["resources", "fields", "values", "rules"];

/// The things of one channel by what they are.
type Things = [BTreeSet<String>; 4];

/// The picture.
pub(super) fn overlap(site: &Site) -> Option<Figure> {
    let [standard, experimental] = Channel::ALL;
    if site.channels.len() < 2 {
        return None;
    }
    let (standard, experimental) = (things(site, standard)?, things(site, experimental)?);
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let counts = standard.iter().zip(&experimental).map(|(standard, experimental)| {
        [
            count(standard.difference(experimental).count()),
            count(standard.intersection(experimental).count()),
            count(experimental.difference(standard).count()),
        ]
    });
    let counts = counts.collect::<Vec<_>>();
    let mut canvas = Canvas::of_height(392.0);
    let middle = WIDTH / 2.0;
    canvas.dot((middle - 112.0, 212.0), 172.0, "area standard", "");
    canvas.dot((middle + 112.0, 212.0), 172.0, "area experimental", "");
    canvas.text((middle - 112.0, 24.0), Anchor::Middle, "strong", "standard");
    canvas.text((middle + 112.0, 24.0), Anchor::Middle, "strong", "experimental");
    let places = [middle - 172.0, middle, middle + 172.0];
    let titles = ["only standard", "both", "only experimental"];
    for ((place, x), title) in places.into_iter().enumerate().zip(titles) {
        canvas.text((x, 150.0), Anchor::Middle, "small", title);
        for (line, (what, counts)) in COUNTED.iter().zip(&counts).enumerate() {
            let y = 182.0 + super::figure::at(line) * 26.0;
            let counted = counts.get(place).copied().unwrap_or(0);
            let what = if counted == 1 { what.trim_end_matches('s') } else { what };
            canvas.text((x, y), Anchor::Middle, "count", &format!("{} {what}", number(counted)));
        }
    }
    let rows = COUNTED.iter().zip(&counts).map(|(what, counts)| {
        std::iter::once((*what).to_owned()).chain(counts.iter().map(|count| number(*count))).collect()
    });
    let shared = counts.iter().zip(COUNTED).map(|(counts, what)| format!("{} {what}", number(counts[1])));
    let added = counts.iter().zip(COUNTED).map(|(counts, what)| format!("{} {what}", number(counts[2])));
    Some(Figure {
        id: "overlap",
        title: "Standard and experimental",
        description: format!(
            "Both channels have {}. Only experimental has {}.",
            shared.collect::<Vec<_>>().join(", "),
            added.collect::<Vec<_>>().join(", ")
        ),
        caption: "What each channel of the newest release has. A rule that standard has and experimental does not have is often one that experimental \
                  replaces by a wider one."
            .to_owned(),
        legend: Vec::new(),
        canvas,
        columns: ["What", "only standard", "both", "only experimental"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })
}

/// What a channel of the newest release has.
fn things(site: &Site, channel: Channel) -> Option<Things> {
    let release = site.releases.last()?;
    let mut things = Things::default();
    for crd in release.release.of_channel(channel) {
        let [resources, ..] = &mut things;
        resources.insert(crd.name.to_string());
        for version in &crd.versions {
            visit(&version.schema, &crd.name, "", &mut things);
        }
    }
    Some(things)
}

fn visit(schema: &Schema, crd: &str, path: &str, things: &mut Things) {
    let [_, fields, values, rules] = things;
    values.extend(schema.enumeration.iter().flatten().map(|value| format!("{crd} {path} {value}")));
    rules.extend(schema.validations.iter().map(|rule| format!("{crd} {path} {}", rule.rule)));
    let edges = edges([schema]);
    for edge in &edges {
        if let Edge::Property(_) = edge {
            fields.insert(format!("{crd} {}", edge.path(path)));
        }
    }
    for edge in edges {
        if let Some(below) = edge.below(schema) {
            visit(below, crd, &edge.path(path), things);
        }
    }
}
