//! Facts of the history that the reviewed snapshots do not have: counts from the YAML documents alone ([`raw`]), and a graduation with its
//! tombstone. Facts about stored versions are in [`super::stored`], those about removed names in [`super::names`].

use crd_channels_cli::Exit;
use serde_json::{Value, json};

use super::raw;
use super::releases::{Found, RELEASES, Report, into, named, place_with};
use crate::support::things;

fn is_about_the_document(found: &Found) -> bool {
    ["stamps", "labels-and-annotations"].contains(&&*found.rule)
}

/// The names that became required at each existing node, from the documents alone.
fn newly_required(baseline: &str, candidate: &str, channel: &str) -> Vec<String> {
    let of = |release| raw::crds(named(release), channel);
    let mut found = Vec::new();
    raw::shared_nodes(&of(baseline), &of(candidate), |plural, version, path, old, new| {
        for name in raw::required(new).difference(&raw::required(old)) {
            let dot = if path.is_empty() { "" } else { "." };
            // The properties of a node with another type are not compared.
            if old["type"] == new["type"] {
                found.push(format!("{channel} {plural} {version} {path}{dot}{name}"));
            }
        }
    });
    found.sort();
    found
}

/// The same from the findings, without the required bumps.
fn found_required(report: &Report, channel: &str) -> Vec<String> {
    let required = |found: &Found| {
        found.channel == channel
            && (["required-at-root", "required-with-default"].contains(&&*found.rule)
                || (found.rule == "tightened" && found.message.contains("is required now")))
    };
    report.lines(required).into_iter().map(|line| line.split(": ").next().unwrap().to_owned()).collect()
}

#[test]
fn names_that_became_required_are_found() {
    for (baseline, candidate) in [("v1.3.0", "v1.4.0"), ("v1.4.0", "v1.6.0")] {
        for channel in ["standard", "experimental"] {
            let expected = newly_required(baseline, candidate, channel);
            assert!(!expected.is_empty());
            assert_eq!(found_required(into(candidate), channel), expected);
        }
    }
}

/// 36 in standard, 59 in experimental; a list without a type is atomic.
#[test]
fn v1_4_declared_36_list_types_without_any_effect() {
    let report = into("v1.4.0");
    for (channel, count) in [("standard", 36), ("experimental", 59)] {
        let of = |release| raw::crds(named(release), channel);
        let mut written = 0;
        raw::shared_nodes(&of("v1.3.0"), &of("v1.4.0"), |plural, version, path, old, new| {
            let (before, after) = (&old["x-kubernetes-list-type"], &new["x-kubernetes-list-type"]);
            if before != after {
                assert_eq!((before, after), (&Value::Null, &json!("atomic")), "{plural} {version} {path}");
                written += 1;
            }
        });
        assert_eq!(written, count, "{channel}");
        assert_eq!(report.of(channel, "list-type").count(), 0, "{channel}");
    }
    // A list type with an effect is found: the next release has `set` instead of `atomic`.
    // The rules are an atomic list, so server-side apply does not look at it.
    let later = into("v1.6.0").of("experimental", "tightened").map(Found::line);
    let later = later.filter(|line| line.contains("retry.codes")).collect::<Vec<_>>();
    let expected = ["v1", "v1beta1"]
        .map(|version| format!("experimental httproutes {version} spec.rules[*].retry.codes: minor tightened"));
    assert_eq!(later, expected);
}

/// Without a tombstone, ListenerSet is a resource that was never in experimental. With one, it graduated.
#[test]
fn x_listener_set_moved_to_the_main_group_as_listener_set() {
    let before = into("v1.6.0");
    let sets =
        |report: &Report| report.lines(|found| found.crd.ends_with("listenersets") && !is_about_the_document(found));
    assert_eq!(
        sets(before),
        [
            "experimental listenersets: minor name-added",
            "experimental xlistenersets: minor resource-removed",
            "standard listenersets: finding name-added",
        ]
    );
    let (old, new) = (named("v1.4.0"), named("v1.6.0"));
    let position = RELEASES.iter().position(|release| release.name == old.name).unwrap();
    // With the releases before them, because they stored objects in versions that are not served any more.
    let place = place_with(&RELEASES[..position + 2]);
    let add = "tombstones add --kind resource --crd xlistenersets.gateway.networking.x-k8s.io --removed v1.5.0";
    let replacement = "--reason 'it graduated' --replacement listenersets.gateway.networking.k8s.io";
    let ran = place.run_line(&things(), &format!("{add} {replacement}"));
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    let after = Report::diff(&place, old, new);
    assert_eq!(
        sets(&after),
        [
            "experimental listenersets: minor name-added",
            "experimental xlistenersets: minor resource-moved",
            "standard listenersets: minor graduated",
        ]
    );
    // All other findings are the same.
    let rest = |report: &Report| report.lines(|found| !found.crd.ends_with("listenersets"));
    assert_eq!(rest(before), rest(&after));
}
