//! The table for people, on a terminal.
//!
//! Invariants: the table has a line for each element, and `verbose` every fact of the JSON document.

use std::fmt::Write as _;

use crd_bundle::Released;
use crd_diagnostics::layout::{count, hanging};
use crd_diagnostics::printable;
use crd_diagnostics::style::{FAINT, HEADING, NAME};
use crd_model::graduation::{CRITERIA, Graduation};
use crd_model::inventory::Element;

use crate::assessment::{Assessment, State};
use crate::element::{detail, has_conformance, id};
use crate::life::{Dated, Life};
use crate::table::{Row, Table};

/// The marks of states.
const MARKS: [(State, &str); 3] = [(State::Met, "✓"), (State::Missing, "✗"), (State::Unknown, "?")];

fn mark(state: State) -> &'static str {
    MARKS.iter().find(|(known, _)| *known == state).map_or("", |(_, mark)| mark)
}

/// The columns of the table.
const COLUMNS: [&str; 6] = ["ELEMENT", "SINCE", "UNCHANGED", "MINORS", "CRITERIA", "ELIGIBLE"];

/// The table, or with `verbose` all facts about each element.
pub fn report(table: &Table, rows: &[&Row], verbose: bool, width: usize) -> String {
    let mut text = String::new();
    let as_of = table.as_of.map(|date| format!(" on {}", date.date())).unwrap_or_default();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{HEADING}Experimental before {}{as_of}{HEADING:#}\n", table.bundle);
    if verbose {
        rows.iter().for_each(|row| text.push_str(&details(row, width)));
    } else {
        text.push_str(&lines(&folded(rows), width));
        let criteria = format!("criteria: {}", legend(&table.graduation));
        let _ = write!(text, "\n{FAINT}{}{FAINT:#}", hanging(&criteria, 0, 2, width));
    }
    let overdue = rows.iter().filter(|row| is_overdue(&row.assessment)).count();
    let ready = rows.iter().filter(|row| row.is_ready()).count();
    let _ = writeln!(text, "{}, {ready} ready, {overdue} overdue", count(rows.len(), "element"));
    text
}

fn is_overdue(assessment: &Assessment) -> bool {
    assessment.probation.is_some_and(|probation| probation.is_overdue)
}

/// The elements of one marker, or of one feature gate, with the same facts are one line, with the number of further elements.
fn folded<'r>(rows: &[&'r Row]) -> Vec<(&'r Row, usize)> {
    let mut lines: Vec<(&Row, usize)> = Vec::new();
    for row in rows {
        let is_same = |known: &Row| {
            let is_one_mark = row.source.is_some() && known.source == row.source;
            let is_one_gate = row.gate.is_some() && known.gate == row.gate;
            let source = (is_one_mark || is_one_gate) && known.element.crd == row.element.crd;
            let life = (known.life.first, known.life.unchanged_since) == (row.life.first, row.life.unchanged_since);
            source
                && life
                && known.element.kind == row.element.kind
                && status(known) == status(row)
                && marks(&known.element, &known.assessment) == marks(&row.element, &row.assessment)
        };
        match lines.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, more)) => *more += 1,
            None => lines.push((row, 0)),
        }
    }
    lines
}

/// The lines of the table. A name that leaves no room for the facts has a line of its own.
fn lines(rows: &[(&Row, usize)], width: usize) -> String {
    let cells = rows.iter().map(|(row, more)| {
        let gate = row.gate.as_ref().map(|gate| format!("{gate}: ")).unwrap_or_default();
        let name = printable(&format!("{gate}{}", id(&row.element)));
        [
            if *more > 0 { format!("{name} and {more} more") } else { name },
            row.life.first.bundle.to_string(),
            row.life.unchanged_since.bundle.to_string(),
            row.life.minors.to_string(),
            marks(&row.element, &row.assessment),
            status(row),
        ]
    });
    let head = COLUMNS.map(str::to_owned);
    let all = std::iter::once(head).chain(cells).collect::<Vec<_>>();
    let longest = |column: usize| all.iter().filter_map(|cells| Some(cells.get(column)?.chars().count())).max();
    let mut widths: [usize; COLUMNS.len()] = std::array::from_fn(|column| longest(column).unwrap_or_default());
    let [name, facts @ ..] = &mut widths;
    let room = width.saturating_sub(facts.iter().map(|fact| fact + GAP.len()).sum());
    *name = (*name).min(room.max(SMALLEST_NAME));
    let mut text = String::new();
    for (index, cells) in all.iter().enumerate() {
        let [name, ..] = cells;
        let is_long = name.chars().count() > widths[0];
        let cells = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            let cell = if is_long && column == 0 { "" } else { cell };
            format!("{cell:width$}")
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        let style = if index == 0 { FAINT } else { anstyle::Style::new() };
        if is_long {
            let _ = writeln!(text, "{name}");
        }
        let _ = writeln!(text, "{style}{}{style:#}", line.trim_end());
    }
    text
}

const GAP: &str = "  ";
/// The room of names in a narrow terminal.
const SMALLEST_NAME: usize = 24;

/// A mark for each criterion of the project, in the order of the table of criteria.
pub(crate) fn marks(element: &Element, assessment: &Assessment) -> String {
    let all = CRITERIA.iter().filter_map(|known| {
        let outcome = assessment.outcomes.iter().find(|outcome| outcome.criterion == known.criterion);
        match outcome {
            Some(outcome) => Some(mark(outcome.state)),
            None if !has_conformance(element.kind) => Some("-"),
            None => None,
        }
    });
    all.collect()
}

/// What the marks mean.
pub(crate) fn legend(graduation: &Graduation) -> String {
    let criteria = graduation.required().map(|(criterion, _)| criterion.row().name);
    format!("{}; ✓ met, ✗ missing, ? unknown, - not needed", criteria.collect::<Vec<_>>().join(", "))
}

/// When it may graduate, in a few words.
fn status(row: &Row) -> String {
    let overdue = if is_overdue(&row.assessment) { ", overdue" } else { "" };
    if !row.blockers.is_empty() {
        return format!("blocked{overdue}");
    }
    match row.assessment.eligible {
        Some(_) if row.is_ready() => "ready".to_owned(),
        Some(eligible) => format!("{} in {}{overdue}", eligible.date.date(), eligible.bundle),
        None => "unknown".to_owned(),
    }
}

/// All facts about an element.
pub fn details(row: &Row, width: usize) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{NAME}{}{NAME:#}", printable(&id(&row.element)));
    let mut line = |line: &str| text.push_str(&hanging(&printable(line), 4, 6, width));
    let kind = row.element.kind.word();
    let location = if row.element.path.is_empty() { String::new() } else { format!(" at {}", row.element.path) };
    line(&format!("{kind} of {} {}{location}", row.resource, row.versions.join(", ")));
    if !detail(&row.element).is_empty() && kind != "version" {
        line(&row.element.name);
    }
    if let Some(source) = &row.source {
        line(&format!("marker: {}:{}", source.file, source.line));
    }
    if let Some(gate) = &row.gate {
        line(&format!("gate: {gate}"));
    }
    lived(&row.life).iter().for_each(|fact| line(fact));
    for outcome in &row.assessment.outcomes {
        let since = match (outcome.state, outcome.since) {
            (State::Missing, Some(since)) => format!(", met on {}", since.date()),
            _ => String::new(),
        };
        let name = outcome.criterion.row().name;
        line(&format!("{} {name}: {}{since}", mark(outcome.state), outcome.text));
    }
    row.blockers.iter().for_each(|blocker| line(&format!("blocked: {blocker}")));
    if let Some(eligible) = row.assessment.eligible {
        line(&format!("eligible from {} in {}", eligible.date.date(), eligible.bundle));
    }
    if let Some(probation) = row.assessment.probation.filter(|probation| probation.is_overdue) {
        line(&format!("the probation ended on {}: graduate, change or remove it", probation.ends.date()));
    }
    text.push('\n');
    text
}

/// The life in sentences.
fn lived(life: &Life) -> Vec<String> {
    let minors = count(life.minors, "minor");
    let mut facts = vec![format!("in experimental since {}, {minors}", of_bundle(life.first))];
    if life.changes.is_empty() {
        facts.push("unchanged since then".to_owned());
    } else {
        facts.push(format!("unchanged since {}", of_bundle(life.unchanged_since)));
    }
    for change in &life.changes {
        let path = if change.path.is_empty() { String::new() } else { format!("{}: ", change.path) };
        facts.push(format!("changed then: {path}{} [{}]", change.message, change.rule));
    }
    for (old, renamed) in &life.ancestors {
        facts.push(format!("named {} before {renamed}", id(old)));
    }
    facts
}

fn of_bundle(dated: Dated) -> String {
    let date = dated.date.map(Released::date);
    date.map_or_else(|| dated.bundle.to_string(), |date| format!("{} of {date}", dated.bundle))
}
