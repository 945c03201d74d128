//! Structural schemas of schemars' schemas, compared with Kubernetes' rules, serde's output and the results of another validator.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::structural;
use crd_apiserver::refusal;
use crd_apiserver::validate::validate;
use crd_model::crd::CustomResourceDefinition;
use crd_model::schema::{AdditionalProperties, Schema};
use crd_model::yaml;

/// A Rust type of `tests/recorded.yaml`.
struct Recorded {
    /// The name that tests use.
    name: String,
    /// Its JSON Schema.
    text: String,
    /// Values of the type as a list.
    values: String,
    /// Documents and whether `text` accepts them: a list of pairs.
    verdicts: String,
}

static RECORDED: LazyLock<Vec<Recorded>> = LazyLock::new(|| {
    let records = yaml::read(include_str!("tests/recorded.yaml")).unwrap().remove(0);
    let record = |record: &Value| {
        let [name, text, values, verdicts] =
            ["name", "schema", "values", "verdicts"].map(|key| record[key].as_str().unwrap().to_owned());
        Recorded { name, text, values, verdicts }
    };
    records.as_array().unwrap().iter().map(record).collect()
});

fn record(name: &str) -> &'static Recorded {
    RECORDED.iter().find(|record| record.name == name).unwrap_or_else(|| panic!("there is no record {name}"))
}

/// The structural schema of a record.
fn made(name: &str) -> Value {
    match structural(&record(name).text) {
        Ok(schema) => schema.to_value(),
        Err(reasons) => panic!("{name}: {reasons:#?}"),
    }
}

fn made_of(schema: &Value) -> Value {
    match structural(&schema.to_string()) {
        Ok(schema) => schema.to_value(),
        Err(reasons) => panic!("{schema}: {reasons:#?}"),
    }
}

/// Checks the reasons for a refusal: their number, the path at the beginning of each, if there is one, and a part of the message.
fn refused_text(text: &str, expected: &[(&str, &str)]) {
    let reasons = match structural(text) {
        Ok(schema) => panic!("{text} became {}", schema.to_value()),
        Err(reasons) => reasons,
    };
    assert_eq!(reasons.len(), expected.len(), "{reasons:#?}");
    for (reason, (path, part)) in reasons.iter().zip(expected) {
        let message = match *path {
            "" => Some(reason.as_str()),
            path => reason.strip_prefix(&format!("`{path}`: ")),
        };
        assert!(message.is_some_and(|message| message.contains(part)), "`{path}` … {part}\n{reason}");
    }
}

fn refused(name: &str, expected: &[(&str, &str)]) {
    refused_text(&record(name).text, expected);
}

fn refused_schema(schema: &Value, expected: &[(&str, &str)]) {
    refused_text(&schema.to_string(), expected);
}

/// Prunes a document as a server does before it validates: removes unknown fields, and nulls where null is not a value.
fn as_stored(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(object) => object.retain(|name, value| {
            let below = match (schema.properties.get(name.as_str()), &schema.additional_properties) {
                (Some(property), _) => property,
                (None, Some(AdditionalProperties::Values(values))) => values,
                _ => return schema.preserve_unknown_fields == Some(true),
            };
            as_stored(below, value);
            !value.is_null() || below.nullable
        }),
        Value::Array(items) => {
            if let Some(below) = &schema.items {
                items.iter_mut().for_each(|item| as_stored(below, item));
            }
        }
        _ => {}
    }
}

fn list(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

fn accepted_records() -> impl Iterator<Item = (&'static Recorded, Schema)> {
    RECORDED.iter().filter_map(|record| structural(&record.text).ok().map(|schema| (record, schema)))
}

#[test]
fn what_serde_writes_is_accepted() {
    let mut count = 0;
    for (record, schema) in accepted_records() {
        for value in list(&record.values) {
            let mut stored = value.clone();
            as_stored(&schema, &mut stored);
            let violations = validate(&schema, &stored);
            assert!(violations.is_empty(), "{}: {value}: {violations:?}", record.name);
            count += 1;
        }
    }
    assert!(count > 90, "only {count} values were checked");
}

/// Nothing that serde writes is pruned, unless it is null.
#[test]
fn what_serde_writes_is_kept() {
    fn without_nulls(value: &Value) -> Value {
        match value {
            Value::Object(object) => object
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect(),
            Value::Array(items) => items.iter().map(without_nulls).collect(),
            other => other.clone(),
        }
    }
    for (record, schema) in accepted_records() {
        for value in list(&record.values) {
            let mut stored = value.clone();
            as_stored(&schema, &mut stored);
            assert_eq!(without_nulls(&stored), without_nulls(&value), "{}", record.name);
        }
    }
}

#[test]
fn the_structural_schema_accepts_the_same_documents_as_the_json_schema() {
    let (mut accepted, mut rejected) = (0, 0);
    for (record, schema) in accepted_records() {
        for result in list(&record.verdicts) {
            let (document, verdict) = (&result[0], result[1] == json!(true));
            let violations = validate(&schema, document);
            assert_eq!(violations.is_empty(), verdict, "{}: {document}: {violations:?}", record.name);
            if verdict { accepted += 1 } else { rejected += 1 }
        }
    }
    assert!(accepted > 150 && rejected > 200, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn servers_accept_the_structural_schemas() {
    for (record, schema) in accepted_records() {
        let edit = json!({ "field": schema.to_value() }).to_string();
        let document = CustomResourceDefinition::from_value(&refusal::example(&edit).unwrap()).unwrap();
        let refusals: Vec<String> = refusal::refusals(&document).iter().map(ToString::to_string).collect();
        assert!(refusals.is_empty(), "{}: {refusals:#?}", record.name);
    }
}

/// Checks independently of the rules of `refusal` that types are outside and conditions inside.
#[test]
fn types_are_outside_and_conditions_inside() {
    fn outside(schema: &Schema, path: &str) {
        let has_type = schema.kind.is_some() || schema.int_or_string || schema.preserve_unknown_fields == Some(true);
        assert!(has_type, "{path} has no type");
        assert!(schema.title.is_none() && !schema.unique_items && schema.id.is_none(), "{path}");
        assert!(!matches!(schema.additional_properties, Some(AdditionalProperties::Allowed(_))), "{path}");
        assert!(schema.properties.is_empty() || schema.additional_properties.is_none(), "{path} is struct and map");
        assert!(schema.kind.as_deref() != Some("array") || schema.items.is_some(), "{path} has no items");
        for (name, property) in &schema.properties {
            outside(property, &format!("{path}.{name}"));
        }
        for below in schema.items.iter().chain(match &schema.additional_properties {
            Some(AdditionalProperties::Values(values)) => Some(values),
            _ => None,
        }) {
            outside(below, &format!("{path}[*]"));
        }
        if schema.int_or_string {
            assert_eq!(
                schema.any_of.iter().filter_map(|branch| branch.kind.as_deref()).collect::<Vec<_>>(),
                ["integer", "string"]
            );
        } else {
            schema.any_of.iter().for_each(|branch| inside(branch, schema, path));
        }
        for branch in schema.all_of.iter().chain(&schema.one_of).chain(schema.not.as_deref()) {
            inside(branch, schema, path);
        }
    }
    fn inside(condition: &Schema, declared: &Schema, path: &str) {
        let only_conditions = Schema {
            all_of: condition.all_of.clone(),
            any_of: condition.any_of.clone(),
            enumeration: condition.enumeration.clone(),
            exclusive_maximum: condition.exclusive_maximum,
            exclusive_minimum: condition.exclusive_minimum,
            format: condition.format.clone(),
            items: condition.items.clone(),
            max_items: condition.max_items,
            max_length: condition.max_length,
            max_properties: condition.max_properties,
            maximum: condition.maximum.clone(),
            min_items: condition.min_items,
            min_length: condition.min_length,
            min_properties: condition.min_properties,
            minimum: condition.minimum.clone(),
            multiple_of: condition.multiple_of.clone(),
            not: condition.not.clone(),
            one_of: condition.one_of.clone(),
            pattern: condition.pattern.clone(),
            properties: condition.properties.clone(),
            required: condition.required.clone(),
            ..Schema::default()
        };
        assert_eq!(*condition, only_conditions, "{path}: this is not a condition");
        for (name, below) in &condition.properties {
            inside(below, declared.properties.get(name).unwrap(), &format!("{path}.{name}"));
        }
        if let Some(items) = &condition.items {
            inside(items, declared.items.as_deref().unwrap(), &format!("{path}[*]"));
        }
        let further =
            condition.all_of.iter().chain(&condition.any_of).chain(&condition.one_of).chain(condition.not.as_deref());
        further.for_each(|further| inside(further, declared, path));
    }
    let mut count = 0;
    for (record, schema) in accepted_records() {
        outside(&schema, &record.name);
        count += 1;
    }
    assert!(count > 45, "only {count} schemas were checked");
}

/// The conversion of a structural schema changes nothing.
#[test]
fn a_structural_schema_stays_as_it_is() {
    // In the excluded record, only an alternative requires a property that may be null.
    for (record, schema) in accepted_records().filter(|(record, _)| record.name != "external_optional") {
        let again = structural(&schema.to_value().to_string());
        assert_eq!(again.as_ref(), Ok(&schema), "{}", record.name);
    }
}

// --- scalars and numbers ---------------------------------------------------------------------------------------------

#[test]
fn scalars() {
    assert_eq!(
        made("scalars")["properties"],
        json!({
            "text": {"type": "string"},
            "flag": {"type": "boolean"},
            "letter": {"type": "string", "minLength": 1, "maxLength": 1},
            "signed8": {"type": "integer", "minimum": -128, "maximum": 127},
            "signed16": {"type": "integer", "minimum": -32768, "maximum": 32767},
            "signed32": {"type": "integer", "format": "int32"},
            "signed64": {"type": "integer", "format": "int64"},
            "signed128": {"type": "integer"},
            "signedSize": {"type": "integer"},
            "unsigned8": {"type": "integer", "minimum": 0, "maximum": 255},
            "unsigned16": {"type": "integer", "minimum": 0, "maximum": 65535},
            "unsigned32": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_i64},
            "unsigned64": {"type": "integer", "minimum": 0},
            "unsigned128": {"type": "integer", "minimum": 0},
            "unsignedSize": {"type": "integer", "minimum": 0},
            "float": {"type": "number", "format": "float"},
            "double": {"type": "number", "format": "double"},
        })
    );
    let required = made("scalars")["required"].clone();
    assert_eq!(required.as_array().map(Vec::len), Some(17));
    assert!(required.as_array().unwrap().is_sorted_by_key(Value::to_string), "{required}");
}

#[test]
fn formats_of_integers_bring_their_bounds_even_alone() {
    assert_eq!(
        made_of(&json!({"type": "integer", "format": "uint8"})),
        json!({"type": "integer", "minimum": 0, "maximum": 255})
    );
    assert_eq!(made_of(&json!({"type": "integer", "format": "uint64"})), json!({"type": "integer", "minimum": 0}));
    assert_eq!(
        made_of(&json!({"type": "integer", "format": "uint32", "maximum": 7})),
        json!({"type": "integer", "minimum": 0, "maximum": 7})
    );
    assert_eq!(made_of(&json!({"type": "integer", "format": "int128"})), json!({"type": "integer"}));
}

#[test]
fn nonzero_integers() {
    assert_eq!(
        made("nonzero"),
        json!({
            "type": "object",
            "properties": {
                "unsigned": {"type": "integer", "minimum": 1, "maximum": 255},
                "large": {"type": "integer", "minimum": 1},
                "signed": {"type": "integer", "format": "int32", "not": {"enum": [0]}},
                "small": {"type": "integer", "minimum": -128, "maximum": 127, "not": {"enum": [0]}},
                "optional": {"type": "integer", "minimum": 1, "maximum": 65535},
                "optional_signed": {"type": "integer", "format": "int64", "not": {"enum": [0]}},
            },
            "required": ["large", "signed", "small", "unsigned"],
        })
    );
}

#[test]
fn bounds_of_integers_become_whole() {
    let bounded = |bounds: Value| {
        let mut schema = json!({"type": "integer", "format": "int64"});
        for (keyword, bound) in bounds.as_object().unwrap() {
            schema[keyword] = bound.clone();
        }
        let mut made = made_of(&schema);
        let made = made.as_object_mut().unwrap();
        assert_eq!(made.remove("type"), Some(json!("integer")));
        assert_eq!(made.remove("format"), Some(json!("int64")));
        Value::Object(made.clone())
    };
    assert_eq!(bounded(json!({"minimum": 1.0, "maximum": 9.0})), json!({"minimum": 1, "maximum": 9}));
    assert_eq!(bounded(json!({"minimum": 0.5, "maximum": 9.5})), json!({"minimum": 1, "maximum": 9}));
    assert_eq!(bounded(json!({"minimum": -0.5, "maximum": 0.5})), json!({"minimum": 0, "maximum": 0}));
    assert_eq!(bounded(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 10})), json!({"minimum": 1, "maximum": 9}));
    assert_eq!(bounded(json!({"exclusiveMinimum": 0.5, "exclusiveMaximum": 9.5})), json!({"minimum": 1, "maximum": 9}));
    // OpenAPI 3.0 has flags.
    assert_eq!(
        bounded(json!({"minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false})),
        json!({"minimum": 1, "maximum": 9})
    );
    // The narrower bound applies.
    assert_eq!(
        bounded(json!({"minimum": 0, "exclusiveMinimum": 4, "maximum": 3000, "exclusiveMaximum": 3000})),
        json!({"minimum": 5, "maximum": 2999})
    );
    // A bound that every 64-bit integer satisfies is removed, because servers would reject every value.
    assert_eq!(bounded(json!({"minimum": i64::MIN, "maximum": u64::MAX})), json!({}));
    assert_eq!(bounded(json!({"minimum": -1e300, "maximum": i64::MAX})), json!({}));
    assert_eq!(
        made_of(&json!({"type": "integer", "format": "int32", "maximum": 4_294_967_295_u64, "minimum": -5})),
        json!({"type": "integer", "format": "int32", "minimum": -5})
    );
    assert_eq!(bounded(json!({"exclusiveMinimum": -1e300, "exclusiveMaximum": 1e300})), json!({}));
    let nothing_between = [("", "no integer is within these bounds")];
    refused_schema(&json!({"type": "integer", "minimum": 0.2, "maximum": 0.8}), &nothing_between);
    refused_schema(&json!({"type": "integer", "format": "int32", "minimum": 4_294_967_295_u64}), &nothing_between);
    refused_schema(&json!({"type": "integer", "minimum": u64::MAX}), &nothing_between);
    refused_schema(&json!({"type": "integer", "exclusiveMinimum": 1e300}), &nothing_between);
    refused_schema(&json!({"type": "integer", "exclusiveMaximum": -1e300}), &nothing_between);
}

#[test]
fn bounds_of_numbers_keep_their_fractions() {
    assert_eq!(
        made_of(&json!({"type": "number", "format": "double", "exclusiveMinimum": 0.0, "maximum": 1.5})),
        json!({"type": "number", "format": "double", "minimum": 0, "exclusiveMinimum": true, "maximum": 1.5})
    );
    refused_schema(&json!({"type": "number", "multipleOf": 0}), &[("", "multipleOf is 0")]);
    refused_schema(&json!({"type": "integer", "multipleOf": 0.5}), &[("", "multipleOf is 0.5")]);
    assert_eq!(made_of(&json!({"type": "integer", "multipleOf": 5.0})), json!({"type": "integer", "multipleOf": 5}));
}

#[test]
fn validation_attributes() {
    assert_eq!(
        made("validated")["properties"],
        json!({
            "name": {"type": "string", "minLength": 1, "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
            "port": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535},
            "ratio": {"type": "number", "format": "double", "minimum": 0, "exclusiveMinimum": true, "maximum": 1, "exclusiveMaximum": true},
            "digit": {"type": "integer", "minimum": 1, "maximum": 9},
            "odd": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 9},
            "big": {"type": "integer", "minimum": 0},
            "contains": {"type": "string", "pattern": "a\\.b"},
            "email": {"type": "string", "format": "email"},
            "url": {"type": "string", "format": "uri"},
            "required": {"type": "string"},
            "chosen": {"type": "string", "enum": ["b", "a"], "minLength": 1},
            "constant": {"type": "string", "enum": ["v1"]},
            "fives": {"type": "integer", "format": "int32", "multipleOf": 5},
            "map": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
        })
    );
}

#[test]
fn patterns_are_re2() {
    refused("lookahead", &[("text", "not a valid RE2 expression")]);
}

#[test]
fn formats_of_strings() {
    assert_eq!(
        made("crates")["properties"],
        json!({
            "uuid": {"type": "string", "format": "uuid"},
            "url": {"type": "string", "format": "uri"},
            "when": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
            "local": {"type": "string"},
            "time": {"type": "string"},
            "weekday": {"type": "string", "enum": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]},
        })
    );
    // ISO 8601 in JSON Schema, `1h30m` in Kubernetes.
    assert_eq!(made_of(&json!({"type": "string", "format": "duration"})), json!({"type": "string"}));
    assert_eq!(made_of(&json!({"type": "boolean", "format": "uuid"})), json!({"type": "boolean"}));
}

/// A format that stays is one that the validator, and so the server, looks at; one that goes is none.
#[test]
fn formats_that_stay_are_enforced() {
    let candidates = [
        "byte",
        "cidr",
        "date",
        "date-time",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "mac",
        "uri",
        "uuid",
        "k8s-long-name",
        "ip",
        "partial-time",
        "partial-date-time",
        "zoned-date-time",
        "regex",
        "json-pointer",
        "uri-reference",
        "iri",
        "idn-email",
        "time",
        "char",
    ];
    for format in candidates {
        let made = structural(&json!({"type": "string", "format": format}).to_string()).unwrap();
        let said = Schema { kind: Some("string".into()), format: Some(format.into()), ..Schema::default() };
        let is_enforced = ["", "(nonsense) !"].iter().any(|text| !validate(&said, &json!(text)).is_empty());
        assert_eq!(made.format.is_some(), is_enforced, "{format}");
    }
}

// --- options and nulls -----------------------------------------------------------------------------------------------

#[test]
fn options() {
    let point = json!({
        "type": "object",
        "description": "A point.",
        "properties": {
            "x": {"type": "integer", "format": "int32", "description": "Across."},
            "y": {"type": "integer", "format": "int32", "description": "Up."},
        },
        "required": ["x", "y"],
    });
    let mut nullable_point = point.clone();
    nullable_point["nullable"] = json!(true);
    assert_eq!(
        made("optionals"),
        json!({
            "type": "object",
            "description": "Options in every position.",
            "properties": {
                "number": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_i64},
                "mode": {"type": "string", "enum": ["Fast", "Slow"], "description": "How it works."},
                "any": {"x-kubernetes-preserve-unknown-fields": true},
                "nested": {"type": "boolean"},
                // Not a property: null is an item, and a value, of its own.
                "items": {"type": "array", "items": {"type": "integer", "format": "int32", "nullable": true}},
                "values": {"type": "object", "additionalProperties": nullable_point},
                "defaulted": {"type": "string"},
                // Absent is five, null is none.
                "five": {"type": "integer", "format": "int32", "nullable": true, "default": 5},
                "point": point,
                "boxed": point,
            },
            "required": ["items", "point", "values"],
        })
    );
    assert_eq!(
        made("required_null")["properties"]["number"],
        json!({"type": "integer", "format": "int32", "nullable": true}),
        "absence is not allowed, so null must be"
    );
}

#[test]
fn options_at_the_top_are_stripped() {
    let point = made("optionals")["properties"]["point"].clone();
    assert_eq!(made("option_top"), point);
    assert_eq!(made("newtype_optional"), point);
    for schema in [
        json!({"type": ["string", "null"]}),
        json!({"type": ["null", "string"]}),
        json!({"type": "string", "nullable": true}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "null"}, {"type": "string"}]}),
        json!({"anyOf": [{"type": "string"}, {"const": null}]}),
        json!({"anyOf": [{"type": "string"}, {"enum": [null], "nullable": true}]}),
        json!({"anyOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "null"}]}),
    ] {
        assert_eq!(made_of(&schema), json!({"type": "string"}), "{schema}");
        let in_list = json!({"type": "array", "items": schema});
        assert_eq!(made_of(&in_list)["items"], json!({"type": "string", "nullable": true}), "{schema}");
    }
    let in_enum = json!({"enum": ["a", null], "type": ["string", "null"]});
    assert_eq!(made_of(&in_enum), json!({"type": "string", "enum": ["a"]}));
}

#[test]
fn null_in_an_enum() {
    refused("null_in_enum", &[("modes[*]", "an API server never accepts null for an enum")]);
    refused_schema(
        &json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x", null]}}, "required": ["a"]}),
        &[("a", "an API server never accepts null for an enum")],
    );
}

#[test]
fn units_have_no_type() {
    refused(
        "units",
        &[
            ("phantom", "the only value is null"),
            ("unit", "the only value is null"),
            ("unit_struct", "the only value is null"),
        ],
    );
    refused("external_unit_struct", &[("{oneOf[0]}.A", "the only value is null")]);
    refused("never", &[("never", "no value is valid here")]);
}

// --- enums -----------------------------------------------------------------------------------------------------------

#[test]
fn enums_of_strings() {
    assert_eq!(
        made("documented_enum"),
        json!({"type": "string", "description": "Where to look.", "enum": ["not-documented", "here", "over-there"]})
    );
    assert_eq!(made("renamed_enum"), json!({"type": "string", "enum": ["off", "1_000"]}));
    assert_eq!(made_of(&json!({"enum": [3, 1, 2]})), json!({"type": "integer", "enum": [3, 1, 2]}));
    assert_eq!(made_of(&json!({"const": true})), json!({"type": "boolean", "enum": [true]}));
    assert_eq!(
        made_of(&json!({"type": "string", "enum": ["b", 1, "a"]})),
        json!({"type": "string", "enum": ["b", "a"]})
    );
    refused_schema(&json!({"type": "string", "enum": [1]}), &[("", "no value of the enum has the type")]);
    refused_schema(&json!({"enum": []}), &[("", "`enum` must be a list of at least one value")]);
    refused_schema(&json!({"enum": ["a"], "const": "b"}), &[("", "no value satisfies both")]);
}

#[test]
fn externally_tagged() {
    assert_eq!(
        made("external"),
        json!({
            "type": "object",
            "description": "What to do with a request.",
            "properties": {
                "redirect": {
                    "type": "object",
                    // The description of the variant.
                    "description": "Send it elsewhere.",
                    "properties": {
                        "host": {"type": "string", "description": "The host."},
                        "port": {"type": "integer", "minimum": 0, "maximum": 65535},
                    },
                    "required": ["host"],
                },
                "mirror": {"type": "array", "items": {"type": "string"}, "description": "Send it to a list of hosts."},
                "drop": {"type": "object"},
                "at": made("optionals")["properties"]["point"],
            },
            "oneOf": [{"required": ["redirect"]}, {"required": ["mirror"]}, {"required": ["drop"]}, {"required": ["at"]}],
        })
    );
    assert_eq!(made("external_optional")["properties"]["A"]["nullable"], json!(true), "`{{\"A\": null}}` is a value");
    let braces = "a variant without fields is a string on the wire";
    refused("external_with_units", &[("", braces)]);
    refused("bound", &[("bound", braces)]);
}

#[test]
fn internally_tagged() {
    assert_eq!(
        made("internal"),
        json!({
            "type": "object",
            "description": "A filter.",
            "properties": {
                "type": {"type": "string", "enum": ["Header", "Count", "Nothing", "Point"]},
                "name": {"type": "string"},
                "value": {"type": "string", "maxLength": 10},
                "limit": {"type": "integer", "minimum": 0, "maximum": 255},
                "x": {"type": "integer", "format": "int32", "description": "Across."},
                "y": {"type": "integer", "format": "int32", "description": "Up."},
            },
            "required": ["type"],
            "oneOf": [
                {"properties": {"type": {"enum": ["Header"]}}, "required": ["name", "value"]},
                {"properties": {"type": {"enum": ["Count"]}}, "required": ["name"]},
                {"properties": {"type": {"enum": ["Nothing"]}}},
                {"properties": {"type": {"enum": ["Point"]}}, "required": ["x", "y"]},
            ],
        })
    );
    // `x` is in both, and only one has a minimum.
    assert_eq!(
        made("internal_newtypes")["oneOf"],
        json!([
            {"properties": {"kind": {"enum": ["A"]}}, "required": ["y"]},
            {"properties": {"kind": {"enum": ["B"]}, "x": {"minimum": 1}}, "required": ["depth"]},
        ])
    );
    assert_eq!(made("internal_newtypes")["required"], json!(["kind", "x"]));
    refused("internal_conflict", &[("value", "`type` differs between alternatives")]);
    refused("internal_default", &[("count", "servers would fill in the default for every alternative")]);
    refused("string_refinements", &[("metadata", "no conditions on a property with the name `metadata`")]);
}

#[test]
fn alternatives_that_deny_unknown_fields_deny_fields_of_other_alternatives() {
    assert_eq!(
        made("internal_closed")["oneOf"],
        json!([
            {"properties": {"kind": {"enum": ["A"]}}, "required": ["text"], "not": {"required": ["number"]}},
            {"properties": {"kind": {"enum": ["B"]}}, "required": ["number", "text"]},
            {"properties": {"kind": {"enum": ["C"]}}, "not": {"anyOf": [{"required": ["number"]}, {"required": ["text"]}]}},
        ])
    );
    assert_eq!(
        made("adjacent_closed")["oneOf"],
        json!([
            {"properties": {"t": {"enum": ["A"]}, "c": {"not": {"required": ["y"]}}}, "required": ["c"]},
            {"properties": {"t": {"enum": ["B"]}, "c": {"required": ["y"]}}, "required": ["c"]},
            {"properties": {"t": {"enum": ["C"]}}, "not": {"required": ["c"]}},
        ])
    );
}

#[test]
fn adjacently_tagged() {
    let made_adjacent = made("adjacent");
    assert_eq!(
        made_adjacent["properties"],
        json!({
            "t": {"type": "string", "enum": ["Point", "Sized", "Nothing"]},
            "c": {
                "type": "object",
                "description": "A point.",
                "properties": {
                    "x": {"type": "integer", "format": "int32", "description": "Across."},
                    "y": {"type": "integer", "format": "int32", "description": "Up."},
                    "depth": {"type": "integer", "minimum": 0, "maximum": 255},
                },
                "required": ["x"],
            },
        })
    );
    assert_eq!(
        made_adjacent["oneOf"],
        json!([
            {"properties": {"t": {"enum": ["Point"]}, "c": {"required": ["y"]}}, "required": ["c"]},
            {"properties": {"t": {"enum": ["Sized"]}, "c": {"required": ["depth"]}}, "required": ["c"]},
            {"properties": {"t": {"enum": ["Nothing"]}}},
        ])
    );
    assert_eq!(
        made("adjacent_scalars")["oneOf"],
        json!([
            {"properties": {"t": {"enum": ["Short"]}, "c": {"maxLength": 3}}},
            {"properties": {"t": {"enum": ["Long"]}, "c": {"minLength": 10}}},
        ])
    );
    assert_eq!(
        made("lists_in_variants")["oneOf"],
        json!([
            {"properties": {"kind": {"enum": ["Short"]}, "of": {"items": {"maxLength": 3}, "maxItems": 2}}},
            {"properties": {"kind": {"enum": ["Long"]}, "of": {"minItems": 5}}},
        ])
    );
    // Formats of numbers are not looked at inside `oneOf`.
    assert_eq!(
        made("numbers_in_variants")["oneOf"],
        json!([
            {"properties": {"kind": {"enum": ["Small"]}, "of": {"minimum": 0, "maximum": 255}}},
            {"properties": {"kind": {"enum": ["Middle"]}, "of": {"minimum": i32::MIN, "maximum": i32::MAX}}},
            {"properties": {"kind": {"enum": ["Large"]}}},
        ])
    );
    refused("adjacent_conflict", &[("c", "`type` differs between alternatives")]);
    refused("maps_in_variants", &[("of", "a map in one alternative and has named fields in another")]);
}

#[test]
fn untagged() {
    let int_or_string = json!({
        "x-kubernetes-int-or-string": true,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "minimum": 0,
        "maximum": 65535,
        "maxLength": 15,
    });
    assert_eq!(made("untagged_int_or_string"), int_or_string);
    assert_eq!(
        made("untagged_objects"),
        json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_i64}},
            "anyOf": [{"required": ["name"]}, {"required": ["count"]}],
        })
    );
    assert_eq!(made("variant_untagged")["anyOf"], json!([{"required": ["a", "type"]}, {"required": ["rest"]}]));
    assert_eq!(made("untagged_open_enum"), json!({"type": "string"}));
    assert_eq!(made("untagged_numbers"), json!({"type": "number", "format": "double"}));
    assert_eq!(made("untagged_any"), json!({"x-kubernetes-preserve-unknown-fields": true}));
    refused("untagged_mixed", &[("", "the alternatives have different types (a string, an object)")]);
    refused("untagged_or_list", &[("", "the alternatives have different types (a list, a string)")]);
}

#[test]
fn integers_or_strings() {
    let plain = json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]});
    for schema in [
        json!({"x-kubernetes-int-or-string": true}),
        json!({"type": ["integer", "string"]}),
        json!({"type": "string", "format": "int-or-string"}),
        json!({"anyOf": [{"type": "integer", "format": "int64"}, {"type": "string"}]}),
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
    ] {
        assert_eq!(made_of(&schema), plain, "{schema}");
    }
    // A server does not check `int32` there.
    let narrow = made_of(
        &json!({"anyOf": [{"type": "integer", "format": "int32"}, {"type": "string", "pattern": "^[0-9]+%$"}]}),
    );
    assert_eq!((&narrow["minimum"], &narrow["maximum"]), (&json!(i32::MIN), &json!(i32::MAX)));
    assert_eq!(narrow["pattern"], json!("^[0-9]+%$"));
    assert_eq!(made_of(&json!({"enum": [1, "a"]}))["enum"], json!([1, "a"]));
    refused_schema(
        &json!({"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["auto"]}]}),
        &[("", "the alternatives have different types (a string of an enum, an integer)")],
    );
    refused_schema(
        &json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]}),
        &[("", "different types (a boolean, a string)")],
    );
}

#[test]
fn enums_with_one_variant() {
    assert_eq!(
        made("single_variants")["properties"],
        json!({
            "unit": {"type": "string", "enum": ["A"]},
            "documented": {"type": "string", "enum": ["A"], "description": "The only one."},
            "external": {
                "type": "object",
                "properties": {"A": {
                    "type": "object",
                    "description": "The only one.",
                    "properties": {"a": {"type": "integer", "format": "int32"}},
                    "required": ["a"],
                }},
                "required": ["A"],
            },
            "internal": {
                "type": "object",
                "properties": {"a": {"type": "integer", "format": "int32"}, "type": {"type": "string", "enum": ["A"]}},
                "required": ["a", "type"],
            },
        })
    );
}

#[test]
fn descriptions_of_types_with_one_field_stay_on_the_type() {
    let field = json!({"type": "string", "description": "The field."});
    assert_eq!(
        made("optional_with_one_field")["properties"],
        json!({
            "one": {"type": "object", "description": "Has one field.", "properties": {"field": field}, "required": ["field"]},
            "untagged": {
                "type": "object",
                "description": "Untagged.",
                "properties": {"field": field, "other": {"type": "string", "description": "The other field."}},
                "anyOf": [{"required": ["field"]}, {"required": ["other"]}],
            },
        })
    );
}

#[test]
fn alternatives_that_accept_the_same_values() {
    refused_schema(
        &json!({"oneOf": [{"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 3}]}),
        &[("", "the alternatives 0 and 1 of oneOf accept the same values")],
    );
    // `anyOf` permits that.
    assert_eq!(
        made_of(&json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 3}]})),
        json!({"type": "string", "maxLength": 3})
    );
}

/// A schema that was written for Kubernetes: conditions without types, on fields that stand outside.
#[test]
fn conditions_on_what_is_declared_outside_stay_inside() {
    let schema = json!({
        "type": "object",
        "properties": {
            "kind": {"type": "string"},
            "size": {"type": "integer"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["kind"],
        "oneOf": [
            // Only one of them is about `size`, and one about `names`; but all may have them.
            {"properties": {"kind": {"enum": ["Large"]}, "size": {"minimum": 10}}},
            {"properties": {"kind": {"enum": ["Named"]}, "names": {"minItems": 1, "items": {"maxLength": 5}}}},
            {"properties": {"kind": {"enum": ["Other"]}}, "allOf": [{"anyOf": [
                {"properties": {"size": {"maximum": 3}}, "required": ["size"]},
                {"required": ["names"]},
            ]}]},
        ],
        "not": {"required": ["names", "size"]},
    });
    let mut expected = schema.clone();
    // All alternatives know the values, so the node does.
    expected["properties"]["kind"]["enum"] = json!(["Large", "Named", "Other"]);
    expected["oneOf"][2] = json!({"properties": {"kind": {"enum": ["Other"]}}, "anyOf": [
        {"properties": {"size": {"maximum": 3}}, "required": ["size"]},
        {"required": ["names"]},
    ]});
    assert_eq!(made_of(&schema), expected);
}

// --- flatten ---------------------------------------------------------------------------------------------------------

#[test]
fn flattened_structs_and_enums() {
    let flat = made("flatten");
    assert_eq!(flat["required"], json!(["own", "x", "y"]));
    assert_eq!(flat["properties"]["depth"], json!({"type": "integer", "minimum": 0, "maximum": 255}));

    for name in ["flatten_internal", "flatten_closed"] {
        let flat = made(name);
        assert_eq!(flat["oneOf"], made("internal")["oneOf"], "{name}");
        assert_eq!(flat["required"], json!(["own", "type"]), "{name}");
        assert_eq!(flat["properties"]["own"], json!({"type": "string"}), "{name}");
    }
    assert_eq!(made("flatten_external")["oneOf"], made("external")["oneOf"]);
    // Two enums: the second goes on in `allOf`.
    let two = made("flatten_two");
    assert_eq!(two["oneOf"], made("external")["oneOf"]);
    assert_eq!(two["allOf"], json!([{"oneOf": made("internal")["oneOf"]}]));
    assert_eq!(two["required"], json!(["type"]));
    // Perhaps none of the alternatives: all their fields, and nothing required of them.
    let optional = made("flatten_optional_enum");
    assert_eq!(optional["required"], json!(["own"]));
    assert_eq!(optional.get("anyOf").or(optional.get("oneOf")), None);
    assert_eq!(optional["properties"].as_object().map(serde_json::Map::len), Some(5));
}

#[test]
fn flattened_maps() {
    assert_eq!(
        made("flatten_any"),
        json!({
            "type": "object",
            "properties": {"own": {"type": "string"}},
            "required": ["own"],
            "x-kubernetes-preserve-unknown-fields": true,
        })
    );
    refused("flatten_texts", &[("", "named fields and a flattened map")]);
}

#[test]
fn all_of() {
    let both = made_of(&json!({"allOf": [
        {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}, "required": ["a"]},
        {"properties": {"a": {"type": "string", "minLength": 3, "pattern": "x"}, "b": {"type": "boolean"}}, "required": ["a", "b"]},
        {"properties": {"a": true}},
    ]}));
    assert_eq!(
        both,
        json!({
            "type": "object",
            "properties": {"a": {"type": "string", "minLength": 3, "pattern": "x"}, "b": {"type": "boolean"}},
            "required": ["a", "b"],
        })
    );
    assert_eq!(
        made_of(
            &json!({"type": "string", "pattern": "a", "allOf": [{"pattern": "b"}, {"maxLength": 3}, {"enum": ["a", "ab"]}], "enum": ["ab", "b"]})
        ),
        json!({"type": "string", "pattern": "a", "allOf": [{"pattern": "b"}], "maxLength": 3, "enum": ["ab"]})
    );
    refused_schema(
        &json!({"allOf": [{"type": "string"}, {"type": "integer"}]}),
        &[("", "both types of the parts that apply here, string and integer")],
    );
    let either = json!({"x-kubernetes-int-or-string": true, "maxLength": 3, "maximum": 7});
    assert_eq!(
        made_of(&json!({"type": "string", "allOf": [either]})),
        json!({"type": "string", "maxLength": 3, "maximum": 7})
    );
    refused_schema(&json!({"type": "object", "allOf": [either]}), &[("", "integer or string, and object")]);
    refused_schema(&json!({"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]}), &[("", "no value in common")]);
    refused_schema(
        &json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}, {"properties": {"b": {"type": "string"}}}]}),
        &[("", "denies unknown fields")],
    );
    refused_schema(
        &json!({"type": "object", "allOf": [{"properties": {"a": {"type": "array", "items": {"type": "string"}}}}, {"properties": {"a": {"type": "array", "items": {"type": "boolean"}}}}]}),
        &[("a[*]", "no value has both types")],
    );
}

// --- objects, maps and lists -----------------------------------------------------------------------------------------

#[test]
fn unknown_fields() {
    assert_eq!(
        made("closed"),
        json!({
            "type": "object",
            "description": "No other fields.",
            "properties": {"a": {"type": "string"}, "inner": {"type": "object"}},
            "required": ["a", "inner"],
        })
    );
}

#[test]
fn maps() {
    assert_eq!(
        made("maps")["properties"],
        json!({
            "texts": {"type": "object", "additionalProperties": {"type": "string"}},
            "points": {"type": "object", "additionalProperties": made("optionals")["properties"]["point"]},
            "any": {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": true}},
            "lists": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}},
            // The keys are those of an enum.
            "by_mode": {"type": "object", "properties": {
                "Fast": {"type": "integer", "format": "int32"},
                "Slow": {"type": "integer", "format": "int32"},
            }},
        })
    );
    refused("map_by_number", &[("signed", "use strings as keys"), ("unsigned", "use strings as keys")]);
}

#[test]
fn lists_and_sets() {
    assert_eq!(
        made("arrays")["properties"],
        json!({
            "three": {"type": "array", "items": {"type": "integer", "format": "int32"}, "minItems": 3, "maxItems": 3},
            "none": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}, "maxItems": 0},
            "any": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}},
            "lists": {"type": "array", "items": {"type": "array", "items": made("optionals")["properties"]["point"]}},
            "bounded": {"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 1, "maxItems": 5},
        })
    );
    assert_eq!(
        made("sets")["properties"],
        json!({
            "texts": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "numbers": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 65535}, "x-kubernetes-list-type": "set"},
            "modes": {"type": "array", "items": {"type": "string", "enum": ["Fast", "Slow"]}, "x-kubernetes-list-type": "set"},
        })
    );
    let not_scalars = "are strings, numbers or booleans, not null";
    refused("set_of_objects", &[("set", not_scalars)]);
    refused_schema(
        &json!({"type": "array", "items": {"type": ["string", "null"]}, "uniqueItems": true}),
        &[("", not_scalars)],
    );
    refused_schema(
        &json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true, "x-kubernetes-list-type": "atomic"}),
        &[("", "atomic list")],
    );
}

#[test]
fn tuples() {
    refused(
        "tuples",
        &[
            ("pair", "a tuple has items of different types"),
            ("pairs[*]", "a tuple has items of different types"),
            ("triple", "a tuple has items of different types"),
        ],
    );
    refused("time_delta", &[("delta", "a tuple has items of different types")]);
    // As draft 7 and OpenAPI 3 write them.
    refused_schema(
        &json!({"type": "array", "items": [{"type": "string"}, {"type": "string"}]}),
        &[("", "a tuple has items of different types")],
    );
}

#[test]
fn several_types() {
    refused("bytes_or_text", &[("text", "the value may have several types (array, string)")]);
    refused_schema(&json!({"type": "text"}), &[("", "`text` is not a type; the types are array, boolean")]);
    refused_schema(&json!({"type": 1}), &[("", "`type` must be a string or a list of strings")]);
}

#[test]
fn the_types_of_the_standard_library() {
    let made = made("standard_types");
    assert_eq!(
        made["properties"]["duration"],
        json!({
            "type": "object",
            "properties": {"secs": {"type": "integer", "minimum": 0}, "nanos": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_i64}},
            "required": ["nanos", "secs"],
        })
    );
    assert_eq!(made["properties"]["time"]["required"], json!(["nanos_since_epoch", "secs_since_epoch"]));
    assert_eq!(made["properties"]["v4"], json!({"type": "string", "format": "ipv4"}));
    assert_eq!(made["properties"]["address"], json!({"type": "string"}), "Kubernetes does not have the format `ip`");
    assert_eq!(made["properties"]["result"]["oneOf"], json!([{"required": ["Ok"]}, {"required": ["Err"]}]));
    assert_eq!(made["properties"]["number"], json!({"type": "number"}));
}

#[test]
fn any_value() {
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(made("value_top"), any);
    assert_eq!(made_of(&json!({})), any);
    assert_eq!(
        made_of(&json!({"description": "d"})),
        json!({"description": "d", "x-kubernetes-preserve-unknown-fields": true})
    );
    // For serde, this is a struct without fields, so it is pruned.
    assert_eq!(made_of(&json!({"type": "object"})), json!({"type": "object"}));
    let raw = "io.k8s.apimachinery.pkg.runtime.RawExtension";
    let reference = json!({"$ref": format!("#/$defs/{raw}"), "$defs": {raw: {"type": "object"}}});
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(made_of(&reference), free);
    assert_eq!(made_of(&json!({"type": "object", "title": raw})), free, "as a root");
}

#[test]
fn conditions_without_a_type() {
    refused_schema(
        &json!({"type": "object", "properties": {"a": {"maxLength": 3}}}),
        &[("a", "conditions but no type")],
    );
    assert_eq!(made_of(&json!({"properties": {"a": {"type": "string"}}}))["type"], json!("object"));
    assert_eq!(made_of(&json!({"items": {"type": "string"}}))["type"], json!("array"));
    refused_schema(
        &json!({"type": "object", "required": ["a"]}),
        &[("", "the field `a` is required but not described")],
    );
}

// --- references ------------------------------------------------------------------------------------------------------

#[test]
fn references_are_written_out() {
    let generic = made("generic");
    assert_eq!(generic["properties"]["a"]["properties"]["inner"], made("optionals")["properties"]["point"]);
    assert_eq!(
        generic["properties"]["b"]["properties"]["inner"],
        json!({"type": "array", "items": {"type": "string"}})
    );
    assert_eq!(made("transparent"), made("list_top"));
    for keyword in ["$defs", "definitions"] {
        let schema = json!({"$ref": format!("#/{keyword}/A%20b~1c"), keyword: {"A b/c": {"type": "string"}}});
        assert_eq!(made_of(&schema), json!({"type": "string"}), "{schema}");
    }
    let openapi = json!({"allOf": [{"$ref": "#/components/schemas/A"}], "description": "d", "components": {"schemas": {"A": {"type": "string", "description": "a"}}}});
    assert_eq!(made_of(&openapi), json!({"type": "string", "description": "d"}));
    for reference in ["#/$defs/Nowhere", "other.json", "https://example.com/a.json"] {
        refused_schema(&json!({ "$ref": reference }), &[("", "has no target")]);
    }
}

#[test]
fn recursion_is_refused_with_its_path() {
    refused("recursive", &[("children[*]", "the type contains itself: Tree → Tree.")]);
    refused(
        "mutually_recursive",
        &[("trunk.leaves[*].on{anyOf[0]}", "the type contains itself: Branch → Leaf → Branch.")],
    );
    refused_schema(
        &json!({"title": "List", "type": "object", "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}}),
        &[("next{anyOf[0]}", "the type contains itself: List → List.")],
    );
}

#[test]
fn a_reason_in_a_definition_is_reported_once() {
    let bad = json!({"$ref": "#/$defs/Bad"});
    refused_schema(
        &json!({"type": "object", "properties": {"a": bad, "b": bad, "c": {"type": "array", "items": bad}}, "$defs": {"Bad": {"type": "null"}}}),
        // A unit has no type at each of the three paths that use it.
        &[("a", "the only value is null"), ("b", "the only value is null"), ("c[*]", "the only value is null")],
    );
    let bad = json!({"$ref": "#/$defs/Bad"});
    refused_schema(
        &json!({"type": "object", "properties": {"a": bad, "b": bad}, "$defs": {"Bad": {"type": "string", "if": {}}}}),
        &[("a", "`if`: Kubernetes has no conditional schemas")],
    );
}

#[test]
fn types_that_grow_without_end() {
    let mut definitions = serde_json::Map::new();
    for level in 0..20 {
        let below = match level {
            0 => json!({"type": "string"}),
            _ => json!({"$ref": format!("#/$defs/{}", level - 1)}),
        };
        definitions.insert(level.to_string(), json!({"type": "object", "properties": {"a": below, "b": below}}));
    }
    refused_schema(&json!({"$ref": "#/$defs/19", "$defs": definitions}), &[("", "more than 50000 nodes")]);

    let mut definitions = serde_json::Map::new();
    for level in 0..1000 {
        definitions
            .insert(level.to_string(), json!({"type": "array", "items": {"$ref": format!("#/$defs/{}", level + 1)}}));
    }
    definitions.insert("1000".to_owned(), json!({"type": "string"}));
    let reasons = structural(&json!({"$ref": "#/$defs/0", "$defs": definitions}).to_string()).unwrap_err();
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].contains("more than 50 levels deep"), "{reasons:?}");
}

/// As deep as a type may be, on the stack of a test.
#[test]
fn deep_types_fit_on_the_stack() {
    let deep = |leaf: &Value, keyword: &str| {
        (0..super::DEEPEST - 3).fold(leaf.clone(), |below, _| match keyword {
            "properties" => json!({"type": "object", "properties": {"a": below}}),
            "items" => json!({"type": "array", "items": below}),
            "oneOf" => json!({"oneOf": [below, {"type": "null"}]}),
            _ => json!({"allOf": [below]}),
        })
    };
    let (short, long) = (json!({"type": "string", "maxLength": 3}), json!({"type": "string", "minLength": 1}));
    for keyword in ["properties", "items", "oneOf", "allOf"] {
        for junctor in ["allOf", "anyOf", "oneOf"] {
            let definitions = json!({"a": deep(&short, keyword), "b": deep(&long, keyword)});
            let schema = json!({junctor: [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": definitions});
            // Values nest less deep than `serde_json` reads from text.
            let root = schema;
            let mut reader = super::Reader::new(&root);
            let part = reader.read(&root);
            let schema = reader.finish(part, super::Position::Top);
            assert!(reader.reasons.is_empty(), "{keyword} {junctor}: {:?}", reader.reasons);
            assert!(!super::part::is_unrestricted(&schema));
        }
    }
}

// --- descriptions, defaults, keywords ---------------------------------------------------------------------------------------

#[test]
fn descriptions() {
    let made_descriptions = made("descriptions");
    assert_eq!(made_descriptions["description"], json!("# Heading of the type\n\nText of the type."));
    let property = |name: &str| made_descriptions["properties"][name].clone();
    assert_eq!(property("heading"), json!({"type": "string", "description": "# Only a heading"}));
    assert_eq!(property("both")["description"], json!("# Both\n\nWith text."));
    assert_eq!(property("point")["description"], json!("Text of the field.\n\nMore of it."));
    assert_eq!(property("bare")["description"], json!("A point."));
    assert_eq!(
        property("attributes"),
        json!({"type": "integer", "format": "int32", "description": "# A title\n\nA text", "example": 7})
    );
    for name in ["old", "secret", "extended"] {
        assert_eq!(property(name).get("description"), None);
        assert_eq!(property(name).as_object().map(|property| property.contains_key("type")), Some(true));
    }
    assert_eq!(property("extended"), json!({"type": "string"}));
    assert_eq!(property("computed"), Value::Null, "computed fields are not read");
    // As a root, schemars puts the name of the type into `title`.
    assert_eq!(made_of(&json!({"title": "Point", "type": "string"})), json!({"type": "string"}));
    assert_eq!(
        made_of(&json!({"title": "Array_of_Point", "type": "string", "description": "d"}))["description"],
        json!("d")
    );
    assert_eq!(made_of(&json!({"title": "A heading", "type": "string"}))["description"], json!("# A heading"));
}

#[test]
fn marker_lines_in_descriptions() {
    refused("leftover_markers", &[("", "`+kubebuilder:validation:MaxLength=3`"), ("field", "`+optional`")]);
}

#[test]
fn defaults() {
    assert_eq!(
        made("defaults")["properties"],
        json!({
            "text": {"type": "string", "default": "a"},
            "number": {"type": "integer", "minimum": 0, "maximum": 65535, "default": 80},
            "none": {"type": "string"},
            "some": {"type": "integer", "format": "int32", "nullable": true, "default": 3},
            "point": {
                "type": "object",
                "properties": {"x": {"type": "integer", "format": "int32", "default": 0}, "label": {"type": "string"}},
                // Without `label: null`.
                "default": {"x": 0},
            },
            "list": {"type": "array", "items": {"type": "string"}, "default": []},
            "map": {"type": "object", "additionalProperties": {"type": "integer", "format": "int32"}, "default": {}},
            "mode": {"type": "string", "enum": ["Fast", "Slow"], "description": "How it works.", "default": "Slow"},
            "skipped": {"type": "string"},
        })
    );
    let reference = made("ref_default");
    assert_eq!(reference["properties"]["point"]["default"], json!({"x": 0, "y": 0}));
    assert_eq!(reference["properties"]["point"]["description"], json!("The point of the field."));
    assert_eq!(reference["properties"]["mode"]["default"], json!("over-there"));
    refused(
        "invalid_default",
        &[
            ("number", "the default 0 is not valid (0 is beyond the minimum 1)"),
            ("text", "the default \"\" is not valid"),
        ],
    );
    // Servers reject unknown fields in a default.
    refused_schema(
        &json!({"type": "object", "properties": {"a": {"type": "object", "properties": {}, "additionalProperties": false, "default": {"x": 1}}}}),
        &[("a", "the default {\"x\":1} is not valid (x: the schema has no such field)")],
    );
    refused_schema(
        &json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^a", "default": "b"}}}),
        &[("a", "does not match the pattern ^a")],
    );
    // Null remains where it is a value.
    let with_null = json!({"type": "array", "items": {"type": ["integer", "null"]}, "default": [1, null]});
    assert_eq!(made_of(&with_null)["default"], json!([1, null]));
}

#[test]
fn extensions_of_kubernetes() {
    assert_eq!(
        made("kubernetes_extensions"),
        json!({
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["key"],
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "group": {"type": "string"},
            },
            "required": ["free", "group", "items"],
            "x-kubernetes-validations": [{"rule": "self.items.size() > 0", "message": "too few"}],
        })
    );
}

#[test]
fn keywords_that_kubernetes_does_not_have() {
    refused(
        "unknown_keywords",
        &[
            ("conditional", "`if`: Kubernetes has no conditional schemas"),
            ("contains", "`contains`: Kubernetes cannot require that a list contains"),
            ("dependent", "`dependentRequired`"),
            ("future", "unknown keyword `x-kubernetes-future`"),
            ("names", "`propertyNames`: Kubernetes cannot restrict the keys"),
            ("not{not}", "excludes values by type or structure"),
            ("own", "unknown keyword `myOwn`"),
            ("wrong", "maxLength: expected an integer"),
        ],
    );
}

#[test]
fn properties_with_the_names_of_keywords() {
    let made = made("properties_like_keywords");
    let names: Vec<&String> = made["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["$ref", "default", "description", "enum", "properties", "required", "title", "type"]);
    assert_eq!(made["properties"]["required"], json!({"type": "boolean"}));
    assert_eq!(made.get("description"), None);
}

#[test]
fn texts_that_are_not_a_schema() {
    refused_text("{", &[("", "its schema is not JSON")]);
    refused_text("3", &[("", "a schema is an object")]);
    refused_text("false", &[("", "no value is valid here")]);
    refused_text("null", &[("", "a schema is an object")]);
    for (keyword, value) in [
        ("properties", json!([])),
        ("oneOf", json!({})),
        ("allOf", json!([])),
        ("items", json!(1)),
        ("minimum", json!("1")),
    ] {
        assert!(structural(&json!({"type": "object", keyword: value}).to_string()).is_err(), "{keyword}");
    }
}
