//! A change from standard to experimental and back, with objects: exactly the expected data is lost.
//!
//! Invariants: one journey on one server is recorded ([`journey`]), and tests check the record. The expected losses are computed from the two
//! bundles ([`difference`]), and `during.yaml` uses everything that can be lost.

pub(crate) mod difference;
mod journey;
mod page;

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::Channel;
use crd_model::Schema;
use serde_json::json;

use crate::documents::{VersionedKind, crds};
use crate::install::assert_is_emitted;

use difference::{in_standard, is_in_standard, nodes, only_experimental, only_experimental_values, pruned};
use journey::{ANNOTATION, Listed, Role, Stop, journey, without_version};

#[test]
fn no_step_is_refused_and_no_crd_is_created_again() {
    let Some(journey) = journey() else { return };
    for (step, channel, printed, news) in [
        ("to experimental", Channel::Experimental, &journey.to_experimental, "created"),
        ("to standard", Channel::Standard, &journey.to_standard, ""),
        ("to experimental again", Channel::Experimental, &journey.to_experimental_again, "unchanged"),
    ] {
        assert!(printed.success, "{step}: {}", printed.stderr);
        assert_eq!(printed.stderr, "", "{step}: a warning");
        let expected: String = crds(channel)
            .iter()
            .map(|crd| {
                let word = if is_in_standard(&crd.name) { "configured" } else { news };
                format!("customresourcedefinition.apiextensions.k8s.io/{} {word}\n", crd.name)
            })
            .collect();
        assert_eq!(printed.stdout, expected, "{step}");
    }
    for (step, channel, stop) in journey.stops() {
        for (name, stored) in &stop.crds {
            // CRDs that only experimental has remain unchanged.
            let bundle = if is_in_standard(name) { channel } else { Channel::Experimental };
            let crd = crds(bundle).iter().find(|crd| crd.name == *name).expect("a CRD of the bundle");
            assert_is_emitted(bundle, crd, stored);
            let storage = crd.versions.iter().find(|version| version.storage).expect("a storage version");
            assert_eq!(stored["status"]["storedVersions"], json!([storage.name]), "{step}: {name}");
            let first = journey.during.crds[name]["metadata"]["uid"].as_str();
            assert_eq!(stored["metadata"]["uid"].as_str(), first, "{step}: {name} was created again");
        }
    }
}

/// Objects of standard are the same before, during and after the change, through every version, including all metadata.
#[test]
fn objects_of_standard_survive_untouched() {
    let Some(journey) = journey() else { return };
    let (mut compared, mut resources) = (0, BTreeSet::new());
    for (index, made) in journey.with_role(Role::Before).chain(journey.with_role(Role::Stricter)) {
        let first = without_version(journey.standard.object(made, made.readable_version()));
        for (step, _, stop) in journey.stops() {
            assert_eq!(stop.stored[index], journey.standard.stored[index], "{step}: {} in etcd", made.key());
            for version in &made.versioned.crd.versions {
                let Some(object) = stop.read(made, &version.name) else { continue };
                assert_eq!(without_version(object), first, "{step}: {} through {}", made.key(), version.name);
                compared += 1;
            }
        }
        resources.insert(made.resource());
    }
    assert_eq!(resources, crds(Channel::Standard).iter().map(|crd| crd.name.as_ref()).collect(), "one of each");
    println!("{compared} reads are equal");
}

/// Where experimental is stricter, an object of standard can be read and annotated, and a change of the affected list is refused.
#[test]
fn stricter_rules_of_experimental_block_changes_of_older_objects() {
    let Some(journey) = journey() else { return };
    let mut refused: BTreeSet<(&str, &str, String)> = BTreeSet::new();
    for (index, annotated, changed) in &journey.stricter {
        let made = &journey.made[*index];
        assert_eq!(annotated.code, 200, "{}: {}", made.key(), annotated.body);
        assert_eq!(changed.code, 422, "{}: {}", made.key(), changed.body);
        println!("{}: {:?}; {}", made.key(), annotated.warnings, changed.message());
        let fields = changed.causes().into_iter().filter(|(field, _)| field.starts_with("spec"));
        let fields =
            fields.map(|(field, _)| (made.resource(), &*made.versioned.version.name, page::without_indices(field)));
        refused.extend(fields);
    }
    // All patterns that only experimental has, and the rule about ports of references to XBackends.
    let mut expected = BTreeSet::new();
    for versioned in VersionedKind::all(Channel::Standard).filter(|versioned| versioned.version.served) {
        let standard: BTreeMap<_, _> = nodes(&versioned.version.schema).into_iter().collect();
        let experimental = VersionedKind::all(Channel::Experimental)
            .find(|other| other.name() == versioned.name())
            .expect("it has all");
        for (path, node) in nodes(&experimental.version.schema) {
            let Some(in_standard) = standard.get(&path) else { continue };
            let refuses_ports = |node: &Schema| {
                let mut messages = node.validations.iter().filter_map(|rule| rule.message.as_deref());
                messages.any(|message| message == "Must not have port for Backend reference")
            };
            if (node.pattern.is_some() && in_standard.pattern.is_none())
                || (refuses_ports(node) && !refuses_ports(in_standard))
            {
                expected.insert((&*versioned.crd.name, &*versioned.version.name, path[1..].to_owned()));
            }
        }
    }
    assert_eq!(refused, expected, "refused by the server, and expected from the bundles");
}

/// Standard hides exactly the experimental fields. etcd keeps them, and experimental shows them again.
#[test]
fn only_experimental_fields_are_hidden() {
    let Some(journey) = journey() else { return };
    let hidden = journey.hidden();
    let mut expected: BTreeMap<Listed, BTreeSet<String>> = BTreeMap::new();
    // A controller writes the status on standard.
    for (versioned, path, _) in only_experimental().into_iter().filter(|(_, path, _)| !path.starts_with(".status")) {
        if in_standard(versioned).is_some_and(|standard| standard.version.served) {
            expected.entry((versioned.crd.name.as_ref(), versioned.version.name.as_ref())).or_default().insert(path);
        }
    }
    assert_eq!(hidden, expected, "hidden by the server, and expected from the bundles: `during.yaml` uses each field");
    for (index, made) in journey.with_role(Role::Left) {
        for stop in [&journey.back, &journey.again] {
            assert_eq!(stop.stored[index], journey.during.stored[index], "etcd keeps all of {}", made.key());
        }
        for version in &made.versioned.crd.versions {
            let read = |stop: &'static Stop| stop.read(made, &version.name);
            assert_eq!(read(&journey.again), read(&journey.during), "{} {} came back", version.name, made.key());
            if let Some(back) = read(&journey.back) {
                let versioned = in_standard(VersionedKind { crd: made.versioned.crd, version });
                let schema = versioned.map_or(&version.schema, |versioned| &versioned.version.schema);
                let expected = pruned(read(&journey.during).expect("it was served"), schema);
                assert_eq!(*back, expected, "{} {}", version.name, made.key());
            }
        }
    }
    println!("{} paths hidden: {hidden:#?}", hidden.values().map(BTreeSet::len).sum::<usize>());
}

/// Any write on standard drops the experimental fields from etcd: an annotation, and a controller's status too.
#[test]
fn a_write_on_standard_loses_the_experimental_fields_for_good() {
    let Some(journey) = journey() else { return };
    let mut poorer = 0;
    for (index, answer) in &journey.written {
        let made = &journey.made[*index];
        assert_eq!(answer.code, 200, "{}: {}", made.key(), answer.body);
        assert!(answer.warnings.is_empty() || made.role == Role::Older, "{}: {:?}", made.key(), answer.warnings);
        let (before, after) = (&journey.during.stored[*index], &journey.again.stored[*index]);
        let storage = made.storage();
        let schema = &in_standard(storage).unwrap_or(storage).version.schema;
        assert_eq!(after["spec"], pruned(before, schema)["spec"], "etcd has the rest of {}", made.key());
        let shown = journey.again.object(made, &storage.version.name);
        assert_eq!(shown["spec"], after["spec"], "{} on experimental again", made.key());
        match made.role {
            Role::Reported => assert_eq!(shown["status"], made.status, "{}", made.key()),
            _ => assert_eq!(shown["metadata"]["annotations"][ANNOTATION], "yes", "{}", made.key()),
        }
        let is_poorer = matches!(made.role, Role::Annotated | Role::Reported) && is_in_standard(made.resource());
        assert_eq!(after["spec"] != before["spec"], is_poorer, "{}", made.key());
        poorer += usize::from(is_poorer);
    }
    println!("{} writes, {poorer} objects are poorer for good", journey.written.len());
}

/// kubectl apply does not prune: resources that only experimental has stay, with their objects, and say that they are experimental.
#[test]
fn resources_of_experimental_alone_stay_and_work() {
    let Some(journey) = journey() else { return };
    let alone: Vec<_> = crds(Channel::Experimental).iter().filter(|crd| !is_in_standard(&crd.name)).collect();
    assert!(!alone.is_empty());
    assert_eq!(journey.back.crds.len(), crds(Channel::Experimental).len());
    assert_eq!(journey.created.len(), alone.len());
    for answer in &journey.created {
        assert_eq!(answer.code, 201, "new objects are taken: {}", answer.body);
    }
    for crd in alone {
        let stamp = format!("{}/{}", gateway_api_types::GROUP, crd_bundle::CHANNEL);
        assert_eq!(journey.back.crds[&*crd.name], journey.during.crds[&*crd.name], "{}", crd.name);
        assert_eq!(journey.back.crds[&*crd.name]["metadata"]["annotations"][&stamp], "experimental", "{}", crd.name);
        for version in &crd.versions {
            let listed = |stop: &'static Stop| stop.listed(&crd.name, &version.name);
            assert_eq!(listed(&journey.back), listed(&journey.during), "{} {}", crd.name, version.name);
        }
    }
}

/// Versions that standard does not serve answer 404; their objects are all there in the version that it does.
#[test]
fn versions_that_standard_does_not_serve_are_not_found() {
    let Some(journey) = journey() else { return };
    let mut unserved = 0;
    for versioned in VersionedKind::all(Channel::Standard).filter(|versioned| !versioned.version.served) {
        let listed_as = (versioned.crd.name.as_ref(), versioned.version.name.as_ref());
        for (step, channel, stop) in journey.stops() {
            match channel {
                Channel::Standard => assert_eq!(stop.seen[&listed_as], Err(404), "{step}: {}", versioned.name()),
                Channel::Experimental => assert!(stop.seen[&listed_as].is_ok(), "{step}: {}", versioned.name()),
            }
        }
        let storage = &versioned.crd.versions.iter().find(|version| version.storage).expect("one").name;
        let keys = |stop: &'static Stop| {
            stop.listed(&versioned.crd.name, storage).map(|objects| objects.keys().collect::<Vec<_>>())
        };
        assert_eq!(keys(&journey.back), keys(&journey.during), "{}", versioned.name());
        unserved += 1;
    }
    assert!(unserved > 0);
    println!("{unserved} versions answer 404 on standard");
}

/// A value that an enum has no longer stays in the object. It hinders no annotation and no status, but every change of the list it is in.
#[test]
fn an_experimental_enum_value_stays_and_holds_up_changes() {
    let Some(journey) = journey() else { return };
    let mut refused: BTreeSet<(&str, &str, String)> = BTreeSet::new();
    for (made, changed, fixed) in journey.blocked(Role::Left) {
        assert_eq!((changed.code, fixed.code), (422, 200), "{}: {} {}", made.key(), changed.body, fixed.body);
        println!("{}: {}", made.key(), changed.message());
        let causes = changed.causes().into_iter().filter(|(_, message)| message.starts_with("Unsupported value"));
        let fields =
            causes.map(|(field, _)| (made.resource(), &*made.versioned.version.name, page::without_indices(field)));
        refused.extend(fields);
    }
    let expected = only_experimental_values();
    let expected = expected
        .iter()
        .map(|(versioned, path, ..)| (&*versioned.crd.name, &*versioned.version.name, path[1..].to_owned()));
    assert_eq!(refused, expected.collect(), "refused by the server, and expected from the bundles");
}

/// Objects that only an older version takes are readable and can be annotated; changes have to be valid in the version that is left.
#[test]
fn objects_of_a_looser_version_stay_and_hold_up_changes() {
    let Some(journey) = journey() else { return };
    let mut older = 0;
    for (made, changed, fixed) in journey.blocked(Role::Older) {
        let read = |stop: &'static Stop| stop.object(made, &made.storage().version.name);
        assert_eq!(read(&journey.back), read(&journey.during), "{}", made.key());
        assert_eq!(read(&journey.again)["spec"], read(&journey.during)["spec"], "{}", made.key());
        assert_eq!((changed.code, fixed.code), (422, 200), "{}: {} {}", made.key(), changed.body, fixed.body);
        println!("{} {}: {}", made.resource(), made.key(), changed.message());
        older += 1;
    }
    assert_eq!(older, journey::older_objects().len());
}
