//! The estimated cost of the CEL rules of each API version of the newest release against the limit of a server.

use crd_cel::estimate::CRD_LIMIT;

use super::figure::{Anchor, Canvas, Figure, WIDTH, at, float, number, tail};
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;
use crate::tree::ByChannel;

const ROW: f64 = 34.0;
const LEFT: f64 = 260.0;
const TOP: f64 = 30.0;

/// The picture.
pub(super) fn costs(site: &Site, resources: &[Resource<'_>]) -> Option<Figure> {
    let limit = i64::try_from(CRD_LIMIT).unwrap_or(i64::MAX);
    let totals = totals(resources);
    let (dearest, most) =
        totals.first().map(|(name, costs)| (name.clone(), costs.iter().copied().max().unwrap_or(0)))?;
    // One step for each power of ten, beyond the limit if a cost is.
    let highest = float(most.max(limit)).log10().ceil().max(1.0);
    let right = WIDTH - 120.0;
    let x = |cost: i64| LEFT + float(cost.max(1)).log10() / highest * (right - LEFT);
    let bottom = TOP + at(totals.len()) * ROW;
    let mut canvas = Canvas::of_height(bottom + 8.0);
    grid(&mut canvas, (highest, bottom), x);
    canvas.line((x(limit), TOP - 6.0), (x(limit), bottom), "limit");
    let mut rows = Vec::new();
    for (row, (name, costs)) in totals.iter().enumerate() {
        let y = TOP + at(row) * ROW;
        canvas.text((LEFT - 10.0, y + 21.0), Anchor::End, "label", &tail(name, 36));
        let shown = site.channels.iter().filter_map(|channel| Some((channel, *costs.get(*channel as usize)?)));
        let shown = shown.filter(|(_, cost)| *cost != ABSENT).collect::<Vec<_>>();
        let height = 24.0 / at(shown.len().max(1));
        for (line, (channel, cost)) in shown.iter().enumerate() {
            let share = float(*cost) / float(limit) * 100.0;
            let share = if share < 0.1 { "under 0.1 %".to_owned() } else { format!("{share:.1} %") };
            let y = y + 4.0 + at(line) * height;
            canvas.bar(
                (LEFT, y),
                (x(*cost) - LEFT, height - 2.0),
                channel.name(),
                &format!("{name}, {channel}: {} ({share} of the limit)", number(*cost)),
            );
            if line + 1 == shown.len() {
                canvas.text(
                    (x(*cost).max(LEFT) + 6.0, y + height / 2.0 + if shown.len() > 1 { -2.0 } else { 3.0 }),
                    Anchor::Start,
                    "small",
                    &share,
                );
            }
            rows.push(vec![name.clone(), channel.to_string(), number(*cost), share]);
        }
    }
    Some(Figure {
        id: "costs",
        title: "The cost of CEL rules",
        description: format!(
            "The highest estimate of a version is {} for {dearest}. Servers accept {}.",
            number(most),
            number(limit)
        ),
        caption: format!(
            "The estimate that a server makes of all rules of an API version when its CRD is created, on a logarithmic scale: the highest of the \
             supported Kubernetes minors. The line at the right is the limit of {}.",
            number(limit)
        ),
        legend: site.channels.iter().map(|channel| (channel.name(), channel.name().to_owned())).collect(),
        canvas,
        columns: ["API version", "Channel", "Estimate", "Of the limit"].map(str::to_owned).to_vec(),
        rows,
    })
}

/// The costs of API versions with rules by channel, the dearest first.
fn totals(resources: &[Resource<'_>]) -> Vec<(String, ByChannel<i64>)> {
    let totals = resources.iter().flat_map(|resource| {
        let with_rules = resource.versions.iter().filter(|version| !version.costs.rules.is_empty());
        with_rules.map(|version| (format!("{} {}", resource.newest.names.kind, version.name), version.costs.totals))
    });
    let mut totals = totals.collect::<Vec<_>>();
    totals.sort_by(|(one, costs), (other, others)| {
        others.iter().max().cmp(&costs.iter().max()).then_with(|| one.cmp(other))
    });
    totals
}

/// A line for each power of ten.
fn grid(canvas: &mut Canvas, (highest, bottom): (f64, f64), x: impl Fn(i64) -> f64) {
    let powers = (0..=12_u32).take_while(|power| f64::from(*power) <= highest);
    for (power, cost) in powers.map(|power| (power, 10_i64.saturating_pow(power))) {
        canvas.line((x(cost), TOP - 6.0), (x(cost), bottom), "grid");
        if power % 2 == 0 {
            canvas.text((x(cost), TOP - 12.0), Anchor::Middle, "small", &number(cost));
        }
    }
}
