//! What Helm stores of the charts of the newest release, against the limit of a Secret.

use super::figure::{Bar, Figure, Picture, float, is_visible, number, percent};
use crate::Site;

/// The largest Secret, in bytes.
const LIMIT: i64 = 1024 * 1024;

pub(super) fn charts(site: &Site) -> Option<Figure> {
    let charts = site.charts.iter().map(|(channel, bytes)| (channel, i64::try_from(*bytes).unwrap_or(i64::MAX)));
    let charts = charts.collect::<Vec<_>>();
    let most = charts.iter().map(|(_, bytes)| *bytes).max().filter(|most| is_visible(*most, LIMIT))?;
    let bars = charts.iter().map(|(channel, bytes)| {
        let words = format!("{} bytes, {} of the limit", number(*bytes), percent(*bytes, LIMIT));
        Bar::of_share(channel.to_string(), words, channel.name(), float(*bytes) / float(LIMIT.max(most)))
    });
    let rows = charts.iter().map(|(channel, bytes)| vec![channel.to_string(), number(*bytes), percent(*bytes, LIMIT)]);
    Some(Figure {
        id: "charts",
        title: "What Helm stores",
        description: format!("The largest chart takes {} of the {} bytes of a Secret.", number(most), number(LIMIT)),
        caption: "Above this limit, which is the whole width, Helm cannot install. Helm keeps each revision of a chart in a Secret: all of its files and what \
                  was rendered from them, packed. The estimate is for the newest release, with all policies switched on."
            .to_owned(),
        legend: Vec::new(),
        picture: Picture::Bars(bars.collect()),
        columns: ["Channel", "Bytes", "Of the limit"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })
}
