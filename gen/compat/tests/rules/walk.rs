//! The walk sees every property: two CRDs that differ in one of them differ in one thing, at the right place.
//!
//! The tables here are compared with the keys of `apiextensions.k8s.io/v1` as its reference has them, each of which our model reads and writes. The
//! structs of CRDs are written out here, so that a new field does not compile until it is added.

use std::collections::{BTreeMap, BTreeSet};

use crd_compat::{Change, LocatedChange, Presence, Renames, changes};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::crd::{Names, PrinterColumn, Scale, Scope, Subresources, Version};
use crd_model::schema::Schema;
use serde_json::{Map, Value, json};

/// The keys of `JSONSchemaProps` in `apiextensions.k8s.io/v1`.
const SCHEMA_KEYS: &str = "additionalProperties allOf anyOf default description enum example exclusiveMaximum exclusiveMinimum externalDocs format id \
    items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not nullable oneOf pattern \
    properties required title type uniqueItems x-kubernetes-embedded-resource x-kubernetes-int-or-string \
    x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-preserve-unknown-fields \
    x-kubernetes-validations";

/// Those that it has too, and that no structural schema may have: reading refuses them.
const FORBIDDEN_KEYS: &[&str] =
    &["$ref", "$schema", "additionalItems", "definitions", "dependencies", "patternProperties"];

/// A keyword: the other keywords of its node, its value before and after (null is absent), and the change.
fn keywords() -> Vec<(&'static str, Value, Value, Value, &'static str)> {
    let text = || json!({ "type": "string" });
    let integer = || json!({ "type": "integer" });
    let list = || json!({ "type": "array", "items": { "type": "string" } });
    let object = || json!({ "type": "object" });
    vec![
        ("additionalProperties", object(), json!(null), json!({ "type": "string" }), "AdditionalProperties"),
        ("additionalProperties", object(), json!(null), json!(true), "AdditionalProperties"),
        ("allOf", text(), json!([{ "pattern": "a" }]), json!([{ "pattern": "b" }]), "AllOf"),
        ("anyOf", text(), json!(null), json!([{ "pattern": "b" }]), "AnyOf"),
        ("default", text(), json!("a"), json!("b"), "Default"),
        ("description", text(), json!("a"), json!("b"), "Text"),
        ("enum", text(), json!(["a"]), json!(["a", "b"]), "EnumValue"),
        ("enum", text(), json!(null), json!(["a"]), "Enum"),
        ("example", text(), json!("a"), json!(null), "Text"),
        ("exclusiveMaximum", json!({ "type": "number", "maximum": 9 }), json!(null), json!(true), "Maximum"),
        ("exclusiveMinimum", json!({ "type": "number", "minimum": 9 }), json!(true), json!(null), "Minimum"),
        ("externalDocs", text(), json!({ "url": "a" }), json!({ "url": "b" }), "Text"),
        ("externalDocs", text(), json!({ "description": "a" }), json!({ "description": "b" }), "Text"),
        ("format", text(), json!("date"), json!("uuid"), "Format"),
        ("id", text(), json!("a"), json!("b"), "Text"),
        ("items", json!({ "type": "array" }), json!(null), json!({ "type": "string" }), "Items"),
        ("maxItems", list(), json!(1), json!(2), "MaxItems"),
        ("maxLength", text(), json!(1), json!(2), "MaxLength"),
        ("maxProperties", object(), json!(1), json!(2), "MaxProperties"),
        ("maximum", integer(), json!(1), json!(2), "Maximum"),
        ("minItems", list(), json!(1), json!(2), "MinItems"),
        ("minLength", text(), json!(1), json!(2), "MinLength"),
        ("minProperties", object(), json!(1), json!(2), "MinProperties"),
        ("minimum", integer(), json!(null), json!(0), "Minimum"),
        ("multipleOf", integer(), json!(2), json!(3), "MultipleOf"),
        ("not", text(), json!({ "pattern": "a" }), json!(null), "Not"),
        ("nullable", text(), json!(null), json!(true), "Nullable"),
        ("oneOf", text(), json!([{ "pattern": "a" }]), json!(null), "OneOf"),
        ("pattern", text(), json!("a"), json!("b"), "Pattern"),
        ("properties", object(), json!({ "a": text() }), json!({ "a": text(), "b": text() }), "Field"),
        ("required", object(), json!(["a"]), json!(["a", "b"]), "Required"),
        ("title", text(), json!("a"), json!("b"), "Text"),
        ("type", json!({}), json!("string"), json!("integer"), "Type"),
        ("uniqueItems", list(), json!(null), json!(true), "UniqueItems"),
        ("x-kubernetes-embedded-resource", object(), json!(null), json!(true), "EmbeddedResource"),
        ("x-kubernetes-int-or-string", json!({}), json!(null), json!(true), "Type"),
        ("x-kubernetes-list-map-keys", list(), json!(["a"]), json!(["a", "b"]), "ListMapKeys"),
        ("x-kubernetes-list-map-keys", list(), json!(["a", "b"]), json!(["b", "a"]), "Order"),
        ("x-kubernetes-list-type", list(), json!("map"), json!("set"), "ListType"),
        ("x-kubernetes-map-type", object(), json!(null), json!("atomic"), "MapType"),
        ("x-kubernetes-preserve-unknown-fields", object(), json!(null), json!(true), "PreserveUnknownFields"),
        ("x-kubernetes-validations", text(), json!(null), json!([{ "rule": "a" }]), "Rule"),
    ]
}

/// A key of a CEL rule, its values before and after, and what differs.
fn rule_keys() -> Vec<(&'static str, Value, Value, &'static str)> {
    vec![
        ("fieldPath", json!(".a"), json!(".b"), "RuleMessage"),
        ("message", json!(null), json!("b"), "RuleMessage"),
        ("messageExpression", json!("'a'"), json!("'b'"), "RuleMessage"),
        ("optionalOldSelf", json!(null), json!(true), "OptionalOldSelf"),
        ("reason", json!("FieldValueInvalid"), json!("FieldValueForbidden"), "RuleMessage"),
        ("rule", json!("self == oldSelf"), json!("self != oldSelf"), "Rule"),
    ]
}

/// A property of the CRD by its path, its values before and after, and what differs. Numbers are places in lists.
fn crd_keys() -> Vec<(&'static str, Value, Value, &'static str)> {
    vec![
        ("metadata.annotations.a", json!("1"), json!("2"), "Annotation"),
        ("metadata.annotations.example~com/channel", json!("a"), json!("b"), "Stamp"),
        ("metadata.labels.a", json!(null), json!("2"), "Label"),
        ("spec.conversion", json!({ "strategy": "None" }), json!({ "strategy": "Webhook" }), "Conversion"),
        ("spec.group", json!("example.com"), json!("example.org"), "Group"),
        ("spec.names.categories", json!(["a"]), json!(["b", "a"]), "Category"),
        ("spec.names.kind", json!("Test"), json!("Probe"), "Kind"),
        ("spec.names.listKind", json!("A"), json!("B"), "ListKind"),
        ("spec.names.plural", json!("a"), json!("b"), "Plural"),
        ("spec.names.shortNames", json!(["a"]), json!(null), "ShortName"),
        ("spec.names.singular", json!("a"), json!("b"), "Singular"),
        ("spec.preserveUnknownFields", json!(false), json!(true), "PreserveUnknownFieldsOfAll"),
        ("spec.scope", json!("Namespaced"), json!("Cluster"), "Scope"),
        ("spec.versions.0.additionalPrinterColumns.0.description", json!("a"), json!("b"), "PrinterColumn"),
        ("spec.versions.0.additionalPrinterColumns.0.format", json!("a"), json!("b"), "PrinterColumn"),
        ("spec.versions.0.additionalPrinterColumns.0.jsonPath", json!(".a"), json!(".b"), "PrinterColumn"),
        ("spec.versions.0.additionalPrinterColumns.0.priority", json!(1), json!(2), "PrinterColumn"),
        ("spec.versions.0.additionalPrinterColumns.0.type", json!("string"), json!("date"), "PrinterColumn"),
        ("spec.versions.0.deprecated", json!(false), json!(true), "Deprecated"),
        ("spec.versions.0.deprecationWarning", json!("a"), json!("b"), "DeprecationWarning"),
        ("spec.versions.0.schema.openAPIV3Schema.title", json!("a"), json!("b"), "Text"),
        ("spec.versions.0.selectableFields.0.jsonPath", json!(".a"), json!(null), "SelectableField"),
        ("spec.versions.0.served", json!(true), json!(false), "Served"),
        ("spec.versions.0.storage", json!(true), json!(false), "Storage"),
        ("spec.versions.0.subresources.scale.labelSelectorPath", json!(".a"), json!(".b"), "ScaleSubresource"),
        ("spec.versions.0.subresources.scale.specReplicasPath", json!(".a"), json!(".b"), "ScaleSubresource"),
        ("spec.versions.0.subresources.scale.statusReplicasPath", json!(".a"), json!(".b"), "ScaleSubresource"),
        ("spec.versions.0.subresources.status", json!(null), json!({}), "StatusSubresource"),
    ]
}

/// Keys that are in no table, and why.
const NOT_IN_TABLES: &[(&str, &str)] = &[
    ("apiVersion", "the same in every CRD"),
    ("kind", "the same in every CRD"),
    ("metadata.name", "another name is another CRD"),
    ("spec.versions.0.name", "another name is another version"),
    ("spec.versions.0.additionalPrinterColumns.0.name", "another name is another column"),
];

/// A CRD in which every field is set, except those of its schema.
fn full_crd() -> CustomResourceDefinition {
    CustomResourceDefinition {
        name: "tests.example.com".into(),
        annotations: BTreeMap::from([("a".into(), "a".into())]),
        labels: BTreeMap::from([("a".into(), "a".into())]),
        group: "example.com".into(),
        names: Names {
            categories: vec!["a".into()],
            kind: "Test".into(),
            list_kind: Some("a".into()),
            plural: "tests".into(),
            short_names: vec!["a".into()],
            singular: Some("a".into()),
        },
        scope: Scope::Namespaced,
        versions: vec![Version {
            columns: vec![PrinterColumn {
                description: Some("a".into()),
                format: Some("a".into()),
                json_path: ".a".into(),
                name: "A".into(),
                priority: Some(1),
                kind: "string".into(),
            }],
            deprecated: true,
            deprecation_warning: Some("a".into()),
            name: "v1".into(),
            schema: Schema { kind: Some("object".into()), title: Some("a".into()), ..Schema::default() },
            selectable_fields: vec![".a".into()],
            served: true,
            storage: true,
            subresources: Some(Subresources {
                scale: Some(Scale {
                    label_selector_path: Some(".a".into()),
                    spec_replicas_path: ".a".into(),
                    status_replicas_path: ".a".into(),
                }),
                status: true,
            }),
        }],
        conversion: Some(json!({ "strategy": "Webhook" })),
        preserve_unknown_fields: Some(true),
    }
}

#[test]
fn the_tables_name_every_property() {
    let table = keywords();
    let named = table.iter().map(|(keyword, ..)| *keyword).collect::<BTreeSet<_>>();
    assert_eq!(SCHEMA_KEYS.split(' ').collect::<BTreeSet<_>>(), named, "the reference");
    for (keyword, others, before, after, _) in &table {
        let mut node = others.clone();
        node[*keyword] = if after.is_null() { before.clone() } else { after.clone() };
        let read = Schema::from_value(&node).unwrap_or_else(|error| panic!("{keyword}: {error:?}"));
        assert_eq!(read.to_value()[*keyword], node[*keyword], "the model reads {keyword}");
    }
    for keyword in FORBIDDEN_KEYS {
        assert!(Schema::from_value(&json!({ *keyword: {} })).is_err(), "{keyword}");
    }
    let table = rule_keys();
    let named = table.iter().map(|(key, ..)| *key).collect::<BTreeSet<_>>();
    let known = ["fieldPath", "message", "messageExpression", "optionalOldSelf", "reason", "rule"];
    assert_eq!(named, BTreeSet::from(known));

    let table = crd_keys();
    let mut paths = BTreeSet::new();
    leaves(&full_crd().to_value(), &mut Vec::new(), &mut paths);
    for path in paths {
        let is_in = |known: &str| path == known || path.starts_with(&format!("{known}."));
        let excused = NOT_IN_TABLES.iter().any(|(known, _)| is_in(known));
        assert!(excused || table.iter().any(|(known, ..)| is_in(known)), "{path} is in no table");
    }
}

/// The paths of all values, as the table writes them; the schema's own keywords have a table of theirs.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut BTreeSet<String>) {
    let entries = match value {
        Value::Object(entries) if !entries.is_empty() && path.last().is_none_or(|key| key != "openAPIV3Schema") => {
            entries.iter().map(|(key, value)| (key.clone(), value)).collect::<Vec<_>>()
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => {
            let schema = path.iter().any(|key| key == "openAPIV3Schema");
            found.extend((!schema).then(|| path.join(".")));
            return;
        }
    };
    for (key, value) in entries {
        path.push(key);
        leaves(value, path, found);
        path.pop();
    }
}

/// The node with a keyword, or without it where the value is null.
fn with(mut node: Value, keyword: &str, value: &Value) -> Value {
    let object = node.as_object_mut().expect("an object");
    match value {
        Value::Null => object.remove(keyword),
        _ => object.insert(keyword.to_owned(), value.clone()),
    };
    node
}

/// A function that wraps a node in a schema, and the path of the node there.
type Wrapping = (fn(Value) -> Value, &'static str);

/// All wrappings, with the path of the node.
const WRAPPINGS: &[Wrapping] = &[
    (|node| node, ""),
    (|node| json!({ "type": "object", "properties": { "p": node } }), "p"),
    (|node| json!({ "type": "array", "items": node }), "[*]"),
    (|node| json!({ "type": "object", "additionalProperties": node }), "[*]"),
    (
        |node| {
            json!({ "type": "object", "properties": { "p": { "type": "array", "items": {
                "type": "object", "additionalProperties": { "type": "object", "properties": { "q": node } } } } } })
        },
        "p[*][*].q",
    ),
];

fn crd(schema: &Value) -> CustomResourceDefinition {
    let schema = Schema::from_value(schema).unwrap_or_else(|errors| panic!("{schema}: {errors:?}"));
    let version = Version { name: "v1".into(), served: true, storage: true, schema, ..Version::default() };
    CustomResourceDefinition { name: "tests.example.com".into(), versions: vec![version], ..Default::default() }
}

/// The name of a change: that of its variant.
fn name(change: &Change<'_>) -> String {
    let debug = match change {
        Change::Schema(difference) => format!("{difference:?}"),
        change => format!("{change:?}"),
    };
    debug.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// The only difference of two CRDs, both ways.
fn only(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    what: &str,
    test: impl Fn(&LocatedChange<'_>, bool),
) {
    let (old, new) = ([old.clone()], [new.clone()]);
    for (is_back, old, new) in [(false, &old, &new), (true, &new, &old)] {
        let found = changes(Channel::Standard, old, new, &Renames::default());
        let [only] = &found[..] else {
            let found = found.iter().map(|one| &one.change).collect::<Vec<_>>();
            panic!("{what}: {found:?}")
        };
        test(only, is_back);
    }
}

#[test]
fn each_keyword_is_one_difference_wherever_it_stands() {
    for (keyword, siblings, before, after, subject) in keywords() {
        for (wrap, path) in WRAPPINGS {
            let (old, new) =
                (wrap(with(siblings.clone(), keyword, &before)), wrap(with(siblings.clone(), keyword, &after)));
            let what = format!("{keyword} at `{path}`: {old} and {new}");
            only(&crd(&old), &crd(&new), &what, |change, _| {
                assert_eq!(name(&change.change), subject, "{what}");
                assert_eq!(change.location.position.path(), *path, "{what}");
                assert_eq!(change.location.version(), Some("v1"), "{what}");
                let [before, after] = change.values();
                assert_ne!(before, after, "{what}");
            });
        }
    }
}

#[test]
fn each_key_of_a_rule_is_one_difference_wherever_it_stands() {
    for (key, before, after, subject) in rule_keys() {
        for (wrap, path) in WRAPPINGS {
            let rule = |value: &Value| {
                let mut rule = Map::from_iter([("rule".to_owned(), json!("self == oldSelf"))]);
                rule.extend((!value.is_null()).then(|| (key.to_owned(), value.clone())));
                wrap(json!({ "type": "string", "x-kubernetes-validations": [{ "rule": "self != ''" }, rule] }))
            };
            let what = format!("{key} at `{path}`");
            only(&crd(&rule(&before)), &crd(&rule(&after)), &what, |change, _| {
                assert_eq!(name(&change.change), subject, "{what}");
                assert_eq!(change.location.position.path(), *path, "{what}");
            });
        }
    }
}

#[test]
fn each_property_of_a_crd_is_one_difference() {
    for (path, before, after, subject) in crd_keys() {
        let of = |value: &Value| {
            let mut crd = full_crd().to_value();
            set(&mut crd, path, value);
            CustomResourceDefinition::from_value(&crd).unwrap_or_else(|errors| panic!("{path}: {errors:?}"))
        };
        only(&of(&before), &of(&after), path, |change, _| {
            assert_eq!(name(&change.change), subject, "{path}");
            let of_version = path.starts_with("spec.versions") && subject != "Storage";
            assert_eq!(change.location.version(), of_version.then_some("v1"), "{path}");
        });
    }
}

/// Sets the value at a path (`~` is a dot); null takes it away, and its list entry with it.
fn set(document: &mut Value, path: &str, value: &Value) {
    let steps = path.split('.').map(|step| step.replace('~', ".")).collect::<Vec<_>>();
    let (last, way) = steps.split_last().expect("a path has steps");
    let parent = way.iter().fold(&mut *document, |node, step| match step.parse::<usize>() {
        Ok(index) => &mut node[index],
        Err(_) => &mut node[step.as_str()],
    });
    match value {
        Value::Null if last == "jsonPath" => {
            document["spec"]["versions"][0]["selectableFields"] = json!([]);
        }
        Value::Null => drop(parent.as_object_mut().expect("an object").remove(last)),
        _ => parent[last.as_str()] = value.clone(),
    }
}

#[test]
fn names_that_come_and_go_are_one_difference_each() {
    let base = full_crd();
    let mut more = base.clone();
    more.versions.push(Version { name: "v2".into(), storage: false, ..base.versions[0].clone() });
    only(&base, &more, "a version", |change, is_back| {
        assert_eq!((&*name(&change.change), change.location.version()), ("Version", Some("v2")));
        assert_eq!(
            (
                matches!(change.change, Change::Version(Presence::Added(_))),
                matches!(change.change, Change::Version(Presence::Removed(_)))
            ),
            (!is_back, is_back)
        );
    });
    let none = changes(Channel::Standard, std::iter::empty(), std::slice::from_ref(&base), &Renames::default());
    assert_eq!(none.len(), 1);
    assert_eq!((&*name(&none[0].change), none[0].location.crd()), ("Resource", "tests.example.com"));
    // Two of a name are two, and the first is not compared with the second.
    let twice = [base.clone(), more.clone()];
    let found = changes(Channel::Standard, std::slice::from_ref(&base), &twice, &Renames::default());
    assert_eq!(found.iter().map(|change| name(&change.change)).collect::<Vec<_>>(), ["Resource"]);
    let mut double = base.clone();
    double.versions.push(Version { served: false, storage: false, ..base.versions[0].clone() });
    only(&base, &double, "a version of the same name", |change, _| assert_eq!(name(&change.change), "Version"));
}

#[test]
fn what_servers_take_for_the_same_is_no_difference() {
    let same = [
        ("x-kubernetes-list-type", json!("atomic")),
        ("x-kubernetes-map-type", json!("granular")),
        ("x-kubernetes-preserve-unknown-fields", json!(false)),
        ("minLength", json!(0)),
        ("minItems", json!(0)),
        ("minProperties", json!(0)),
        ("exclusiveMaximum", json!(true)),
        ("exclusiveMinimum", json!(true)),
        ("enum", json!([])),
        ("pattern", json!("")),
        ("format", json!("")),
        ("description", json!("")),
        ("default", json!(null)),
        ("nullable", json!(false)),
        ("uniqueItems", json!(false)),
        ("allOf", json!([])),
        ("required", json!([])),
        ("properties", json!({})),
    ];
    for (keyword, value) in same {
        let mut node = json!({ "type": "object" });
        let without = [crd(&node)];
        node[keyword] = value;
        let written = [crd(&node)];
        let found = changes(Channel::Standard, &without, &written, &Renames::default());
        assert!(found.is_empty(), "{keyword}: {found:?}");
    }
}
