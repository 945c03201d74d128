//! The findings between neighbouring releases are those of the reviewed snapshots.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crd_compat::tombstone::{Inventory, Ledger, LedgerProblem, PastBundle, ledger_problems};

use super::library;
use super::page::page;
use super::releases::pairs;

const RENEW: &str = "UPDATE_SNAPSHOTS=1 cargo test -p crd-channels-cli --test tests history::";

/// The page in the same folder that explains them.
const EXPLANATION: &str = "README.md";

#[test]
fn the_findings_are_those_that_were_reviewed() {
    let pairs = pairs();
    let history = library::history();
    let mut pages = BTreeMap::new();
    for (sides, pair) in history.windows(2).zip(pairs) {
        let [(_, baseline), (_, candidate)] = sides else { unreachable!() };
        let names = baseline.values().flatten().map(|crd| Inventory::names([&**crd])).collect::<Vec<_>>();
        let past = [PastBundle { bundle: pair.baseline.name, crds: names.iter().collect(), tombstones: &[] }];
        let problems = ledger_problems(&past, candidate, &Ledger::default(), &[]);
        let gone = problems.iter().filter_map(|problem| match problem {
            LedgerProblem::Missing { name, .. } => Some(name.to_string()),
            _ => None,
        });
        let name = format!("{}-{}.txt", pair.baseline.name, pair.candidate.name);
        pages.insert(name, page(pair, &gone.collect::<Vec<_>>()));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/history");
    let committed = || {
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names = entries.filter(|name| name != EXPLANATION);
        names.map(|name| (name.clone(), fs::read_to_string(folder.join(name)).unwrap())).collect::<BTreeMap<_, _>>()
    };
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        for name in committed().keys() {
            fs::remove_file(folder.join(name)).unwrap();
        }
        for (name, text) in &pages {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let committed = committed();
    let mut differing = String::new();
    for (name, text) in &pages {
        let known = committed.get(name).map(String::as_str).unwrap_or_default();
        if known != text {
            let difference = similar::TextDiff::from_lines(known, text);
            differing.push_str(&format!("\n{name}\n{}", difference.unified_diff().context_radius(1)));
        }
    }
    for name in committed.keys().filter(|name| !pages.contains_key(*name)) {
        differing.push_str(&format!("\n{name} is about no pair of releases\n"));
    }
    assert!(
        differing.is_empty(),
        "the findings differ from {}. If the new ones are right, explain surprising ones in {EXPLANATION}, and write the pages again: \
         {RENEW}\n{differing}",
        folder.display()
    );
}

/// The explanation begins with a table of all verdicts.
#[test]
fn the_explanation_has_every_verdict() {
    let pairs = pairs();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/history").join(EXPLANATION);
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| v") && line.contains(" → ")).collect::<Vec<_>>();
    let expected = pairs.iter().map(|pair| {
        let [standard, experimental] = super::releases::CHANNELS.map(|channel| pair.report.verdict(channel));
        let permitted = pair.report.document["permitted"].as_str().unwrap();
        format!("| {} → {} | {standard} | {experimental} | {permitted} |", pair.baseline.name, pair.candidate.name)
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}
