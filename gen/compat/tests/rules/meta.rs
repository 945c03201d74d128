//! The rules and states as a whole: each has its cases, its file, its page and a row; and the rows are those of the policy's page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crd_compat::policy::{COLUMNS, Cell, Cells, Column, Need, ROWS, Row, row};
use crd_compat::{RULES, RequiredBump, STATES, UNCLAIMED, all_rules, reference};

use super::case::{cases, folder, name};

/// Every rule: its name, its row and its cells.
fn all() -> Vec<(&'static str, &'static str, Cells)> {
    all_rules().map(|rule| (rule.id, rule.row, rule.cells)).collect()
}

#[test]
fn each_has_a_case_that_fires_and_one_that_stays_silent_in_each_column() {
    let mut lacking = Vec::new();
    for (id, _, cells) in all() {
        let cases = cases(id);
        for (column, _) in COLUMNS {
            let named = cells.cell(column).usual().is_some();
            for fires in [true, false] {
                let count = cases.iter().filter(|case| case.fires == fires && case.columns().contains(&column)).count();
                // Where a rule does not apply it must not fire, and needs no case that shows it.
                if named && count == 0 || !named && fires && count > 0 {
                    lacking.push(format!("{id}: {count} cases in {} where fires is {fires}", name(column)));
                }
            }
            // Conditional required bumps: each that a cell lists has a case.
            for required_bump in cells.cell(column).bumps {
                let has = cases.iter().any(|case| {
                    case.required_bump(column)
                        .is_some_and(|words| words.split(", ").next() == Some(required_bump.word()))
                });
                if !has {
                    lacking.push(format!("{id}: no case is ruled {required_bump} in {}", name(column)));
                }
            }
        }
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}

#[test]
fn each_has_a_name_of_its_own_that_is_also_the_name_of_its_files() {
    let ids = all().iter().map(|(id, ..)| *id).collect::<Vec<_>>();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "two have one name");
    for id in &ids {
        let kebab = id.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
        assert!(kebab, "{id} does not consist of words and dashes");
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = |folder: PathBuf, ending: &str| {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries
            .map(|entry| entry.expect("a folder can be read").file_name().into_string().expect("names are plain"))
            .map(|name| name.strip_suffix(ending).unwrap_or_else(|| panic!("{name} is out of place")).replace('_', "-"))
            .collect::<BTreeSet<_>>()
    };
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let rules = RULES.iter().chain([&UNCLAIMED]).map(|rule| rule.id).collect::<Vec<_>>();
    assert_eq!(files(source.join("rule"), ".rs"), of(&rules));
    assert_eq!(files(source.join("state"), ".rs"), of(&STATES.iter().map(|state| state.rule.id).collect::<Vec<_>>()));
    assert_eq!(files(folder(), ".yaml"), of(&ids));
}

#[test]
fn each_stands_in_the_order_of_the_policy_and_each_row_has_one() {
    let place = |id: &str| ROWS.iter().position(|row| row.id == id).unwrap_or_else(|| panic!("there is no row {id}"));
    let places = RULES.iter().map(|rule| place(rule.row)).collect::<Vec<_>>();
    assert!(places.is_sorted(), "the rules stand in another order: {places:?}");
    assert!(STATES.iter().map(|state| place(state.rule.row)).is_sorted());
    for row in ROWS.iter() {
        assert!(all().iter().any(|(_, of, _)| *of == row.id), "no rule carries out the row {}", row.id);
    }
    let mut ids = ROWS.iter().map(|row| row.id).collect::<Vec<_>>();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), ROWS.len(), "two rows have one name");
}

#[test]
fn each_has_a_page_in_the_reference() {
    let text = reference();
    for (id, ..) in all() {
        assert_eq!(text.matches(&format!("\n### {id}\n")).count(), 1, "{id}");
        let explained = crd_compat::explain(id).unwrap_or_else(|| panic!("{id} is not explained"));
        assert!(explained.starts_with(&format!("{id}: ")), "{explained}");
        for (_, column) in COLUMNS {
            assert!(explained.contains(column), "{explained}");
        }
    }
    assert_eq!(crd_compat::explain("nothing"), None);
}

#[test]
fn the_words_of_each_read_well() {
    for rule in all_rules() {
        let id = rule.id;
        let (summary, explanation) = (rule.summary, rule.explanation);
        assert_ne!(rule.one, rule.many, "{id}");
        for text in [summary, explanation] {
            assert!(text.ends_with('.') && !text.contains("  "), "{id}: {text:?}");
        }
        assert!(summary.chars().count() <= 130, "{id}: the summary is too long for one line");
    }
}

/// A cell of the page, as far as rules must agree with it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listed {
    bumps: Vec<RequiredBump>,
    needs: BTreeSet<Need>,
    warning: bool,
    /// The bumps of additions, for which the page has a smaller one below v1.0.0.
    additions: BTreeSet<RequiredBump>,
}

/// The cells that do not begin with a required bump, and how they are read.
enum Reading {
    /// As the same column of this row.
    Row(&'static str),
    /// As the column left of it.
    Left,
    /// As these words.
    Words(&'static str),
}

const READINGS: &[(&str, Reading)] = &[
    ("as \"default added\"", Reading::Row("default-added")),
    ("tightened", Reading::Row("tightened")),
    ("removal and addition, the tombstone names the replacement", Reading::Row("resource-removed")),
    ("add the new name first; remove the old one in a major bundle", Reading::Words("major")),
    ("patch (stamps: none)", Reading::Words("patch; none")),
    ("the same", Reading::Left),
];

/// Bumps that rules require in addition to those of their rows, and why.
const BEYOND: &[(&str, Column, RequiredBump, &str)] = &[
    ("words", Column::Experimental, RequiredBump::None, "stamps ask for nothing in any column"),
    ("words", Column::ApiGuide, RequiredBump::None, "stamps ask for nothing in any column"),
    ("name-added", Column::Standard, RequiredBump::Minor, "the baseline may have no experimental channel"),
    ("storage-version", Column::Standard, RequiredBump::Waiver, "for a version that the baseline does not serve"),
    ("storage-version", Column::Experimental, RequiredBump::Waiver, "for a version that the baseline does not serve"),
    ("storage-version", Column::ApiGuide, RequiredBump::Waiver, "for a version that the baseline does not serve"),
];

fn listed(row_of: &Row, column: Column) -> Listed {
    let words = row_of.cell(column);
    match READINGS.iter().find(|(known, _)| *known == words) {
        Some((_, Reading::Row(id))) => listed(row(id).expect("a row"), column),
        Some((_, Reading::Words(words))) => read(words),
        Some((_, Reading::Left)) => match column {
            Column::Standard | Column::Semver | Column::SemverUnstable => {
                panic!("{}: the page has the words here", row_of.id)
            }
            // "the same" as another row in the first column is the same row in the second.
            Column::Experimental => match READINGS.iter().find(|(known, _)| *known == row_of.cell(Column::Standard)) {
                Some((_, Reading::Row(id))) => listed(row(id).expect("a row"), column),
                _ => listed(row_of, Column::Standard),
            },
            Column::ApiGuide => match READINGS.iter().find(|(known, _)| *known == row_of.cell(Column::Standard)) {
                Some((_, Reading::Row(id))) => listed(row(id).expect("a row"), column),
                _ => listed(row_of, Column::Experimental),
            },
        },
        None => read(words),
    }
}

/// The leading words of each part of a cell.
fn read(words: &str) -> Listed {
    let mut listed = Listed::default();
    // Text in parentheses explains.
    let plain = words.split('(').map(|part| part.split_once(')').map_or(part, |(_, rest)| rest)).collect::<String>();
    for part in plain.split("; ").filter(|part| !part.is_empty()) {
        let part = part.strip_prefix("GA: ").or_else(|| part.strip_prefix("else ")).unwrap_or(part);
        for (index, word) in part.trim().split(", ").enumerate() {
            let first = word.split([' ', ':']).next().unwrap_or_default();
            let required_bump = RequiredBump::ALL.into_iter().find(|known| known.to_string() == first);
            match (required_bump, word) {
                (Some(required_bump), _) => listed.bumps.push(required_bump),
                (None, "tombstone") => listed.needs.extend([Need::Tombstone]),
                (None, "conversion") => listed.needs.extend([Need::Conversion]),
                (None, "conversion both ways") => listed.needs.extend([Need::ConversionBothWays]),
                (None, _) if first == "warning" => listed.warning = true,
                (None, "below v1.0.0 patch") => listed.additions.extend(listed.bumps.last()),
                // `minor, only to a version that …`, `blocked, always`
                (None, _) if index > 0 && (word.starts_with("only ") || word == "always") => {}
                (None, _) => panic!("{word:?} in {words:?} cannot be read"),
            }
        }
    }
    listed
}

#[test]
fn the_cells_of_each_agree_with_the_words_of_its_row() {
    let mut mismatches = Vec::new();
    for row in ROWS.iter() {
        let cells = all().into_iter().filter(|(_, of, _)| *of == row.id).map(|(_, _, cells)| cells).collect::<Vec<_>>();
        for (column, _) in COLUMNS {
            let listed = listed(row, column);
            let given = cells.iter().map(|cells| *cells.cell(column)).collect::<Vec<Cell>>();
            let bumps = given.iter().flat_map(|cell| cell.bumps).copied().collect::<Vec<_>>();
            let beyond = BEYOND.iter().filter(|(id, of, ..)| *id == row.id && *of == column);
            let mut allowed = listed.bumps.clone();
            allowed.extend(beyond.map(|(_, _, required_bump, _)| *required_bump));
            let set = |list: &[RequiredBump]| list.iter().copied().collect::<BTreeSet<_>>();
            let place = format!("{} in {}", row.id, name(column));
            if set(&bumps) != set(&allowed) {
                mismatches.push(format!("{place}: the rules require {bumps:?}, and the row lists {allowed:?}"));
            }
            // `patch; minor` for two rules is one for each, and the usual required bump of one rule comes first.
            if listed.bumps.len() == given.len() && bumps.first() != listed.bumps.first() {
                mismatches.push(format!(
                    "{place}: the rules require {bumps:?} in this order, and the row {:?}",
                    listed.bumps
                ));
            }
            let needs = given.iter().flat_map(|cell| cell.needs).copied().collect::<BTreeSet<_>>();
            let additions = cells.iter().filter(|cells| cells.is_addition && column == Column::Semver);
            let additions = additions.flat_map(|cells| cells.semver.bumps).copied().collect::<BTreeSet<_>>();
            if additions != listed.additions {
                mismatches.push(format!("{place}: additions require {additions:?}, and the row lists {listed:?}"));
            }
            if needs != listed.needs || given.iter().any(|cell| cell.warning) != listed.warning {
                mismatches.push(format!("{place}: {given:?}, and the row lists {listed:?}"));
            }
        }
    }
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
    for (id, column, required_bump, reason) in BEYOND {
        let row = row(id).unwrap_or_else(|| panic!("there is no row {id}"));
        assert!(!listed(row, *column).bumps.contains(required_bump), "{id} lists {required_bump} itself: {reason}");
    }
}

#[test]
fn the_rows_are_those_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policy.md");
    let page = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let columns = COLUMNS.map(|(_, name)| name).join(" | ");
    assert!(page.contains(&format!("\n| change, from baseline to candidate | {columns} |\n")));
    let count = |wanted: fn(&&Row) -> bool| ROWS.iter().filter(wanted).count();
    assert_eq!([count(|row| row.id.is_empty()), count(|row| row.section.is_empty())], [0, 1]);
    for row in ROWS.iter() {
        let change = if row.section.is_empty() { format!("**{}**", row.change) } else { row.change.to_owned() };
        let cells = COLUMNS.map(|(column, _)| row.cell(column)).join(" | ");
        let heading = page.find(&format!("\n| **{}", row.section));
        let line = page.find(&format!("\n| {change} | {cells} |\n"));
        assert!(heading.is_some() && heading <= line, "{row:?}");
    }
}
