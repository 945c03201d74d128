//! What Helm stores of the charts of the newest release, against the limit of a Secret.

use super::figure::{Anchor, Canvas, Figure, WIDTH, at, float, number};
use crate::Site;

/// The largest Secret, in bytes.
const LIMIT: i64 = 1024 * 1024;
const ROW: f64 = 34.0;
const LEFT: f64 = 130.0;
const TOP: f64 = 30.0;

/// The picture.
pub(super) fn charts(site: &Site) -> Option<Figure> {
    let charts = site.charts.iter().map(|(channel, bytes)| (channel, i64::try_from(*bytes).unwrap_or(i64::MAX)));
    let charts = charts.collect::<Vec<_>>();
    let (_, most) = charts.iter().max_by_key(|(_, bytes)| *bytes)?;
    let (right, bottom) = (WIDTH - 40.0, TOP + at(charts.len()) * ROW);
    let x = |bytes: i64| LEFT + float(bytes) / float(LIMIT.max(*most)) * (right - LEFT);
    let mut canvas = Canvas::of_height(bottom + 8.0);
    canvas.line((x(LIMIT), TOP - 6.0), (x(LIMIT), bottom), "limit");
    canvas.text(
        (x(LIMIT), TOP - 12.0),
        Anchor::End,
        "small",
        &format!("{}: above it, Helm cannot install", number(LIMIT)),
    );
    let mut rows = Vec::new();
    for (row, (channel, bytes)) in charts.iter().enumerate() {
        let y = TOP + at(row) * ROW;
        let share = format!("{:.1} %", float(*bytes) / float(LIMIT) * 100.0);
        let text = format!("{} bytes, {share} of the limit", number(*bytes));
        canvas.text((LEFT - 10.0, y + 21.0), Anchor::End, "label", channel.name());
        canvas.bar((LEFT, y + 4.0), (x(*bytes) - LEFT, 24.0), channel.name(), &text);
        canvas.text((x(*bytes) + 6.0, y + 21.0), Anchor::Start, "small", &text);
        rows.push(vec![channel.name().to_owned(), number(*bytes), share]);
    }
    Some(Figure {
        id: "charts",
        title: "What Helm stores",
        description: format!("The largest chart takes {} of {} bytes.", number(*most), number(LIMIT)),
        caption: "Helm keeps each revision of a chart in a Secret: all of its files and what was rendered from them, packed. The estimate is for the \
                  newest release, with all policies switched on."
            .to_owned(),
        legend: Vec::new(),
        canvas,
        columns: ["Channel", "Bytes", "Of the limit"].map(str::to_owned).to_vec(),
        rows,
    })
}
