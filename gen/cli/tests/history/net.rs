//! The net below the rules, over the whole history: every difference is claimed by one rule, there and back.

use crd_channels::channel::Channel;
use crd_channels_cli::Exit;
use crd_compat::policy::PROFILES;
use crd_compat::{Comparison, Declared, Renames, STATES, UNCLAIMED, differences};

use super::library;
use super::releases::{Judged, RELEASES, pairs, place_with};

/// A hundred per cent: as many findings as differences, and none of them is left to the net.
#[test]
fn every_difference_of_neighbouring_releases_is_claimed() {
    let pairs = pairs();
    let history = library::history();
    let (mut count, none) = (0, Renames::default());
    for (sides, pair) in history.windows(2).zip(pairs) {
        let [(_, old), (_, new)] = sides else { unreachable!() };
        for channel in Channel::ALL {
            let differing = differences(channel, &old[&channel], &new[&channel], &none).len();
            let is_state = |rule: &str| STATES.iter().any(|state| state.id == rule);
            let of_changes = |found: &&_| {
                let found: &super::releases::Found = found;
                found.channel == channel.name() && !is_state(&found.rule)
            };
            let found = pair.judged.findings.iter().filter(of_changes).collect::<Vec<_>>();
            let pair = format!("{} → {} {channel}", pair.baseline.name, pair.candidate.name);
            assert_eq!(found.len(), differing, "{pair}");
            assert!(found.iter().all(|found| found.rule != UNCLAIMED.id), "{pair}");
            count += differing;
        }
    }
    // It would be no proof if there were nothing to claim.
    assert!(count > 1000, "{count}");
    println!("{count} differences, all of them claimed");
}

/// Also in the other direction, which nobody released; and there are as many differences as on the way there.
#[test]
fn every_difference_is_claimed_on_the_way_back_and_in_every_profile() {
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
        let judged = Judged::diff(&place, release, release);
        // Only what experimental refuses of standard, which the baseline has as well.
        assert!(judged.findings.iter().all(|found| found.known && found.rule == "containment"));
        assert_eq!((judged.exit, judged.document["verdict"].as_str()), (Exit::Fine, Some("none")));
    }
}
