//! What the cases of suites cover: which rules, constraints, values, defaults and union members no case shows, with the lines of the types.
//!
//! Invariants: each channel is measured alone. Elements without effect are listed apart and do not count. A percentage is never rounded up.

use std::fmt::Write as _;
use std::sync::Arc;

use crd_diagnostics::layout::{count, cut, thousands};
use crd_diagnostics::{Diagnostic, SourceLine};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde::Serialize;

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

/// A declaration, with the same state in these channels. Where the same type is used in several places, the first one.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Row {
    /// The channels where this is so.
    channels: Vec<Channel>,
    #[serde(skip)]
    state: State,
    /// The number of cases that show it.
    #[serde(skip)]
    cases: usize,
    /// The kind of requirement.
    requirement: &'static str,
    /// The keyword with its value, the rule, the value, the default or the field.
    text: String,
    /// The kind of the CRD.
    kind: String,
    /// The API version.
    version: String,
    /// The schema path.
    path: String,
    /// The line of the marker, value or field; none if the CRDs are not those of types.
    source: Option<SourceLine>,
}

/// What the cases show of the CRDs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage<'c> {
    /// The counts of each channel.
    channels: Vec<ChannelCoverage>,
    /// The elements for which something is missing.
    uncovered: Vec<CoverageElement<'c>>,
    /// The elements without which objects are accepted alike.
    without_effect: Vec<CoverageElement<'c>>,
}

/// The coverage of a channel.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ChannelCoverage {
    channel: Channel,
    /// How many of 100 elements are covered, without those without effect, to one decimal and never rounded up.
    percent: f64,
    /// The counts of each kind of requirement.
    kinds: [RequirementCoverage; 5],
}

/// How many elements have a kind of requirement.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RequirementCoverage {
    /// The kind of requirement.
    kind: &'static str,
    /// Covered ones.
    covered: usize,
    /// For which something is missing.
    uncovered: usize,
    /// Without which objects are accepted alike.
    without_effect: usize,
}

/// An element, and what is missing.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CoverageElement<'c> {
    #[serde(flatten)]
    row: &'c Row,
    /// What is missing: `never refused`, `never accepted`, or both; null if it has no effect.
    missing: Option<&'static str>,
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
                source: line(element, place, crd, types),
            });
        }
        covered.channels.push(*channel);
    }
    covered
}

/// The line of the marker, value or field of an element.
fn line(element: &Element, place: &Place, crd: &CustomResourceDefinition, types: &dyn TypeLines) -> Option<SourceLine> {
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
            let line =
                row.source.as_ref().map(|SourceLine { file, line }| format!("  {file}:{line}")).unwrap_or_default();
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
    pub fn document(&self) -> Coverage<'_> {
        let channels = self.channels.iter().map(|channel| ChannelCoverage {
            channel: *channel,
            percent: self.total(*channel, None).percent(),
            kinds: Requirement::KINDS.map(|kind| {
                let Total([covered, uncovered, without_effect]) = self.total(*channel, Some(kind));
                RequirementCoverage { kind, covered, uncovered, without_effect }
            }),
        });
        let rows = |is_wanted: &dyn Fn(&Row) -> bool| {
            let rows = self.rows.iter().filter(|row| is_wanted(row));
            rows.map(|row| CoverageElement { row, missing: row.missing() }).collect()
        };
        Coverage {
            channels: channels.collect(),
            uncovered: rows(&|row| row.missing().is_some()),
            without_effect: rows(&|row| row.state == State::WithoutEffect),
        }
    }

    /// The lines of the types as an lcov tracefile.
    #[must_use]
    pub fn lcov(&self) -> String {
        let rows = self.rows.iter().filter(|row| row.state != State::WithoutEffect);
        crate::lcov(rows.filter_map(|row| {
            let SourceLine { file, line } = row.source.as_ref()?;
            Some(((file.as_str(), *line as usize), row.cases))
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
}

impl Total {
    /// How many of 100 elements are covered, to one decimal.
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn percent(&self) -> f64 {
        let [covered, uncovered, _] = self.0;
        (covered * 1000).checked_div(covered + uncovered).map_or(100.0, |per_mille| per_mille as f64 / 10.0)
    }
}
