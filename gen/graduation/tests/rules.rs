//! The written rules of lives, each on releases of a few lines.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use crd_bundle::Release;
use crd_compat::tombstone::Tombstone;
use crd_compat::{Declared, RULES};
use crd_graduation::{Element, Kind, Life, Lives, id, only_experimental};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use serde_json::{Value, json};

const CRD: &str = "things.example.com";

/// A CRD with these properties of `spec`.
fn crd(name: &str, spec: &Value) -> Arc<CustomResourceDefinition> {
    let plural = name.split('.').next().unwrap();
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let spec = json!({"group": "example.com", "names": {"kind": "Thing", "plural": plural}, "scope": "Namespaced", "versions": [version]});
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name}, "spec": spec});
    Arc::new(CustomResourceDefinition::from_value(&crd).unwrap())
}

/// A release a month, `v1.0.0`, `v1.1.0` and so on: standard has `size`, and experimental also these properties.
fn releases(experimental: &[Value]) -> Vec<Release> {
    let release = |(index, more): (usize, &Value)| {
        let mut spec = json!({"size": {"type": "integer"}});
        let standard = crd(CRD, &spec);
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let version = format!("v1.{index}.0");
        let channels = [(Channel::Standard, vec![standard]), (Channel::Experimental, vec![crd(CRD, &spec)])].into();
        Release {
            released: Some(format!("2026-{:02}-01", index + 1).parse().unwrap()),
            ..Release::new(&*version, version.parse().ok(), channels)
        }
    };
    experimental.iter().enumerate().map(release).collect()
}

fn field(path: &str) -> Element {
    let (place, name) = path.rsplit_once('.').unwrap_or(("", path));
    Element::at(CRD, Kind::Field, place, name)
}

fn life(releases: &[Release], tombstones: &[Tombstone], path: &str, loosening_counts: bool) -> Option<Life> {
    let mut declared = Declared::default();
    for Tombstone { name, replacement, .. } in tombstones {
        if let (Kind::Field, Some(new)) = (name.kind, replacement) {
            declared.renames.declare(&name.crd, name.place(), &name.name, new);
        }
    }
    let lives = Lives::new(releases, tombstones, &declared, loosening_counts);
    let element = field(path);
    let last = releases.len() - 1;
    only_experimental(&releases[last]).get(&element)?;
    lives.of(last, &element)
}

/// First bundle, last bundle with a change, and the rules of its changes.
fn facts(life: &Life) -> (String, String, Vec<&'static str>) {
    let rules = life.changes.iter().map(|change| change.rule).collect();
    (life.first.bundle.to_string(), life.unchanged_since.bundle.to_string(), rules)
}

fn text(keywords: Value) -> Value {
    let mut text = json!({"type": "string"});
    text.as_object_mut().unwrap().extend(keywords.as_object().unwrap().clone());
    json!({"tint": text})
}

#[test]
fn what_breaks_users_counts_and_texts_never_do() {
    for (before, after, rules, with_loosening) in [
        (json!({"maxLength": 9}), json!({"maxLength": 8}), vec!["tightened"], vec!["tightened"]),
        (json!({"maxLength": 8}), json!({"maxLength": 9}), vec![], vec!["loosened"]),
        (json!({"default": "a"}), json!({"default": "b"}), vec!["default-changed"], vec!["default-changed"]),
        (json!({"description": "A tint."}), json!({"description": "The tint."}), vec![], vec![]),
        (json!({"title": "a"}), json!({"title": "b", "example": "c"}), vec![], vec![]),
    ] {
        let releases = releases(&[text(json!({})), text(before.clone()), text(after.clone())]);
        for (loosening_counts, rules) in [(false, rules), (true, with_loosening)] {
            let life = life(&releases[1..], &[], "spec.tint", loosening_counts).unwrap();
            let changed = if rules.is_empty() { "v1.1.0" } else { "v1.2.0" };
            assert_eq!(facts(&life), ("v1.1.0".to_owned(), changed.to_owned(), rules.clone()), "{before} {after}");
        }
        assert!(RULES.iter().any(|rule| rule.id == "tightened"));
    }
}

#[test]
fn new_and_removed_fields_below_an_element_are_an_addition_and_a_change() {
    let object = |fields: Value| json!({"tint": {"type": "object", "properties": fields}});
    let (small, large) = (json!({"a": {"type": "string"}}), json!({"a": {"type": "string"}, "b": {"type": "string"}}));
    let grown = releases(&[object(small.clone()), object(large.clone())]);
    assert_eq!(facts(&life(&grown, &[], "spec.tint", false).unwrap()), ("v1.0.0".into(), "v1.0.0".into(), vec![]));
    let shrunk = releases(&[object(large), object(small)]);
    let life = life(&shrunk, &[], "spec.tint", false).unwrap();
    assert_eq!(facts(&life), ("v1.0.0".into(), "v1.1.0".into(), vec!["name-removed"]));
    assert_eq!((life.minors, &*life.changes[0].path), (2, "spec.tint.b"));
}

#[test]
fn a_declared_rename_keeps_the_age_and_an_undeclared_one_does_not() {
    let (old, new) = (json!({"colour": {"type": "string"}}), json!({"tint": {"type": "string"}}));
    let releases = releases(&[old.clone(), old, new.clone(), new]);
    let tombstone = Tombstone {
        name: Element::at(CRD, Kind::Field, "spec", "colour"),
        removed: "v1.2.0".into(),
        reason: "shorter".into(),
        replacement: Some("tint".into()),
        migrated: false,
    };
    let renamed = life(&releases, std::slice::from_ref(&tombstone), "spec.tint", false).unwrap();
    let (first, changed, rules) = facts(&renamed);
    assert_eq!((&*first, &*changed), ("v1.0.0", "v1.2.0"));
    assert!(rules.contains(&"renamed"), "{rules:?}");
    assert_eq!(renamed.ancestors, [(field("spec.colour"), "v1.2.0".parse().unwrap())]);
    assert_eq!(renamed.minors, 4);
    let undeclared = life(&releases, &[], "spec.tint", false).unwrap();
    assert_eq!(facts(&undeclared), ("v1.2.0".into(), "v1.2.0".into(), vec![]));
    // A tombstone without a replacement declares no rename.
    let removed = Tombstone { replacement: None, ..tombstone };
    assert_eq!(facts(&life(&releases, &[removed], "spec.tint", false).unwrap()).0, "v1.2.0");
}

#[test]
fn a_return_after_a_removal_starts_a_new_life() {
    let tint = || json!({"tint": {"type": "string"}});
    let releases = releases(&[tint(), json!({}), tint(), tint()]);
    let life = life(&releases, &[], "spec.tint", false).unwrap();
    assert_eq!((facts(&life), life.minors), (("v1.2.0".into(), "v1.2.0".into(), vec![]), 2));
}

#[test]
fn rules_values_and_constraints_are_elements_and_their_names_are_one_word() {
    let mut release = releases(&[json!({})]).remove(0);
    let mode = |values: Value| json!({"mode": {"type": "string", "enum": values}, "size": {"type": "integer"}});
    release.channels.insert(Channel::Standard, vec![crd(CRD, &mode(json!(["A"])))]);
    let mut experimental = mode(json!(["A", "B"]));
    experimental["size"] = json!({"type": "integer", "maximum": 9, "x-kubernetes-validations": [{"rule": "self > 1"}]});
    release.channels.insert(Channel::Experimental, vec![crd(CRD, &experimental)]);
    let found = only_experimental(&release);
    let names = found.keys().map(|element| (element.kind, id(element))).collect::<Vec<_>>();
    assert_eq!(
        names,
        [
            (Kind::Value, "things/spec.mode=B".to_owned()),
            (Kind::Rule, "things/spec.size:rule-28d40354".to_owned()),
            (Kind::Constraint, "things/spec.size:maximum".to_owned()),
        ]
    );
}
