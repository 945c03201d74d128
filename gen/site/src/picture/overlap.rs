//! Where standard and experimental overlap in the newest release.
//!
//! Invariants: fields, values and rules count once for each resource, in however many API versions they are.

use std::collections::BTreeSet;

use crd_model::channel::Channel;
use crd_model::schema::{Schema, below};

use super::figure::{Bar, Figure, Picture, float, number};
use crate::Site;

const COUNTED: [&str; 4] = ["resources", "fields", "values", "rules"];

/// The parts of a bar: class and name.
const PARTS: [(&str, &str); 3] =
    [("standard", "only standard"), ("fill c0", "both"), ("experimental", "only experimental")];

/// The things of one channel by what they are.
type Things = [BTreeSet<String>; 4];

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
    // Equal channels, and channels that have nothing in common, need no picture.
    let has = |place: usize| counts.iter().any(|counts| counts.get(place).is_some_and(|count| *count > 0));
    if !has(1) || !has(0) && !has(2) {
        return None;
    }
    let bars = COUNTED.iter().zip(&counts).filter(|(_, counts)| counts.iter().any(|count| *count > 0));
    let bars = bars.map(|(what, counts)| {
        let all = float(counts.iter().sum());
        let (mut parts, mut words, mut from) = (Vec::new(), Vec::new(), 0.0);
        for ((class, place), count) in PARTS.into_iter().zip(counts).filter(|(_, count)| **count > 0) {
            let to = from + float(*count) / all;
            parts.push((class, from, to));
            words.push(format!("{} {place}", number(*count)));
            from = to;
        }
        Bar { label: (*what).to_owned(), words: words.join(", "), parts, dots: Vec::new() }
    });
    let bars = bars.collect();
    let rows = COUNTED.iter().zip(&counts).map(|(what, counts)| {
        std::iter::once((*what).to_owned()).chain(counts.iter().map(|count| number(*count))).collect()
    });
    Some(Figure {
        id: "overlap",
        title: "Standard and experimental",
        description: "What each channel of the newest release has: the whole width is what either has.".to_owned(),
        caption: "A rule that standard has and experimental does not have is often one that experimental replaces by a wider one.".to_owned(),
        legend: PARTS.map(|(class, place)| (class, place.to_owned())).to_vec(),
        picture: Picture::Bars(bars),
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
    let steps = below(schema).collect::<Vec<_>>();
    let names = steps.iter().filter(|(step, _)| step.name().is_some());
    fields.extend(names.map(|(step, _)| format!("{crd} {}", step.path_from(path))));
    for (step, below) in steps {
        visit(below, crd, &step.path_from(path), things);
    }
}
