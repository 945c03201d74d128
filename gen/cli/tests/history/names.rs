//! Removed names: no release has a tombstone, and no removed name has returned.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::tombstone::{CrdNames, Ledger, LedgerProblem, PastBundle, Tombstone, ledger_problems};

use super::library;
use super::raw;
use super::releases::RELEASES;

/// The tombstones that `check` requires: one for each name that the previous release has and this one lacks.
fn missing(baseline: &crd_compat::Channels, candidate: &crd_compat::Channels) -> Vec<Tombstone> {
    let names = baseline.values().flatten().map(|crd| CrdNames::of(crd)).collect::<Vec<_>>();
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

/// Each removed name, by the first release without it. Names below a removed name are not listed.
const GONE: [(&str, &[&str]); 9] = [
    ("v0.6.0", &["resource referencepolicies.gateway.networking.k8s.io"]),
    ("v0.8.1", &[]),
    (
        "v1.0.0",
        &[
            "version v1alpha2 of gatewayclasses.gateway.networking.k8s.io",
            "version v1alpha2 of gateways.gateway.networking.k8s.io",
            "version v1alpha2 of httproutes.gateway.networking.k8s.io",
        ],
    ),
    (
        "v1.1.0",
        &[
            "version v1alpha2 of backendtlspolicies.gateway.networking.k8s.io",
            "field spec.targetRef of backendtlspolicies.gateway.networking.k8s.io",
            "field spec.tls of backendtlspolicies.gateway.networking.k8s.io",
        ],
    ),
    (
        "v1.2.0",
        &[
            "version v1alpha2 of grpcroutes.gateway.networking.k8s.io",
            "version v1alpha2 of referencegrants.gateway.networking.k8s.io",
        ],
    ),
    ("v1.3.0", &["resource backendlbpolicies.gateway.networking.k8s.io"]),
    (
        "v1.4.0",
        &[
            "field spec.backendTLS of gateways.gateway.networking.k8s.io",
            "field spec.listeners[*].tls.frontendValidation of gateways.gateway.networking.k8s.io",
            "field spec.listeners[*].tls.frontendValidation of xlistenersets.gateway.networking.x-k8s.io",
        ],
    ),
    (
        "v1.6.0",
        &[
            "field spec.rules[*].sessionPersistence.idleTimeout of grpcroutes.gateway.networking.k8s.io",
            "field spec.rules[*].sessionPersistence.idleTimeout of httproutes.gateway.networking.k8s.io",
            "field spec.sessionPersistence.idleTimeout of xbackendtrafficpolicies.gateway.networking.x-k8s.io",
            "resource xlistenersets.gateway.networking.x-k8s.io",
        ],
    ),
    ("v1.6.1", &[]),
];

/// `check` requires a tombstone for each of these 17 names. They contain no value of an enum (see the next test).
#[test]
fn seventeen_names_were_removed_without_a_tombstone() {
    for (sides, (release, gone)) in library::history().windows(2).zip(GONE) {
        let [(_, baseline), (candidate, channels)] = sides else { unreachable!() };
        assert_eq!(candidate.name, release);
        let found = missing(baseline, channels).into_iter().map(|tombstone| tombstone.name.to_string());
        let found = found.collect::<BTreeSet<_>>();
        assert_eq!(found, gone.iter().map(|name| (*name).to_owned()).collect(), "{release}");
    }
    assert_eq!(GONE.iter().map(|(_, gone)| gone.len()).sum::<usize>(), 17);
}

/// Values of enums disappeared only together with the whole `enum`, so the field still accepts them. From the documents alone.
#[test]
fn no_value_of_an_enum_was_ever_rejected() {
    let mut opened = BTreeMap::<&str, BTreeSet<String>>::new();
    for sides in RELEASES.windows(2) {
        let [baseline, candidate] = sides else { unreachable!() };
        for channel in super::releases::CHANNELS {
            let (old, new) = (raw::crds(baseline, channel), raw::crds(candidate, channel));
            raw::shared_nodes(&old, &new, |crd, _, path, before, after| {
                let Some(values) = before["enum"].as_array() else { return };
                match after["enum"].as_array() {
                    Some(kept) => assert!(values.iter().all(|value| kept.contains(value)), "{crd} {path}"),
                    None => {
                        opened.entry(candidate.name).or_default().insert(format!("{crd} {path}"));
                    }
                }
            });
        }
    }
    let opened = opened.into_iter().map(|(release, paths)| (release, paths.into_iter().collect::<Vec<_>>()));
    let cors = ["backendRefs[*].filters[*]", "filters[*]"]
        .map(|below| format!("httproutes spec.rules[*].{below}.cors.allowCredentials"));
    assert_eq!(
        opened.collect::<Vec<_>>(),
        [
            ("v1.1.0", vec!["gatewayclasses status.supportedFeatures[*]".to_owned()]),
            ("v1.4.0", cors.to_vec()),
            ("v1.6.0", vec!["backendtlspolicies spec.validation.wellKnownCACertificates".to_owned()]),
        ]
    );
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

/// The same for all names, from the documents alone.
#[test]
fn no_removed_name_has_come_back_in_the_documents_either() {
    let mut gone = BTreeSet::new();
    let mut before = BTreeSet::new();
    for release in &RELEASES {
        let present = raw::names(release);
        let back = present.intersection(&gone).collect::<Vec<_>>();
        assert!(back.is_empty(), "{}: {back:?}", release.name);
        gone.extend(before.difference(&present).cloned());
        before = present;
    }
    assert!(gone.len() > 100, "{}", gone.len());
}
