//! What the cases of suites cover: which rules, constraints, values, defaults and union members no case shows, with the lines of the types.
//!
//! Invariants: each channel is measured alone. Elements without effect are listed apart and do not count. A percentage is never rounded up.

use std::fmt::Write as _;
use std::sync::Arc;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::{count, cut, thousands};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::{Value, json};

use super::{State, coverage};
use crate::case::{Case, Suite};
use crate::element::{Element, Place, Requirement, elements};
use crate::kinds::Kinds;
use crate::type_lines::TypeLines;

/// What the cases of a run cover.
#[derive(Debug, Default)]
pub struct Covered {
    channels: Vec<Channel>,
    rows: Vec<Row>,
}

/// How many elements are covered, not covered, and without effect.
#[derive(Debug, Default)]
struct Total([usize; 3]);

/// An element with its state, the same in these channels.
#[derive(Debug)]
struct Row {
    channels: Vec<Channel>,
    state: State,
    /// The number of cases that show it.
    cases: usize,
    requirement: &'static str,
    text: String,
    /// The kind, and the API version.
    kind: String,
    version: String,
    path: String,
    line: Option<(String, usize)>,
}

/// Measures the cases in each channel, on a minor. With types, elements have their lines.
pub fn covered(
    channels: &[(Channel, Vec<Arc<CustomResourceDefinition>>)],
    suites: &[Suite],
    minor: u32,
    types: &dyn TypeLines,
) -> Covered {
    let mut covered = Covered::default();
    for (channel, crds) in channels {
        let applies = |case: &&Case| {
            case.channel.is_none_or(|own| own == *channel)
                && case.minors.as_ref().is_none_or(|minors| minors.contains(&minor))
        };
        let cases = suites.iter().flat_map(|suite| &suite.cases).filter(applies).cloned().collect::<Vec<_>>();
        let elements = elements(crds);
        // Rules that do not compile are reported before.
        let Ok(kinds) = Kinds::prepare(crds, minor) else { continue };
        let mut found = coverage(&elements, crds, &cases, &kinds);
        found.prove(&elements, crds);
        for (index, element) in elements.iter().enumerate() {
            let state = found.state(&elements, index);
            let Some(place) = element.places.first() else { continue };
            let crd = &crds[place.crd];
            let hits = &found.hits[index];
            covered.add(Row {
                channels: vec![*channel],
                state,
                cases: if state == State::Covered { hits.fired.len() + hits.satisfied.len() } else { 0 },
                requirement: element.requirement.kind(),
                text: element.text(crds),
                kind: crd.names.kind.to_string(),
                version: crd.versions[place.version].name.to_string(),
                path: place.value_path().to_string(),
                line: line(element, place, crd, types),
            });
        }
        covered.channels.push(*channel);
    }
    covered
}

/// The line of the marker, value or field of an element.
fn line(
    element: &Element,
    place: &Place,
    crd: &CustomResourceDefinition,
    types: &dyn TypeLines,
) -> Option<(String, usize)> {
    let version = &crd.versions[place.version].name;
    let path = place.value_path().text();
    let mut declared = types.declarations(&crd.name, version, &path).into_iter();
    let marker = declared.find(|(schema, _)| element.requirement.is_of(schema)).map(|(_, line)| line);
    let field = element.requirement.field().map_or(path.clone(), |name| crd_model::path::field(&path, name));
    marker.or_else(|| types.line(&crd.name, version, &field))
}

impl Covered {
    /// Adds a row, or its channel to the same row of another channel.
    fn add(&mut self, row: Row) {
        let is_same = |known: &&mut Row| {
            (known.at(), known.requirement, &known.text, known.state)
                == (row.at(), row.requirement, &row.text, row.state)
                && !known.channels.contains(&row.channels[0])
        };
        match self.rows.iter_mut().find(is_same) {
            Some(known) => known.channels.extend(row.channels),
            None => self.rows.push(row),
        }
    }

    /// The counts of a channel, of one kind of requirement or of all.
    fn total(&self, channel: Channel, kind: Option<&str>) -> Total {
        let mut total = Total::default();
        let is_of = |row: &&Row| row.channels.contains(&channel) && kind.is_none_or(|kind| kind == row.requirement);
        for row in self.rows.iter().filter(is_of) {
            total.0[match row.state {
                State::Covered => 0,
                State::WithoutEffect => 2,
                _ => 1,
            }] += 1;
        }
        total
    }

    /// A diagnostic if the coverage of a channel is lower.
    #[must_use]
    pub fn below(&self, least: f64) -> Option<Diagnostic> {
        let percents = self.channels.iter().map(|channel| self.total(*channel, None).percent());
        let percent = percents.fold(100.0, f64::min);
        let message = format!("the coverage is {percent:.1} %, and `--min-coverage` requires {least} %");
        let help = "`test --write` proposes cases for what is not covered";
        (percent < least).then(|| Diagnostic::error("suite::coverage", message).help(help))
    }

    /// The totals, and what is not covered, by the path where it is.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for channel in &self.channels {
            let total = self.total(*channel, None);
            let ([covered, uncovered, apart], percent) = (total.0, total.percent());
            let (all, covered) = (count(covered + uncovered, "element"), thousands(covered));
            // Writing to a String cannot fail.
            let _ =
                writeln!(text, "coverage of {channel}: {percent:.1} % ({covered} of {all}; {apart} without effect)");
            for kind in Requirement::KINDS {
                let total = self.total(*channel, Some(kind));
                let ([covered, uncovered, _], percent) = (total.0, total.percent());
                if covered + uncovered > 0 {
                    let [covered, all] = [covered, covered + uncovered].map(thousands);
                    let _ = writeln!(text, "  {kind:<10} {covered:>5} of {all:<5} {percent:>5.1} %");
                }
            }
        }
        let mut last = None;
        for row in self.rows.iter().filter(|row| row.missing().is_some()) {
            if last != Some(row.at()) {
                let _ = writeln!(text, "\n{} {} {}", row.kind, row.version, row.path);
            }
            last = Some(row.at());
            let line = row.line.as_ref().map(|(file, line)| format!("  {file}:{line}")).unwrap_or_default();
            let channels = match row.channels.len() < self.channels.len() {
                true => format!(" [{}]", row.channels[0]),
                false => String::new(),
            };
            let what = format!("{} {}", row.requirement, row.text);
            let _ = writeln!(text, "  {}: {}{channels}{line}", cut(&what, 100), row.missing().unwrap_or_default());
        }
        text
    }

    /// The same as a part of the document.
    #[must_use]
    pub fn document(&self) -> Value {
        let channels = self.channels.iter().map(|channel| {
            let kinds = Requirement::KINDS.map(|kind| {
                let Total([covered, uncovered, apart]) = self.total(*channel, Some(kind));
                json!({ "kind": kind, "covered": covered, "uncovered": uncovered, "withoutEffect": apart })
            });
            json!({ "channel": channel.name(), "percent": self.total(*channel, None).percent(), "kinds": kinds })
        });
        let of = |is_wanted: &dyn Fn(&Row) -> bool| {
            self.rows.iter().filter(|row| is_wanted(row)).map(Row::document).collect::<Vec<_>>()
        };
        json!({
            "channels": channels.collect::<Vec<_>>(),
            "uncovered": of(&|row| row.missing().is_some()),
            "withoutEffect": of(&|row| row.state == State::WithoutEffect),
        })
    }

    /// The lines of the types as an lcov tracefile.
    #[must_use]
    pub fn lcov(&self) -> String {
        let rows = self.rows.iter().filter(|row| row.state != State::WithoutEffect);
        crate::lcov(rows.filter_map(|row| {
            let (file, line) = row.line.as_ref()?;
            Some(((file.as_str(), *line), row.cases))
        }))
    }
}

impl Row {
    fn at(&self) -> [&str; 3] {
        [&self.kind, &self.version, &self.path]
    }

    /// What is missing; none if nothing is.
    fn missing(&self) -> Option<&'static str> {
        match self.state {
            State::Covered | State::WithoutEffect => None,
            State::NeverRefused => Some("never refused"),
            State::NeverAccepted => Some("never accepted"),
            State::Untested if ["constraint", "rule"].contains(&self.requirement) => {
                Some("never refused, never accepted")
            }
            State::Untested => Some("never accepted"),
        }
    }

    fn document(&self) -> Value {
        let channels = self.channels.iter().map(|channel| channel.name()).collect::<Vec<_>>();
        let (file, line) = self.line.clone().unzip();
        json!({
            "kind": self.kind, "version": self.version, "path": self.path, "requirement": self.requirement, "text": self.text,
            "missing": self.missing(), "channels": channels, "file": file, "line": line,
        })
    }
}

impl Total {
    /// How many of 100 elements are covered, to one decimal.
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn percent(&self) -> f64 {
        let [covered, uncovered, _] = self.0;
        (covered * 1000).checked_div(covered + uncovered).map_or(100.0, |per_mille| per_mille as f64 / 10.0)
    }
}
