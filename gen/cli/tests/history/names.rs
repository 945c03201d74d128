//! Names that went: nobody wrote a tombstone for any, and none has come back yet.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::tombstone::{Ledger, LedgerProblem, PastBundle, Tombstone, ledger_problems};

use super::library;
use super::raw;
use super::releases::RELEASES;

/// What `check` would have asked for: a tombstone for each name that a release lacks and the one before had, without a ledger.
fn missing(baseline: &crd_compat::Channels, candidate: &crd_compat::Channels) -> Vec<Tombstone> {
    let past = [PastBundle { bundle: "the release before", channels: baseline, tombstones: &[] }];
    ledger_problems(&past, candidate, &Ledger::default(), &[])
        .into_iter()
        .map(|wrong| match wrong {
            LedgerProblem::Missing { name, .. } => Tombstone {
                name,
                removed: "v1.0.0".to_owned(),
                reason: "it went".to_owned(),
                replacement: None,
                migrated: false,
            },
            other => panic!("there is no ledger, and still {other:?}"),
        })
        .collect()
}

/// Each name that went, by the release that lacked it first. What stood below it went with it.
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

/// Seventeen names, each of which `check` refuses to let go without a tombstone. There is no value of an enum among them: in all of this
/// history none went but with the whole `enum`, and then its field takes it still (see the next test).
#[test]
fn no_tombstone_was_ever_written_down() {
    for (sides, (release, gone)) in library::history().windows(2).zip(GONE) {
        let [(_, baseline), (candidate, channels)] = sides else { unreachable!() };
        assert_eq!(candidate.name, release);
        let found = missing(baseline, channels).into_iter().map(|tombstone| tombstone.name.to_string());
        let found = found.collect::<BTreeSet<_>>();
        assert_eq!(found, gone.iter().map(|name| (*name).to_owned()).collect(), "{release}");
    }
    assert_eq!(GONE.iter().map(|(_, gone)| gone.len()).sum::<usize>(), 17);
}

/// Where a value of an enum went, the whole `enum` went, so that its field takes the value still: counted in the documents alone.
#[test]
fn no_value_of_an_enum_was_ever_taken_away() {
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

/// A ledger with every name that ever went is violated by no release after it. By those before it is, or this would prove nothing.
#[test]
fn no_removed_name_has_come_back() {
    let history = library::history();
    let returned = |candidate: &crd_compat::Channels, ledger: &Ledger| {
        let wrongs = ledger_problems(&[], candidate, ledger, &[]);
        wrongs.into_iter().filter(|wrong| matches!(wrong, LedgerProblem::Returned(_))).count()
    };
    let mut ledger = Ledger::default();
    let mut buried = 0;
    for sides in history.windows(2) {
        let [(_, baseline), (release, candidate)] = sides else { unreachable!() };
        let gone = missing(baseline, candidate);
        for tombstone in &gone {
            // Were it there already, the name would have gone twice, and so have come back in between.
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

/// The same over all names and not only the topmost, by the documents alone.
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
