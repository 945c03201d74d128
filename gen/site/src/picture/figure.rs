//! A figure: bars or an SVG with a title and a description, and a table with the same facts.
//!
//! Invariants: every text is escaped here. Coordinates are rounded, so that equal facts give equal bytes. The width of a bar is proportional to its
//! value. Wide pictures and tables scroll in their figure.

use std::fmt::Write as _;

use crate::text::{escaped, push_escaped, visible};

/// The width of all pictures, in units of the SVG.
pub(super) const WIDTH: f64 = 960.0;

/// How a text is aligned at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

pub(super) struct Figure {
    /// Its name in links.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// The most important facts in a sentence.
    pub(super) description: String,
    /// How to read it.
    pub(super) caption: String,
    /// What each class of shapes means.
    pub(super) legend: Vec<(&'static str, String)>,
    pub(super) picture: Picture,
    /// The names of the columns.
    pub(super) columns: Vec<String>,
    /// The same facts in rows.
    pub(super) rows: Vec<Vec<String>>,
}

/// How a figure shows its facts.
pub(super) enum Picture {
    Drawn(Canvas),
    /// As bars below each other, which are as wide as the page.
    Bars(Vec<Bar>),
    /// As bars on one axis, which has labels. They scroll on narrow screens, and their labels stay.
    Lives(Vec<(f64, String)>, Vec<Bar>),
}

/// A bar between its label and a sentence. Positions are shares of the whole width.
pub(super) struct Bar {
    /// What it is about.
    pub(super) label: String,
    /// What it shows, in words.
    pub(super) words: String,
    /// From where to where it has which class.
    pub(super) parts: Vec<(&'static str, f64, f64)>,
    /// Where it has dots of which class.
    pub(super) dots: Vec<(&'static str, f64)>,
}

impl Bar {
    /// A bar that begins at the left.
    pub(super) fn of_share(label: String, words: String, class: &'static str, share: f64) -> Self {
        Self { label, words, parts: vec![(class, 0.0, share)], dots: Vec::new() }
    }

    fn html(&self, html: &mut String) {
        let (label, words) = (escaped(&short(&self.label, 200)), escaped(&short(&self.words, 300)));
        let _ = write!(
            html,
            "<li><p>{label} <span class=\"words\">{words}</span></p><svg class=\"track\" aria-hidden=\"true\">"
        );
        for (class, from, to) in &self.parts {
            let (from, width) = (from * 100.0, (to - from) * 100.0);
            let _ = write!(html, "<rect x=\"{from:.2}%\" width=\"{width:.2}%\" height=\"100%\" class=\"{class}\"/>");
        }
        for (class, at) in &self.dots {
            let _ = write!(html, "<circle cx=\"{:.2}%\" cy=\"50%\" r=\"4\" class=\"{class}\"/>", at * 100.0);
        }
        html.push_str("</svg></li>");
    }
}

/// Whether a value is large enough that a picture of its limit shows it.
pub(super) fn is_visible(value: i64, limit: i64) -> bool {
    value.saturating_mul(20) >= limit
}

impl Figure {
    /// The figure as HTML.
    pub(super) fn html(&self) -> String {
        let Self { id, title, description, caption, .. } = self;
        let mut html = format!("<figure class=\"picture\" id=\"picture-{id}\"><h3>{}</h3>", escaped(title));
        if !self.legend.is_empty() {
            html.push_str("<ul class=\"legend\">");
            for (class, text) in &self.legend {
                let _ = write!(html, "<li><span class=\"key {class}\"></span>{}</li>", escaped(text));
            }
            html.push_str("</ul>");
        }
        match &self.picture {
            Picture::Bars(bars) => self.bars(&mut html, "bars", &[], bars),
            Picture::Lives(axis, bars) => {
                self.scroll(&mut html, "Picture", |html| self.bars(html, "bars lives", axis, bars));
            }
            Picture::Drawn(Canvas { shapes, height }) => self.scroll(&mut html, "Picture", |html| {
                let _ = write!(
                    html,
                    "<svg role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\">\
                     <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>{shapes}</svg>",
                    escaped(title),
                    escaped(description),
                );
            }),
        }
        let _ = write!(html, "<figcaption>{} {}</figcaption>", escaped(description), escaped(caption));
        html.push_str("<details><summary>The same as a table</summary>");
        self.scroll(&mut html, "Table", |html| self.table(html));
        html.push_str("</details></figure>");
        html
    }

    /// What `content` writes, in an element that scrolls if it is too wide.
    fn scroll(&self, html: &mut String, what: &str, content: impl FnOnce(&mut String)) {
        let title = escaped(self.title);
        let _ = write!(html, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{what}: {title}\">");
        content(html);
        html.push_str("</div>");
    }

    fn bars(&self, html: &mut String, class: &str, axis: &[(f64, String)], bars: &[Bar]) {
        let _ = write!(html, "<ul class=\"{class}\" aria-label=\"{}\">", escaped(self.title));
        if !axis.is_empty() {
            html.push_str("<li aria-hidden=\"true\"><svg class=\"ruler\">");
            for (at, label) in axis {
                let _ = write!(
                    html,
                    "<text x=\"{:.2}%\" y=\"14\" text-anchor=\"middle\">{}</text>",
                    at * 100.0,
                    escaped(label)
                );
            }
            html.push_str("</svg></li>");
        }
        bars.iter().for_each(|bar| bar.html(html));
        html.push_str("</ul>");
    }

    fn table(&self, html: &mut String) {
        html.push_str("<table><thead><tr>");
        for column in &self.columns {
            let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(column));
        }
        html.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            html.push_str("<tr>");
            for cell in row {
                let _ = write!(html, "<td>{}</td>", escaped(&short(cell, 200)));
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table>");
    }
}

pub(super) struct Canvas {
    shapes: String,
    /// The height that is used.
    pub(super) height: f64,
}

impl Canvas {
    /// A canvas of a height.
    pub(super) fn of_height(height: f64) -> Self {
        Self { shapes: String::new(), height }
    }

    /// A text. Its `class` decides its size and colour.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = write!(self.shapes, "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} class=\"{class}\">");
        push_escaped(&mut self.shapes, text);
        self.shapes.push_str("</text>");
    }

    /// A small text below or above a position: level in the middle, or upright from there to its anchor.
    pub(super) fn label(&mut self, (x, y): (f64, f64), is_upright: bool, anchor: Anchor, text: &str) {
        if !is_upright {
            return self.text((x, y), Anchor::Middle, "small", text);
        }
        let (x, y) = (x + 4.0, if anchor == Anchor::End { y - 8.0 } else { y });
        let anchor = if anchor == Anchor::End { "end" } else { "start" };
        let _ = write!(
            self.shapes,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"{anchor}\" class=\"small\">"
        );
        push_escaped(&mut self.shapes, text);
        self.shapes.push_str("</text>");
    }

    /// A rectangle with a text that is shown at it.
    pub(super) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, tip: &str) {
        let width = width.max(1.0);
        let _ = write!(
            self.shapes,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\">"
        );
        self.tip(tip, "rect");
    }

    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, class: &str, tip: &str) {
        let _ = write!(self.shapes, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" class=\"{class}\">");
        self.tip(tip, "circle");
    }

    fn tip(&mut self, tip: &str, element: &str) {
        if !tip.is_empty() {
            let _ = write!(self.shapes, "<title>{}</title>", escaped(tip));
        }
        let _ = write!(self.shapes, "</{element}>");
    }

    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let _ = write!(
            self.shapes,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        );
    }

    /// The grid of a vertical scale between two positions: the smallest step with at most `lines` lines. `y` is where a value is.
    pub(super) fn scale(
        &mut self,
        (left, right): (f64, f64),
        steps: &[i64],
        (top, lines): (f64, f64),
        y: impl Fn(i64) -> f64,
        label: impl Fn(i64) -> String,
    ) {
        let step =
            steps.iter().copied().find(|step| float(*step) * lines >= top).or(steps.last().copied()).unwrap_or(1);
        for tick in (0..).map(|tick| tick * step).take_while(|tick| float(*tick) < top) {
            self.line((left, y(tick)), (right, y(tick)), "grid");
            self.text((left - 8.0, y(tick) + 4.0), Anchor::End, "small", &label(tick));
        }
    }

    /// A line through points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], class: &str, tip: &str) {
        let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
        let _ = write!(self.shapes, "<polyline points=\"{points}\" class=\"{class}\">");
        self.tip(tip, "polyline");
    }
}

/// The width of a letter of a small label, at most, and the space between labels.
pub(super) const LETTER: f64 = 6.4;
pub(super) const GAP: f64 = 8.0;

/// The labels that have room next to each other, the last ones first. Each has a position.
pub(super) fn spaced(labels: impl DoubleEndedIterator<Item = (f64, String)>) -> Vec<(f64, String)> {
    let mut free = f64::MAX;
    let spaced = labels.rev().filter(|(x, label)| {
        let half = (at(label.chars().count()) * LETTER + GAP) / 2.0;
        let has_room = x + half <= free;
        free = if has_room { x - half } else { free };
        has_room
    });
    spaced.collect()
}

/// A text of at most so many characters. Of a longer one, the end is shown.
pub(super) fn tail(text: &str, most: usize) -> String {
    let text = visible(text);
    let length = text.chars().count();
    if length <= most {
        return text;
    }
    let end = text.chars().skip(length - most.saturating_sub(1));
    std::iter::once('…').chain(end).collect()
}

/// A text of at most so many characters. Of a longer one, the start is shown.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = visible(text);
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A number with separators.
pub(super) fn number(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The share of a limit, in words.
pub(super) fn percent(value: i64, limit: i64) -> String {
    let share = float(value) / float(limit) * 100.0;
    if share < 0.1 { "under 0.1 %".to_owned() } else { format!("{share:.1} %") }
}

/// A number as a coordinate.
#[allow(clippy::cast_precision_loss, reason = "coordinates are approximate")]
pub(super) fn float(number: i64) -> f64 {
    number as f64
}

/// An index as a coordinate.
pub(super) fn at(index: usize) -> f64 {
    float(i64::try_from(index).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_numbers_separated() {
        assert_eq!((tail("spec.rules", 6), short("spec.rules", 6)), ("…rules".to_owned(), "spec.…".to_owned()));
        assert_eq!([0, 999, 1_000, 1_234_567, -12_345].map(number), ["0", "999", "1,000", "1,234,567", "-12,345"]);
    }
}
