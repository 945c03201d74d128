//! Known facts of the history, one test for each. Facts about stored versions are in [`super::stored`], facts about removed names in
//! [`super::names`].
//!
//! The same counts come from the YAML documents alone ([`raw`]).

use std::collections::BTreeSet;

use crd_channels_cli::Exit;
use serde_json::{Value, json};

use super::raw;
use super::releases::{Found, RELEASES, Report, into, named, pairs, place_with};
use crate::support::things;

type Rule = (String, String, String);

/// 82 new rules: 66 tighten nodes of v0.6, and 16 are in fields that graduated, each of which is one finding. Each rule is in both API
/// versions.
#[test]
fn v0_8_tightened_standard_by_82_cel_rules() {
    let report = into("v0.8.1");
    let of = |release| raw::crds(named(release), "standard");
    let (old, new) = (of("v0.6.0"), of("v0.8.1"));
    let rules = |crds: &std::collections::BTreeMap<String, Value>| {
        let mut all = BTreeSet::<Rule>::new();
        for (plural, crd) in crds {
            for schema in raw::versions(crd).into_values() {
                for (path, node) in raw::nodes(schema) {
                    all.extend(
                        raw::rules(node).into_iter().map(|rule| (plural.clone(), path.clone(), rule.to_owned())),
                    );
                }
            }
        }
        all
    };
    let all = rules(&new);
    assert_eq!((rules(&old).len(), all.len()), (0, 82));

    let added = |found: &&Found| found.rule == "tightened" && found.message.contains("CEL rule");
    let found = report.findings.iter().filter(|found| found.channel == "standard").filter(added).collect::<Vec<_>>();
    let key = |found: &Found| (found.crd.clone(), found.path.clone(), found.after.as_str().unwrap().to_owned());
    let at_old_nodes = found.iter().map(|found| key(found)).collect::<BTreeSet<_>>();
    assert_eq!(at_old_nodes.len(), 56);
    assert!(at_old_nodes.is_subset(&all));
    for (plural, path, rule) in &at_old_nodes {
        let versions = found.iter().filter(|found| key(found) == (plural.clone(), path.clone(), rule.clone()));
        let versions = versions.map(|found| (&*found.version, &*found.required_bump)).collect::<BTreeSet<_>>();
        // Where v1alpha2 is not served any longer, its rules refuse no request.
        assert!(versions.contains(&("v1beta1", "major")), "{plural} {path} {rule}");
        assert!(versions.iter().all(|(_, bump)| *bump == "major"), "{plural} {path} {rule}");
    }
    let graduated = report.of("standard", "graduated").map(|found| (&found.crd, &found.path)).collect::<BTreeSet<_>>();
    // The schema of v0.6.0 accepts no object that breaks these.
    let proven =
        report.of("standard", "words").filter(|found| found.message.starts_with("the CEL rule accepts every object"));
    let proven = proven.map(key).collect::<BTreeSet<_>>();
    assert_eq!(proven.len(), 10);
    let in_new_fields = all.difference(&at_old_nodes).filter(|rule| !proven.contains(rule)).collect::<Vec<_>>();
    assert_eq!(in_new_fields.len(), 16);
    for (plural, path, _) in in_new_fields {
        let inside = |field: &&(&String, &String)| {
            let rest = path.strip_prefix(&**field.1);
            field.0 == plural && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        assert!(graduated.iter().any(|field| inside(&field)), "{plural} {path}");
    }
    // The release is a minor, and the rules require a major.
    assert_eq!((report.exit, report.document["permitted"].as_str()), (Exit::Findings, Some("minor")));
    assert!(found.iter().all(|found| found.decides));
}

/// The field was removed together with its version, so only the name is reported (see [`super::names`]).
#[test]
fn v1_1_renamed_tls_of_backend_tls_policy_to_validation() {
    let report = into("v1.1.0");
    let fields = |release, version: &str| {
        let crds = raw::crds(named(release), "experimental");
        let schema = raw::versions(&crds["backendtlspolicies"])[version].clone();
        schema["properties"]["spec"]["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(fields("v1.0.0", "v1alpha2"), ["targetRef", "tls"]);
    assert_eq!(fields("v1.1.0", "v1alpha3"), ["targetRefs", "validation"]);
    assert_eq!(
        report.lines(|found| found.crd == "backendtlspolicies" && !is_about_the_document(found)),
        [
            "experimental backendtlspolicies v1alpha2: refused stored-version-removed",
            "experimental backendtlspolicies v1alpha3: minor version-added",
            "experimental backendtlspolicies: finding storage-version",
        ]
    );
}

fn is_about_the_document(found: &Found) -> bool {
    ["stamps", "labels-and-annotations"].contains(&&*found.rule)
}

#[test]
fn v1_2_turned_experimental_supported_features_from_text_to_object() {
    let report = into("v1.2.0");
    let changed = report.findings.iter().filter(|found| found.rule == "type-changed").collect::<Vec<_>>();
    let expected = ["v1", "v1beta1"].map(|version| {
        format!("experimental gatewayclasses {version} status.supportedFeatures[*]: refused type-changed")
    });
    assert_eq!(changed.iter().map(|found| found.line()).collect::<Vec<_>>(), expected);
    for found in changed {
        assert_eq!((&found.before, &found.after, &*found.direction), (&json!("string"), &json!("struct"), "neither"));
        assert!(found.decides);
    }
    assert_eq!((report.exit, report.verdict("experimental")), (Exit::Findings, "refused"));
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
fn v1_4_made_the_conditions_of_a_route_and_the_spec_of_grpc_route_required_in_standard() {
    let report = into("v1.4.0");
    let required = report.lines(|found| {
        found.channel == "standard" && (found.message.contains("is required now") || found.rule == "required-at-root")
    });
    assert_eq!(
        required,
        [
            "standard grpcroutes v1 spec: major required-at-root",
            "standard grpcroutes v1 status.parents[*].conditions: major tightened",
            "standard httproutes v1 status.parents[*].conditions: major tightened",
            "standard httproutes v1beta1 status.parents[*].conditions: major tightened",
        ]
    );
    assert_eq!((report.exit, report.document["permitted"].as_str()), (Exit::Findings, Some("minor")));
    assert!(
        report
            .findings
            .iter()
            .filter(|found| found.rule == "required-at-root")
            .all(|found| found.direction == "tightened")
    );
    // In experimental, a minor is enough, and the one at the root is a warning.
    let spec = report.of("experimental", "required-at-root").collect::<Vec<_>>();
    assert_eq!((spec.len(), &*spec[0].crd, &*spec[0].required_bump, spec[0].warning), (1, "grpcroutes", "minor", true));
    for (channel, count) in [("standard", 4), ("experimental", 12)] {
        let found = found_required(report, channel);
        assert_eq!((found.len(), &found), (count, &newly_required("v1.3.0", "v1.4.0", channel)));
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
    let later = into("v1.6.0").of("experimental", "list-type").map(Found::line).collect::<Vec<_>>();
    let expected = ["v1", "v1beta1"]
        .map(|version| format!("experimental httproutes {version} spec.rules[*].retry.codes: minor list-type"));
    assert_eq!(later, expected);
}

#[test]
fn v1_4_removed_experimental_backend_tls_and_frontend_validation() {
    let report = into("v1.4.0");
    assert_eq!(
        report.lines(|found| found.rule == "name-removed"),
        [
            "experimental gateways v1 spec.backendTLS: minor name-removed",
            "experimental gateways v1 spec.listeners[*].tls.frontendValidation: minor name-removed",
            "experimental gateways v1beta1 spec.backendTLS: minor name-removed",
            "experimental gateways v1beta1 spec.listeners[*].tls.frontendValidation: minor name-removed",
            // The same type of a listener is used by XListenerSet.
            "experimental xlistenersets v1alpha1 spec.listeners[*].tls.frontendValidation: minor name-removed",
        ]
    );
    let needs = report.document["findings"].as_array().unwrap().iter();
    let mut needs = needs.filter(|finding| finding["rule"] == "name-removed").map(|finding| &finding["needs"]);
    assert!(needs.all(|needs| *needs == json!(["tombstone"])));
}

#[test]
fn v1_6_made_the_spec_of_reference_grant_required() {
    let report = into("v1.6.0");
    assert_eq!(
        report.lines(|found| found.rule == "required-at-root"),
        [
            "experimental referencegrants v1beta1 spec: minor required-at-root",
            "standard referencegrants v1beta1 spec: major required-at-root",
        ]
    );
    for channel in ["standard", "experimental"] {
        assert_eq!(found_required(report, channel), newly_required("v1.4.0", "v1.6.0", channel));
    }
}

#[test]
fn v1_6_removed_experimental_idle_timeout_of_session_persistence() {
    let report = into("v1.6.0");
    assert_eq!(
        report.lines(|found| found.rule == "name-removed"),
        [
            "experimental grpcroutes v1 spec.rules[*].sessionPersistence.idleTimeout: minor name-removed",
            "experimental httproutes v1 spec.rules[*].sessionPersistence.idleTimeout: minor name-removed",
            "experimental httproutes v1beta1 spec.rules[*].sessionPersistence.idleTimeout: minor name-removed",
            "experimental xbackendtrafficpolicies v1alpha1 spec.sessionPersistence.idleTimeout: minor name-removed",
        ]
    );
}

#[test]
fn three_crds_were_removed_all_from_experimental() {
    let pairs = pairs();
    let gone = pairs.iter().flat_map(|pair| {
        let lines = pair.report.lines(|found| found.rule == "resource-removed");
        lines.into_iter().map(move |line| format!("{}: {line}", pair.candidate.name))
    });
    assert_eq!(
        gone.collect::<Vec<_>>(),
        [
            "v0.6.0: experimental referencepolicies: minor resource-removed",
            "v1.3.0: experimental backendlbpolicies: minor resource-removed",
            // v1.5 removed it, which is not in the list of releases.
            "v1.6.0: experimental xlistenersets: minor resource-removed",
        ]
    );
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

/// Mistakes that a waiver must not accept: v1.1.1 and v1.4.1 restored the subresources. Standard did not serve the versions.
#[test]
fn status_subresources_were_lost_in_v1_1_and_v1_4() {
    let pairs = pairs();
    let lines = pairs.iter().flat_map(|pair| {
        let lines = pair.report.findings.iter().filter(|found| found.rule == "status-subresource");
        lines.map(move |found| {
            let change = if found.after.is_null() { "lost" } else { "back" };
            format!("{}: {change}: {}", pair.candidate.name, found.line())
        })
    });
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "v1.1.0: lost: experimental grpcroutes v1alpha2: minor status-subresource",
            "v1.4.0: lost: experimental backendtlspolicies v1alpha3: minor status-subresource",
            "v1.6.0: back: experimental backendtlspolicies v1alpha3: minor status-subresource",
        ]
    );
}

/// A patch that only changes stamps.
#[test]
fn v1_6_1_requires_no_bump() {
    let report = into("v1.6.1");
    assert_eq!((report.exit, report.document["verdict"].as_str()), (Exit::Fine, Some("none")));
    assert!(report.findings.iter().all(|found| found.rule == "stamps" || found.known));
    assert_eq!(report.findings.iter().filter(|found| found.rule == "stamps").count(), 23);
}
