//! The page `docs/evidence/installers.md`, and what Helm's help states.
//!
//! Invariants: the page lists the rows of the table, which the run of this module has proven.

use std::fmt::Write as _;

use crd_upgrade::installers::{Action, Before, ChartPlace, Effect, Installer, Row, rows};

use super::{case, differences};
use crate::pages::{compare, filled};

/// A name of the table's file: `Before::ClientSide` is `client-side`.
fn name(variant: impl std::fmt::Debug) -> String {
    let mut name = String::new();
    for letter in format!("{variant:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Where the CRD is, in words.
fn place(place: ChartPlace) -> &'static str {
    match place {
        ChartPlace::Crds => ", CRDs in `crds/`",
        ChartPlace::Templates => ", CRDs in templates",
        ChartPlace::File => "",
    }
}

fn requests(row: &Row) -> String {
    let mut cell = row.source.iter().map(|line| format!("*from source*: {line}")).collect::<Vec<_>>();
    cell.extend(row.requests.iter().map(|request| format!("`{request}`")));
    if cell.is_empty() { "none".to_owned() } else { cell.join("<br>") }
}

/// A table for each installer and place.
fn tables() -> String {
    let mut text = String::new();
    let mut heading = String::new();
    for row in rows() {
        let next = format!("{}{}", row.installer, place(row.place));
        if next != heading {
            let separator = if heading.is_empty() { "" } else { "\n" };
            let _ = writeln!(
                text,
                "{separator}## {next}\n\n| action | options | CRD before | effect | owner | requests |\n|---|---|---|---|---|---|"
            );
            heading = next;
        }
        let options = if row.options.is_empty() { String::new() } else { format!("`{}`", row.options) };
        let owner = row.owner.as_ref().map_or("as before".to_owned(), |owner| format!("`{owner}`"));
        let owner = if row.effect == Effect::Deleted || row.before == Before::Absent && row.owner.is_none() {
            String::new()
        } else {
            owner
        };
        let cells = [name(row.action), options, name(row.before), name(row.effect), owner, requests(row)];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.trim_end().to_owned()
}

/// The installers of the rows that a condition selects, each once, with their actions.
fn installers(condition: impl Fn(&Row) -> bool) -> String {
    let mut found = Vec::<(String, Vec<String>)>::new();
    for row in rows().iter().filter(|row| condition(row)) {
        let options = if row.options.is_empty() { String::new() } else { format!(" with `{}`", row.options) };
        let (installer, action) = (format!("{}{}{options}", row.installer, place(row.place)), name(row.action));
        match found.iter_mut().find(|(known, _)| *known == installer) {
            Some((_, actions)) if actions.contains(&action) => {}
            Some((_, actions)) => actions.push(action),
            None => found.push((installer, vec![action])),
        }
    }
    let lines = found.iter().map(|(installer, actions)| format!("* {installer}: {}", actions.join(", ")));
    lines.collect::<Vec<_>>().join("\n")
}

fn page() -> String {
    let kubernetes = crd_testbed::Minor::named(crd_testbed::DEFAULT_MINOR).expect("the default minor").version;
    let by_default = |row: &Row| row.options.is_empty() && row.before != Before::Absent;
    let values = [
        ("HELM_3", crd_testbed::HELM_3_VERSION.to_owned()),
        ("HELM_4", crd_testbed::HELM_VERSION.to_owned()),
        ("KUBERNETES", kubernetes.to_owned()),
        ("FLUX", crd_testbed::HELM_CONTROLLER_VERSION.to_owned()),
        (
            "STALE",
            installers(|row| by_default(row) && row.effect == Effect::Unchanged && row.action != Action::Uninstall),
        ),
        (
            "REPLACES",
            installers(|row| by_default(row) && row.effect == Effect::Replaced && row.before == Before::Foreign),
        ),
        ("OVERWRITES", installers(|row| matches!(row.effect, Effect::Overwritten | Effect::Recreated))),
        ("REFUSES", installers(|row| by_default(row) && row.effect == Effect::Refused && row.before != Before::Own)),
        ("TABLES", tables()),
    ];
    filled(include_str!("page.md"), &values.each_ref().map(|(name, value)| (*name, value.as_str())))
}

#[test]
fn the_page_is_up_to_date() {
    if differences().is_none() {
        return;
    }
    compare(&page(), "evidence/installers.md", "installers::page");
}

/// The page of Helm states where this help differs from the server.
#[test]
fn the_help_of_helm_4_states_that_it_installs_only_absent_crds() {
    let Some(programs) = case::Programs::find() else { return };
    let statement = "By default, CRDs are installed if not already present";
    assert!(programs.help().contains(statement), "{}", programs.help());
    let is_contrary = |row: &&Row| {
        let cell = (row.installer, row.place, row.action, row.before);
        cell == (Installer::Helm4, ChartPlace::Crds, Action::Install, Before::Own) && row.options.is_empty()
    };
    assert_eq!(rows().iter().find(is_contrary).map(|row| row.effect), Some(Effect::Replaced));
    assert!(include_str!("../publishing/page.md").contains(statement));
}
