//! The profile `semver` on every case: below v1.0.0, and where all API versions are alpha versions.

use std::sync::Arc;

use crd_compat::policy::{Column, Need, Policy, Profile};
use crd_compat::{Channels, Comparison, Finding, Lowered, RequiredBump};
use crd_model::channel::Channel;

use super::case::{Case, all_cases};

/// The rules about additions.
const ADDITIONS: [&str; 6] =
    ["graduated", "loosened", "name-added", "preserve-added", "selectable-or-scale-added", "version-added"];

fn findings(case: &Case, (old, new): &(Channels, Channels), policy: Policy) -> Vec<Finding> {
    Comparison::new(old, new, policy, &case.declared()).findings()
}

/// Every case of a change, with its bundles as the column `semver` compares them.
fn changes() -> Vec<(Case, (Channels, Channels))> {
    let is_state = |case: &Case| crd_compat::STATES.iter().any(|state| state.rule.id == case.id);
    let cases = all_cases().into_iter().filter(|case| !is_state(case));
    cases.map(|case| (case.bundles(Column::Semver), case)).map(|(bundles, case)| (case, bundles)).collect()
}

#[test]
fn below_v1_0_0_major_is_minor_and_additions_are_patches() {
    let mut counts = [0; 3];
    for (case, bundles) in changes() {
        let policy = |is_below_one| Policy { profile: Profile::Semver, is_below_one };
        let (later, below) = (findings(&case, &bundles, policy(false)), findings(&case, &bundles, policy(true)));
        assert_eq!(later.len(), below.len(), "{}, {}", case.id, case.name);
        for (later, below) in later.into_iter().zip(below) {
            let (bump, kind) = match later.required_bump {
                RequiredBump::Major => (RequiredBump::Minor, 0),
                RequiredBump::Minor if ADDITIONS.contains(&later.rule) => (RequiredBump::Patch, 1),
                other => (other, 2),
            };
            counts[kind] += 1;
            let name = format!("{}, {}", case.id, case.name);
            let lowered = match later.lowered {
                Some(_) => below.lowered,
                None => (bump != later.required_bump).then_some(Lowered::BelowOne),
            };
            assert_eq!(below, Finding { required_bump: bump, lowered, ..later }, "{name}");
        }
    }
    println!("{} majors, {} additions, {} unchanged", counts[0], counts[1], counts[2]);
    assert!(counts.into_iter().all(|count| count > 50), "{counts:?}");
}

/// Only `semver` is milder below v1.0.0.
#[test]
fn other_profiles_are_the_same_below_v1_0_0() {
    for (case, bundles) in changes() {
        for profile in [Profile::Gep922, Profile::ApiGuide] {
            let below = findings(&case, &bundles, Policy { profile, is_below_one: true });
            assert_eq!(findings(&case, &bundles, profile.into()), below, "{}, {}", case.id, case.name);
        }
    }
}

/// The rules about changes for which `semver` has a bump of its own.
const PERMITTED: [&str; 4] = ["type-changed", "webhook", "storage-version", "list-type"];

/// Whether `semver` requires less than other profiles, at most a major release.
fn is_permitted(semver: &Finding, other: &Finding) -> bool {
    PERMITTED.contains(&semver.rule) && other.rule == semver.rule && semver.required_bump < other.required_bump
}

/// The bundles of a case with alpha versions only: `v1` becomes `v1alpha`.
fn in_alpha(channels: Channels, channel: Channel) -> Channels {
    let crds = channels.into_values().next().unwrap_or_default().into_iter().map(|mut crd| {
        for version in &mut Arc::make_mut(&mut crd).versions {
            version.name = format!("{}alpha", version.name).into();
        }
        crd
    });
    [(channel, crds.collect())].into()
}

#[test]
fn alpha_versions_follow_experimental() {
    let (mut count, mut lowered) = (0, 0);
    for (case, _) in changes().iter().filter(|(case, _)| case.get("declared").is_none()) {
        let (old, new) = case.bundles(Column::Experimental);
        let bundles = |channel| (in_alpha(old.clone(), channel), in_alpha(new.clone(), channel));
        let experimental = findings(case, &bundles(Channel::Experimental), Profile::Gep922.into());
        let semver = findings(case, &bundles(Channel::Standard), Profile::Semver.into());
        lowered += semver.iter().filter(|finding| finding.lowered == Some(Lowered::Alpha)).count();
        // Only a second channel has controllers that were built for it.
        let is_watched = |finding: &Finding| ["version-unserved", "version-removed"].contains(&finding.rule);
        let semver = semver.into_iter().zip(&experimental).map(|(finding, of_experimental)| {
            let Finding { warning, fix, .. } = if is_watched(&finding) { of_experimental } else { &finding }.clone();
            let finding = Finding { channel: Channel::Experimental, lowered: None, warning, fix, ..finding };
            if is_permitted(&finding, of_experimental) { of_experimental.clone() } else { finding }
        });
        let semver = semver.collect::<Vec<_>>();
        count += experimental.len();
        assert_eq!(semver, experimental, "{}, {}", case.id, case.name);
    }
    assert!(count > 300 && (50..count).contains(&lowered), "{count} {lowered}");
}

/// Without alpha versions, `semver` is the column `standard`, except for names that experimental never had.
#[test]
fn other_versions_follow_standard() {
    let mut count = 0;
    let no_alpha = |channels: &Channels| {
        let mut versions = channels.values().flatten().flat_map(|crd| &crd.versions);
        versions.all(|version| !version.name.contains("alpha"))
    };
    for (case, bundles) in changes().iter().filter(|(_, (old, new))| no_alpha(old) && no_alpha(new)) {
        let standard = findings(case, bundles, Profile::Gep922.into());
        let semver = findings(case, bundles, Profile::Semver.into());
        assert_eq!(standard.len(), semver.len(), "{}, {}", case.id, case.name);
        for (standard, semver) in standard.into_iter().zip(semver) {
            count += 1;
            let is_new_name = standard.rule == "name-added" && standard.required_bump == RequiredBump::Waiver;
            match is_new_name {
                _ if is_permitted(&semver, &standard) => {}
                true => assert_eq!((semver.rule, semver.required_bump), ("name-added", RequiredBump::Minor)),
                false => assert_eq!(semver, standard, "{}, {}", case.id, case.name),
            }
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn a_removed_name_needs_a_tombstone_at_every_version() {
    let removed = ["name-removed", "resource-removed", "resource-moved", "version-removed"];
    let mut count = 0;
    for (case, bundles) in changes() {
        for is_below_one in [false, true] {
            let found = findings(&case, &bundles, Policy { profile: Profile::Semver, is_below_one });
            for finding in found.iter().filter(|finding| removed.contains(&finding.rule)) {
                assert!(finding.needs.contains(&Need::Tombstone), "{}, {}", case.id, case.name);
                count += 1;
            }
        }
    }
    assert!(count > 30, "{count}");
}

/// With two channels, the experimental channel has the column `experimental`.
#[test]
fn the_experimental_channel_is_that_of_gep_922() {
    let mut count = 0;
    for (case, _) in changes() {
        let bundles = case.bundles(Column::Experimental);
        let experimental = findings(&case, &bundles, Profile::Gep922.into());
        count += experimental.len();
        let semver = findings(&case, &bundles, Profile::Semver.into()).into_iter().zip(&experimental);
        let semver = semver.map(|(finding, other)| if is_permitted(&finding, other) { other.clone() } else { finding });
        assert_eq!(semver.collect::<Vec<_>>(), experimental, "{}, {}", case.id, case.name);
    }
    assert!(count > 300, "{count}");
}
