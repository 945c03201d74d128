//! Versions that were removed although an earlier release stored objects in them. The previous release alone is not enough to detect it, so
//! the whole history is read.

use std::collections::BTreeSet;

use crd_channels::{ObjectMeta, api};
use crd_channels_cli::{Catalogue, Exit};
use crd_compat::policy::Profile;
use crd_compat::{Comparison, Declared};
use crd_generate::settings::Settings;

use super::library;
use super::raw;
use super::releases::{CHANNELS, Found, RELEASES, Release, Report, place_with};
use crate::support::{things, with};

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

/// The findings of `check` about a ReferenceGrant without v1alpha2, after these releases.
fn checked(releases: &'static [Release]) -> Vec<Found> {
    let catalogue = Catalogue::new(Settings::new("gateway.networking.k8s.io", "v1.2.0".parse().unwrap()));
    let catalogue = with(&catalogue, "annotations: {api-approved.kubernetes.io: 'unapproved, a test'}");
    let catalogue = catalogue.resource::<ReferenceGrant>();
    let report = Report::by(&place_with(releases), &catalogue, &["check"]);
    assert_eq!(report.exit, Exit::Findings);
    assert_eq!(report.document["baseline"]["version"], "v1.1.0");
    report.findings
}

/// All releases since v0.8 stored ReferenceGrant in v1beta1, but objects that v0.6 stored in v1alpha2 can still exist.
#[test]
fn v1_2_dropped_reference_grant_v1alpha2_which_v0_6_stored() {
    let found = checked(&RELEASES[..5]);
    let found = found.iter().filter(is_reference_grant_v1alpha2).map(Found::line).collect::<Vec<_>>();
    assert_eq!(found, ["standard referencegrants v1alpha2: refused stored-version-removed"]);
}

/// The same with the previous release only, which neither served nor stored v1alpha2.
#[test]
fn without_the_releases_that_stored_it_a_minor_seems_enough() {
    let found = checked(&RELEASES[4..5]);
    let found = found.iter().filter(is_reference_grant_v1alpha2).map(Found::line).collect::<Vec<_>>();
    assert_eq!(found, ["standard referencegrants v1alpha2: minor version-removed"]);
}

/// The versions that a release removed and an earlier one stored, from the documents alone.
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

/// With the history, all of them are refused, in v1.0, v1.1 and v1.2. A comparison of neighbours finds one.
#[test]
fn with_the_whole_history_every_early_removal_of_a_version_is_refused() {
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
    // 3 CRDs in two channels, one in experimental, 2 in two channels.
    assert_eq!(found.len(), 11);
}

/// A tombstone with `--migrated` states that no object is stored in the version any more.
#[test]
fn a_declared_migration_permits_the_removal_of_backend_tls_policy_v1alpha2() {
    let place = place_with(&RELEASES[3..5]);
    let add = "tombstones add --kind version --crd backendtlspolicies.gateway.networking.k8s.io --name v1alpha2";
    let ran = place.run_line(&things(), &format!("{add} --removed v1.1.0 --reason 'none stored' --migrated"));
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let report = Report::diff(&place, &RELEASES[3], &RELEASES[4]);
    let found = report.lines(|found| found.version == "v1alpha2" && found.crd == "backendtlspolicies");
    assert_eq!(found, ["experimental backendtlspolicies v1alpha2: minor version-removed"]);
}
