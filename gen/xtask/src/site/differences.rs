//! The differences between neighbours, as `diff` finds them.
//!
//! Invariants: each difference is the JSON document of `diff`, without witnesses and without lines of files. Of many findings, the most
//! important ones are shown and the remaining ones are counted.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::history_archive::structure;
use crd_compat::tombstone::Ledger;
use crd_compat::{Channels, Declared};
use crd_model::parallel;
use crd_model::profile::Profile;
use crd_review::comparison::{Side, about_constants, findings, report, without_recorded};
use crd_review::history::{declared, stored};
use crd_review::profile::ChosenProfile;
use serde_json::Value;

use super::Known;

/// The documents of each release and the next one. `requested` is the profile that the user names, or that of all releases of a workspace.
pub(super) fn differences(releases: &[Known], ledger: &Ledger, requested: Option<Profile>) -> Vec<Value> {
    let mut ever_stored: BTreeSet<(String, String)> = BTreeSet::new();
    let pairs = releases.iter().zip(releases.iter().skip(1)).map(|(old, new)| {
        ever_stored.extend(stored(&old.bundle.channels));
        ever_stored.extend(old.bundle.stored_in_cluster());
        let declared = Declared { ever_stored: ever_stored.clone(), ..declared(ledger.entries()) };
        (old, new, declared)
    });
    let pairs = pairs.collect::<Vec<_>>();
    parallel::each(&pairs, |(old, new, declared)| difference(old, new, declared, ledger, requested))
}

fn difference(old: &Known, new: &Known, declared: &Declared, ledger: &Ledger, requested: Option<Profile>) -> Value {
    let profile = ChosenProfile::of_bundles(requested, None, &old.bundle, &new.bundle);
    let policy = profile.policy(old.version, new.version);
    // Texts that only one of both has are not a change.
    let is_structure = old.has_text != new.has_text;
    let (before, after) = (Compared::of(old, is_structure), Compared::of(new, is_structure));
    let (before, after) = (before.channels(old), after.channels(new));
    let mut found = findings(Some(before), after, policy, declared, false);
    let constants = |release: &Known| release.bundle.constants.clone();
    found.extend(about_constants((before, constants(old).as_ref()), (after, constants(new).as_ref()), policy));
    without_recorded(&mut found, ledger.entries());
    let baseline = Side { name: old.label.clone(), channels: before, ..Side::of(&old.bundle) };
    let candidate = Side { name: new.label.clone(), channels: after, ..Side::of(&new.bundle) };
    let mut report = report(Some(&baseline), &candidate, profile, found, &|_| None);
    let more = report.shorten(MOST_FINDINGS);
    let mut document = report.document();
    if more > 0 {
        document["more"] = more.into();
    }
    document
}

/// How many findings of a difference are shown. The document of one takes some 10 KB of memory, and a page with more cannot be read.
const MOST_FINDINGS: usize = 5_000;

/// The CRDs of a release for a comparison without texts, if it needs other CRDs than the release has.
struct Compared(Option<Channels>);

impl Compared {
    fn of(release: &Known, is_structure: bool) -> Self {
        let without_text = || {
            let channels = release.bundle.channels.iter();
            let channels = channels.map(|(channel, crds)| (*channel, crds.iter().map(structure).collect()));
            channels.collect::<BTreeMap<_, _>>()
        };
        Self((is_structure && release.has_text).then(without_text))
    }

    fn channels<'c>(&'c self, release: &'c Known) -> &'c Channels {
        self.0.as_ref().unwrap_or(&release.bundle.channels)
    }
}
