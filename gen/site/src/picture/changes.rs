//! What each release changed, by the rules of the policy.
//!
//! Invariants: findings that the release before had too are not changes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::figure::{Anchor, Canvas, Figure, WIDTH, at, float, tail};
use super::findings;
use crate::Site;

const LEFT: f64 = 50.0;
const TOP: f64 = 16.0;
const HEIGHT: f64 = 300.0;
/// The steps of the scale.
const STEPS: [i64; 14] = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000];
/// The rules with a colour of their own.
const COLOURED: usize = 7;

/// The picture.
pub(super) fn changes(site: &Site) -> Option<Figure> {
    let counts = site.differences.iter().map(|document| {
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        for finding in findings(document).iter().filter(|finding| finding.get("known") != Some(&Value::Bool(true))) {
            *counts.entry(finding.get("rule").and_then(Value::as_str).unwrap_or_default()).or_default() += 1;
        }
        counts
    });
    let counts = counts.collect::<Vec<_>>();
    let mut totals: BTreeMap<&str, i64> = BTreeMap::new();
    counts.iter().flatten().for_each(|(rule, count)| *totals.entry(rule).or_default() += count);
    let mut rules = totals.iter().map(|(rule, count)| (*rule, *count)).collect::<Vec<_>>();
    rules.sort_by_key(|(rule, count)| (-count, *rule));
    let highest = counts.iter().map(|counts| counts.values().sum::<i64>()).max().filter(|highest| *highest > 0)?;
    let (top, right) = (float(highest) * 1.06, WIDTH - 10.0);
    let step = (right - LEFT) / at(counts.len());
    let y = |count: i64| TOP + HEIGHT - float(count) / top * HEIGHT;
    let mut canvas = Canvas::of_height(TOP + HEIGHT + 40.0);
    canvas.scale((LEFT, right), &STEPS, (top, 6.0), y, |tick| tick.to_string());
    let place = |rule: &str| rules.iter().position(|(known, _)| *known == rule).unwrap_or(COLOURED).min(COLOURED);
    let mut rows = Vec::new();
    for (number, counts) in counts.iter().enumerate() {
        let label = site.releases.get(number + 1).map(|release| release.label.clone()).unwrap_or_default();
        let x = LEFT + step * at(number) + step * 0.15;
        let mut by_place = vec![(0_i64, Vec::new()); COLOURED + 1];
        for (rule, count) in counts {
            if let Some((total, rules)) = by_place.get_mut(place(rule)) {
                *total += count;
                rules.push(format!("{rule} {count}"));
            }
            rows.push(vec![label.clone(), (*rule).to_owned(), count.to_string()]);
        }
        let mut below = 0;
        for (place, (count, rules)) in by_place.into_iter().enumerate().filter(|(_, (count, _))| *count > 0) {
            let tip = format!("{label}: {}", rules.join(", "));
            canvas.bar(
                (x, y(below + count)),
                (step * 0.7, y(below) - y(below + count)),
                &format!("fill c{place}"),
                &tip,
            );
            below += count;
        }
        let middle = x + step * 0.35;
        if below > 0 {
            canvas.text((middle, y(below) - 4.0), Anchor::Middle, "small", &below.to_string());
        }
        // Labels on two lines, so that neighbours have room.
        let line = if counts_fit(step) || number % 2 == 0 { 16.0 } else { 32.0 };
        canvas.text((middle, TOP + HEIGHT + line), Anchor::Middle, "small", &tail(&label, 12));
    }
    Some(Figure {
        id: "changes",
        title: "What each release changed",
        description: format!("The changes of {} releases since the release before, by the rule of the policy. The most changes of one release are {highest}.", counts.len()),
        caption: "A bar is a release compared with the version before it, in all channels. A change of a field in two channels or API versions counts for each.".to_owned(),
        legend: legend(&rules),
        canvas,
        columns: ["Release", "Rule", "Changes"].map(str::to_owned).to_vec(),
        rows,
    })
}

fn legend(rules: &[(&str, i64)]) -> Vec<(&'static str, String)> {
    let own =
        CLASSES.iter().zip(rules).take(COLOURED).map(|(class, (rule, count))| (*class, format!("{rule} {count}")));
    let rest = rules.iter().skip(COLOURED).map(|(_, count)| count).sum::<i64>();
    let rest = (rules.len() > COLOURED).then(|| ("fill c7", format!("other rules {rest}")));
    own.chain(rest).collect()
}

/// The classes of rules in the legend.
const CLASSES: [&str; COLOURED] = ["fill c0", "fill c1", "fill c2", "fill c3", "fill c4", "fill c5", "fill c6"];

/// Whether labels fit next to each other.
fn counts_fit(step: f64) -> bool {
    step > 52.0
}
