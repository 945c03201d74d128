//! Forecasts for small CRDs.

use crd_convert::Document;
use serde_json::json;

use super::*;

const MINOR: u32 = 36;

/// A CRD of things with these versions: name, whether it is served, and the schemas of `spec` and `status`. The first one is stored.
fn crd(versions: &[(&str, bool, Value, Value)]) -> CustomResourceDefinition {
    let versions = versions.iter().enumerate().map(|(index, (name, served, spec, status))| {
        let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
        json!({
            "name": name, "served": served, "storage": index == 0, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}},
        })
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": versions.collect::<Vec<_>>(),
        },
    });
    CustomResourceDefinition::from_value(&crd).unwrap()
}

/// A CRD with version v1, whose `spec` has these properties.
fn v1(properties: Value) -> CustomResourceDefinition {
    crd(&[("v1", true, json!({"type": "object", "properties": properties}), json!({"type": "object"}))])
}

fn thing(version: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("example.com/{version}"),
        "kind": "Thing",
        "metadata": {
            "name": "a", "namespace": "b", "uid": "c", "resourceVersion": "1", "generation": 1, "creationTimestamp": "2026-01-02T03:04:05Z",
            "labels": {"app": "d"},
        },
        "spec": spec,
    })
}

/// The forecast for an object of an installed CRD, read through its stored version.
#[track_caller]
fn forecast(installed: &CustomResourceDefinition, target: &CustomResourceDefinition, object: &Value) -> Forecast {
    let read = &installed.storage().unwrap().name;
    Forecaster::prepare(installed, read, Some(target), None, MINOR).unwrap().unwrap().of(object, &[])
}

fn texts(errors: &[FieldError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn text() -> Value {
    json!({"type": "string"})
}

#[test]
fn an_object_that_the_target_accepts_is_unchanged() {
    let crd = v1(json!({"a": text(), "b": {"type": "integer", "default": 1}}));
    let found = forecast(&crd, &crd, &thing("v1", json!({"a": "A", "b": 1})));
    assert!(found.is_unchanged(), "{found:?}");
}

#[test]
fn fields_that_the_target_does_not_have_are_pruned() {
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let installed = crd(&[("v1", true, any.clone(), any)]);
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let spec = object(json!({
        "list": {"type": "array", "items": object(json!({"a": text()}))},
        "map": {"type": "object", "additionalProperties": object(json!({"a": text()}))},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"known": object(json!({"a": text()}))}},
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": object(json!({"a": text()}))}},
    }));
    let target = crd(&[("v1", true, spec, object(json!({"a": text()})))]);
    let value = json!({"a": "A", "b": "B"});
    let mut thing = thing(
        "v1",
        json!({
            "list": [value, {"a": "A"}, value],
            "map": {"k.e/y": value},
            "open": {"other": value, "known": value},
            "embedded": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "other": 1, "labels": 1}, "spec": value, "other": 1},
            "gone": {"deep": [1, 2]},
        }),
    );
    thing["status"] = value;
    let found = forecast(&installed, &target, &thing);
    let expected = [
        "spec.embedded.metadata.labels",
        "spec.embedded.metadata.other",
        "spec.embedded.other",
        "spec.embedded.spec.b",
        "spec.gone",
        "spec.list[0].b",
        "spec.list[2].b",
        "spec.map.k.e/y.b",
        "spec.open.known.b",
        "status.b",
    ];
    assert_eq!(found.pruned, expected);
    assert!(found.defaulted.is_empty() && found.update.is_empty(), "{found:?}");
    // A creation does not drop malformed metadata: it is refused.
    assert_eq!(texts(&found.create), ["spec.embedded.metadata.labels: expected a map of strings, found a number"]);
}

#[test]
fn defaults_of_the_target_appear() {
    let size = json!({"type": "integer", "default": 1});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let installed = v1(json!({
        "list": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        "null": {"type": "integer", "nullable": true}, "dropped": {"type": "integer", "nullable": true},
        "gone": object(json!({"kept": text()})),
    }));
    let target = v1(json!({
        "list": {"type": "array", "items": object(json!({"size": size, "part": {"default": {}, "type": "object", "properties": {"size": size}}}))},
        "null": size, "dropped": {"type": "integer"}, "added": object(json!({"size": size})), "size": size,
    }));
    let spec = json!({"list": [{"size": 2}, {}], "null": null, "dropped": null, "gone": {"kept": "A"}});
    let found = forecast(&installed, &target, &thing("v1", spec));
    assert_eq!(found.pruned, ["spec.dropped", "spec.gone"]);
    assert_eq!(
        found.defaulted,
        ["spec.list[0].part", "spec.list[1].part", "spec.list[1].size", "spec.null", "spec.size"],
        "the default below `added` has no parent"
    );
}

#[test]
fn an_unchanged_part_is_refused_in_a_new_object_only() {
    let installed = v1(json!({"size": {"type": "integer"}, "name": text()}));
    let size = json!({"type": "integer", "maximum": 5, "x-kubernetes-validations": [{"rule": "self != 7", "message": "not seven"}]});
    let target = v1(json!({"size": size, "name": {"type": "string", "enum": ["a"]}}));
    let found = forecast(&installed, &target, &thing("v1", json!({"size": 7, "name": "b"})));
    assert!(found.update.is_empty(), "{found:?}");
    let expected = [
        "spec.name: Unsupported value: \"b\": supported values: \"a\"",
        "spec.size: Invalid value: 7: spec.size in body should be less than or equal to 5",
        "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to \
         complete validation",
    ];
    let mut created = texts(&found.create);
    created.sort();
    assert_eq!(created, {
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        expected
    });
    assert!(!found.is_unchanged());
}

#[test]
fn a_transition_rule_and_a_rule_of_the_whole_object_refuse_an_update_too() {
    let installed = v1(json!({"size": {"type": "integer"}}));
    let mut target = v1(
        json!({"size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > oldSelf", "message": "must grow"}]}}),
    );
    let rule =
        json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.spec.size < 5", "message": "too large"}]});
    target.versions[0].schema.validations = crd_model::Schema::from_value(&rule).unwrap().validations;
    let found = forecast(&installed, &target, &thing("v1", json!({"size": 7})));
    let mut update = texts(&found.update);
    update.sort();
    assert_eq!(update, ["<nil>: Invalid value: too large", "spec.size: Invalid value: 7: must grow"]);
    assert_eq!(texts(&found.create), ["<nil>: Invalid value: too large"]);
}

#[test]
fn an_update_checks_the_status_and_a_creation_does_not() {
    let status =
        |maximum: i64| json!({"type": "object", "properties": {"size": {"type": "integer", "maximum": maximum}}});
    let version = |maximum| crd(&[("v1", true, json!({"type": "object"}), status(maximum))]);
    let mut object = thing("v1", json!({}));
    object["status"] = json!({"size": 7});
    let found = |minor| {
        let forecaster = Forecaster::prepare(&version(9), "v1", Some(&version(5)), None, minor).unwrap().unwrap();
        forecaster.of(&object, &[])
    };
    assert!(found(MINOR).is_unchanged());
    assert!(found(MINOR).create.is_empty());
}

#[test]
fn a_status_that_was_never_written_has_the_default_of_the_target() {
    let status = |conditions: Value| {
        let conditions = json!({"type": "array", "default": conditions, "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
        json!({"type": "object", "default": {}, "properties": {"conditions": conditions}})
    };
    let version = |conditions: Value| crd(&[("v1", true, json!({"type": "object"}), status(conditions))]);
    let installed = version(json!([{"type": "A", "reason": "Waiting"}]));
    let target = version(json!([{"type": "A", "reason": "Pending"}, {"type": "B"}]));
    let found = |installed, target, conditions: Value| {
        let mut object = thing("v1", json!({}));
        object["status"] = json!({"conditions": conditions});
        forecast(installed, target, &object)
    };
    let unwritten = found(&installed, &target, json!([{"type": "A", "reason": "Waiting"}]));
    assert_eq!(unwritten.defaulted, ["status.conditions[0].reason", "status.conditions[1]"]);
    assert!(unwritten.pruned.is_empty());
    assert!(found(&installed, &target, json!([{"type": "A", "reason": "Ready"}])).is_unchanged());
    // A client can write the default.
    let mut object = thing("v1", json!({}));
    object["status"] = json!({"conditions": [{"type": "A", "reason": "Waiting"}]});
    let field = |subresource: Option<&str>| ManagedField {
        subresource: subresource.map(str::to_owned),
        ..ManagedField::default()
    };
    let forecaster = Forecaster::prepare(&installed, "v1", Some(&target), None, MINOR).unwrap().unwrap();
    assert!(forecaster.of(&object, &[field(None), field(Some("status"))]).is_unchanged());
    assert_eq!(forecaster.of(&object, &[field(None)]), unwritten);
    let back = found(&target, &installed, json!([{"type": "A", "reason": "Pending"}, {"type": "B"}]));
    assert_eq!(
        (back.defaulted, back.pruned),
        (vec!["status.conditions[0].reason".to_owned()], vec!["status.conditions[1]".to_owned()])
    );
}

#[test]
fn objects_are_requested_in_a_served_version_of_the_target() {
    let part = |properties: Value| json!({"type": "object", "properties": properties});
    let status = || json!({"type": "object"});
    let installed = crd(&[("v1beta1", true, part(json!({"a": text(), "b": text()})), status())]);
    let prepare = |target: &CustomResourceDefinition| {
        Forecaster::prepare(&installed, "v1beta1", Some(target), None, MINOR).unwrap().unwrap()
    };
    let object = thing("v1beta1", json!({"a": "A", "b": "B"}));
    // It serves the version.
    let served = crd(&[
        ("v1", true, part(json!({"a": text()})), status()),
        ("v1beta1", true, part(json!({"b": text()})), status()),
    ]);
    let forecaster = prepare(&served);
    assert_eq!(
        (forecaster.version(), &forecaster.of(&object, &[]).pruned[..]),
        (Some("v1beta1"), &["spec.a".to_owned()][..])
    );
    // It has the version and does not serve it: both versions prune, and the stored one fills in.
    let spec =
        part(json!({"b": text(), "c": {"type": "string", "default": "C"}, "d": {"type": "string", "default": "D"}}));
    let v1 = part(
        json!({"b": text(), "c": {"type": "string", "default": "other"}, "e": {"type": "string", "default": "E"}}),
    );
    let unserved = crd(&[("v1", true, v1, status()), ("v1beta1", false, spec, status())]);
    let forecaster = prepare(&unserved);
    let found = forecaster.of(&object, &[]);
    assert_eq!((forecaster.version(), &found.pruned[..]), (Some("v1"), &["spec.a".to_owned()][..]));
    assert_eq!(found.defaulted, ["spec.c"]);
    let read = forecaster.read(&object, &[]);
    assert_eq!((&read["apiVersion"], &read["spec"]), (&json!("example.com/v1"), &json!({"b": "B", "c": "C"})));
    assert!(found.update.is_empty() && found.create.is_empty(), "{found:?}");
    // It does not have the version: the object was migrated before.
    let removed = crd(&[("v1", true, part(json!({"b": text()})), status())]);
    let forecaster = prepare(&removed);
    assert_eq!(
        (forecaster.version(), &forecaster.of(&object, &[]).pruned[..]),
        (Some("v1"), &["spec.a".to_owned()][..])
    );
}

#[test]
fn a_conversion_webhook_is_undecided() {
    let spec = || json!({"type": "object", "properties": {"a": text()}});
    let mut installed = crd(&[("v1", true, spec(), spec()), ("v2", true, spec(), spec())]);
    installed.conversion = Some(json!({"strategy": "Webhook"}));
    let found = |read| {
        Forecaster::prepare(&installed, read, Some(&installed), None, MINOR)
            .unwrap()
            .unwrap()
            .of(&thing(read, json!({})), &[])
    };
    assert!(found("v1").is_unchanged());
    assert_eq!(found("v2").undecided, ["a conversion webhook decides what objects of v1 are in v2 and v2"]);
    assert!(!found("v2").is_unchanged());
}

#[test]
fn what_cannot_be_decided_is_listed_once() {
    let installed = v1(json!({"a": text()}));
    let target = v1(json!({"a": {"type": "string", "pattern": "^\\p{Greek}+$"}}));
    let found = forecast(&installed, &target, &thing("v1", json!({"a": "\u{3b1}\u{1f00}"})));
    assert!(found.update.is_empty() && found.create.is_empty(), "{found:?}");
    assert_eq!(found.undecided.len(), 1, "{found:?}");
}

#[test]
fn lenses_that_apply_are_named_and_the_object_stays() {
    let document = |steps: Value| {
        let document = json!({
            "schemaVersion": 1, "generator": "test", "prefix": "example.com",
            "lenses": [{
                "name": "a-to-b", "resource": "things.example.com", "group": "example.com", "kind": "Thing", "since": "v1.1.0", "steps": steps,
            }],
        });
        Conversions::new(&Document::from_value(&document).unwrap()).unwrap()
    };
    let lenses = document(json!([{"operation": "rename", "from": "spec.a", "to": "spec.b"}]));
    let target = v1(json!({"b": text()}));
    let forecaster = Forecaster::prepare(&target, "v1", Some(&target), Some(&lenses), MINOR).unwrap().unwrap();
    let old = thing("v1", json!({"a": "A"}));
    let found = forecaster.of(&old, &[]);
    assert_eq!((&found.converted[..], &found.pruned[..]), (&["a-to-b".to_owned()][..], &["spec.a".to_owned()][..]));
    assert_eq!(old, thing("v1", json!({"a": "A"})));
    assert!(forecaster.of(&thing("v1", json!({"b": "A"})), &[]).is_unchanged());
    let both = forecaster.of(&thing("v1", json!({"a": "A", "b": "B"})), &[]);
    assert!(both.unconverted.is_some_and(|why| why.contains("a-to-b")) && both.converted.is_empty());
    // A target without the CRD has forecasts only if there are lenses.
    let forecaster = Forecaster::prepare(&target, "v1", None, Some(&lenses), MINOR).unwrap().unwrap();
    assert_eq!(forecaster.of(&old, &[]), Forecast { converted: vec!["a-to-b".to_owned()], ..Forecast::default() });
    assert_eq!((forecaster.version(), forecaster.read(&old, &[])), (None, old));
    assert!(Forecaster::prepare(&target, "v1", None, None, MINOR).unwrap().is_none());
}

#[test]
fn a_target_whose_rules_do_not_compile_has_no_forecast() {
    let target = v1(json!({"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self.b"}]}}));
    let problems = Forecaster::prepare(&target, "v1", Some(&target), None, MINOR).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn crds_that_the_target_removes_or_serves_no_longer() {
    let part = || json!({"type": "object"});
    let installed = crd(&[("v1beta1", true, part(), part()), ("v1", true, part(), part())]);
    let target = crd(&[("v1", true, part(), part())]);
    let stored = ["v1alpha2".to_owned(), "v1beta1".to_owned()];
    assert!(crd_forecast(&installed, &stored, None, MINOR).is_absent);
    assert!(crd_forecast(&installed, &stored[1..], Some(&installed), MINOR).is_unchanged());
    let found = crd_forecast(&installed, &stored[1..], Some(&target), MINOR);
    assert_eq!(found.unserved, ["v1beta1"]);
    let why = "status.storedVersions[0]: Invalid value: \"v1beta1\": missing from spec.versions; v1beta1 was previously a storage version, and must \
               remain in spec.versions until a storage migration ensures no data remains persisted in v1beta1 and removes v1beta1 from \
               status.storedVersions";
    assert_eq!(found.refusals, [why]);
    let older = crd_forecast(&installed, &stored, Some(&target), 32);
    let text = |index, version| {
        format!("status.storedVersions[{index}]: Invalid value: \"{version}\": must appear in spec.versions")
    };
    assert_eq!(older.refusals, [text(0, "v1alpha2"), text(1, "v1beta1")]);
    let mut other = target.clone();
    other.scope = crd_model::crd::Scope::Cluster;
    other.names.kind = "Other".into();
    let found = crd_forecast(&target, &["v1".to_owned()], Some(&other), MINOR);
    let expected = [
        "spec.scope: Invalid value: \"Cluster\": field is immutable",
        "spec.names.kind: Invalid value: \"Other\": field is immutable",
    ];
    assert_eq!(found.refusals, expected);
    assert!(!found.is_unchanged());
}

#[test]
fn messages_are_for_people() {
    let installed = v1(json!({"a": text()}));
    let target = v1(json!({"a": {"type": "string", "maxLength": 1, "pattern": "^[a-z]$"}}));
    let found = forecast(&installed, &target, &thing("v1", json!({"a": "AB"})));
    let texts = texts(&found.create);
    assert!(
        !texts.is_empty() && texts.iter().all(|text| !text.contains("$ref") && !text.starts_with('$')),
        "{texts:?}"
    );
}
