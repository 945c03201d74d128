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
    expected: Expected,
}

/// What a schema becomes.
enum Expected {
    /// This structural schema.
    Structural(Value),
    /// For each reason for a refusal, the path at its beginning, or nothing, and a part of the message.
    Refused(Vec<(String, String)>),
}

fn text_of(entry: &Value, key: &str) -> String {
    entry[key].as_str().unwrap().to_owned()
}

fn expected(entry: &Value) -> Expected {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match entry["refused"].as_array() {
        Some(reasons) => Expected::Refused(reasons.iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()),
        None => Expected::Structural(serde_json::from_str(entry["becomes"].as_str().unwrap()).unwrap()),
    }
}

static RECORDED: LazyLock<Vec<Recorded>> = LazyLock::new(|| {
    let records = yaml::read(include_str!("tests/recorded.yaml")).unwrap().remove(0);
    let record = |record: &Value| {
        let [name, text, values, verdicts] = ["name", "schema", "values", "verdicts"].map(|key| text_of(record, key));
        Recorded { name, text, values, verdicts, expected: expected(record) }
    };
    records.as_array().unwrap().iter().map(record).collect()
});

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

/// What differs from what is expected of a schema.
fn difference(text: &str, expected: &Expected) -> Option<String> {
    let is_reason = |reason: &str, (path, part): &(String, String)| {
        let message = match &**path {
            "" => Some(reason),
            path => reason.strip_prefix(&format!("`{path}`: ")),
        };
        message.is_some_and(|message| message.contains(part))
    };
    match (structural(text), expected) {
        (Ok(schema), Expected::Structural(expected)) if schema.to_value() == *expected => None,
        (Ok(schema), _) => Some(format!("becomes {}", schema.to_value())),
        (Err(reasons), Expected::Refused(expected))
            if reasons.len() == expected.len()
                && reasons.iter().zip(expected).all(|(one, other)| is_reason(one, other)) =>
        {
            None
        }
        (Err(reasons), _) => Some(format!("is refused: {reasons:#?}")),
    }
}

#[test]
fn recorded_types_become_structural_or_are_refused() {
    let wrong = |record: &Recorded| {
        difference(&record.text, &record.expected).map(|difference| format!("{} {difference}", record.name))
    };
    assert_eq!(RECORDED.iter().filter_map(wrong).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn schemas_become_structural_or_are_refused() {
    let groups = yaml::read(include_str!("tests/cases.yaml")).unwrap().remove(0);
    let cases = groups.as_object().unwrap().iter().flat_map(|(group, cases)| {
        cases.as_array().unwrap().iter().map(move |case| (group, text_of(case, "schema"), expected(case)))
    });
    let wrong = |(group, text, expected): (&String, String, Expected)| {
        difference(&text, &expected).map(|difference| format!("{group}: {text} {difference}"))
    };
    assert_eq!(cases.filter_map(wrong).collect::<Vec<_>>(), [""; 0]);
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
    let reasons = structural(&json!({"$ref": "#/$defs/19", "$defs": definitions}).to_string()).unwrap_err();
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].contains("more than 50000 nodes"), "{reasons:?}");

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
