//! The rules on the published bundles of Gateway API.

use std::sync::Arc;

use crd_compat::policy::{PROFILES, Profile};
use crd_compat::{Channels, Comparison, Declared, RULES, UNCLAIMED, states};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_testdata::GATEWAY_API;

/// The bundles by version, oldest first.
pub(crate) fn bundles() -> Vec<(&'static str, Channels)> {
    GATEWAY_API.iter().map(|version| (*version, bundle(version))).collect()
}

fn bundle(version: &str) -> Channels {
    let crds = |channel: Channel| {
        let files = crd_testdata::gateway_api(version, channel.name());
        let read = |file: &crd_testdata::File| {
            CustomResourceDefinition::from_value(&file.json())
                .unwrap_or_else(|errors| panic!("{}: {errors:?}", file.path))
        };
        (channel, files.iter().map(read).map(Arc::new).collect::<Vec<_>>())
    };
    Channel::ALL.into_iter().map(crds).collect()
}

#[test]
fn all_of_it_is_claimed_by_one_rule() {
    let bundles = bundles();
    let declared = Declared::default();
    let (mut count, mut pairs) = (0, 0);
    for (old, new) in bundles.iter().zip(bundles.iter().skip(1)) {
        for (profile, ..) in PROFILES {
            let findings = Comparison::new(&old.1, &new.1, profile, &declared).findings();
            let differences = Channel::ALL.into_iter().map(|channel| {
                crd_compat::changes(channel, &old.1[&channel], &new.1[&channel], &declared.renames).len()
            });
            assert_eq!(findings.len(), differences.sum::<usize>(), "{} to {}", old.0, new.0);
            for finding in &findings {
                let known = RULES.iter().find(|rule| rule.id == finding.rule);
                assert!(known.is_some() && finding.rule != UNCLAIMED.id, "{} to {}: {finding:?}", old.0, new.0);
            }
            count += findings.len();
        }
        pairs += 1;
    }
    println!("{count} findings in {pairs} pairs of neighbours, by every profile");
    assert!(pairs + 1 == bundles.len() && count > 2000, "{pairs} pairs, {count} findings");
}

#[test]
fn what_only_changes_its_writing_asks_for_nothing_much() {
    // v1.6.1 is a patch of v1.6.0 by its number, and v1.4 wrote out list types without any effect.
    let declared = Declared::default();
    let findings = Comparison::new(&bundle("v1.3.0"), &bundle("v1.4.0"), Profile::Gep922, &declared).findings();
    assert!(findings.iter().all(|finding| finding.rule != "list-type"), "{findings:#?}");
}

/// Those that broke controllers: agentgateway 1110 and 2370, istio 61540.
#[test]
fn only_resources_that_graduate_take_watched_versions_away() {
    let bundles = bundles();
    let found = |old: &Channels, new: &Channels| {
        let found = states(Some(old), new, Profile::Gep922, &Arc::default(), false).into_iter();
        let found = found.filter(|finding| finding.rule == "watched-version-unserved");
        found.map(|finding| format!("{} {}", finding.crd, finding.version.unwrap_or_default())).collect::<Vec<_>>()
    };
    let mut text = String::new();
    for (old, new) in bundles.iter().zip(bundles.iter().skip(1)) {
        for finding in found(&old.1, &new.1) {
            text += &format!("{} {}\n", new.0, finding.replace(".gateway.networking.k8s.io", ""));
        }
        assert_eq!(found(&new.1, &new.1), [""; 0], "{}", new.0);
    }
    let expected = "\
        v1.1.0 grpcroutes v1alpha2\n\
        v1.4.0 backendtlspolicies v1alpha3\n\
        v1.5.0 tlsroutes v1alpha2\n\
        v1.5.0 tlsroutes v1alpha3\n\
        v1.6.0 tcproutes v1alpha2\n\
        v1.6.0 udproutes v1alpha2\n";
    assert!(text == format!("v0.6.0 referencegrants v1alpha2\n{expected}") || text == expected, "{text}");
}
