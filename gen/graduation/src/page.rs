//! The page about past graduations, as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crd_bundle::Released;
use crd_diagnostics::layout::count;
use crd_diagnostics::markdown::{cell, plain};
use crd_model::graduation::{Criterion, Graduation, Requirement};
use crd_model::inventory::Kind;

use crate::element::id;
use crate::life::Dated;
use crate::past::{PastGraduation, Timing};
use crate::report::{legend, marks};

/// The page. `name` is the name of the API.
pub fn page(name: &str, graduation: &Graduation, graduations: &[PastGraduation], command: &str) -> String {
    let mut text = format!("<!-- Written by `{command}`. -->\n# Graduations of {}\n\n", plain(name));
    let number = |word: &str| graduations.iter().filter(|graduation| graduation.timing.word() == word).count();
    let releases = graduations.iter().map(|graduation| graduation.release.bundle);
    let releases = releases.collect::<std::collections::BTreeSet<_>>();
    let facts = format!(
        "{} graduated from experimental to standard in {}: {} on time, {} early, {} late.\n",
        count(graduations.len(), "element"),
        count(releases.len(), "release"),
        number("on time"),
        number("early"),
        number("late"),
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{facts}");
    text.push_str(
        "Each row has the assessment of the release before the graduation, on the date of the graduation. *Early*: these criteria were missing. *Late*: an \
         older minor release could have graduated the element. Criteria that people state (usage, approval) are not recorded for the past, and implementations \
         count only if the element has a feature and conformance reports existed. An element that was in standard from its first release on has not graduated, \
         and is not listed.\n\n",
    );
    let _ = writeln!(text, "The column *criteria* has a mark for each of: {}.\n", legend(graduation));
    text.push_str(&criteria(graduation));
    let mut early: BTreeMap<Criterion, usize> = BTreeMap::new();
    for graduation in graduations {
        if let Timing::Early(missing) = &graduation.timing {
            missing.iter().for_each(|criterion| *early.entry(*criterion).or_default() += 1);
        }
    }
    if !early.is_empty() {
        let early = early.iter().map(|(criterion, number)| format!("{} {number}", criterion.row().name));
        let _ = writeln!(text, "\nMissing criteria of early graduations: {}.", early.collect::<Vec<_>>().join(", "));
    }
    let mut last = None;
    for graduation in graduations {
        if last != Some(graduation.release.bundle) {
            last = Some(graduation.release.bundle);
            let _ = writeln!(text, "\n## {}\n", dated(graduation.release));
            text.push_str("| element | kind | in experimental since | unchanged since | criteria | projects | timing |\n|---|---|---|---|---|---|---|\n");
        }
        let _ = writeln!(text, "{}", row(graduation));
    }
    text
}

/// The table of the criteria.
fn criteria(graduation: &Graduation) -> String {
    let mut text = "| criterion | requires | means |\n|---|---|---|\n".to_owned();
    for (criterion, requirement) in graduation.required() {
        let row = criterion.row();
        let requires = match requirement {
            Requirement::AtLeast(number) => count(number.into(), row.unit.trim_end_matches('s')),
            Requirement::Exists | Requirement::Off => "yes".to_owned(),
        };
        let _ = writeln!(text, "| {} | {requires} | {} |", row.name, row.summary);
    }
    text
}

/// The row of a graduation.
fn row(graduation: &PastGraduation) -> String {
    let PastGraduation { element, life, timing, changes, assessment, .. } = graduation;
    let projects = implementations(graduation);
    let timing = match timing {
        Timing::Early(missing) => {
            format!("early: {}", missing.iter().map(|criterion| criterion.row().name).collect::<Vec<_>>().join(", "))
        }
        Timing::Late(bundle) => format!("late: {bundle} could have"),
        other => other.word().to_owned(),
    };
    let changed = match changes.len() {
        0 => String::new(),
        number => format!("; {} in the same release", count(number, "change")),
    };
    let what = match element.kind {
        Kind::Rule | Kind::Constraint => format!("{}<br>{}", cell(&id(element)), cell(&element.name)),
        _ => cell(&id(element)),
    };
    format!(
        "| {what} | {} | {} | {} | {} | {projects} | {timing}{changed} |",
        element.kind.word(),
        dated(life.first),
        dated(life.unchanged_since),
        marks(element, assessment),
    )
}

/// The facts about implementations.
fn implementations(graduation: &PastGraduation) -> String {
    let outcomes = graduation.assessment.outcomes.iter();
    let outcome = outcomes.clone().find(|outcome| outcome.criterion == Criterion::Implementations);
    match (outcome, graduation.features.as_slice()) {
        (None, _) => "-".to_owned(),
        (Some(_), []) => "no feature".to_owned(),
        (Some(outcome), features) => format!("{}: {}", features.join(", "), outcome.text),
    }
}

fn dated(dated: Dated) -> String {
    let date = dated.date.map(Released::date);
    date.map_or_else(|| dated.bundle.to_string(), |date| format!("{} ({date})", dated.bundle))
}
