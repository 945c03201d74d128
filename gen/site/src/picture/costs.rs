//! The estimated cost of the CEL rules of each API version of the newest release against the limit of a server.

use crd_cel::estimate::CRD_LIMIT;

use super::figure::{Bar, Figure, Picture, float, is_visible, number, percent};
use crate::Site;
use crate::resources::Resource;
use crate::state::ABSENT;
use crate::tree::ByChannel;

pub(super) fn costs(site: &Site, resources: &[Resource<'_>]) -> Option<Figure> {
    let limit = i64::try_from(CRD_LIMIT).unwrap_or(i64::MAX);
    let totals = totals(resources);
    let most_of = |costs: &ByChannel<i64>| costs.iter().copied().max().unwrap_or(ABSENT);
    let (dearest, most) = totals.first().map(|(name, costs)| (name, most_of(costs)))?;
    // Bars of less than one percent cannot be compared.
    let shown = totals.iter().take_while(|(_, costs)| most_of(costs).saturating_mul(100) >= limit);
    let bars = shown.map(|(name, costs)| {
        let cost = most_of(costs);
        Bar::of_share(name.clone(), percent(cost, limit), "fill c0", float(cost) / float(limit.max(most)))
    });
    let bars = is_visible(most, limit).then(|| bars.collect::<Vec<_>>())?;
    let rows = totals.iter().flat_map(|(name, costs)| {
        let costs = site.channels.iter().filter_map(|channel| Some((channel, *costs.get(*channel as usize)?)));
        let costs = costs.filter(|(_, cost)| *cost != ABSENT);
        costs.map(|(channel, cost)| vec![name.clone(), channel.to_string(), number(cost), percent(cost, limit)])
    });
    let less = match totals.len() - bars.len() {
        0 => String::new(),
        less => format!(" API versions of less than 1 % are in the table only: {less}."),
    };
    Some(Figure {
        id: "costs",
        title: "The cost of CEL rules",
        description: format!(
            "The highest estimate is {} for {dearest}. Servers accept {}.",
            number(most),
            number(limit)
        ),
        caption: format!(
            "The whole width is this limit. The estimate is that of a server for all rules of an API version when its CRD is created: the highest of the \
             supported Kubernetes minors and of the channels.{less}"
        ),
        legend: Vec::new(),
        picture: Picture::Bars(bars),
        columns: ["API version", "Channel", "Estimate", "Of the limit"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
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
