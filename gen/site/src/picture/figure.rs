//! A figure: an SVG with a title and a description, and a table with the same facts.
//!
//! Invariants: every text is escaped here. Coordinates have one decimal, so that equal facts give equal bytes. Wide pictures and tables scroll
//! in their figure.

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

/// A figure.
pub(super) struct Figure {
    /// Its name in links.
    pub(super) id: &'static str,
    /// What it shows.
    pub(super) title: &'static str,
    /// The most important facts in a sentence.
    pub(super) description: String,
    /// How to read it.
    pub(super) caption: String,
    /// What each class of shapes means.
    pub(super) legend: Vec<(&'static str, String)>,
    /// The picture.
    pub(super) canvas: Canvas,
    /// The names of the columns.
    pub(super) columns: Vec<String>,
    /// The same facts in rows.
    pub(super) rows: Vec<Vec<String>>,
}

impl Figure {
    /// The figure as HTML.
    pub(super) fn html(&self) -> String {
        let Self { id, title, canvas, .. } = self;
        let mut html = format!("<figure class=\"picture\" id=\"picture-{id}\"><h3>{}</h3>", escaped(title));
        if !self.legend.is_empty() {
            html.push_str("<ul class=\"legend\">");
            for (class, text) in &self.legend {
                let _ = write!(html, "<li><span class=\"key {class}\"></span>{}</li>", escaped(text));
            }
            html.push_str("</ul>");
        }
        let _ = write!(
            html,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture: {title}\">\
             <svg role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" viewBox=\"0 0 {WIDTH:.0} {:.0}\">\
             <title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{}</desc>{}</svg></div>",
            canvas.height,
            escaped(&self.description),
            canvas.shapes,
            title = escaped(title),
        );
        let _ = write!(html, "<figcaption>{}</figcaption>", escaped(&self.caption));
        self.table(&mut html);
        html.push_str("</figure>");
        html
    }

    fn table(&self, html: &mut String) {
        let _ = write!(
            html,
            "<details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {}\"><table><thead><tr>",
            escaped(self.title)
        );
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
        html.push_str("</tbody></table></div></details>");
    }
}

/// Shapes.
#[derive(Default)]
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

    /// A rectangle with a text that is shown at it.
    pub(super) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, tip: &str) {
        let width = width.max(1.0);
        let _ = write!(
            self.shapes,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\">"
        );
        self.tip(tip, "rect");
    }

    /// A dot.
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

    /// A straight line.
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
