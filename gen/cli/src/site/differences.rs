//! The differences between neighbours, as `diff` finds them.
//!
//! Invariants: each difference is the JSON document of `diff`, without witnesses and without lines of files. Of many findings, the most
//! important ones are shown and the remaining ones are counted.

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_compat::tombstone::Ledger;
use crd_compat::{Channels, Declared, Prover, Waiver};
use crd_model::parallel;
use crd_model::profile::Profile;
use crd_review::Side;
use crd_review::comparison::{accept_between, findings, report, without_recorded};
use crd_review::history::{declared, stored};
use crd_review::profile::ChosenProfile;
use crd_site::SiteRelease;
use serde_json::{Value, json};

/// The documents of each release and the next one. `requested` is the profile that the user names, or that of all releases of a workspace.
pub(super) fn differences(
    releases: &[SiteRelease],
    ledger: &Ledger,
    waivers: &[Waiver],
    requested: Option<Profile>,
) -> Vec<Value> {
    let mut ever_stored: BTreeSet<(String, String)> = BTreeSet::new();
    let pairs = releases.iter().zip(releases.iter().skip(1)).map(|(old, new)| {
        ever_stored.extend(stored(&old.release.channels));
        ever_stored.extend(old.release.stored_in_cluster());
        let declared = Declared { ever_stored: ever_stored.clone(), ..declared(ledger.entries()) };
        (old, new, declared)
    });
    let pairs = pairs.collect::<Vec<_>>();
    let prover = &Arc::default();
    let with = (ledger, waivers);
    parallel::each(&pairs, |(old, new, declared)| difference(old, new, declared, with, prover, requested))
}

fn difference(
    old: &SiteRelease,
    new: &SiteRelease,
    declared: &Declared,
    (ledger, waivers): (&Ledger, &[Waiver]),
    prover: &Arc<Prover>,
    requested: Option<Profile>,
) -> Value {
    let profile = ChosenProfile::of_bundles(requested, None, &old.release, &new.release);
    // Texts that only one of both has are not a change.
    let structures =
        [old, new].map(|side| (old.has_text != new.has_text && side.has_text).then(|| side.release.structures()));
    let (baseline, candidate) = (side(old, structures[0].as_ref()), side(new, structures[1].as_ref()));
    let mut found = findings(Some(&baseline), &candidate, &profile, declared, prover, crd_compat::Evidence::default());
    without_recorded(&mut found, ledger.entries());
    accept_between(&mut found, waivers, [old.release.version, new.release.version]);
    let mut report = report(Some(&baseline), &candidate, profile, found, &|_| None);
    let more = report.shorten(MOST_FINDINGS);
    let mut document = json!(report.document());
    if more > 0 {
        document["more"] = more.into();
    }
    document
}

fn side<'s>(shown: &'s SiteRelease, structures: Option<&'s Channels>) -> Side<'s> {
    let channels = structures.unwrap_or(&shown.release.channels);
    Side { name: shown.label.clone(), channels, ..Side::of(&shown.release) }
}

/// How many findings of a difference are shown. The document of one takes some 10 KB of memory, and a page with more cannot be read.
const MOST_FINDINGS: usize = 5_000;
