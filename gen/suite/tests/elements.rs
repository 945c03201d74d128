//! The elements of CRDs: what is one declaration, what is in branches, and how many the flagship has.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crd_boundary::{Keyword, keywords};
use crd_model::schema::nodes;
use crd_model::{CustomResourceDefinition, Schema};
use crd_suite::{Element, Requirement, elements};
use serde_json::{Value, json};

/// A CRD with this schema of `spec`, and with the status subresource.
pub(crate) fn crd(spec: &Value) -> Arc<CustomResourceDefinition> {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    of_schema(&schema, &json!({"status": {}}))
}

/// A CRD with this schema.
pub(crate) fn of_schema(schema: &Value, subresources: &Value) -> Arc<CustomResourceDefinition> {
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": subresources, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "things", "kind": "Thing"});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]},
    });
    Arc::new(CustomResourceDefinition::from_value(&crd).unwrap())
}

/// What an element is, in a few words: the keyword or text, and its places.
pub(crate) fn words(element: &Element) -> String {
    let what = match &element.requirement {
        Requirement::Constraint(keyword) => keyword.to_string(),
        Requirement::Rule(rule) => rule.rule.to_string(),
        Requirement::Value(value) => format!("value {value}"),
        Requirement::Default(value) => format!("default {value}"),
        Requirement::Member(name) => format!("member {name}"),
    };
    let places = element.places.iter().map(|place| place.value_path().to_string());
    format!("{what} @ {}", places.collect::<Vec<_>>().join(", "))
}

#[track_caller]
fn check(spec: &Value, expected: &[&str]) {
    let found = elements(&[crd(spec)]);
    assert_eq!(found.iter().map(words).collect::<Vec<_>>(), expected);
}

#[test]
fn each_requirement_is_an_element() {
    let spec = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "maxLength": 3, "enum": ["x", "y"], "default": "x"},
        "b": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
    }, "x-kubernetes-validations": [{"rule": "self.a != ''"}, {"rule": "self.a != ''"}]});
    check(
        &spec,
        &[
            "required a @ spec",
            "self.a != '' @ spec",
            "enum @ spec.a",
            "maxLength @ spec.a",
            "value \"x\" @ spec.a",
            "value \"y\" @ spec.a",
            "default \"x\" @ spec.a",
            "x-kubernetes-list-type: set @ spec.b",
        ],
    );
}

#[test]
fn equal_nodes_below_equal_parents_are_one_declaration() {
    let address =
        |limit: i64| json!({"type": "object", "properties": {"host": {"type": "string", "maxLength": limit}}});
    let spec = json!({"type": "object", "properties": {
        "one": address(9), "two": address(9), "other": address(8),
        "host": {"type": "string", "maxLength": 9},
        "described": {"type": "object", "description": "another type", "properties": {"host": {"type": "string", "maxLength": 9}}},
    }});
    check(
        &spec,
        &[
            "maxLength @ spec.described.host",
            "maxLength @ spec.host",
            "maxLength @ spec.one.host, spec.two.host",
            "maxLength @ spec.other.host",
        ],
    );
}

#[test]
fn branches_have_elements() {
    let spec = json!({"type": "object", "properties": {
        "port": {"type": "integer", "allOf": [{"minimum": 1}, {"maximum": 9}]},
        "list": {"type": "array", "items": {"type": "object", "properties": {"value": {"type": "string"}},
            "oneOf": [{"properties": {"value": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}}}, {"not": {"required": ["value"]}}]}},
    }});
    check(
        &spec,
        &[
            "oneOf @ spec.list[*]",
            "anyOf @ spec.list[*].value",
            "format @ spec.list[*].value",
            "format @ spec.list[*].value",
            "not @ spec.list[*]",
            "minimum @ spec.port",
            "maximum @ spec.port",
        ],
    );
    // A place leads to its node.
    let crd = crd(&spec);
    for element in elements(std::slice::from_ref(&crd)) {
        for place in &element.places {
            let crds = std::slice::from_ref(&crd);
            let node = place.node(crds).cloned().unwrap();
            let mut around = place.path.node(&crd.versions[0].schema).cloned().unwrap();
            assert_eq!(place.inner_mut(&mut around).cloned(), Some(node.clone()));
            if let Requirement::Constraint(keyword) = &element.requirement {
                assert!(crd_boundary::keywords(&node).contains(keyword), "{}", words(&element));
            }
        }
    }
}

#[test]
fn unions_have_members() {
    let members = |rules: &[&str], more: Value| {
        let fields = ["type", "a", "b", "c"].map(|name| (name.to_owned(), json!({"type": "string"})));
        let rules = rules.iter().map(|rule| json!({"rule": rule})).collect::<Vec<_>>();
        let mut spec = json!({"type": "object", "properties": Value::Object(fields.into_iter().collect()), "x-kubernetes-validations": rules});
        spec.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let found = elements(&[crd(&spec)]).into_iter();
        let names = found.filter_map(|element| match element.requirement {
            Requirement::Member(name) => Some(name.to_string()),
            _ => None,
        });
        names.collect::<Vec<_>>().join(" ")
    };
    for (rule, expected) in [
        // As controller-gen, Gateway API and enums with data write them.
        ("[has(self.a),has(self.b)].filter(x,x==true).size() == 1", "a b"),
        ("(has(self.a)?1:0)+(has(self.b)?1:0) <= 1", "a b"),
        ("!(has(self.a) && self.type != 'A')", "a"),
        ("!(self.type == \"A\" && (!has(self.a) || self.a == \"\"))", "a"),
        ("self.type == 'A' ? has(self.a) : true", "a"),
        ("!has(self.a) || self.type in ['A', 'B']", "a"),
        ("!(has(self.a) && has(self.b))", "a b"),
        // One field needs another, is compared, or two fields choose.
        ("!has(self.a) || has(self.b)", ""),
        ("!(has(self.a) && has(self.b) && self.a > self.b)", ""),
        ("(self.type == '' && self.b == 'S') ? has(self.a) : true", ""),
        ("!has(self.a) || self.a == oldSelf.a", ""),
        ("has(self.a)", ""),
    ] {
        assert_eq!(members(&[rule], json!({})), expected, "{rule}");
    }
    assert_eq!(members(&[], json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})), "a b");
    assert_eq!(members(&[], json!({"anyOf": [{"required": ["a", "b"]}, {"required": ["b", "c"]}]})), "a c");
}

/// The CRDs in a folder.
pub(crate) fn folder(path: &str) -> Vec<Arc<CustomResourceDefinition>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    let values = texts.flat_map(|text| crd_model::yaml::read(&text).unwrap());
    values.map(|value| Arc::new(CustomResourceDefinition::from_value(&value).unwrap())).collect()
}

/// The same elements, found by comparing nodes as a whole.
#[test]
fn of_the_flagship_by_comparison() {
    let crds = folder("bundles/unreleased/standard");
    let mut declared = Vec::<(_, _, usize)>::new();
    for crd in &crds {
        for version in crd.versions.iter().filter(|version| version.served) {
            for (path, node) in nodes(&version.schema) {
                let above = path.above().and_then(|above| above.node(&version.schema));
                let above = above.zip(path.steps().last().cloned());
                let known = declared.iter_mut().find(|(known, around, _)| *known == node && *around == above);
                match known {
                    Some((_, _, times)) => *times += 1,
                    None => declared.push((node, above, 1)),
                }
            }
        }
    }
    let is_plain = |element: &&Element| element.places[0].within.is_empty();
    let of = |node: &Schema| {
        keywords(node).iter().filter(|keyword| **keyword != Keyword::Type).count() + node.validations.len()
    };
    let expected: (usize, usize) =
        declared.iter().fold((0, 0), |(count, places), (node, _, times)| (count + of(node), places + of(node) * times));
    let found = elements(&crds);
    let found = found.iter().filter(is_plain).filter(|element| element.requirement.refuses());
    assert_eq!(found.fold((0, 0), |(count, places), element| (count + 1, places + element.places.len())), expected);
}

/// How many elements of each kind there are. `cargo test -p crd-suite flagship -- --nocapture` prints the figures.
#[test]
fn of_the_flagship() {
    let mut all = Vec::new();
    for channel in ["standard", "experimental"] {
        let crds = folder(&format!("bundles/unreleased/{channel}"));
        let start = Instant::now();
        let found = elements(&crds);
        let took = start.elapsed();
        let mut kinds = BTreeMap::new();
        for element in &found {
            let kind = match &element.requirement {
                Requirement::Constraint(_) => "constraints",
                Requirement::Rule(_) => "rules",
                Requirement::Value(_) => "values",
                Requirement::Default(_) => "defaults",
                Requirement::Member(_) => "members",
            };
            *kinds.entry(kind).or_insert(0) += 1;
        }
        let places: usize = found.iter().map(|element| element.places.len()).sum();
        println!("{channel}: {} elements at {places} places in {took:?}: {kinds:?}", found.len());
        all.push(format!("{channel} {kinds:?}"));
    }
    let expected = [
        "standard {\"constraints\": 722, \"defaults\": 58, \"members\": 35, \"rules\": 154, \"values\": 72}",
        "experimental {\"constraints\": 1027, \"defaults\": 83, \"members\": 71, \"rules\": 246, \"values\": 133}",
    ];
    assert_eq!(all, expected);
}
