//! Transitional CRDs of short CRDs: each statement of `crd_upgrade::migrate::transition`.

use crd_apiserver::objects::{Request, Resource};
use crd_apiserver::{apply_defaults, prune, refusal};
use crd_model::{CustomResourceDefinition, yaml};
use crd_upgrade::migrate::transition::{gate, may_have_old_forms, open};
use serde_json::{Value, json};

fn value(text: &str) -> Value {
    yaml::read(text).unwrap().remove(0)
}

/// A CRD with these versions: name, whether it is served, and the schema of `spec`. The last one is stored.
fn crd(versions: &[(&str, bool, &str)]) -> CustomResourceDefinition {
    let last = versions.len() - 1;
    let versions = versions.iter().enumerate().map(|(index, (name, served, spec))| {
        let schema = json!({"type": "object", "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}, "spec": value(spec)}});
        json!({"name": name, "served": served, "storage": index == last, "schema": {"openAPIV3Schema": schema}})
    });
    let names = json!({"plural": "things", "kind": "Thing"});
    let spec =
        json!({"group": "example.com", "scope": "Cluster", "names": names, "versions": versions.collect::<Vec<_>>()});
    let metadata = json!({"name": "things.example.com"});
    read(
        &json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}),
    )
}

fn v1(spec: &str) -> CustomResourceDefinition {
    crd(&[("v1", true, spec)])
}

fn read(document: &Value) -> CustomResourceDefinition {
    CustomResourceDefinition::from_value(document).unwrap()
}

/// A change of the JSON form of a CRD.
fn with(crd: &CustomResourceDefinition, change: impl FnOnce(&mut Value)) -> CustomResourceDefinition {
    let mut document = crd.to_value();
    change(&mut document);
    read(&document)
}

/// The schema of `spec` in a version.
fn spec(crd: &CustomResourceDefinition, version: &str) -> Value {
    let version = crd.versions.iter().find(|known| known.name == version).unwrap();
    version.schema.properties["spec"].to_value()
}

/// Names of versions, with the served ones and the stored one.
fn versions(crd: &CustomResourceDefinition) -> Vec<String> {
    let words = crd.versions.iter().map(|version| {
        let served = if version.served { " served" } else { "" };
        format!("{}{served}{}", version.name, if version.storage { " stored" } else { "" })
    });
    words.collect()
}

#[track_caller]
fn check_accepted_by_servers(crd: &CustomResourceDefinition) {
    assert_eq!(refusal::refusals(crd).iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
}

/// The spec of the open CRD from one schema to another one.
#[track_caller]
fn check_open(installed: &str, known: &[&str], target: &str, expected: &str) {
    let known = known.iter().map(|spec| v1(spec)).collect::<Vec<_>>();
    let open = open(&v1(installed), &known.iter().collect::<Vec<_>>(), &v1(target), &[]);
    check_accepted_by_servers(&open);
    assert_eq!(spec(&open, "v1"), value(expected));
}

#[track_caller]
fn check_gate(installed: &str, known: &[&str], target: &str, expected: &str) {
    let known = known.iter().map(|spec| v1(spec)).collect::<Vec<_>>();
    let gate = gate(&v1(installed), &known.iter().collect::<Vec<_>>(), &v1(target), &[]);
    check_accepted_by_servers(&gate);
    assert_eq!(spec(&gate, "v1"), value(expected));
}

#[track_caller]
fn check_old_forms(installed: &str, known: &[&str], target: &str, expected: bool) {
    let known = known.iter().map(|spec| v1(spec)).collect::<Vec<_>>();
    assert_eq!(may_have_old_forms(&v1(installed), &known.iter().collect::<Vec<_>>(), &v1(target)), expected);
}

#[test]
fn the_open_crd_has_the_fields_of_all_sides_in_all_versions() {
    let installed = crd(&[
        ("v1alpha1", true, "{type: object, properties: {a: {type: string}}}"),
        ("v1beta1", true, "{type: object, properties: {b: {type: string}}}"),
    ]);
    let known =
        v1("{type: object, properties: {c: {type: array, items: {type: object, properties: {d: {type: integer}}}}}}");
    let target =
        v1("{type: object, properties: {c: {type: array, items: {type: object, properties: {e: {type: boolean}}}}}}");
    let open = open(&installed, &[&known], &target, &["v1beta1".to_owned()]);
    check_accepted_by_servers(&open);
    let expected = value(
        "type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  a: {type: string}
  b: {type: string}
  c:
    type: array
    items:
      type: object
      x-kubernetes-preserve-unknown-fields: true
      properties: {d: {type: integer}, e: {type: boolean}}",
    );
    assert_eq!(versions(&open), ["v1 served stored", "v1alpha1 served", "v1beta1 served"]);
    assert_eq!(open.versions[0].schema.preserve_unknown_fields, Some(true));
    for version in ["v1", "v1alpha1", "v1beta1"] {
        assert_eq!(spec(&open, version), expected);
    }
}

#[test]
fn the_open_crd_has_no_rules() {
    let rules = "
type: object
required: [a]
minProperties: 1
x-kubernetes-map-type: atomic
x-kubernetes-validations: [{rule: 'self.a.size() > 1'}]
oneOf: [{required: [a]}]
not: {required: [b]}
properties:
  a: {type: string, enum: [x, y], pattern: x, minLength: 1, maxLength: 9, format: date, title: t, description: d}
  b: {type: integer, minimum: 1, exclusiveMinimum: true, maximum: 9, multipleOf: 2, format: int32}
  c: {type: array, minItems: 1, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}
  d: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: a}
  e: {type: object, maxProperties: 1, additionalProperties: {type: string, maxLength: 1}}
  f: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: string, maxLength: 1}, metadata: {type: object, required: [labels]}}}";
    let expected = "
type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  a: {type: string}
  b: {type: integer}
  c: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {k: {type: string}}}}
  d: {x-kubernetes-int-or-string: true}
  e: {type: object, additionalProperties: {type: string}}
  f:
    type: object
    x-kubernetes-embedded-resource: true
    x-kubernetes-preserve-unknown-fields: true
    properties: {spec: {type: string}, metadata: {type: object}}";
    check_open(rules, &[], rules, expected);
}

#[test]
fn a_node_of_two_types_accepts_each_value() {
    let any = "{x-kubernetes-preserve-unknown-fields: true}";
    for (one, other) in [
        ("{type: string}", "{type: object, properties: {a: {type: string}}}"),
        ("{type: integer}", "{type: number}"),
        ("{type: integer}", "{x-kubernetes-int-or-string: true}"),
        ("{type: object, additionalProperties: {type: string}}", "{type: object, properties: {a: {type: string}}}"),
        ("{type: string}", any),
    ] {
        for (old, new) in [(one, other), (other, one)] {
            let spec = |node: &str| format!("{{type: object, properties: {{p: {node}}}}}");
            let expected =
                format!("{{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {{p: {any}}}}}");
            check_open(&spec(old), &[], &spec(new), &expected);
            check_open(&spec(new), &[&spec(old)], &spec(new), &expected);
        }
    }
}

#[test]
fn a_field_that_one_side_keeps_without_listing_it_accepts_each_value() {
    let listed = "{type: object, properties: {a: {type: string}}}";
    for kept in
        ["{type: object, x-kubernetes-preserve-unknown-fields: true}", "{type: object, additionalProperties: true}"]
    {
        let expected = "
type: object
x-kubernetes-preserve-unknown-fields: true
properties: {a: {nullable: true, x-kubernetes-preserve-unknown-fields: true}}";
        check_open(kept, &[], listed, expected);
        check_open(listed, &[kept], listed, expected);
    }
}

#[test]
fn a_node_is_nullable_if_it_is_on_one_side() {
    let (never, nullable) = (
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {a: {type: string, nullable: true}}}",
    );
    let expected = "
type: object
x-kubernetes-preserve-unknown-fields: true
properties: {a: {type: string, nullable: true}}";
    check_open(never, &[], nullable, expected);
    check_open(nullable, &[], never, expected);
    check_open(never, &[nullable], never, expected);
}

#[test]
fn a_default_of_the_installed_crd_stays_where_the_target_has_the_field() {
    check_open(
        "
type: object
properties:
  kept: {type: string, default: a}
  removed: {type: string, default: a}
  retyped: {type: string, default: a}
  partly: {type: object, default: {old: a}, properties: {old: {type: string, default: b}, kept: {type: integer, default: 1}}}
  list: {type: array, items: {type: object, properties: {a: {type: string, default: a}, b: {type: string, default: b}}}}
  map: {type: object, additionalProperties: {type: string, default: a}}",
        &["{type: object, properties: {known: {type: string, default: a}}}"],
        "
type: object
properties:
  kept: {type: string}
  retyped: {type: integer, default: 1}
  partly: {type: object, properties: {kept: {type: integer}}}
  list: {type: array, items: {type: object, properties: {a: {type: string}}}}
  map: {type: object, additionalProperties: {type: string}}
  known: {type: string}
  new: {type: string, default: a}",
        "
type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  kept: {type: string, default: a}
  removed: {type: string}
  retyped: {x-kubernetes-preserve-unknown-fields: true}
  partly:
    type: object
    x-kubernetes-preserve-unknown-fields: true
    properties: {old: {type: string}, kept: {type: integer, default: 1}}
  list:
    type: array
    items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string, default: a}, b: {type: string}}}
  map: {type: object, additionalProperties: {type: string, default: a}}
  known: {type: string}
  new: {type: string}",
    );
}

#[test]
fn the_open_crd_serves_what_one_side_serves_and_keeps_stored_versions() {
    let nothing = "{type: object}";
    let installed = crd(&[("v1alpha1", false, nothing), ("v1alpha2", true, nothing), ("v1beta1", true, nothing)]);
    let target = crd(&[("v1beta1", false, nothing), ("v1", true, nothing)]);
    let stored = ["v1alpha1".to_owned(), "v1beta1".to_owned()];
    let open = open(&installed, &[], &target, &stored);
    check_accepted_by_servers(&open);
    assert_eq!(versions(&open), ["v1 served stored", "v1alpha1", "v1alpha2 served", "v1beta1 served"]);
    let gate = gate(&installed, &[], &target, &stored);
    check_accepted_by_servers(&gate);
    assert_eq!(versions(&gate), ["v1 served stored", "v1alpha1", "v1alpha2", "v1beta1"]);
}

#[test]
fn names_are_those_of_the_target_where_they_can_change_and_stamps_those_of_the_installed_crd() {
    let all = |word: &str| {
        let names =
            json!({"plural": "things", "kind": "Thing", "singular": word, "shortNames": [word], "categories": [word]});
        with(&v1("{type: object}"), |document| {
            document["spec"]["names"] = names;
            document["metadata"]["annotations"] = json!({"stamp": word});
            document["metadata"]["labels"] = json!({"label": word});
        })
    };
    let (installed, target) = (all("old"), all("new"));
    for crd in [open(&installed, &[], &target, &[]), gate(&installed, &[], &target, &[])] {
        assert_eq!(crd.names, target.names);
        assert_eq!((crd.annotations, crd.labels), (installed.annotations.clone(), installed.labels.clone()));
    }
}

#[test]
fn the_open_crd_has_the_endpoints_and_columns_of_the_installed_crd() {
    let schema = "{type: object, properties: {size: {type: integer}, mode: {type: string}}}";
    let column = |name: &str| json!([{"name": name, "type": "string", "jsonPath": ".spec.mode"}]);
    let installed = with(&crd(&[("v1alpha1", true, schema), ("v1", true, schema)]), |document| {
        let version = &mut document["spec"]["versions"][1];
        version["additionalPrinterColumns"] = column("Old");
        version["selectableFields"] = json!([{"jsonPath": ".spec.mode"}, {"jsonPath": ".spec.size"}]);
        version["subresources"] =
            json!({"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}});
    });
    // The type of `mode` disagrees.
    let target = "{type: object, properties: {mode: {type: integer}}}";
    let target = with(&crd(&[("v1", true, target), ("v2", true, target)]), |document| {
        for version in document["spec"]["versions"].as_array_mut().unwrap() {
            version["additionalPrinterColumns"] = column("New");
            version["subresources"] = json!({"status": {}});
        }
    });
    let open = open(&installed, &[], &target, &[]);
    check_accepted_by_servers(&open);
    let columns = |version: &str| {
        let version = open.versions.iter().find(|known| known.name == version).unwrap();
        version.columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(columns("v1"), ["Old"]);
    assert_eq!(columns("v2"), ["New"]);
    let versions = open.to_value()["spec"]["versions"].take();
    assert_eq!(versions[0]["selectableFields"], json!([{"jsonPath": ".spec.size"}]));
    assert_eq!(
        versions[0]["subresources"],
        json!({"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}),
    );
    assert_eq!(versions[1]["name"], "v1alpha1");
    assert_eq!(versions[1]["subresources"], Value::Null);
    assert_eq!(versions[2]["subresources"], json!({"status": {}}));
}

#[test]
fn an_installed_crd_without_pruning_has_values_of_each_type() {
    let installed = with(&v1("{type: object, properties: {a: {type: object}}}"), |document| {
        document["spec"]["preserveUnknownFields"] = json!(true);
    });
    let target = v1("{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}");
    let open = open(&installed, &[], &target, &[]);
    check_accepted_by_servers(&open);
    let any = json!({"nullable": true, "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(spec(&open, "v1")["properties"]["a"]["properties"]["b"], any);
    assert!(may_have_old_forms(&installed, &[], &target));
}

#[test]
fn the_gate_has_the_rules_of_the_target_and_refuses_fields_of_old_forms() {
    check_gate(
        "{type: object, properties: {a: {type: string}, old: {type: object, properties: {c: {type: string}}}}}",
        &[
            "{type: object, properties: {older: {type: string}, inner: {type: object, properties: {b: {type: string}}}}}",
        ],
        "
type: object
required: [a]
allOf: [{required: [a]}]
not: {required: [inner]}
x-kubernetes-validations: [{rule: self.a.size() > 1}]
properties: {a: {type: string, enum: [x], default: x}, inner: {type: object, properties: {d: {type: string}}}}",
        "
type: object
required: [a]
allOf: [{required: [a]}]
not: {required: [inner]}
x-kubernetes-preserve-unknown-fields: true
x-kubernetes-validations: [{rule: self.a.size() > 1}]
properties:
  a: {type: string, enum: [x], default: x}
  inner:
    type: object
    x-kubernetes-preserve-unknown-fields: true
    properties: {d: {type: string}, b: {not: {}, type: string}}
  old: {not: {}, type: object, x-kubernetes-preserve-unknown-fields: true, properties: {c: {type: string}}}
  older: {not: {}, type: string}",
    );
}

#[test]
fn the_gate_looks_into_lists_and_maps() {
    check_gate(
        "
type: object
properties:
  list: {type: array, items: {type: object, properties: {a: {type: string}, old: {type: string}}}}
  map: {type: object, additionalProperties: {type: object, properties: {old: {type: string}}}}",
        &[],
        "
type: object
properties:
  list: {type: array, items: {type: object, properties: {a: {type: string}}}}
  map: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}",
        "
type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  list:
    type: array
    items:
      type: object
      x-kubernetes-preserve-unknown-fields: true
      properties: {a: {type: string}, old: {not: {}, type: string}}
  map:
    type: object
    additionalProperties:
      type: object
      x-kubernetes-preserve-unknown-fields: true
      properties: {a: {type: string}, old: {not: {}, type: string}}",
    );
}

#[test]
fn each_version_of_the_gate_refuses_what_the_same_version_of_the_target_lacks() {
    let (a, b) = ("{type: object, properties: {a: {type: string}}}", "{type: object, properties: {b: {type: string}}}");
    let installed = crd(&[("v1alpha1", true, b), ("v1beta1", true, a), ("v1", true, b)]);
    let target = crd(&[("v1beta1", true, a), ("v1", true, b)]);
    let gate = gate(&installed, &[], &target, &["v1alpha1".to_owned()]);
    check_accepted_by_servers(&gate);
    let refused = json!({"not": {}, "type": "string"});
    let properties = |version: &str| spec(&gate, version)["properties"].take();
    assert_eq!(properties("v1beta1"), json!({"a": {"type": "string"}, "b": refused}));
    assert_eq!(properties("v1"), json!({"a": refused, "b": {"type": "string"}}));
    // The schema of the storage version of the target.
    assert_eq!(properties("v1alpha1"), properties("v1"));
}

#[test]
fn the_gate_refuses_new_values_of_a_removed_field_and_leaves_existing_ones() {
    let installed =
        v1("{type: object, properties: {a: {type: string}, old: {type: object, properties: {b: {type: string}}}}}");
    let target = v1("{type: object, properties: {a: {type: string}}}");
    let gate = gate(&installed, &[], &target, &[]);
    let resource = Resource::prepare(&gate, "v1", 36).unwrap().unwrap();
    let object = |spec: &str| json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "resourceVersion": "1"}, "spec": value(spec)});
    let errors =
        |request: Request<'_>| resource.answer(request).errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let old = object("{a: x, old: {b: x}}");
    let refused = errors(Request::create(old.clone()));
    assert!(refused.len() == 1 && refused[0].contains("\"spec.old\" must not"), "{refused:?}");
    assert_eq!(errors(Request::update(&old, object("{a: z, old: {b: x}}"))), [""; 0]);
    assert_eq!(errors(Request::update(&old, object("{a: x, old: {b: z}}"))).len(), 1);
    assert_eq!(errors(Request::update(&old, object("{a: x}"))), [""; 0]);
    assert_eq!(errors(Request::update(&object("{a: x}"), old)).len(), 1);
}

#[test]
fn values_of_another_type_are_read_and_refused_by_the_gate() {
    for (old, new, object) in [
        ("{type: object, properties: {a: {type: string}}}", "{type: string}", "{a: x}"),
        ("{type: object, properties: {a: {type: string}}}", "{type: array, items: {type: string}}", "{a: x}"),
        (
            "{type: array, items: {type: object, properties: {a: {type: string}}}}",
            "{type: object, additionalProperties: {type: string}}",
            "[{a: x}]",
        ),
        (
            "{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}",
            "{type: object, additionalProperties: {type: string}}",
            "{a: {b: x}}",
        ),
        (
            "{type: object, additionalProperties: {type: object, properties: {b: {type: string}}}}",
            "{type: object, properties: {a: {type: string}}}",
            "{a: {b: x}}",
        ),
    ] {
        let spec = |node: &str| v1(&format!("{{type: object, properties: {{p: {node}}}}}"));
        let gate = gate(&spec(old), &[], &spec(new), &[]);
        check_accepted_by_servers(&gate);
        let object = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"p": value(object)}});
        let mut read = object.clone();
        assert_eq!(prune(&gate.versions[0].schema, &mut read), [""; 0], "{old} {new}");
        let answer = Resource::prepare(&gate, "v1", 36).unwrap().unwrap().answer(Request::create(object));
        assert!(!answer.errors.is_empty(), "{old} {new}");
    }
}

#[test]
fn defaults_of_the_installed_crd_do_not_bring_an_old_form_back() {
    let installed =
        v1("{type: object, properties: {old: {type: string, default: a}, kept: {type: string, default: b}}}");
    let target = v1("{type: object, properties: {kept: {type: string}, new: {type: string}}}");
    let open = open(&installed, &[], &target, &[]);
    let mut converted = json!({"spec": {"new": "a"}});
    apply_defaults(&open.versions[0].schema, &mut converted);
    assert_eq!(converted, json!({"spec": {"new": "a", "kept": "b"}}));
}

#[test]
fn old_forms_exist_where_the_target_lacks_a_field_or_has_another_type() {
    let a = "{type: object, properties: {a: {type: string}}}";
    let both = "{type: object, properties: {a: {type: string, enum: [x]}, b: {type: string}}}";
    check_old_forms(a, &[], a, false);
    check_old_forms(a, &[], both, false);
    check_old_forms(both, &[], a, true);
    check_old_forms(a, &[both], a, true);
    check_old_forms(
        both,
        &[],
        "{type: object, properties: {a: {type: string}}, x-kubernetes-preserve-unknown-fields: true}",
        false,
    );
    check_old_forms("{type: object, x-kubernetes-preserve-unknown-fields: true}", &[], a, true);
    check_old_forms(a, &[], "{type: object, properties: {a: {x-kubernetes-int-or-string: true}}}", true);
    let list = |item: &str| format!("{{type: object, properties: {{l: {{type: array, items: {item}}}}}}}");
    check_old_forms(&list(both), &[], &list(a), true);
    check_old_forms(&list(a), &[], &list(both), false);
    let map =
        |item: &str| format!("{{type: object, properties: {{m: {{type: object, additionalProperties: {item}}}}}}}");
    check_old_forms(&map(both), &[], &map(a), true);
    check_old_forms(a, &[], &map(a), true);
}
