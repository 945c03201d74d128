//! Removed names: no removed name has returned. The snapshots list them.

use crd_compat::tombstone::{Inventory, Ledger, LedgerProblem, PastBundle, Tombstone, ledger_problems};

use super::library;

/// The tombstones that `check` requires: one for each name that the previous release has and this one lacks.
fn missing(baseline: &crd_compat::Channels, candidate: &crd_compat::Channels) -> Vec<Tombstone> {
    let names = baseline.values().flatten().map(|crd| Inventory::names([&**crd])).collect::<Vec<_>>();
    let past = [PastBundle { bundle: "the release before", crds: names.iter().collect(), tombstones: &[] }];
    ledger_problems(&past, candidate, &Ledger::default(), &[])
        .into_iter()
        .map(|problem| match problem {
            LedgerProblem::Missing { name, .. } => Tombstone {
                name,
                removed: "v1.0.0".to_owned(),
                reason: "removed".to_owned(),
                replacement: None,
                migrated: false,
            },
            other => panic!("without a ledger: {other:?}"),
        })
        .collect()
}

/// A ledger of all removed names: each later release fits it, and each earlier release does not.
#[test]
fn no_removed_name_has_come_back() {
    let history = library::history();
    let returned = |candidate: &crd_compat::Channels, ledger: &Ledger| {
        let problems = ledger_problems(&[], candidate, ledger, &[]);
        problems.into_iter().filter(|problem| matches!(problem, LedgerProblem::Returned(_))).count()
    };
    let mut ledger = Ledger::default();
    let mut buried = 0;
    for sides in history.windows(2) {
        let [(_, baseline), (release, candidate)] = sides else { unreachable!() };
        let gone = missing(baseline, candidate);
        for tombstone in &gone {
            // `add` fails if the name was removed twice, so that it returned in between.
            ledger.add(tombstone.clone()).unwrap();
        }
        buried += gone.len();
        assert_eq!(returned(candidate, &ledger), 0, "{}", release.name);
        assert_eq!(returned(baseline, &ledger), gone.len(), "before {}", release.name);
    }
    assert_eq!((buried, ledger.entries().len()), (17, 17));
    let (last, candidate) = history.last().unwrap();
    assert_eq!(returned(candidate, &ledger), 0, "{}", last.name);
}
