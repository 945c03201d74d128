//! The page `docs/evidence/channel-switching.md`: the results of the journey.
//!
//! Invariants: every row of a table is an answer of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crd_channels::Channel;

use crate::documents::{VersionedKind, crds};
use crate::pages::{compare, filled};

use super::difference::{is_in_standard, only_experimental_values};
use super::journey::{Journey, Made, Role, journey};

/// Rows of a table: the versions, by resource and statement.
type Rows = BTreeMap<(String, String), BTreeSet<String>>;

/// A path without list indices: `spec.rules[0].filters[0].type` becomes `spec.rules[].filters[].type`.
pub(super) fn without_indices(path: &str) -> String {
    path.split_inclusive('[')
        .map(|part| part.trim_start_matches(|character: char| character.is_ascii_digit()))
        .collect()
}

/// A table of the page; versions of equal rows are joined.
fn table(heads: [&str; 3], rows: Rows) -> String {
    let mut text = format!("| {} |\n|---|---|---|\n", heads.join(" | "));
    for ((kind, what), versions) in rows {
        let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {kind} | {versions} | {what} |");
    }
    text
}

fn kind(resource: &str) -> String {
    let crd = crds(Channel::Experimental).iter().find(|crd| crd.name == resource).expect("a CRD of the bundle");
    crd.names.kind.to_string()
}

/// The page, from the answers of the server.
fn page(journey: &Journey) -> String {
    let [mut hidden, mut values, mut unserved, mut looser, mut alone, mut stricter] = [const { Rows::new() }; 6];
    let row = |made: &Made, field: &str| (made.versioned.kind().to_owned(), format!("`{}`", without_indices(field)));
    for ((resource, version), paths) in journey.hidden() {
        for path in paths {
            hidden.entry((kind(resource), format!("`{}`", &path[1..]))).or_default().insert(version.to_owned());
        }
    }
    for (made, changed, _) in journey.blocked(Role::Left) {
        for (field, _) in changed.causes().iter().filter(|(_, message)| message.starts_with("Unsupported value")) {
            values.entry(row(made, field)).or_default().insert(made.versioned.version.name.to_string());
        }
    }
    for (made, changed, _) in journey.blocked(Role::Older) {
        for (field, _) in changed.causes().iter().filter(|(field, _)| field.starts_with("spec")) {
            looser.entry(row(made, field)).or_default().insert(made.versioned.version.name.to_string());
        }
    }
    for (index, _, changed) in &journey.stricter {
        let made = &journey.made[*index];
        for (field, _) in changed.causes().iter().filter(|(field, _)| field.starts_with("spec")) {
            stricter.entry(row(made, field)).or_default().insert(made.versioned.version.name.to_string());
        }
    }
    for versioned in VersionedKind::all(Channel::Experimental) {
        let listed_as = (versioned.crd.name.as_ref(), versioned.version.name.as_ref());
        let version = || versioned.version.name.to_string();
        match &journey.back.seen[&listed_as] {
            Err(code) => {
                let rest = versioned
                    .crd
                    .versions
                    .iter()
                    .filter(|version| journey.back.listed(&versioned.crd.name, &version.name).is_some());
                let rest = rest.map(|version| version.name.as_ref()).collect::<Vec<_>>().join(", ");
                let what = format!("{code}; read and write {rest}");
                unserved.entry((versioned.kind().to_owned(), what)).or_default().insert(version());
            }
            Ok(objects) if !is_in_standard(&versioned.crd.name) => {
                assert_eq!(Some(objects), journey.during.listed(&versioned.crd.name, &versioned.version.name));
                alone.entry((versioned.kind().to_owned(), "none".to_owned())).or_default().insert(version());
            }
            Ok(_) => {}
        }
    }
    let value_names: BTreeSet<String> = only_experimental_values()
        .iter()
        .map(|(.., value)| format!("`{}`", value.as_str().unwrap_or_default()))
        .collect();
    let value_names: Vec<String> = value_names.into_iter().collect();
    filled(
        include_str!("page.md"),
        &[
            ("stricter", &table(["resource", "versions", "field"], stricter)),
            ("hidden", &table(["resource", "versions", "field"], hidden)),
            ("values", &table(["resource", "versions", "field"], values)),
            ("names of values", &value_names.join(", ")),
            ("unserved", &table(["resource", "versions", "answer"], unserved)),
            ("looser", &table(["resource", "written through", "field"], looser)),
            ("alone", &table(["resource", "versions", "lost"], alone)),
        ],
    )
}

#[test]
fn the_page_is_up_to_date() {
    let Some(journey) = journey() else { return };
    compare(&page(journey), "evidence/channel-switching.md", "switching");
}
