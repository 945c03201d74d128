//! JSON Schemas, read by the crate `jsonschema`: what they accept and refuse, compared with the answers of an API server.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_apiserver::objects::{Request, Resource};
use crd_apiserver::validate::{ViolationKind, validate};
use crd_bindings::json_schema::{INDEX, document, files};
use crd_boundary::{Keyword, Search, constraints};
use crd_model::{Channel, Channels, CustomResourceDefinition, yaml};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A CRD with a field `spec` of this schema.
fn crd(spec: &Value) -> CustomResourceDefinition {
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    CustomResourceDefinition::from_value(&crd_testdata::thing_crd(&schema, &json!({}))).unwrap()
}

/// The schemas of the first version: open and strict.
fn schemas(crd: &CustomResourceDefinition) -> [Value; 2] {
    [false, true].map(|is_strict| document(crd, &crd.versions[0], is_strict))
}

#[track_caller]
fn validator(schema: &Value) -> Validator {
    assert!(jsonschema::meta::is_valid(schema), "{schema:#}");
    jsonschema::options().should_validate_formats(true).build(schema).unwrap()
}

/// An object with this spec.
fn object(crd: &CustomResourceDefinition, spec: &Value) -> Value {
    let api_version = format!("{}/{}", crd.group, crd.versions[0].name);
    json!({ "apiVersion": api_version, "kind": crd.names.kind, "metadata": { "name": "a", "namespace": "b" }, "spec": spec })
}

/// Whether the open and the strict schema accept an object with this spec, and whether a server does.
#[track_caller]
fn answers(spec_schema: &Value, spec: &Value) -> [bool; 3] {
    let crd = crd(spec_schema);
    let object = object(&crd, spec);
    let server = Resource::prepare(&crd, &crd.versions[0].name, 36).unwrap().unwrap();
    let [open, strict] = schemas(&crd).map(|schema| validator(&schema).is_valid(&object));
    [open, strict, server.answer(Request::create(object)).errors.is_empty()]
}

#[test]
fn keywords_of_openapi_mean_the_same() {
    let set = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"});
    let int_or_string = json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true});
    let nullable = json!({"type": "integer", "nullable": true, "anyOf": [{"minimum": 5}, {"maximum": 1}]});
    let filled_in = json!({"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "string", "default": "a"}, "b": {"type": "string"}}});
    let embedded =
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}}});
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "inner": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    let closed = json!({"type": "object", "properties": {"a": {"type": "object"}}, "anyOf": [{"required": ["a"]}]});
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"b": "c"}}});
    for (schema, accepted, refused) in [
        (
            json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true}),
            vec![json!(2)],
            vec![json!(1), json!("2")],
        ),
        (json!({"type": "number", "maximum": 1, "exclusiveMaximum": true}), vec![json!(0.5)], vec![json!(1)]),
        (json!({"type": "integer", "maximum": 1, "exclusiveMaximum": false}), vec![json!(1)], vec![json!(2)]),
        (json!({"type": "string", "nullable": true}), vec![json!(null), json!("")], vec![json!(1)]),
        (json!({"type": "string", "nullable": true, "enum": ["a"]}), vec![json!("a")], vec![json!(null), json!("b")]),
        (nullable, vec![json!(null), json!(1), json!(5)], vec![json!(3), json!("1")]),
        (int_or_string, vec![json!(1), json!("a")], vec![json!(1.5), json!(true)]),
        (
            json!({"x-kubernetes-int-or-string": true, "nullable": true}),
            vec![json!(1), json!("a"), json!(null)],
            vec![json!([])],
        ),
        (json!({"type": "string", "pattern": "(?i)^a$"}), vec![json!("A")], vec![]),
        (json!({"type": "string", "pattern": "^a$", "maxLength": 1}), vec![json!("a")], vec![json!("b"), json!("aa")]),
        (set, vec![json!(["a", "b"])], vec![json!(["a", "a"])]),
        (filled_in, vec![json!({"b": ""})], vec![json!({"a": ""})]),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            vec![json!({"a": 1})],
            vec![json!({"a": "b"})],
        ),
        (
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            vec![json!({"a": [1]})],
            vec![json!(1)],
        ),
        (json!({"x-kubernetes-preserve-unknown-fields": true}), vec![json!({"a": [1]}), json!(1), json!("b")], vec![]),
        (open, vec![json!({"x": 1, "inner": {"a": ""}})], vec![json!({"inner": {"a": 1}})]),
        (closed, vec![json!({"a": {}})], vec![json!({})]),
        (embedded, vec![config.clone()], vec![json!({"spec": {}}), json!({"apiVersion": 1, "kind": "A"})]),
    ] {
        for (specs, expected) in [(accepted, true), (refused, false)] {
            for spec in specs {
                let expected = [expected; 3];
                assert_eq!(answers(&schema, &spec), expected, "{schema} {spec}");
            }
        }
    }
}

/// What a server fills in counts in alternatives.
#[test]
fn defaults_count_in_alternatives() {
    let union = json!({"type": "object",
    "properties": {"type": {"type": "string", "default": "A"}, "value": {"type": "string"}},
    "oneOf": [
        {"properties": {"type": {"enum": ["A"]}, "value": {"maxLength": 1}}},
        {"properties": {"type": {"not": {"enum": ["A"]}}}},
    ]});
    let nested = json!({"type": "object",
        "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}}},
        "anyOf": [{"properties": {"list": {"items": {"required": ["a"], "properties": {"a": {"minimum": 2}}}}}}, {"required": ["list"], "not": {"required": ["list"]}}]});
    for (schema, spec, expected) in [
        (&union, json!({"value": "1"}), true),
        (&union, json!({"value": "12"}), false),
        (&union, json!({"value": "12", "type": "B"}), true),
        (&union, json!({"value": "12", "type": "A"}), false),
        (&nested, json!({"list": [{"a": 2}]}), true),
        (&nested, json!({"list": [{"a": 1}]}), false),
        (&nested, json!({"list": [{}]}), false),
        (&nested, json!({"list": []}), true),
    ] {
        assert_eq!(answers(schema, &spec), [expected; 3], "{spec}");
    }
}

#[test]
fn only_strict_schemas_refuse_unknown_fields() {
    let map =
        json!({"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}});
    for (schema, spec) in [
        (json!({"type": "object", "properties": {"a": {"type": "string"}}}), json!({"b": 1})),
        (json!({"type": "object"}), json!({"b": 1})),
        (map, json!({"key": {"b": 1}})),
        (
            json!({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}),
            json!([{"b": 1}]),
        ),
        (
            json!({"type": "object", "x-kubernetes-embedded-resource": true}),
            json!({"apiVersion": "v1", "kind": "A", "b": 1}),
        ),
    ] {
        assert_eq!(answers(&schema, &spec), [true, false, false], "{schema} {spec}");
    }
    let crd = crd(&json!({"type": "object"}));
    let [open, strict] = schemas(&crd).map(|schema| validator(&schema));
    for (path, value) in
        [("/metadata/lables", json!({})), ("/status", json!({})), ("/metadata/ownerReferences/0/nam", json!("a"))]
    {
        let mut object = object(&crd, &json!({}));
        let owner = json!({"apiVersion": "v1", "kind": "A", "name": "a", "uid": "b"});
        object["metadata"]["ownerReferences"] = json!([owner]);
        assert!(strict.is_valid(&object));
        let (above, name) = path.rsplit_once('/').unwrap();
        object.pointer_mut(above).unwrap()[name] = value;
        assert!(open.is_valid(&object) && !strict.is_valid(&object), "{path}");
    }
}

/// Tools write nulls for metadata that they do not set.
#[test]
fn type_and_metadata_are_those_of_kubernetes() {
    let crd = crd(&json!({"type": "object"}));
    let [_, strict] = schemas(&crd);
    let strict = validator(&strict);
    let base = object(&crd, &json!({}));
    let with = |key: &str, value: Value| {
        let mut object = base.clone();
        object[key] = value;
        object
    };
    let metadata = json!({"name": "a", "creationTimestamp": null, "labels": null, "annotations": {"a": "b"}, "managedFields": [{"a": {}}]});
    assert!(strict.is_valid(&base) && strict.is_valid(&with("metadata", metadata)));
    for (key, value) in [
        ("apiVersion", json!("example.com/v2")),
        ("kind", json!("Things")),
        ("metadata", json!({"name": 1})),
        ("metadata", json!({"labels": {"a": 1}})),
        ("metadata", json!(null)),
    ] {
        assert!(!strict.is_valid(&with(key, value.clone())), "{key} {value}");
    }
    for key in ["apiVersion", "kind"] {
        let mut without = base.clone();
        without.as_object_mut().unwrap().remove(key);
        assert!(!strict.is_valid(&without), "{key}");
    }
}

/// Each keyword as the name of a field, with a value that the keyword could not have.
#[test]
fn fields_that_are_called_like_keywords_survive() {
    let names = [
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "definitions",
        "description",
        "enum",
        "example",
        "exclusiveMinimum",
        "format",
        "id",
        "items",
        "maximum",
        "not",
        "nullable",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
        "x-kubernetes-preserve-unknown-fields",
    ];
    let field = json!({"type": "string", "description": "A field.", "enum": ["a"]});
    let fields = names.iter().map(|name| ((*name).to_owned(), field.clone())).collect::<Map<_, _>>();
    let schema = json!({"type": "object", "required": names, "properties": fields});
    let spec = names.iter().map(|name| ((*name).to_owned(), json!("a"))).collect::<Map<_, _>>();
    assert_eq!(answers(&schema, &spec.clone().into()), [true; 3]);
    for name in names {
        let mut wrong = spec.clone();
        wrong.insert(name.to_owned(), json!("b"));
        assert_eq!(answers(&schema, &wrong.into()), [false; 3], "{name}");
        let mut without = spec.clone();
        without.remove(name);
        assert_eq!(answers(&schema, &without.into()), [false; 3], "{name}");
    }
    let [_, strict] = schemas(&crd(&schema));
    let properties = strict.pointer("/properties/spec/properties").and_then(Value::as_object).unwrap();
    let expected = json!({"type": "string", "description": "A field.", "enum": ["a"]});
    assert!(properties.values().all(|property| *property == expected) && properties.len() == names.len());
}

#[test]
fn what_kubernetes_adds_is_kept() {
    let rule = json!({"rule": "self.size() > 0", "message": "must not be empty"});
    let crd = crd(
        &json!({"type": "string", "format": "date-time", "default": "a", "x-kubernetes-validations": [rule], "example": "b"}),
    );
    let [_, strict] = schemas(&crd);
    let expected = json!({"type": "string", "format": "date-time", "default": "a", "x-kubernetes-validations": [rule], "examples": ["b"]});
    assert_eq!(strict["properties"]["spec"], expected);
    let (group, kind) = (&crd.group, &crd.names.kind);
    let version = &crd.versions[0].name;
    assert_eq!(strict["x-kubernetes-group-version-kind"], json!([{"group": group, "kind": kind, "version": version}]));
    assert_eq!(strict["properties"]["kind"]["enum"], json!([kind]));
    assert_eq!(strict["properties"]["apiVersion"]["enum"], json!([format!("{group}/{version}")]));
}

fn channels(crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Channels {
    [(Channel::Standard, crds.into_iter().map(Arc::new).collect())].into()
}

#[test]
fn files_have_the_layout_of_kubeconform() {
    let spec = json!({"type": "object", "properties": {
        "list": {"type": "array", "items": {"type": "object", "properties": {"a.b\n": {"type": "string"}, "port": {"x-kubernetes-int-or-string": true}}}},
        "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
        "maps": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "number"}}}},
        "any": {"x-kubernetes-preserve-unknown-fields": true},
    }});
    let thing = crd(&spec);
    let base = format!("{}/{}_{}", thing.group, thing.names.kind.to_lowercase(), thing.versions[0].name);
    let files = files(&channels([thing.clone()])).unwrap();
    let expected = [
        "index.json",
        &format!("standard-strict/{base}.json"),
        &format!("standard/{base}.fields.txt"),
        &format!("standard/{base}.json"),
    ];
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    let fields = "spec\tobject\nspec.any\tany\nspec.list\t[]object\nspec.list[*][\"a.b\\n\"]\tstring\nspec.list[*].port\tint-or-string\n\
                  spec.map\tmap[string][]integer\nspec.maps\tmap[string]object\nspec.maps.*.x\tnumber\n";
    assert_eq!(files[&format!("standard/{base}.fields.txt")], fields);
    let index: Value = serde_json::from_str(&files[INDEX]).unwrap();
    let listed = json!([{
        "channel": "standard", "group": thing.group, "kind": thing.names.kind, "version": thing.versions[0].name,
        "path": format!("standard/{base}.json"), "strictPath": format!("standard-strict/{base}.json"),
        "fieldsPath": format!("standard/{base}.fields.txt"), "served": true, "storage": true, "deprecated": false,
    }]);
    assert_eq!(index, json!({"schemaVersion": 1, "schemas": listed}));
}

#[test]
fn names_that_lead_out_of_the_folder_are_refused() {
    let thing = crd(&json!({"type": "object"}));
    let with = |change: &dyn Fn(&mut CustomResourceDefinition)| {
        let mut crd = thing.clone();
        change(&mut crd);
        crd
    };
    for crd in [
        with(&|crd| crd.group = "../..".into()),
        with(&|crd| crd.group = "".into()),
        with(&|crd| crd.group = "a/b".into()),
        with(&|crd| crd.names.kind = "../Thing".into()),
        with(&|crd| crd.names.kind = "Th\u{0}ing".into()),
        with(&|crd| crd.versions[0].name = "v1/..".into()),
    ] {
        let errors = files(&channels([crd])).unwrap_err();
        assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["bindings::name"]);
    }
    // On a file system without case, both would be one file.
    let other = with(&|crd| crd.names.kind = crd.names.kind.to_uppercase().into());
    let errors = files(&channels([thing.clone(), other])).unwrap_err();
    assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["bindings::path"]);
}

/// The CRDs of a channel of the flagship.
fn flagship(channel: &str) -> Vec<CustomResourceDefinition> {
    let folder = format!("{ROOT}/bundles/unreleased/{channel}");
    let mut paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    paths.sort();
    let documents = paths.iter().flat_map(|path| yaml::read(&std::fs::read_to_string(path).unwrap()).unwrap());
    let crds = documents.filter(|document| document["kind"] == "CustomResourceDefinition");
    crds.map(|document| CustomResourceDefinition::from_value(&document).unwrap()).collect()
}

/// The strict schema and the server of each version, by API version and kind.
fn strict_of(crds: &[CustomResourceDefinition]) -> BTreeMap<[String; 2], (Validator, Resource)> {
    let versions = crds.iter().flat_map(|crd| crd.versions.iter().map(move |version| (crd, version)));
    let strict = versions.map(|(crd, version)| {
        let name = [format!("{}/{}", crd.group, version.name), crd.names.kind.to_string()];
        (name, (validator(&document(crd, version, true)), Resource::prepare(crd, &version.name, 36).unwrap().unwrap()))
    });
    strict.collect()
}

#[test]
fn upstreams_examples_are_accepted_and_invalid_ones_refused() {
    let (mut accepted, mut refused, mut only_servers) = (0, 0, 0);
    for channel in ["standard", "experimental"] {
        let crds = flagship(channel);
        let schemas = strict_of(&crds);
        let name =
            |object: &Value| ["apiVersion", "kind"].map(|key| object[key].as_str().unwrap_or_default().to_owned());
        for file in crd_testdata::gateway_api_examples(channel) {
            for object in yaml::read(file.text).unwrap() {
                let Some((strict, _)) = schemas.get(&name(&object)) else { continue };
                let errors = strict.iter_errors(&object).map(|error| error.to_string()).collect::<Vec<_>>();
                assert_eq!(errors, [""; 0], "{channel}/{}", file.path);
                accepted += 1;
            }
        }
        for file in crd_testdata::gateway_api_invalid_examples(channel) {
            let objects = yaml::read(file.text).unwrap();
            let known = objects.iter().filter_map(|object| Some((object, schemas.get(&name(object))?)));
            let known = known.collect::<Vec<_>>();
            if known.iter().any(|(object, (strict, _))| !strict.is_valid(object)) {
                refused += 1;
                continue;
            }
            // CEL rules, and the keys of list maps.
            only_servers += 1;
            for (object, (_, server)) in known {
                let mut object = object.clone();
                object["metadata"]["namespace"] = "default".into();
                let crd = crds.iter().find(|crd| *crd.names.kind == object["kind"]).unwrap();
                let version = crd
                    .versions
                    .iter()
                    .find(|version| object["apiVersion"].as_str().unwrap().ends_with(&*version.name));
                let part = Map::from_iter([("spec".to_owned(), object["spec"].clone())]);
                let violations = validate(&version.unwrap().schema, &part.into());
                let structural = violations
                    .iter()
                    .filter(|violation| violation.kind != ViolationKind::Duplicate)
                    .collect::<Vec<_>>();
                assert!(structural.is_empty(), "{channel}/{}: {structural:?}", file.path);
                assert!(!server.answer(Request::create(object)).is_accepted(), "{channel}/{}", file.path);
            }
        }
    }
    assert_eq!((accepted, refused, only_servers), (106, 20, 16));
}

/// Both sides of every constraint. Readers need not check formats, only a server checks the keys of list maps, and one pattern is not portable.
#[track_caller]
fn compare_boundaries(
    crd: &CustomResourceDefinition,
    counts: &mut BTreeMap<&str, usize>,
    differences: &mut Vec<String>,
) {
    for version in &crd.versions {
        let strict = validator(&document(crd, version, true));
        let frame = json!({"apiVersion": format!("{}/{}", crd.group, version.name), "kind": crd.names.kind, "metadata": {"name": "a"}});
        let Value::Object(frame) = frame else { unreachable!() };
        let mut search = Search::new(&version.schema, frame, Vec::new(), |_, _| true);
        for constraint in crd_testdata::sample_of(constraints(&version.schema), |_| false) {
            let Ok(boundary) = search.boundary(&constraint) else { continue };
            let name = format!("{} {} {constraint}", crd.name, version.name);
            if let Some(error) = strict.iter_errors(&boundary.inside).next() {
                differences.push(format!(
                    "{name}: a server accepts {}, and the schema does not: {error}",
                    boundary.inside_value
                ));
            }
            let is_refused = !strict.is_valid(&boundary.outside);
            let is_of_server = match constraint.keyword {
                Keyword::Format | Keyword::ListMapKeys => true,
                Keyword::Pattern => {
                    constraint.node.pattern.as_ref().is_some_and(|pattern| pattern.contains("[:cntrl:]"))
                }
                _ => false,
            };
            if !is_refused && !is_of_server {
                differences
                    .push(format!("{name}: a server refuses {}, and the schema does not", boundary.outside_value));
            }
            *counts.entry(if is_refused { "refused" } else { "accepted" }).or_default() += 1;
        }
    }
}

#[test]
fn both_sides_of_constraints_are_those_of_a_server() {
    let (mut counts, mut differences) = (BTreeMap::new(), Vec::new());
    for crd in ["standard", "experimental"].into_iter().flat_map(flagship) {
        compare_boundaries(&crd, &mut counts, &mut differences);
    }
    println!("{counts:?}");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn both_sides_of_constraints_of_published_crds_are_those_of_a_server() {
    let (mut counts, mut differences) = (BTreeMap::new(), Vec::new());
    let mut crds = 0;
    for (project, version) in crd_testdata::PROJECTS {
        for file in crd_testdata::project(project, version).into_values().flatten() {
            let (crd, _) = CustomResourceDefinition::from_published(&file.json());
            compare_boundaries(&crd, &mut counts, &mut differences);
            crds += 1;
        }
    }
    println!("{crds} CRDs: {counts:?}");
    assert!(differences.is_empty(), "{} {}", differences.len(), differences.join("\n"));
}
