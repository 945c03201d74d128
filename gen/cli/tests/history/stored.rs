//! Versions that went although some earlier release stored objects in them: who only looks at the release before does not see it, so the
//! whole history is asked.

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::{ObjectMeta, api};
use crd_channels_cli::{Catalogue, Exit};
use crd_compat::policy::Profile;
use crd_compat::{Comparison, Declared};

use super::library;
use super::raw;
use super::releases::{CHANNELS, Found, Judged, RELEASES, Release, into, place_with};

/// Permits objects of other namespaces to refer to some of its own.
#[api(group = "gateway.networking.k8s.io", version = "v1beta1", kind = "ReferenceGrant")]
pub struct ReferenceGrant {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
}

const STORED: &str = "stored-version-removed";

fn is_reference_grant_v1alpha2(found: &&Found) -> bool {
    found.crd == "referencegrants" && found.version == "v1alpha2" && found.channel == "standard"
}

/// What `check` says of a ReferenceGrant without v1alpha2, after these releases.
fn checked(releases: &'static [Release]) -> Vec<Found> {
    let catalogue = Catalogue::new("gateway.networking.k8s.io", "v1.2.0")
        .annotation("api-approved.kubernetes.io", "unapproved, a test")
        .resource::<ReferenceGrant>();
    let judged = Judged::by(&place_with(releases), &catalogue, &["check"]);
    assert_eq!(judged.exit, Exit::Findings);
    assert_eq!(judged.document["baseline"]["version"], "v1.1.0");
    judged.findings
}

/// v1.1 stored ReferenceGrant in v1beta1, and so did all releases since v0.8; what v0.6 stored in v1alpha2 may still be there.
#[test]
fn v1_2_dropped_reference_grant_v1alpha2_which_v0_6_stored() {
    let found = checked(&RELEASES[..5]);
    let found = found.iter().filter(is_reference_grant_v1alpha2).map(Found::line).collect::<Vec<_>>();
    assert_eq!(found, ["standard referencegrants v1alpha2: refused stored-version-removed"]);
}

/// The same with a shorter memory: only the release before, whose v1alpha2 was neither served nor stored.
#[test]
fn without_the_releases_that_stored_it_a_minor_bundle_seems_to_do() {
    let found = checked(&RELEASES[4..5]);
    let found = found.iter().filter(is_reference_grant_v1alpha2).map(Found::line).collect::<Vec<_>>();
    assert_eq!(found, ["standard referencegrants v1alpha2: minor version-removed"]);
}

/// What every release dropped that some release before it had stored, by the documents alone.
fn dropped_though_stored() -> BTreeSet<(&'static str, String, String, &'static str)> {
    let (mut stored, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for sides in RELEASES.windows(2) {
        let [baseline, candidate] = sides else { unreachable!() };
        let both = CHANNELS.map(|channel| (channel, raw::crds(baseline, channel)));
        for (plural, crd) in both.iter().flat_map(|(_, crds)| crds) {
            for version in crd["spec"]["versions"].as_array().unwrap() {
                if version["storage"] == true {
                    stored.insert((plural.clone(), version["name"].as_str().unwrap().to_owned()));
                }
            }
        }
        for (channel, old) in both {
            let new = raw::crds(candidate, channel);
            for (plural, crd) in &old {
                let Some(kept) = new.get(plural).map(raw::versions) else { continue };
                for version in raw::versions(crd).into_keys().filter(|version| !kept.contains_key(version)) {
                    if stored.contains(&(plural.clone(), version.to_owned())) {
                        dropped.insert((channel, plural.clone(), version.to_owned(), candidate.name));
                    }
                }
            }
        }
    }
    dropped
}

/// With the history, all of them are refused, in v1.0, v1.1 and v1.2; of all these a diff of neighbours alone sees one.
#[test]
fn with_the_whole_history_every_version_that_went_too_early_is_refused() {
    let (mut found, mut ever_stored) = (BTreeSet::new(), BTreeSet::new());
    for sides in library::history().windows(2) {
        let [(_, baseline), (release, candidate)] = sides else { unreachable!() };
        for crd in baseline.values().flatten() {
            let stored = crd.versions.iter().filter(|version| version.storage);
            ever_stored.extend(stored.map(|version| (crd.name.to_string(), version.name.to_string())));
        }
        let declared = Declared { ever_stored: ever_stored.clone(), ..Declared::default() };
        for finding in Comparison::new(baseline, candidate, Profile::Gep922, &declared).findings() {
            if finding.rule == STORED {
                let plural = finding.crd.split('.').next().unwrap().to_owned();
                found.insert((finding.channel.name(), plural, finding.version.unwrap(), release.name));
            }
        }
    }
    assert_eq!(found, dropped_though_stored());
    let mut by_release = BTreeMap::<_, BTreeSet<_>>::new();
    for (_, plural, version, release) in &found {
        by_release.entry(*release).or_default().insert(format!("{plural} {version}"));
    }
    let by_release = by_release.into_iter().map(|(release, gone)| (release, gone.into_iter().collect::<Vec<_>>()));
    assert_eq!(
        by_release.collect::<Vec<_>>(),
        [
            (
                "v1.0.0",
                ["gatewayclasses v1alpha2", "gateways v1alpha2", "httproutes v1alpha2"].map(str::to_owned).to_vec()
            ),
            ("v1.1.0", vec!["backendtlspolicies v1alpha2".to_owned()]),
            ("v1.2.0", ["grpcroutes v1alpha2", "referencegrants v1alpha2"].map(str::to_owned).to_vec()),
        ]
    );
    // 3 CRDs in two channels, one in experimental, 2 in two channels.
    assert_eq!(found.len(), 11);
}

/// The release before stored BackendTLSPolicy in the version that went, so this needs no history.
#[test]
fn v1_1_dropped_backend_tls_policy_v1alpha2_although_stored() {
    let judged = into("v1.1.0");
    let found = judged.findings.iter().filter(|found| found.rule == STORED).collect::<Vec<_>>();
    assert_eq!(
        found.iter().map(|found| found.line()).collect::<Vec<_>>(),
        ["experimental backendtlspolicies v1alpha2: refused stored-version-removed"]
    );
    assert!(found[0].decides && judged.exit == Exit::Findings);
    assert_eq!((judged.verdict("experimental"), judged.document["verdict"].as_str()), ("refused", Some("refused")));
    // The new one is stored at once, by a release whose forerunner did not serve it: nobody could go back.
    let storage = judged.lines(|found| found.crd == "backendtlspolicies" && found.rule == "storage-version");
    assert_eq!(storage, ["experimental backendtlspolicies: finding storage-version"]);
}

/// Whoever says that nothing is stored in it any more may let it go.
#[test]
fn a_declared_migration_lets_backend_tls_policy_v1alpha2_go() {
    let place = place_with(&RELEASES[3..5]);
    let ran = place.run(
        &crate::support::things(),
        &[
            "tombstones",
            "add",
            "--kind",
            "version",
            "--crd",
            "backendtlspolicies.gateway.networking.k8s.io",
            "--name",
            "v1alpha2",
            "--removed",
            "v1.1.0",
            "--reason",
            "nobody stored one",
            "--migrated",
        ],
    );
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let judged = Judged::diff(&place, &RELEASES[3], &RELEASES[4]);
    let found = judged.lines(|found| found.version == "v1alpha2" && found.crd == "backendtlspolicies");
    assert_eq!(found, ["experimental backendtlspolicies v1alpha2: minor version-removed"]);
}
