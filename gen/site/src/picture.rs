//! The pictures: the facts of a site as SVG, each with a table of the same facts.
//!
//! Invariants: pictures are visible without JavaScript. Colours are those of the style sheet. A picture without facts is left out.

mod changes;
mod charts;
mod costs;
mod figure;
mod lives;
mod overlap;
mod sizes;
mod time;

use crate::Site;
use crate::resources::Resource;

/// The section with all pictures.
pub(crate) fn pictures(site: &Site, resources: &[Resource<'_>]) -> String {
    let time = time::Time::of(site);
    let figures = [
        lives::lives(site, &time, resources),
        sizes::sizes(site, &time, resources),
        charts::charts(site),
        changes::changes(site, resources),
        costs::costs(site, resources),
        overlap::overlap(site),
    ];
    let figures = figures.into_iter().flatten().map(|figure| figure.html()).collect::<String>();
    if figures.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"pictures\" aria-labelledby=\"pictures-title\"><h2 id=\"pictures-title\">Pictures</h2>{figures}</section>"
    )
}
