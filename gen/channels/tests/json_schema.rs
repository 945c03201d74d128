//! schemars' `JsonSchema` for `#[api]` types and base types.

use std::collections::BTreeMap;

use crd_channels::{AnyJson, Bytes, Condition, Duration, IntOrString, Quantity, RawExtension, Time, api};
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

/// The wanted state.
#[api]
struct AppSpec {
    /// How many.
    ///
    /// +kubebuilder:validation:Minimum=1
    replicas: i32,
    /// Which size.
    size: Option<Size>,
    /// Where it runs.
    ///
    /// +experimental
    /// +listType=set
    zones: Option<Vec<Zone>>,
    limits: Option<BTreeMap<String, Quantity>>,
}

#[api]
enum Size {
    Small,
    Large,
}

/// +kubebuilder:validation:MaxLength=63
#[api]
struct Zone(String);

/// A type of a project that uses the derive of schemars.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Report {
    spec: AppSpec,
    previous: Option<AppSpec>,
    conditions: Vec<Condition>,
    since: Time,
}

#[api]
struct Endless {
    next: Option<Box<Endless>>,
}

fn without_root_keys(schema: schemars::Schema) -> Value {
    let mut schema = schema.to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.remove("title");
    }
    schema
}

#[test]
fn the_schema_is_the_one_of_the_experimental_crd() {
    assert_eq!(
        without_root_keys(schema_for!(AppSpec)),
        json!({
            "description": "The wanted state.",
            "type": "object",
            "required": ["replicas"],
            "properties": {
                "limits": {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [{"type": "integer"}, {"type": "string"}],
                        "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
                        "x-kubernetes-int-or-string": true,
                    },
                },
                "replicas": {"description": "How many.", "type": "integer", "format": "int32", "minimum": 1},
                "size": {"description": "Which size.", "type": "string", "enum": ["Small", "Large"]},
                "zones": {
                    "description": "Where it runs.",
                    "type": "array",
                    "items": {"type": "string", "maxLength": 63},
                    "x-kubernetes-list-type": "set",
                },
            },
        })
    );
}

#[test]
fn other_types_derive_schemas_from_it() {
    let schema = schema_for!(Report).to_value();
    assert_eq!(schema["properties"]["spec"], json!({"$ref": "#/$defs/AppSpec"}));
    assert_eq!(schema["$defs"]["AppSpec"], without_root_keys(schema_for!(AppSpec)));
    assert_eq!(schema["properties"]["conditions"]["items"], json!({"$ref": "#/$defs/Condition"}));
    let defined: Vec<&String> = schema["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(defined, ["AppSpec", "Condition", "Time"]);
}

#[test]
fn a_validator_accepts_what_the_types_write() {
    let validator = jsonschema::validator_for(&schema_for!(AppSpec).to_value()).unwrap();
    let spec = |replicas| AppSpec {
        replicas,
        size: Some(Size::Large),
        zones: Some(vec![Zone::from("a")]),
        limits: Some(BTreeMap::from([("memory".to_owned(), Quantity(IntOrString::String("2Gi".to_owned())))])),
    };
    let is_valid = |spec: &AppSpec| validator.is_valid(&serde_json::to_value(spec).unwrap());
    assert!(is_valid(&spec(1)));
    assert!(!is_valid(&spec(0)));
}

/// Where the program comes from.
#[api]
enum Source {
    Git { url: String },
    Image(Zone),
}

#[test]
fn an_enum_with_data_has_the_schema_of_its_object() {
    let schema = without_root_keys(schema_for!(Source));
    assert_eq!(schema["properties"]["git"]["required"], json!(["url"]));
    assert_eq!(schema["properties"]["image"]["maxLength"], 63);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let source = Source::Git { url: "u".to_owned() };
    assert!(validator.is_valid(&serde_json::to_value(source).unwrap()));
    assert!(!validator.is_valid(&json!({"git": {}})));
}

#[test]
fn base_types_have_the_schemas_of_their_fields() {
    let both = [("string", None), ("string", Some("date-time")), ("string", Some("byte"))];
    let schemas = [schema_for!(Duration), schema_for!(Time), schema_for!(Bytes)].map(without_root_keys);
    for (schema, (kind, format)) in schemas.iter().zip(both) {
        assert_eq!(
            (&schema["type"], schema.get("format")),
            (&json!(kind), format.map(|format| json!(format)).as_ref())
        );
    }
    assert_eq!(without_root_keys(schema_for!(RawExtension))["type"], "object");
    assert_eq!(without_root_keys(schema_for!(AnyJson)), json!({"x-kubernetes-preserve-unknown-fields": true}));
    assert_eq!(without_root_keys(schema_for!(IntOrString))["x-kubernetes-int-or-string"], true);
}

#[test]
#[should_panic(expected = "`Endless` has no schema: error[types::recursion]")]
fn a_type_that_generate_rejects_has_no_schema() {
    let _ = schema_for!(Endless);
}
