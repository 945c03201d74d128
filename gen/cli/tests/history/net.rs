//! The rules over the whole history: a rule of the policy covers every change, in both directions.

use crd_channels::channel::Channel;
use crd_channels_cli::Exit;
use crd_compat::policy::PROFILES;
use crd_compat::{Comparison, Declared, Renames, STATES, UNCLAIMED, changes};

use super::library;
use super::releases::{RELEASES, Report, pairs, place_with};

/// As many findings as changes, and the policy covers all of them.
#[test]
fn a_rule_covers_every_change_of_neighbouring_releases() {
    let pairs = pairs();
    let history = library::history();
    let (mut count, none) = (0, Renames::default());
    for (sides, pair) in history.windows(2).zip(pairs) {
        let [(_, old), (_, new)] = sides else { unreachable!() };
        for channel in Channel::ALL {
            let changed = changes(channel, &old[&channel], &new[&channel], &none).len();
            let is_state = |rule: &str| STATES.iter().any(|state| state.rule.id == rule);
            let of_changes = |found: &&_| {
                let found: &super::releases::Found = found;
                found.channel == channel.name() && !is_state(&found.rule)
            };
            let found = pair.report.findings.iter().filter(of_changes).collect::<Vec<_>>();
            let pair = format!("{} → {} {channel}", pair.baseline.name, pair.candidate.name);
            assert_eq!(found.len(), changed, "{pair}");
            assert!(found.iter().all(|found| found.rule != UNCLAIMED.id), "{pair}");
            count += changed;
        }
    }
    // Without changes this would prove nothing.
    assert!(count > 1000, "{count}");
    println!("{count} changes, a rule covers all of them");
}

/// Also in the other direction, with as many changes.
#[test]
fn a_rule_covers_every_change_in_both_directions_and_every_profile() {
    let (history, declared) = (library::history(), Declared::default());
    for sides in history.windows(2) {
        let [(old_name, old), (new_name, new)] = sides else { unreachable!() };
        for (profile, name, _) in PROFILES {
            let there = Comparison::new(old, new, profile, &declared).findings();
            let back = Comparison::new(new, old, profile, &declared).findings();
            assert_eq!(there.len(), back.len(), "{} {} {name}", old_name.name, new_name.name);
            for finding in there.iter().chain(&back) {
                assert_ne!(finding.rule, UNCLAIMED.id, "{} {} {name}: {finding:?}", old_name.name, new_name.name);
            }
        }
    }
}

#[test]
fn a_release_does_not_differ_from_itself() {
    for release in RELEASES.iter().rev().take(2) {
        let place = place_with(std::slice::from_ref(release));
        let report = Report::diff(&place, release, release);
        // Only where standard exceeds experimental or versions clash, which the baseline does as well.
        let states = ["containment", "version-constraint-clash"];
        assert!(report.findings.iter().all(|found| found.known && states.contains(&&*found.rule)));
        assert_eq!((report.exit, report.document["verdict"].as_str()), (Exit::Fine, Some("none")));
    }
}
