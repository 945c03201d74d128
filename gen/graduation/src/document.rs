//! `graduation.json`: the table as a document, part of a bundle, and the JSON of `graduate`.
//!
//! Invariants: keys are sorted, and a documented key is always present. Dates are days in UTC.

use crd_bundle::Released;
use crd_model::graduation::{Criterion, Graduation, Requirement};
use crd_model::inventory::Element;
use serde_json::{Map, Value, json};

use crate::assessment::Outcome;
use crate::element::{detail, id};
use crate::life::{Change, Dated, Life};
use crate::past::{PastGraduation, Timing};
use crate::table::{Row, Table};

/// The name of the file in a bundle.
pub const FILE_NAME: &str = "graduation.json";

/// The format of the file. A reader refuses every other format.
pub const FORMAT: u64 = 1;

/// The document of a table.
pub fn document(table: &Table) -> Value {
    json!({
        "format": FORMAT,
        "bundle": table.bundle.to_string(),
        "asOf": date(table.as_of),
        "criteria": criteria(&table.graduation),
        "probationMonths": table.graduation.probation_months(),
        "looseningResets": table.graduation.does_loosening_reset(),
        "enforced": table.graduation.is_enforced(),
        "rows": table.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// The text of the file.
pub fn text(table: &Table) -> String {
    format!("{:#}\n", document(table))
}

/// The graduations of past releases.
pub fn past(graduations: &[PastGraduation]) -> Value {
    let graduations = graduations.iter().map(|graduation| {
        let mut map = element(&graduation.element);
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        put("release", dated(graduation.release));
        put("before", dated(graduation.before));
        put("timing", json!(graduation.timing.word()));
        let missing = match &graduation.timing {
            Timing::Early(missing) => missing.iter().map(|criterion| json!(criterion.row().name)).collect(),
            _ => Vec::new(),
        };
        put("missing", json!(missing));
        let permitted = match graduation.timing {
            Timing::Late(bundle) => Some(bundle.to_string()),
            _ => None,
        };
        put("permittedIn", json!(permitted));
        put("features", json!(graduation.features));
        put("changedInRelease", graduation.changes.iter().map(change).collect());
        map.extend(life(&graduation.life));
        map.insert("criteria".to_owned(), graduation.assessment.outcomes.iter().map(outcome).collect());
        Value::Object(map)
    });
    graduations.collect()
}

fn criteria(graduation: &Graduation) -> Value {
    let criteria = graduation.required().map(|(criterion, requirement)| {
        let row = criterion.row();
        json!({"name": row.name, "requires": requires(requirement), "unit": row.unit, "summary": row.summary, "source": row.source})
    });
    criteria.collect()
}

fn requires(requirement: Requirement) -> Value {
    match requirement {
        Requirement::AtLeast(number) => json!(number),
        Requirement::Exists => json!(true),
        Requirement::Off => json!(false),
    }
}

fn row(row: &Row) -> Value {
    let Row { element: of_row, resource, versions, life: of_life, features, assessment, blockers, source } = row;
    let mut map = element(of_row);
    map.extend(life(of_life));
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("resource", json!(resource));
    put("versions", json!(versions));
    put("features", json!(features));
    put("criteria", assessment.outcomes.iter().map(outcome).collect());
    let eligible = assessment
        .eligible
        .map(|eligible| json!({"date": eligible.date.date(), "bundle": eligible.bundle.to_string()}));
    put("eligible", json!(eligible));
    put("ready", json!(row.is_ready()));
    put("blockers", json!(blockers));
    let probation =
        assessment.probation.map(|probation| json!({"ends": probation.ends.date(), "overdue": probation.is_overdue}));
    put("probation", json!(probation));
    put("source", json!(source.as_ref().map(|source| json!({"file": source.file, "line": source.line}))));
    Value::Object(map)
}

fn element(element: &Element) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("name", json!(id(element)));
    put("crd", json!(element.crd));
    put("kind", json!(element.kind.word()));
    put("path", json!(element.path));
    put("text", json!(detail(element)));
    map
}

fn life(life: &Life) -> Map<String, Value> {
    let Life { first, unchanged_since, changes, minors, ancestors } = life;
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("first", dated(*first));
    put("unchangedSince", dated(*unchanged_since));
    put("changes", changes.iter().map(change).collect());
    put("minors", json!(minors));
    let ancestors = ancestors.iter();
    put("ancestors", ancestors.map(|(old, until)| json!({"name": id(old), "renamedIn": until.to_string()})).collect());
    map
}

fn change(change: &Change) -> Value {
    json!({"rule": change.rule, "path": change.path, "message": change.message})
}

fn dated(dated: Dated) -> Value {
    json!({"bundle": dated.bundle.to_string(), "date": date(dated.date)})
}

fn date(date: Option<Released>) -> Value {
    json!(date.map(Released::date))
}

fn outcome(outcome: &Outcome) -> Value {
    let Outcome { criterion, requirement, state, since, text } = outcome;
    let name = Criterion::row(*criterion).name;
    json!({"name": name, "requires": requires(*requirement), "state": state.word(), "since": date(*since), "text": text})
}
